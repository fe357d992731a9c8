// Package audit (nothing is promised of it) reads the platform back and compares it with what a bot has stored: which events it
// handled, which wait, and which it does not know although it should; and which of its messages the
// platform does not show.
//
// It is no part of a running bot. It sends nothing; reading messages may mark them as seen, which the
// running bot notices.
//
//	report, err := audit.Run(ctx, audit.Config{Account: "main", Me: broker.Me, Client: client, Store: reader})
//
// It is the answer to "does it really lose nothing?", so of what it judges it uses the client, the ages of rows and which ids are believed, and
// nothing else. Each row of the platform is in one of these:
//
//	stored as pending, quarantined or handled     counted so
//	not stored, above the cursor and young        ahead: the bot has not been there yet
//	not stored, and anything else                 missing
//
// Read audit.go for how a row is judged (compare) and for the pace of the calls, list.go for notifications and mentions, messages.go for chats
// and for what was sent, report.go for what is told.
//
// What holds:
//
//   - What may still be coming is never called missing. A row counts as young for a quarter of an hour before the last poll: a sweep of the bot
//     finds what no list showed by then.
//   - A cursor that an absurd id has set is not believed (bot/internal/leap); up to where nothing is known, nothing is looked at, and a note in
//     the report says so.
//   - The report says what was not read, and by which bound: an audit that stops early must not look like a clean one.
//   - Calls are made one after another at a pace of their own, beside a bot that polls the same account.
//
// nectar audit runs it (cmd/internal/readback), and goes on to what it can repair; nectar doctor asks it whether an id is odd.
package audit
