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
	"github.com/nectar-bot/nectar/bot/lease"
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/pool"
)

// Holder serves the accounts of the shards for which a worker has the lease, of a database that workers share:
//
//	holder := bot.NewHolder(accounts)
//	worker, err := lease.Enter(ctx, lease.Config{Holder: holder, Board: board, Gate: gate, …})
//	st, err := store.Open(ctx, store.Options{Fence: store.Fence{Worker: worker.Seat().Worker, Epoch: worker.Seat().Epoch, Lane: 1}, …})
//	b, err := bot.New(bot.Config{Store: st, Transport: gate.Transport(…), …})
//	holder.Use(b)
//	// b.Run and worker.Run, beside each other
type Holder struct {
	bot      *Bot
	accounts func(ctx context.Context, shard int) ([]Account, error)

	mu   sync.Mutex
	held map[int]*holding
}

var _ lease.Holder = (*Holder)(nil)

// holding is a shard that is held.
type holding struct {
	stop   context.CancelFunc
	looked chan struct{}  // closed when each of its accounts was tried once, or the lease is over
	tries  conc.WaitGroup // those that could not be taken up, and are tried again

	mu       sync.Mutex
	accounts []event.Account
	missing  int // of what could not be taken up, or read
}

const (
	takeAtOnce  = 16              // accounts that are taken up at a time
	takeUpPause = 2 * time.Second // until one that could not be is tried again, twice as long each time
)

// NewHolder returns a holder that serves the accounts that there are in each shard.
func NewHolder(accounts func(ctx context.Context, shard int) ([]Account, error)) *Holder {
	return &Holder{accounts: accounts, held: map[int]*holding{}}
}

// Use says which bot serves them: one without accounts of its own, that is not running yet. It must be called before the worker
// runs.
func (h *Holder) Use(b *Bot) {
	h.bot = b
	b.leased.Store(true)
	b.whole = h.isWhole
	b.store.Serve(nil)
}

// Take begins to serve shards, and returns when all of their accounts were tried.
func (h *Holder) Take(ctx context.Context, shards []lease.Holding) {
	h.mu.Lock()
	fresh := make(map[int]*holding, len(shards))
	terms := make(map[int]context.Context, len(shards))
	for _, s := range shards {
		term, stop := context.WithCancel(ctx)
		fresh[s.Shard], terms[s.Shard] = &holding{stop: stop, looked: make(chan struct{})}, term
	}
	maps.Copy(h.held, fresh)
	h.serve()
	h.mu.Unlock()
	work := pool.New().WithMaxGoroutines(takeAtOnce)
	for _, n := range slices.Sorted(maps.Keys(fresh)) {
		work.Go(func() { //nolint:contextcheck // as below
			defer close(fresh[n].looked)
			h.take(terms[n], n, fresh[n])
		})
	}
	work.Wait()
}

// take takes up the accounts of a shard. What cannot be is tried again beside everything else.
func (h *Holder) take(ctx context.Context, shard int, s *holding) {
	accounts, err := h.accounts(ctx, shard)
	if err != nil {
		h.again(ctx, s, fmt.Sprintf("the accounts of shard %d cannot be read", shard), err, func() (err error) {
			if accounts, err = h.accounts(ctx, shard); err == nil {
				h.takeAll(ctx, s, accounts)
			}
			return err
		})
		return
	}
	h.takeAll(ctx, s, accounts)
}

func (h *Holder) takeAll(ctx context.Context, s *holding, accounts []Account) {
	for i := range accounts {
		a := &accounts[i]
		take := func() error {
			if ctx.Err() != nil {
				return nil
			}
			err := h.bot.Add(*a) //nolint:contextcheck // a term outlives what has begun it
			if err == nil {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.accounts = append(s.accounts, a.Name)
			}
			return err
		}
		if err := take(); err != nil {
			h.again(ctx, s, fmt.Sprintf("the account %s cannot be taken up", a.Name), err, take)
		}
	}
}

// again does what has failed once more, with pauses in between, until it works or ctx ends.
func (h *Holder) again(ctx context.Context, s *holding, what string, err error, do func() error) {
	s.mu.Lock()
	s.missing++
	s.mu.Unlock()
	h.bot.log.Error("a shard cannot be served as a whole yet; trying again", "what", what, "err", err)
	s.tries.Go(func() {
		for pause := takeUpPause; ctx.Err() == nil && !errors.Is(err, ErrStopped); pause = min(2*pause, longestTermPause) {
			h.bot.timers.rest(ctx, pause)
			if err = do(); err == nil {
				s.mu.Lock()
				s.missing--
				s.mu.Unlock()
				h.bot.timers.poke()
				return
			}
		}
	})
}

// Release ends serving a shard.
func (h *Holder) Release(ctx context.Context, shard int) (note []byte, err error) {
	h.mu.Lock()
	s := h.held[shard]
	h.mu.Unlock()
	if s == nil {
		return nil, nil
	}
	s.stop()
	s.mu.Lock()
	s.missing++ // it is not whole any more: what comes due waits for the next owner
	s.mu.Unlock()
	select {
	case <-s.looked:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.tries.Wait()
	var all conc.WaitGroup
	errs := make([]error, len(s.accounts))
	for i, name := range s.accounts {
		all.Go(func() {
			if err := h.bot.Remove(name); err != nil && !errors.Is(err, ErrNotServed) {
				errs[i] = err
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, shard)
	h.serve()
	return nil, nil
}

// Lost ends serving all shards at once: nothing leaves any more, and nothing is stored.
func (h *Holder) Lost(loss lease.Loss) {
	h.mu.Lock()
	for _, s := range h.held {
		s.stop()
	}
	clear(h.held)
	h.serve()
	h.mu.Unlock()
	h.bot.log.Error("this worker has lost its lease: others serve its accounts", "err", loss.Why, "since", loss.Since)
	if loss.Late > 0 {
		h.bot.log.Error("requests may have left after the lease: look whether something was done twice", "requests", loss.Late,
			"from", loss.LateFrom, "until", loss.LateUntil)
	}
	h.bot.cutAll()
}

// isWhole tells whether all accounts of a shard that there are have been taken up: another one is not served by anybody.
func (h *Holder) isWhole(shard int) bool {
	h.mu.Lock()
	s := h.held[shard]
	h.mu.Unlock()
	if s == nil {
		return false
	}
	select {
	case <-s.looked:
	default:
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missing == 0
}

// serve tells the store which shards are served. h.mu is held.
func (h *Holder) serve() { h.bot.store.Serve(slices.Collect(maps.Keys(h.held))) }
