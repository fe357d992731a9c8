package bot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/hook"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/sourcegraph/conc/pool"
)

// holder serves the accounts of the shards for which a worker has the lease, of a database that workers share. RunWorker makes
// one for each lease; see Working.
type holder struct {
	// Set before the worker runs: by newHolder, use and Working.Serves.
	changed  func(account event.Account, serves bool) // see Working.Serves; nil for nobody
	bot      *Bot
	accounts func(ctx context.Context, shard int) ([]Account, error)
	loads    loads

	mu      sync.Mutex // guards the fields below
	used    bool       // there is a bot; a lease may be lost before
	held    map[int]*holding
	belated []event.Notice // about what may have left too late
}

var _ lease.Holder = (*holder)(nil)

// makesHolder is what hands out a holder that serves with a bot, for simulations: they lease for themselves.
type makesHolder = hook.Door[func(accounts func(ctx context.Context, shard int) ([]Account, error)) lease.Holder]

// heldBy lets a holder serve with the bot, which has no accounts of its own and is not running yet.
func (b *Bot) heldBy(accounts func(ctx context.Context, shard int) ([]Account, error)) lease.Holder {
	h := newHolder(accounts)
	h.setBot(b)
	return h
}

const (
	takeAtOnce  = 16              // accounts that are taken up at a time
	takeUpPause = 2 * time.Second // until one that could not be is tried again, twice as long each time
)

// newHolder returns a holder that serves the accounts that there are in each shard.
func newHolder(accounts func(ctx context.Context, shard int) ([]Account, error)) *holder {
	return &holder{accounts: accounts, held: map[int]*holding{}}
}

// setBot says which bot serves them: one without accounts of its own, that is not running yet. It must be called before the worker
// runs.
func (h *holder) setBot(b *Bot) {
	h.bot = b
	b.leased.Store(true)
	b.suspects.Store(nil) // of a file, which says nothing of what other workers did
	b.whole = h.isWhole
	b.store.Serve(nil)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.used = true
}

// TakeShards begins to serve shards, and returns when all of their accounts were tried. It implements lease.Holder.
func (h *holder) TakeShards(ctx context.Context, shards []lease.Holding) {
	h.mu.Lock()
	fresh := make([]*holding, len(shards))
	for i, s := range shards {
		fresh[i] = h.newHolding(ctx, s.Shard)
		h.held[s.Shard] = fresh[i]
	}
	h.serveLocked()
	h.mu.Unlock()
	work := pool.New().WithMaxGoroutines(takeAtOnce)
	// The worker that had them may have died with a server whose last commits the one that answers now does not have.
	checked := sync.OnceValue(func() error { return h.bot.store.CheckServer(ctx) }) //mutate:server-taken
	for _, s := range fresh {
		work.Go(func() { s.beginShard(checked) })
	}
	work.Wait()
	h.takeUpShards(fresh...)
}

// refreshAccounts asks again which accounts there are in the shards that are held; see Working.Refresh.
func (h *holder) refreshAccounts(ctx context.Context) error {
	all := h.all()
	errs := make([]error, len(all))
	wanted := make([][]Account, len(all))
	work := pool.New().WithMaxGoroutines(takeAtOnce)
	for i, s := range all {
		work.Go(func() {
			if wanted[i], errs[i] = h.accounts(ctx, s.shard); errs[i] == nil {
				s.giveUpUnwanted(wanted[i])
			}
		})
	}
	work.Wait()
	var read []*holding
	for i, s := range all {
		if errs[i] == nil {
			read = append(read, s)
		}
	}
	h.takeUpShards(read...)
	return errors.Join(errs...)
}

// all returns the shards that are held.
func (h *holder) all() []*holding {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*holding
	for _, n := range slices.Sorted(maps.Keys(h.held)) {
		all = append(all, h.held[n])
	}
	return all
}

// Release ends serving a shard. It implements lease.Holder.
func (h *holder) Release(ctx context.Context, shard int) (note []byte, err error) {
	h.mu.Lock()
	s := h.held[shard]
	h.mu.Unlock()
	if s == nil {
		return nil, nil
	}
	if err := s.giveUpAccounts(ctx); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, shard)
	h.serveLocked()
	return nil, nil
}

// IsEmpty reports whether there is no account in a shard. It implements lease.Holder.
func (h *holder) IsEmpty(shard int) bool {
	h.mu.Lock()
	s := h.held[shard]
	h.mu.Unlock()
	return s != nil && s.isWhole() && s.count() == 0
}

// EndLost ends serving all shards at once: nothing leaves any more, and nothing is stored. It implements lease.Holder.
func (h *holder) EndLost(loss lease.Loss) {
	h.mu.Lock()
	if !h.used { //mutate:lost-unused
		// Nothing is served, and nothing has left.
		h.mu.Unlock()
		return
	}
	for _, s := range h.held {
		s.stop()
	}
	clear(h.held)
	h.serveLocked()
	h.mu.Unlock()
	h.bot.log.Error("this worker has lost its lease: others serve its accounts", "err", loss.Why, "since", loss.Since)
	if loss.Late > 0 {
		h.bot.log.Error("requests may have left after the lease: look whether something was done twice", "requests", loss.Late,
			"from", loss.LateFrom, "until", loss.LateUntil)
		h.noteBelated(&loss)
	}
	h.bot.cutAll()
}

