package bot

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/session"
)

// Counts is what a bot has done since it was made, and what it is at. It names accounts, but no people.
type Counts struct {
	Events  map[EventCount]int64
	Actions map[ActionCount]int64

	Lanes     int   // conversations in which something waits for its turn or for its commit, now
	Waiting   int   // what waits there
	Abandoned int64 // handlers that did not return in time and were left behind
	Faults    int64 // times that a conversation had to begin again because the store could not write

	Accounts []AccountCounts // in the order of the configuration
}

// EventCount is what the turns of events are counted by. What timers and people's decisions started has
// the kinds "timer" and "decision", what the program itself began "nudge".
type EventCount struct {
	Account event.Account
	Kind    event.Kind
	Outcome string // see OutcomeHandled; also "quarantined", and of timers "orphaned"
}

// ActionCount is what actions are counted by when they come to an end, or are held.
type ActionCount struct {
	Account event.Account
	Verb    event.Verb
	State   event.State
}

// AccountCounts is how one account stands.
type AccountCounts struct {
	Account event.Account
	InDoubt int // actions whose request left and whose answer did not arrive
	Held    int // actions that wait for a person
	Stuck   int // events and timers that are quarantined
	Waits   int // people whose last words nobody of ours, and no answer to them, has dealt with
	Session session.State
	Due     int  // actions that could leave, if its pace and the platform let them
	Stopped bool // nothing of it leaves, since another bot answers on it; see RivalryOf

	OldestDue time.Time // since when the first of these is due; zero: there is none
}

// Counts returns what the bot has done so far. The error is that of reading the store.
func (b *Bot) Counts(ctx context.Context) (Counts, error) {
	c := Counts{Abandoned: b.abandoned.Load(), Events: b.counted.events.all(), Actions: b.counted.actions.all(), Faults: b.counted.faultCount()}
	c.Lanes, c.Waiting = b.atWork()
	standings, err := b.store.Standings(ctx)
	if err != nil {
		return Counts{}, err
	}
	overdue := b.overdues.all()
	for _, a := range b.accounts.all() {
		s, o := standings[a.name], overdue[a.name]
		c.Accounts = append(c.Accounts, AccountCounts{
			Account: a.name, InDoubt: s.InDoubt, Held: s.Held, Stuck: s.Stuck, Waits: s.Waits, Due: o.Actions, OldestDue: o.Oldest, Session: a.broker.State(), Stopped: a.rivals.IsStopped(),
		})
	}
	return c, nil
}

// atWork counts the lanes that are not idle, and what waits in them.
func (b *Bot) atWork() (lanes, waiting int) {
	for _, a := range b.accounts.all() {
		a.lanes.each(func(l *lane) {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.state() != laneIdle {
				lanes++
				waiting += len(l.queue) + len(l.inFlight) + len(l.toRetry)
			}
		})
	}
	return lanes, waiting
}

// counted is what a bot counts while it works.
type counted struct {
	events  tally[EventCount]
	actions tally[ActionCount]
	failed  tally[struct{}]
}

func (c *counted) faultCount() int64 { return c.failed.all()[struct{}{}] }

// countTurn counts how a turn ended.
func (c *counted) countTurn(t *event.Trigger, outcome string) {
	kind := t.Event.Kind
	switch t.Kind {
	case event.ByTimer:
		kind = "timer"
	case event.ByRequest:
		kind = "decision"
	case event.ByNudge:
		kind = "nudge"
	case event.ByEvent:
	}
	c.events.add(EventCount{t.Key.Account, kind, outcome})
}

// countAction counts an action that came to an end, or is held.
func (c *counted) countAction(a *event.Action) {
	c.actions.add(ActionCount{a.Account, a.Verb, a.State})
}

// forgetAccount leaves out an account that has gone.
func (c *counted) forgetAccount(account event.Account) {
	c.events.dropKeys(func(k EventCount) bool { return k.Account == account })
	c.actions.dropKeys(func(k ActionCount) bool { return k.Account == account })
}

// tally counts things of a few kinds.
type tally[K comparable] struct {
	mu sync.Mutex // guards the field below
	n  map[K]int64
}

func (t *tally[K]) add(k K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == nil {
		t.n = map[K]int64{}
	}
	t.n[k]++
}

func (t *tally[K]) dropKeys(gone func(K) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.n, func(k K, _ int64) bool { return gone(k) })
}

// all returns how often each was counted.
func (t *tally[K]) all() map[K]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.n)
}
