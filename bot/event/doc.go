// Package event holds the one vocabulary of the runtime: account, conversation key, event, trigger,
// action, claim and fact. It has no behaviour beyond naming and ordering things, so that every
// other package can speak of the same things without importing one another.
package event
