package grammar

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Around is what is known of the bot that acts by files.
type Around struct {
	Accounts []event.Account // nil: not known
	Host     string          // of the platform; "": not known
	Now      time.Time       // when the files are checked; zero: when they are
}
