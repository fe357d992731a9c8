// Package autoresponder lets a bot answer by rule files: text files that people write, try and change
// while the bot runs.
//
//	fx.New(config.Module, bot.Module, autoresponder.Module, fx.Supply(autoresponder.Config{Path: "rules"})).Run()
//
// The folder is watched. A file that does not work leaves the last version of it that did in force, and
// the log says which line is wrong and what to write instead.
package autoresponder
