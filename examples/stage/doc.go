// Package stage (nothing is promised of it) lets the examples be seen, so that they are about bots and nothing else. An example is
// a Show: a bot, and what visitors do to it.
//
// Run plays it on a platform in memory and prints what happens, when no platform is configured.
// Otherwise it runs the bot there, with the same settings as the command nectar. Rehearse is for
// tests: it compares what happens with the transcript at the top of the example.
package stage
