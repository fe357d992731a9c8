// Package move carries accounts between databases, of the same engine or of different ones: all that is kept of an account, in the order of
// its rows, compared before it counts. After a crash a move is called off or goes on.
//
// The question at each step is where the account lives, if the process ends here. Notes in both databases answer it (the table meta):
//
//	announce   target: arriving                         lives in the source; no bot opens the target
//	carry      target: rows, and the key of the last    the same; the next try goes on behind that key
//	compare    both sides: as many rows, the same sum   the same; a table that differs is copied again
//	arrived    target: arriving, as a whole             the same; from here on it cannot be called off
//	part       source: gone                             nowhere: both refuse it, and the next try goes on here
//	finish     target: the notes go                     lives in the target
//
// Read move.go for that order (run and leave), plan.go for what is refused before anything is written, carry.go and part.go for the two
// halves. What differs between engines is behind a side: side.go, then file.go and server.go; row.go and tables.go are what is on its way.
//
// What holds:
//
//   - An account lives in one database or in none, never in two: a person would be answered by both. So the source says "gone" before the
//     target says "here", and not the other way round.
//   - Rows are stored with the note how far they go, in one commit. A note ahead of its rows would leave some out for good.
//   - What was copied is read back, opened, and summed up on both sides. A sum, as engines order odd texts differently. What
//     inspectors may write beside a move is summed up once more when the account leaves.
//   - The last comparison and "gone" are one commit, in which no inspector writes. A request that came in between would stay in a database that
//     nobody looks into any more.
//   - On a server the fence is raised first: a bot that slept through the move stores nothing more.
//
// bot/admin has the two doors, Move and CancelMove, for the command nectar move. Contents and Tables are for tests.
package move
