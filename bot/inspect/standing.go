package inspect

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// The states of an account.
const (
	Working = "working"
	Stopped = "stopped" // another bot answers on it
	Paused  = "paused"  // by a person
)

// Standing is how an account stands: what of it is paused and by whom, and whether another bot was seen on it.
type Standing struct {
	State   string    // Working, Stopped or Paused
	Since   time.Time // zero while it works
	Pauses  bot.Pauses
	Rivalry record.Rivalry
}

// StandingOf returns how an account stands, by what is known of it: a Reader knows that, and what Reader.Knowledge has read of many accounts. With
// an error it returns what could be read.
func StandingOf(ctx context.Context, known bot.Knower, account event.Account) (Standing, error) {
	s := Standing{State: Working}
	var unread, unseen error
	s.Rivalry, unseen = bot.RivalryOf(ctx, known, account)
	s.Pauses, unread = bot.PausesOf(ctx, known, account)
	switch {
	case !s.Rivalry.Stopped.IsZero():
		s.State, s.Since = Stopped, s.Rivalry.Stopped
	case s.Pauses.Account != nil:
		s.State, s.Since = Paused, s.Pauses.Account.Since
	}
	return s, errors.Join(unseen, unread)
}
