// Package postgres is how a server is spoken to: by its URL, with its lock, its migrations and its errors in words for people. It knows
// nothing of what is stored: statements come from above, written for SQLite, and are put into the server's form here.
//
// There are two ways to it, since who writes and who reads want different things:
//
//	the writer of a store ──► Line, Statement   one connection: statements go ahead of their answers, COMMIT by itself
//	readers, inspectors,  ──► OpenDB, Conn      database/sql: each statement waits for its answer
//	a board, its commands
//
// A group of writes goes over a line like this:
//
//	l.Begin(ctx)
//	st.Int(n); st.Guess()       // sent; nearly always it changes something, so nobody waits for the answer
//	l.End()                     // all answers are read; ErrWrongGuess: nothing counts, Learn and try again
//	l.Commit(ctx)               // another trip, and the only one that makes anything last
//
// Where to begin: url.go says what a URL may say, and what is added to it; sql.go, text.go and wire.go turn a statement, a text and a value
// into the server's; line.go and statement.go are the writer's way, driver.go everybody else's; lock.go, migrate.go and error.go stand alone. database.go is all of it
// as bot/internal/remote wants it.
//
// What holds:
//
//   - COMMIT is never sent ahead. In one pipeline with the group it would make last what a wrong guess stands in.
//   - An error of [Commit] is an unclear.Error unless the server itself has refused. Who took a lost answer for a failure would decide again
//     what is stored already.
//   - The lock is the connection's, and says only who has it now. Who may still write is said by the fence, which bot/internal/store keeps:
//     a process that has slept can lose the lock and not know it.
//   - Bytes that a text of the server cannot have are kept as runes that nobody writes, one to one. So a key that was read finds its row again.
//   - No error repeats a URL: there may be a password in it.
//
// bot/internal/store writes and reads by it, through bot/internal/remote alone, so that a program without bot/postgres does not hold it.
// bot/internal/board lets workers meet by it, bot/internal/move carries rows by it.
package postgres
