// Package record holds what a bot keeps as it is stored, and what is asked for: rows and queries, without behaviour of their own.
// A store returns them, and everything that shows or moves them speaks of them: bot/inspect, bot/admin, commands, plugins.
package record
