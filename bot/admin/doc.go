// Package admin (nothing is promised of it) is what operators do with the database of bots: take accounts to another one, change its key,
// make it smaller, and see to the workers that share it. The commands nectar move, rekey, forget, workers and doctor stand on it.
//
// It is a front without rooms of its own. Everything behind it lies in internal packages, so that only what a person may ask for can be asked
// for by another module:
//
//	Move, CancelMove                 bot/internal/move     a bot must not run on either database; the locks see to that
//	ChangeKey, BeginKeyChange        bot/internal/rekey    also while bots run
//	Compact                          bot/internal/store    nobody may be at work on the file
//	OpenBoard, Prepare, ServerOf     bot/internal/board    also while workers run
//
//	moved, err := admin.Move(ctx, record.MoveOptions{From: []string{"nectar.db"}, To: url, Key: key})
//
// What holds:
//
//   - Each of them can be asked for again after an interruption: it goes on, or finds that nothing is left to be done. So a command that is
//     killed needs no repair by hand.
//   - Nothing here asks a person. That is for commands, before they call.
//   - What is returned of workers is one look at the board, of one moment; what is counted of hosts is a second look, right after it.
//
// It brings the driver of bot/postgres, since it is for servers as well as for files.
//
// What people look at and decide about a bot (events, approvals, pauses) is bot/inspect, for which the bot itself does the work.
package admin

import _ "github.com/nectar-bot/nectar/bot/postgres" // see above
