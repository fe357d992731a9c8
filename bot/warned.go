package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// warnedEvery is how often routes hear of one kind of warning at most.
const warnedEvery = time.Minute

// WarnedFor matches the turn that the bot begins in an account's own conversation when the platform warns the account: it is
// asked for fewer calls, its session is parked or its sign-in refused, a publication is refused for a reason that is not what it
// was about, a repost does not take. Only accounts that has is true of have such a turn; nil is all. Of each kind there is one
// a minute at most, and one that waits is replaced by the next. Like every nudge it is not stored.
func WarnedFor(name string, has func(account event.Account) bool) Matcher[event.Warning] {
	m := NewMatcher(func(_ context.Context, t *Turn) (event.Warning, bool) {
		var w event.Warning
		n := t.Trigger.Nudge
		if n == nil || n.Name != name || json.Unmarshal(n.Data, &w) != nil {
			return event.Warning{}, false
		}
		return w, true
	}, kindNudge)
	m.named = func(nudge string) bool { return nudge == name }
	m.warned, m.warns = name, has
	return m
}

// warnings are those that routes have heard of.
type warnings struct {
	mu   sync.Mutex // guards the field below
	last map[event.WarningKind]time.Time
}

// warn tells the routes that want to know that the platform has warned the account.
func (a *account) warn(kind event.WarningKind, why string) {
	for _, rt := range a.bot.router.warned {
		if rt.warns != nil && !rt.warns(a.name) {
			continue
		}
		a.warnings.mu.Lock()
		last, known := a.warnings.last[kind]
		fresh := !known || time.Since(last) >= warnedEvery
		if fresh {
			if a.warnings.last == nil {
				a.warnings.last = map[event.WarningKind]time.Time{}
			}
			a.warnings.last[kind] = time.Now()
		}
		a.warnings.mu.Unlock()
		if !fresh {
			return
		}
		raw, err := json.Marshal(event.Warning{Kind: kind, Why: why})
		if err == nil {
			a.bot.nudges.add(nudge{a, event.Nudge{Name: rt.warned, Data: raw}})
		}
	}
}

// noteCallFailure hears of each call that failed.
func (a *account) noteCallFailure(err error) {
	if len(a.bot.router.warned) == 0 {
		return
	}
	_, sessionless := errors.AsType[*platform.SessionError](err)
	switch {
	case errors.Is(err, platform.ErrRateLimited):
		a.warn(event.WarnedBusy, "the platform asked for fewer calls")
	case sessionless && a.signInRefused():
		a.warn(event.WarnedSession, fmt.Sprintf("the session of %s: %v", a.name, a.broker.State().Err))
	}
}

// signInRefused reports whether the account has no session since the platform refuses it one.
func (a *account) signInRefused() bool {
	s := a.broker.State()
	paused, is := errors.AsType[*session.PausedError](s.Err)
	return s.Phase == session.Parked || s.Phase == session.Paused && is && paused.Refused
}

// PublicationWarned hears of publications that the platform does not take from the account.
func (l listener) PublicationWarned(x event.Action, kind event.WarningKind, why string) {
	if a := l.accounts.byName(x.Account); a != nil {
		a.warn(kind, why)
	}
}