// isWhole reports whether all accounts of a shard that there are have been taken up: another one is not served by anybody.
func (h *holder) isWhole(shard int) bool {
	h.mu.Lock()
	s := h.held[shard]
	h.mu.Unlock()
	return s != nil && s.isWhole()
}

// serveLocked tells the store which shards are served.
func (h *holder) serveLocked() { h.bot.store.Serve(slices.Collect(maps.Keys(h.held))) }

// reportServed calls changed.
func (h *holder) reportServed(account event.Account, serves bool) {
	if h.changed != nil {
		h.changed(account, serves)
	}
}

// bringAtOnce is how many portions are taken up at a time: one is read while another one begins.
const bringAtOnce = 2

// takeUpShards takes up the accounts of shards that are wanted and not served: some shards at a time, so that what their terms begin with is read
// together.
func (h *holder) takeUpShards(shards ...*holding) {
	work := pool.New().WithMaxGoroutines(bringAtOnce)
	for len(shards) > 0 {
		n, accounts := 1, len(shards[0].missingAccounts())
		for ; n < len(shards); n++ {
			if accounts += len(shards[n].missingAccounts()); accounts > aheadAtMost {
				break
			}
		}
		portion := shards[:n]
		shards = shards[n:]
		work.Go(func() { h.bringPortion(portion) })
	}
	work.Wait()
}

// taking is an account that is to be taken up.
type taking struct {
	of      *holding
	account *Account
	err     error
}

// bringPortion takes up the accounts of shards. What cannot be is tried again beside everything else.
func (h *holder) bringPortion(shards []*holding) {
	var all []*taking
	for _, s := range shards { // nobody else takes more than one turn, and all of these in this order
		s.turn <- struct{}{}
		for _, a := range s.missingAccounts() {
			all = append(all, &taking{of: s, account: a})
		}
	}
	for rest := all; len(rest) > 0; {
		n := min(len(rest), aheadAtMost)
		h.takeAll(rest[:n])
		rest = rest[n:]
	}
	for _, s := range shards {
		<-s.turn
		s.seen()
	}
	for _, t := range all {
		if t.err != nil {
			s, a := t.of, t.account
			s.retryUntilDone(fmt.Sprintf("the account %s", a.Name), t.err, func() error {
				s.turn <- struct{}{}
				defer func() { <-s.turn }()
				return s.takeUpAccount(a, nil)
			})
		}
	}
}

// takeAll takes accounts up. The turns are taken.
func (h *holder) takeAll(all []*taking) {
	if len(all) == 0 {
		return
	}
	ahead := h.readAhead(all)
	work := pool.New().WithMaxGoroutines(takeAtOnce)
	for _, t := range all {
		work.Go(func() { t.err = t.of.takeUpAccount(t.account, ahead) })
	}
	work.Wait()
}

// readAhead reads what the terms of accounts begin with.
func (h *holder) readAhead(all []*taking) *store.Ahead {
	names := make([]event.Account, 0, len(all))
	for _, t := range all {
		if t.of.term.Err() == nil {
			names = append(names, t.account.Name)
		}
	}
	return h.bot.readAhead(all[0].of.lease, names) // they have one
}

// loads measures what shards cost, so that workers share the work and not only the number of shards.
type loads struct {
	mu    sync.Mutex // guards the fields below
	at    time.Time
	turns map[int]int64 // that there were by then
	rates map[int]float64
}

// What things cost about, in nanoseconds of a core: it only has to be alike for all workers.
const (
	costOfAccount = 200_000   // a second, for its polls
	costOfTurn    = 1_000_000 // with what it leads to
	leastMeasured = 5 * time.Second
)

// shardCosts returns what each shard that is held costs, in nanoseconds of a core a second, as far as that is known from the turns of its
// accounts.
func (h *holder) shardCosts() map[int]int64 {
	if h.bot == nil {
		return nil
	}
	turns := map[int]int64{}
	for c, n := range h.bot.counted.events.all() {
		turns[c.Account.Shard()] += n
	}
	h.loads.measure(turns, time.Now())
	all := map[int]int64{}
	for _, s := range h.all() {
		all[s.shard] = int64(s.count())*costOfAccount + int64(h.loads.rate(s.shard)*costOfTurn)
	}
	return all
}

// measure takes over how many turns there were by now. A rate is half of the one before, and half of the new one: a short crowd moves
// nothing.
func (l *loads) measure(turns map[int]int64, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	passed := now.Sub(l.at)
	if !l.at.IsZero() && passed < leastMeasured {
		return
	}
	rates := map[int]float64{}
	for shard, n := range turns {
		if before, known := l.turns[shard]; known && n >= before && !l.at.IsZero() {
			rates[shard] = (l.rates[shard] + float64(n-before)/passed.Seconds()) / 2
		}
	}
	l.at, l.turns, l.rates = now, turns, rates
}

func (l *loads) rate(shard int) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rates[shard]
}
