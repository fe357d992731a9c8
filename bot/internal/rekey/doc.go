// Package rekey lets another NECTAR_SECRET_KEY take the place of the one that opens what is sealed in a database, while bots run on it.
//
//	a file   ──► ChangeKey       one commit: both secrets open it, and the bot that runs, or the next one, seals anew
//	a server ──► Begin ──► Seal ──► Finish   sealed anew here, beside workers; the old secret ends when every worker can do without it
//
// Read file.go first, then server.go, and reseal.go for what goes through the tables of a server.
//
// What holds:
//
//   - At no moment is anything sealed that neither of both secrets opens, also when a change is interrupted. Asked for again, it goes on.
//   - On a server rows are locked a few at a time, leaving out those that others have locked: no worker waits for it, or meets it in a deadlock.
//   - The old secret ends last, in one transaction with a look at all workers: a worker that seals with an older key, or has only the old
//     secret, keeps it in force.
//
// bot/admin is where it is asked for; what seals a file anew is bot/internal/store, since the bot does it.
package rekey
