package run

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/advice"
	"github.com/nectar-bot/nectar/platform/session"
)

// arrivals says in the log, once, which accounts are polled, and of an account that cannot be, once,
// what to do about it.
type arrivals struct {
	log *slog.Logger

	mu      sync.Mutex             // guards the fields below
	awaited map[event.Account]bool // those that were not polled well yet; true: not even in vain
	unheard int                    // the true ones
	fresh   []event.Account        // polled well, and not said so
}

// NewArrivals returns arrivals of nobody yet.
func NewArrivals(accounts []bot.Account, log *slog.Logger) *arrivals {
	a := &arrivals{log: log, awaited: map[event.Account]bool{}}
	for _, acc := range accounts {
		a.ExpectAccount(acc.Name)
	}
	return a
}

// ExpectAccount expects an account that comes.
func (a *arrivals) ExpectAccount(name event.Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.awaited[name] {
		a.unheard++
	}
	a.awaited[name] = true
}

// ForgetAccount expects an account no more that has gone.
func (a *arrivals) ForgetAccount(name event.Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.awaited[name] {
		a.unheard--
	}
	delete(a.awaited, name)
	a.fresh = slices.DeleteFunc(a.fresh, func(x event.Account) bool { return x == name })
	a.tellLocked()
}

// NotePoll is told of each poll.
func (a *arrivals) NotePoll(name event.Account, _ event.PollResult, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	first, awaited := a.awaited[name]
	if !awaited || errors.Is(err, context.Canceled) { // the second says that the bot is being stopped
		return
	}
	if first {
		a.unheard--
	}
	if isAnother(err) { // it is told by who parks it
		delete(a.awaited, name)
	} else if err != nil {
		a.awaited[name] = false
		if first && !waitsForItsTurn(err) {
			a.log.Warn("the account cannot be polled yet; the bot keeps trying, and nectar doctor says more",
				"account", name, "why", advice.WhyLine(err))
		}
	} else {
		delete(a.awaited, name)
		a.fresh = append(a.fresh, name)
	}
	a.tellLocked()
}

// tellLocked says which accounts are at work, once none is awaited.
func (a *arrivals) tellLocked() {
	if a.unheard == 0 && len(a.fresh) > 0 {
		slices.Sort(a.fresh)
		a.log.Info("the bot is at work", "accounts", a.fresh)
		a.fresh = nil
	}
}

// isAnother reports whether an account's credentials are another person's: it is parked.
func isAnother(err error) bool {
	parked, is := errors.AsType[*session.ParkedError](err)
	return is && parked.Other.ID != 0
}

// waitsForItsTurn reports whether an account is one of many that sign in for the first time: it comes later.
func waitsForItsTurn(err error) bool {
	paused, is := errors.AsType[*session.PausedError](err)
	return is && paused.Waits
}
