// Package event holds the one vocabulary of the runtime: account, conversation key, event, trigger, action, limit use, fact,
// what a turn leaves for people (entries of lists, notices, its decision record), and how an account is to act and be
// heard. It has no behaviour beyond naming and ordering things, so that every other package can speak of the same
// things without importing one another.
package event
