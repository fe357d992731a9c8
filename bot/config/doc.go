// Package config reads the settings of a bot: variables that begin with NECTAR_ from the environment
// and from the file .env, and accounts from a YAML file. The command nectar reads the same ones; the
// file .env.example lists them.
//
//	fx.New(config.Module, bot.Module, bot.Routes(…)).Run()
//
// Without fx: Load the settings, then make the bot's parts of them with Config.Logger,
// Config.OpenStore and Config.Bot.
//
//	.env ──► variables ──► form ──► Account, Config ──► bot.Config
//	          ▲   │                     ▲
//	environment   └─► NECTAR_ACCOUNTS ──┘   a file, or the database (Config.WithStored)
//
// Everything is checked before anything starts. What is wrong are Problems, a line each, that name
// the variable and show an example. No secret is repeated in them, or in the log.
//
// Read config.go for what there is (a field with its tags is a setting) and in which order it is read, form.go for how a text becomes a field,
// envfile.go and accounts.go for the two files; presets.go and stored.go for accounts of the database; changed.go for what a bot that runs takes
// over.
//
// What holds:
//
//   - Problems are told together. Whoever hears of one at a time would start the bot as often as there are problems.
//   - The environment goes before .env, also an empty variable; an account goes before the variables, as far as it says something.
//   - In .env an unknown variable of ours is a problem: a misspelt bound would not be in force, and nobody would know. In the environment it may
//     be there for another reason, and is told.
//   - A secret may stand in a file that NAME_FILE names.
//   - Secrets are platform.Secret or StoreFile, which print no secret; what comes from elsewhere goes through Scrub.
//   - What a bot does not take over while it runs is named (Config.CountsLater), or people would believe that it is in force.
//
// cmd/internal/cli loads for all commands, cmd/internal/run again on SIGHUP, and Module for programs that are wired with fx.
package config
