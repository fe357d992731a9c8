// Package shards serves the accounts of the shards for which a worker has the lease, of a database that workers share: it finds out which accounts a shard
// has, lets a bot take them up, tries again those that could not be taken up, and gives them up with the shard.
package shards

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/sourcegraph/conc/pool"
)

// Bot is what serves accounts, which A says how to. It has no others.
type Bot[A any] interface {
	// AccountName returns the name of an account.
	AccountName(a *A) event.Account
	// IsSame reports whether an account need not be taken up anew to be served as another one says.
	IsSame(a, other *A) bool
	// ReadAhead reads what the terms of accounts begin with, of all of them together; nil when each reads for itself.
	ReadAhead(ctx context.Context, accounts []event.Account) *store.Ahead
	// TakeUp begins an account's term. parked says that it is not to be tried again as it is: its credentials are another person's.
	TakeUp(ctx context.Context, a *A, ahead *store.Ahead) (parked bool, err error)
	// GiveUp ends an account's term, if it has one.
	GiveUp(ctx context.Context, account event.Account) error
	// UnderWay returns the actions that may be on their way.
	UnderWay() []event.Action
	// CutAll ends all terms where they stand, as a crash would.
	CutAll()
	// WakeTimers lets timers be looked for that are due.
	WakeTimers()
	// CountTurns returns how many turns there were of each account.
	CountTurns() map[event.Account]int64
}

// Holder serves the accounts of the shards that are held.
type Holder[A any] struct {
	// Set before the worker runs: by New and ServeWith.
	accounts func(ctx context.Context, shard int) ([]A, error)
	bot      Bot[A]
	store    store.Store
	log      *slog.Logger
	changed  func(account event.Account, serves bool) // nil for nobody
	loads    loads

	mu      sync.Mutex // guards the fields below
	used    bool       // there is a bot; a lease may be lost before
	held    map[int]*holding[A]
	belated []event.Notice // about what may have left too late
}

var _ lease.Holder = (*Holder[struct{}])(nil)

const (
	takeAtOnce   = 16              // accounts that are taken up at a time
	takeUpPause  = 2 * time.Second // until one that could not be is tried again, twice as long each time
	longestPause = 2 * time.Minute // between two tries
	aheadAtMost  = 256             // accounts that are taken up together: the first ones are not to wait for the last ones
)

// ErrStopped is the error of a bot that stops: it takes nothing up any more.
var ErrStopped = errors.New("the bot stops")

// New returns a holder that serves the accounts that there are in each shard.
func New[A any](accounts func(ctx context.Context, shard int) ([]A, error)) *Holder[A] {
	return &Holder[A]{accounts: accounts, held: map[int]*holding[A]{}}
}

// ServeWith says which bot serves them, with which store. It must be called before the worker runs. changed is called when the bot is about to serve an account, and
// when it serves one no more; nil for nobody.
func (h *Holder[A]) ServeWith(b Bot[A], st store.Store, log *slog.Logger, changed func(account event.Account, serves bool)) {
	h.bot, h.store, h.log, h.changed = b, st, log, changed
	st.Serve(nil)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.used = true
}

// TakeShards begins to serve shards, and returns when all of their accounts were tried. It implements lease.Holder.
func (h *Holder[A]) TakeShards(ctx context.Context, shards []lease.Holding) {
	h.mu.Lock()
	fresh := make([]*holding[A], len(shards))
	for i, s := range shards {
		fresh[i] = h.newHolding(ctx, s.Shard)
		h.held[s.Shard] = fresh[i]
	}
	h.serveLocked()
	h.mu.Unlock()
	work := pool.New().WithMaxGoroutines(takeAtOnce)
	// The worker that had them may have died with a server whose last commits the one that answers now does not have.
	checked := sync.OnceValue(func() error { return h.store.CheckServer(ctx) }) //mutate:server-taken
	for _, s := range fresh {
		work.Go(func() { s.beginShard(checked) })
	}
	work.Wait()
	h.takeUpShards(fresh...)
}

// RefreshAccounts asks again which accounts there are in the shards that are held: those that are gone, or are other ones now, are given up, and then those that have
// come are taken up. The error is that of asking; the shard that it is about stays as it is.
func (h *Holder[A]) RefreshAccounts(ctx context.Context) error {
	all := h.all()
	errs := make([]error, len(all))
	wanted := make([][]A, len(all))
	work := pool.New().WithMaxGoroutines(takeAtOnce)
	for i, s := range all {
		work.Go(func() {
			if wanted[i], errs[i] = h.accounts(ctx, s.shard); errs[i] == nil {
				s.giveUpUnwanted(wanted[i])
			}
		})
	}
	work.Wait()
	var read []*holding[A]
	for i, s := range all {
		if errs[i] == nil {
			read = append(read, s)
		}
	}
	h.takeUpShards(read...)
	return errors.Join(errs...)
}

