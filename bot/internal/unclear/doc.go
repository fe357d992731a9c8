// Package unclear has the error of a commit of which nobody knows whether it was made: a database can make one and still fail to say so. Both
// engines return it.
//
// It is a type of its own so that three ends are never taken for two:
//
//	err == nil                             it is stored
//	errors.As(err, new(*unclear.Error))    ask: it may be stored
//	any other error                        it is not stored; decide again
//
// Who takes the second for the third decides again, is told "handled", and what was decided first is in nobody's memory: its action is lost, or
// leaves twice. So an engine says so when it cannot exclude it (postgres.Commit, and the commit of SQLite), the writer of bot/internal/store
// finds out by the number of the group before it tells anybody (findOut), and only a store that is closed, or has ended for good, passes it on.
// The next start then sees what is there, as after a crash. A person's command looks a few times, and otherwise says that it does not know.
package unclear
