// Package autoresponder lets a bot answer by rule files: text files that people write, try and change
// while the bot runs.
//
//	fx.New(config.Module, bot.Module, autoresponder.Module, fx.Supply(autoresponder.Config{Path: "rules"})).Run()
//
// The folder is watched. A file that does not work leaves the last version of it that did in force, and
// the log says which line is wrong and what to write instead.
//
//	folder, or a published set ─► look ─► check ─► take ─► stored ─► in force (rules.Handler), and told (Config.InForce)
//	                                                          └────► who is called, and how (office)
//	notices of turns, conditions of the bot ─► office ─► addresses of people ─► noted in the store
//
// Read plugin.go, then folder.go: one folder, from its files to what is in force. before.go is what was in force before a start, accounts.go
// accounts that come and go, set.go what is published. People who are called are the other half: office.go, with member.go (an address, and how
// often it is called) and letter.go (a notice, and what became of it); watch.go finds what they are called for, heartbeat.go is for when the bot is dead.
//
// What holds:
//
//   - Files count when two looks in a row have seen them the same: somebody may be in the middle of writing. What is published is whole.
//   - Rules stay in force when their files break or go, also over a restart: they are in the store. A bot that fell silent over a slip in an
//     editor would lose more than one that answers by yesterday's rules.
//   - What comes into force is stored first, so that people can ask later why it decided as it did. A store that cannot take it holds nobody up; it
//     is tried again with each look.
//   - Accounts find their rules in force before they are taken up, and lose them after they have been given up ([Plugin.SetAccounts]).
//   - A notice is noted as sent after it has arrived: a crash in between sends it twice, the other order would lose it.
//   - The heartbeat is sent while all is well, never when something is wrong: so also a dead bot is noticed.
//
// nectar run has it for rules; cmd/internal/view and published use what it says of notices and places.
package autoresponder