// all returns the shards that are held.
func (h *Holder[A]) all() []*holding[A] {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*holding[A]
	for _, n := range slices.Sorted(maps.Keys(h.held)) {
		all = append(all, h.held[n])
	}
	return all
}

// Release ends serving a shard. It implements lease.Holder.
func (h *Holder[A]) Release(ctx context.Context, shard int) (note []byte, err error) {
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
func (h *Holder[A]) IsEmpty(shard int) bool {
	h.mu.Lock()
	s := h.held[shard]
	h.mu.Unlock()
	return s != nil && s.isWhole() && s.count() == 0
}

// EndLost ends serving all shards at once: nothing leaves any more, and nothing is stored. It implements lease.Holder.
func (h *Holder[A]) EndLost(loss lease.Loss) {
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
	h.log.Error("this worker has lost its lease: others serve its accounts", "err", loss.Why, "since", loss.Since)
	if loss.Late > 0 {
		h.log.Error("requests may have left after the lease: look whether something was done twice", "requests", loss.Late,
			"from", loss.LateFrom, "until", loss.LateUntil)
		h.noteBelated(&loss)
	}
	h.bot.CutAll()
}

// noteBelated notes what may have left after the lease: the worker that took over may have done it, too.
func (h *Holder[A]) noteBelated(loss *lease.Loss) {
	all := h.bot.UnderWay()
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range all {
		h.belated = append(h.belated, belatedNotice(&all[i], loss))
	}
}

// BelatedNotices returns what people are to be told of what may have left after the lease.
func (h *Holder[A]) BelatedNotices() []event.Notice {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.belated
}

// IsWhole reports whether all accounts of a shard that there are have been taken up: another one is not served by anybody.
func (h *Holder[A]) IsWhole(shard int) bool {
	h.mu.Lock()
	s := h.held[shard]
	h.mu.Unlock()
	return s != nil && s.isWhole()
}

// serveLocked tells the store which shards are served.
func (h *Holder[A]) serveLocked() { h.store.Serve(slices.Collect(maps.Keys(h.held))) }

// reportServed calls changed.
func (h *Holder[A]) reportServed(account event.Account, serves bool) {
	if h.changed != nil {
		h.changed(account, serves)
	}
}

// bringAtOnce is how many portions are taken up at a time: one is read while another one begins.
const bringAtOnce = 2

// takeUpShards takes up the accounts of shards that are wanted and not served: some shards at a time, so that what their terms begin with is read
// together.
func (h *Holder[A]) takeUpShards(shards ...*holding[A]) {
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
type taking[A any] struct {
	of      *holding[A]
	account *A
	err     error
}

// bringPortion takes up the accounts of shards. What cannot be is tried again beside everything else.
func (h *Holder[A]) bringPortion(shards []*holding[A]) {
	var all []*taking[A]
	for _, s := range shards { // nobody else takes more than one turn, and all of these in this order
		s.turn <- struct{}{}
		for _, a := range s.missingAccounts() {
			all = append(all, &taking[A]{of: s, account: a})
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
			s.retryUntilDone(fmt.Sprintf("the account %s", h.bot.AccountName(a)), t.err, func() error {
				s.turn <- struct{}{}
				defer func() { <-s.turn }()
				return s.takeUpAccount(a, nil)
			})
		}
	}
}

// takeAll takes accounts up. The turns are taken.
func (h *Holder[A]) takeAll(all []*taking[A]) {
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
func (h *Holder[A]) readAhead(all []*taking[A]) *store.Ahead {
	names := make([]event.Account, 0, len(all))
	for _, t := range all {
		if t.of.term.Err() == nil {
			names = append(names, h.bot.AccountName(t.account))
		}
	}
	return h.bot.ReadAhead(all[0].of.lease, names) // they have one
}

// belatedNotice tells people about an action that may have left after the lease.
func belatedNotice(a *event.Action, loss *lease.Loss) event.Notice {
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000") }
	return event.Notice{
		Account: a.Account, Peer: a.Peer, Who: event.Everybody, At: loss.LateUntil,
		ID: fmt.Sprintf("%s/late/%d", a.Key, loss.LateUntil.UnixMicro()),
		Text: fmt.Sprintf("On the account %s, %s %s may have left between %s and %s UTC, when the worker that sent it had no lease any more: "+
			"look whether it was done twice.", a.Account, a.Verb, a.Key, at(loss.LateFrom), at(loss.LateUntil)),
	}
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

// MeasureLoads returns what each shard that is held costs, in nanoseconds of a core a second, as far as that is known from the turns of its
// accounts.
func (h *Holder[A]) MeasureLoads() map[int]int64 {
	if h.bot == nil {
		return nil
	}
	turns := map[int]int64{}
	for account, n := range h.bot.CountTurns() {
		turns[account.Shard()] += n
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
