package grammar

import (
	"github.com/nectar-bot/nectar/bot/event"
)

// Around is what is known of the bot that acts by files.
type Around struct {
	Accounts []event.Account // nil: not known
	Host     string          // of the platform; "": not known
}
