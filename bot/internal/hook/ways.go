package hook

import "github.com/nectar-bot/nectar/bot/event"

// Ways are those of a route; see the package engine.
type Ways struct {
	Keeps       string
	LooksOn     func(account event.Account, k event.Kind) bool
	MindsPauses bool
	Acked       string
	Says        func(account event.Account, text string) bool
	Hears       func(account event.Account, text string) (asks, heard bool)
	Clocked     bool
}
