// Package record holds what a bot keeps as it is stored, and what is asked for: rows and queries, without behaviour of their own.
// A store returns them, and everything that shows or moves them speaks of them: bot/inspect, bot/admin, commands, plugins.
//
// It answers one question: how do two packages that must not know each other speak of the same row? The store is below bot, the commands are
// above it, and both import this.
//
//	rows, err := inspector.Events(ctx, record.EventQuery{Account: "main", State: record.EventQuarantined})    // []record.EventRow
//
// What is alike here:
//
//   - A …Row is what stands in a table, opened where it was sealed; times are times, and the zero time is none.
//   - A …Query says which rows are wanted, of which account, and from where in the list on: a page begins behind the row that the last one
//     ended with, so that rows which come meanwhile are shown neither twice nor not at all.
//   - A …Count is a line of a summary.
//   - An error is for people: one line that says what to do, and no password. errors.go has those of opening a database.
//
// Read event.go and turn.go for what was decided, conversation.go and person.go for people, timer.go and cursor.go for where a bot stands;
// having.go and known.go are for many accounts at once, rules.go for what is published, worker.go and server.go for workers, move.go for moves.
//
// What has behaviour stays out: an action is event.Action, and what may become of it stands in bot/internal/outbox. So a field can be added here
// without anybody having to ask whether something is decided by it.
package record
