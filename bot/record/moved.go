package record

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// MovedError is the error of working on a database with an account that has gone from it to another one.
type MovedError struct {
	Account event.Account // "" for all of the database
	To      string        // the name of the other database
	At      time.Time
}

// Error tells where it has gone, and what to do.
func (e *MovedError) Error() string {
	if e.Account == "" {
		return fmt.Sprintf("it was moved to %s on %s, and is not the memory of a bot any more: name that one, or take it back with nectar move", e.To, e.At.Local().Format(time.DateOnly))
	}
	return fmt.Sprintf("the account %s was moved to %s on %s: run it there, or take it back with nectar move", e.Account, e.To, e.At.Local().Format(time.DateOnly))
}
