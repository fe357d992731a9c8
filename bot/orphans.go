package bot

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// A timer whose name no route or flow of the program is for is orphaned, and so is one of an account that it does not
// serve. It stays in the store, where nobody reads it who looks for what is due, until a program starts that has what it
// takes: an earlier deployment may have had it, and so may a later one.

const (
	// orphansTold is how many names of orphaned timers are told, those of most people first.
	orphansTold = 20
	// orphansAgain is when the timers are looked at again that could not be read at the start.
	orphansAgain = 10 * time.Second
	// orphaned is the outcome that timers without a route are counted by.
	orphaned = record.TimerOrphaned
)

// orphans is what the log has told of timers without a route.
type orphans struct {
	mu      sync.Mutex // guards the fields below
	told    map[timerName]bool
	more    bool                   // there were more names than are told
	counted bool                   // those of the start have been told, with the number of people
	back    map[event.Account]bool // accounts that have come since, and may have some
	wake    chan struct{}
}

// timerName is a name of timers of an account.
type timerName struct {
	account event.Account
	name    string
}

func newOrphans() *orphans {
	return &orphans{told: map[timerName]bool{}, back: map[event.Account]bool{}, wake: make(chan struct{}, 1)}
}

// hasTimerRoute reports whether this program is for timers of a name.
func (b *Bot) hasTimerRoute(account event.Account, timer string) bool {
	return b.accounts.byName(account) != nil && b.router.wantsTimer(timer)
}

// adoptLater lets the timers of an account wait for their turn again that were set aside while the bot did not have it.
func (o *orphans) adoptLater(account event.Account) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.back[account] = true
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// come returns the accounts that have come since.
func (o *orphans) come() []event.Account {
	o.mu.Lock()
	defer o.mu.Unlock()
	came := slices.Sorted(maps.Keys(o.back))
	clear(o.back)
	return came
}

// checkTimers lets timers wait for their turn again that an earlier program had no route for, and says which this one
// has none for, whether they are due already or not. It looks at all timers, beside everything else that begins; then, until
// ctx is done, at those of accounts that come.
func (b *Bot) checkTimers(ctx context.Context) {
	if b.cfg.Yield != nil {
		ctx = b.cfg.Yield(ctx, "timers at the start")
	}
	b.insistOnTimers(ctx, func() error { return b.adopt(ctx) })
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.orphans.wake:
		}
		for _, account := range b.orphans.come() {
			b.insistOnTimers(ctx, func() error { return b.adoptOf(ctx, account) })
		}
	}
}

// insistOnTimers looks at timers, again and again while that fails.
func (b *Bot) insistOnTimers(ctx context.Context, look func() error) {
	for failing := false; ; failing = true {
		err := look()
		if err == nil || ctx.Err() != nil {
			return
		}
		if !failing {
			b.log.Error("cannot look for timers that waited for this program; trying again", "err", err)
		}
		_ = lifecycle.Sleep(ctx, orphansAgain)
	}
}

// adoptOf does what checkTimers says for an account that has come.
func (b *Bot) adoptOf(ctx context.Context, account event.Account) error {
	names, err := b.store.OrphanedTimers(ctx, account)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !b.hasTimerRoute(account, name) })
	if len(names) > 0 {
		err = b.store.AdoptTimers(ctx, account, names)
	}
	b.timers.wake()
	return err
}

// adopt does what checkTimers says, once.
func (b *Bot) adopt(ctx context.Context) error {
	adopted := map[event.Account][]string{}
	var without []record.TimerCount
	err := b.store.TimerNames(ctx, func(c record.TimerCount) {
		switch {
		case !b.hasTimerRoute(c.Account, c.Name):
			without = append(without, c)
		case c.Orphaned > 0: //mutate:adopt
			adopted[c.Account] = append(adopted[c.Account], c.Name)
		}
	})
	if err != nil {
		return err
	}
	b.tellOrphans(without, true)
	for _, account := range slices.Sorted(maps.Keys(adopted)) {
		if err := b.store.AdoptTimers(ctx, account, adopted[account]); err != nil {
			return err
		}
		b.timers.wake()
	}
	return nil
}

// tellOrphans logs which timers wait for another program: those of most people first, each name once in an incarnation. The
// first to tell is the start, which knows those that are not due yet, too.
func (b *Bot) tellOrphans(counts []record.TimerCount, start bool) {
	slices.SortFunc(counts, func(x, y record.TimerCount) int {
		return cmp.Or(cmp.Compare(y.People, x.People), cmp.Compare(x.Account, y.Account), cmp.Compare(x.Name, y.Name))
	})
	o := b.orphans
	o.mu.Lock()
	defer o.mu.Unlock()
	// What comes due before all were counted would be told alone, and then once more with the others.
	if o.counted = o.counted || start; !o.counted {
		return
	}
	more := 0
	for _, c := range counts {
		k := timerName{c.Account, c.Name}
		switch {
		case o.told[k]:
			continue
		case len(o.told) >= orphansTold:
			more += c.People
			continue
		}
		o.told[k] = true
		if args := []any{"account", c.Account, "timer", c.Name, "people", c.People}; b.accounts.byName(c.Account) == nil {
			b.log.Warn("timers wait for an account that this program does not serve", args...)
		} else {
			b.log.Warn("timers wait for a route or flow that this program does not have", args...)
		}
	}
	if more > 0 && !o.more {
		o.more = true
		b.log.Warn("so do timers of more names", "timers", more)
	}
}

// setAsideOrphans sets timers aside that are due and that this program has no route for.
func (b *Bot) setAsideOrphans(timers []event.Timer, taken []*ringing) {
	if len(timers) == 0 {
		return
	}
	b.store.Commit(store.Write{Orphans: timers, Done: func(r store.Receipt) { // not stored, they are found again
		for i := range timers {
			if r.Err == nil {
				b.counted.countTurn(&event.Trigger{Kind: event.ByTimer, Key: timers[i].Key}, orphaned)
			}
			b.timers.done(taken[i], &timers[i])
			if taken[i] == &b.timers.strange && b.accounts.byName(timers[i].Key.Account) != nil { // it has come meanwhile
				b.orphans.adoptLater(timers[i].Key.Account)
			}
		}
	}})
	people := map[timerName]int{}
	for i := range timers {
		people[timerName{timers[i].Key.Account, timers[i].Name}]++
	}
	counts := make([]record.TimerCount, 0, len(people))
	for k, n := range people {
		counts = append(counts, record.TimerCount{Account: k.account, Name: k.name, People: n})
	}
	b.tellOrphans(counts, false)
}
