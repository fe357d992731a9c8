// Package welcome greets new followers and thanks those who repost: the pattern for plugins.
//
// Each follower is greeted once ever, also one who leaves and comes back. Each repost is thanked once for
// a person and post. Both hold over crashes. What the plugin remembers of a person is a Guest, kept in
// the conversation and stored with the turn that changes it.
//
//	fx.New(config.Module, bot.Module, welcome.Module, fx.Supply(welcome.Config{FollowBack: true})).Run()
//
// It is short on purpose, and complete: a copy of it is a good beginning for a plugin. Read config.go (what can be set, and what is wrong with
// it), plugin.go (routes, handlers, memory), module.go (how fx finds it), and example_test.go and plugin_test.go for how it is tried.
//
// Why it is written as it is:
//
//   - "Once" is no question that the handler asks. It hands the action over with a limit use (bot.Once), and the commit grants it or not. A
//     handler that looked first could be run again, after a crash or beside another turn, and both would find that nobody was greeted.
//   - What it remembers goes through bot.Value: a variable of the program would be gone after a restart, and would count a turn that was never
//     stored.
//   - It sends nothing and waits for nothing. The delay of a greeting is a time in the store, which a restart does not forget.
//   - Texts are parsed by New, so what is wrong with them is told before anything runs, not when the first follower comes.
//   - A Plugin holds nothing that changes, so any number of turns may use it at a time.
//
// The starter bot of nectar run, and examples 04 and 05, have it.
package welcome
