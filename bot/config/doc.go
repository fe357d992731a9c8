// Package config reads the settings of a bot: variables that begin with NECTAR_ from the environment
// and from the file .env, and accounts from a YAML file. The command nectar reads the same ones; the
// file .env.example lists them.
//
//	fx.New(config.Module, bot.Module, bot.Routes(…)).Run()
//
// Without fx: Load the settings, then make the bot's parts of them with Config.Logger,
// Config.OpenStore and Config.Bot.
//
// Everything is checked before anything starts. What is wrong are Problems, a line each, that name
// the variable and show an example. No secret is repeated in them, or in the log.
package config
