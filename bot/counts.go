package bot

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/record"
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

const (
	overdueEvery = 5 * time.Second // that is looked for
	// lateAfter is how long the oldest of what is due may wait, and how long something must have been due all the time: what was old before it could
	// leave, since it had waited in a pause, is not late by the pace.
	lateAfter = 5 * time.Minute
	// inTimeBelow is how young it has to be for that to be over. The answers of an account that is just as quick as people write would be late and in
	// time by turns.
	inTimeBelow = lateAfter / 2
	growsOver   = time.Minute // it has to have become older in this
)

// What keeps back what is late, as the parameter by of record.TroubleLate.
const (
	lateByPace     = "pace"
	lateByHost     = "host"
	lateByPlatform = "platform"
)

// overdues are what is overdue of the accounts of which something is.
type overdues struct {
	mu sync.Mutex // guards the field below
	of map[event.Account]overdue
}

// overdue is what of an account is overdue, and how that has gone on.
type overdue struct {
	outbox.Overdue
	began  time.Time     // since when something is, at every look
	marked time.Time     // when it was last compared
	age    time.Duration // how old the oldest was then
	late   record.Trouble
}

// isLate reports whether that was told, and is not over.
func (o *overdue) isLate() bool { return o.late.Why != "" }

// watchOverdue looks every few seconds at what is overdue, and says once when answers become late, and once when they are in time again.
func (b *Bot) watchOverdue(ctx context.Context) {
	runEvery(ctx, overdueEvery, func() { b.lookForLate(ctx) })
}

func (b *Bot) lookForLate(ctx context.Context) {
	now, before, after := time.Now(), b.overdues.all(), map[event.Account]overdue{}
	b.eachAtWork(func(a *account) {
		was := before[a.name]
		o := was
		var err error
		if o.Overdue, err = a.outbox.CountOverdue(ctx, was.Overdue); err != nil { // the store fails, which is told elsewhere
			o.Overdue = was.Overdue
		}
		if o.Actions > 0 {
			o.compare(a, now)
			after[a.name] = o
		}
	})
	b.overdues.set(after)
	for name, o := range after {
		if was := before[name]; o.isLate() && !was.isLate() {
			b.log.WarnContext(ctx, "answers are late", "account", name, "due", o.Actions, "oldest", o.age.Round(time.Second), "by", o.late.Why.Param("by"), "do", o.late.Do)
		}
	}
	for name, was := range before {
		if o := after[name]; was.isLate() && !o.isLate() {
			b.log.InfoContext(ctx, "answers are in time again", "account", name, "after", now.Sub(was.late.Since).Round(time.Second))
		}
	}
}

// compare finds out whether what is overdue is late, or not any more.
func (o *overdue) compare(a *account, now time.Time) {
	age := max(0, now.Sub(o.Oldest))
	// Without a session nothing can leave, which is told, and what to do about it: that answers are late is no news then.
	phase := a.broker.State().Phase
	if signedOut := phase == session.Parked || phase == session.Paused; o.began.IsZero() || signedOut && !o.isLate() {
		o.began, o.marked, o.age = now, now, age
	}
	if age < inTimeBelow {
		o.late = record.Trouble{}
	}
	if now.Sub(o.marked) < growsOver {
		return
	}
	grows := age > o.age
	o.marked, o.age = now, age
	if o.isLate() || grows && age > lateAfter && now.Sub(o.began) > lateAfter {
		o.late = a.lateFor(o, now) // once a minute at most: it is written down each time that it changes
	}
}

// lateFor says what is late, and what would help.
func (a *account) lateFor(o *overdue, now time.Time) record.Trouble {
	t := record.Trouble{Since: o.late.Since}
	if !o.isLate() {
		t.Since = now
	}
	by, why := lateByPlatform, "the platform is slow, or takes nothing"
	t.Do = "look whether the platform answers, and what the log says of it: a higher pace would not help. Where it is only slow, a higher NECTAR_CONCURRENCY may"
	switch {
	case a.polls != nil && a.polls.IsCrowded():
		by, why = lateByHost, "the share of its host lets no more leave"
		t.Do = "raise NECTAR_HOST_RATE, if the platform takes more"
	case o.Paced:
		by, why = lateByPace, "its pace lets no more leave"
		t.Do = "raise NECTAR_PACE, if the platform takes more"
		if p := a.cfg.withDefaults(a.bot.cfg).Pace.Account.PerSecond; p > 0 {
			t.Do = fmt.Sprintf("raise NECTAR_PACE, which is %s, if the platform takes more", perTime(p))
		}
	}
	t.Why = event.Because(record.TroubleLate, "by", by)
	t.Says = fmt.Sprintf("%d actions are due, the oldest for %d minutes, and %s", o.Actions, int(o.age.Minutes()), why)
	return t
}

// perTime writes a rate down as settings have it.
func perTime(perSecond float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{1, "/s"}, {60, "/m"}} {
		if n := perSecond * unit.seconds; n >= 1 {
			return strconv.FormatFloat(n, 'f', -1, 64) + unit.name
		}
	}
	return strconv.FormatFloat(perSecond*3600, 'f', -1, 64) + "/h"
}

func (o *overdues) all() map[event.Account]overdue {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of
}

func (o *overdues) set(of map[event.Account]overdue) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.of = of
}

// accountTroubles returns what is late of an account.
func (o *overdues) accountTroubles(account event.Account) []record.Trouble {
	if overdue := o.all()[account]; overdue.isLate() {
		return []record.Trouble{overdue.late}
	}
	return nil
}
