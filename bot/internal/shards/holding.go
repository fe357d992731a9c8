package shards

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/sourcegraph/conc"
)

// holding is a shard that is held, with its accounts.
type holding[A any] struct {
	holder *Holder[A]
	shard  int
	lease  context.Context //nolint:containedctx // it ends with the lease
	term   context.Context //nolint:containedctx // of the shard: it ends with the lease, or when the shard is given away
	stop   context.CancelFunc
	looked chan struct{} // closed, by seen, when each of its accounts was tried once, or the lease is over
	seen   func()
	turn   chan struct{}  // holds something while somebody changes which accounts are served
	tries  sync.WaitGroup // what failed, and is tried again; a panic there ends the process

	mu     sync.Mutex // guards the fields below
	wanted []*A       // as they were asked for last
	served map[event.Account]*A
	parked map[event.Account]*A // their credentials are another person's: not tried again as they are
	unread bool                 // nobody could tell yet which accounts there are
	ending bool
}

func (h *Holder[A]) newHolding(ctx context.Context, shard int) *holding[A] {
	s := &holding[A]{holder: h, shard: shard, lease: ctx, looked: make(chan struct{}), turn: make(chan struct{}, 1), served: map[event.Account]*A{}, parked: map[event.Account]*A{}}
	s.seen = sync.OnceFunc(func() { close(s.looked) })
	s.term, s.stop = context.WithCancel(ctx) //nolint:gosec // the end of the shard calls it
	return s
}

// beginShard finds out which accounts the shard has, once it was checked on which server the database lives. What cannot be is tried again beside
// everything else, and they are taken up then.
func (h *holding[A]) beginShard(checked func() error) {
	read := func(checked func() error) error {
		if err := checked(); err != nil {
			return err
		}
		accounts, err := h.holder.accounts(h.term, h.shard)
		if err == nil {
			h.giveUpUnwanted(accounts)
		}
		return err
	}
	if err := read(checked); err != nil {
		h.mu.Lock()
		h.unread = true
		h.mu.Unlock()
		h.retryUntilDone(fmt.Sprintf("the accounts of shard %d", h.shard), err, func() error {
			err := read(func() error { return h.holder.store.CheckServer(h.term) })
			if err == nil {
				h.holder.takeUpShards(h)
			}
			return err
		})
	}
}

// giveUpUnwanted says which accounts are wanted, and gives up those that are not, or not as they are.
func (h *holding[A]) giveUpUnwanted(accounts []A) {
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	h.remove(h.want(accounts))
}

// want takes over which accounts are wanted, and returns those that have to go.
func (h *holding[A]) want(accounts []A) (gone []event.Account) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := map[event.Account]*A{}
	for _, a := range h.wanted {
		before[h.holder.bot.AccountName(a)] = a
	}
	h.wanted, h.unread = nil, false
	there := map[event.Account]*A{}
	for _, fresh := range accounts {
		a, name := &fresh, h.holder.bot.AccountName(&fresh)
		if old := before[name]; old != nil && h.holder.bot.IsSame(old, a) {
			a = old // the loop that tries to take it up goes on
		}
		h.wanted = append(h.wanted, a)
		there[name] = a
	}
	for name, a := range h.served {
		if there[name] != a {
			gone = append(gone, name)
		}
	}
	maps.DeleteFunc(h.parked, func(name event.Account, a *A) bool { return there[name] != a })
	return gone
}

// remove gives accounts up. The turn is taken.
func (h *holding[A]) remove(gone []event.Account) {
	var all conc.WaitGroup
	for _, name := range gone {
		all.Go(func() {
			_ = h.holder.bot.GiveUp(h.lease, name) // or it goes with the bot
			h.mu.Lock()
			delete(h.served, name)
			h.mu.Unlock()
			h.holder.reportServed(name, false)
		})
	}
	all.Wait()
}

// missingAccounts returns the accounts that are wanted and not served, but for those that are parked.
func (h *holding[A]) missingAccounts() (all []*A) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.wanted {
		if name := h.holder.bot.AccountName(a); h.served[name] == nil && h.parked[name] == nil {
			all = append(all, a)
		}
	}
	return all
}

// takeUpAccount takes an account up, if it is still wanted as it is. The turn is taken. ahead is what was read of it already.
func (h *holding[A]) takeUpAccount(a *A, ahead *store.Ahead) error {
	name := h.holder.bot.AccountName(a)
	h.mu.Lock()
	// Asked again with the turn taken: a try that waited may be of an account that was changed, or given away, meanwhile.
	wanted := slices.Contains(h.wanted, a) && h.served[name] == nil && h.term.Err() == nil
	h.mu.Unlock()
	if !wanted {
		return nil
	}
	h.holder.reportServed(name, true)
	parked, err := h.holder.bot.TakeUp(h.lease, a, ahead)
	if parked {
		h.holder.reportServed(name, false)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case parked:
		h.parked[name] = a
		return nil
	case err == nil:
		h.served[name] = a
	}
	return err
}

// retryUntilDone does what has failed once more, with pauses in between, until it works or the shard is given away.
func (h *holding[A]) retryUntilDone(what string, err error, do func() error) {
	log := h.holder.log
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ending {
		return
	}
	log.Error("a shard cannot be served as a whole yet; trying again", "what", what, "err", err)
	h.tries.Go(func() {
		for pause := takeUpPause; h.term.Err() == nil && !errors.Is(err, ErrStopped); pause = min(2*pause, longestPause) {
			_ = lifecycle.Sleep(h.term, pause)
			if h.term.Err() != nil {
				return
			}
			if err = do(); err == nil {
				log.Info("what could not be served can be now", "what", what)
				h.holder.bot.WakeTimers()
				return
			}
		}
	})
}

// giveUpAccounts gives all accounts of the shard up, for good: what comes due waits for the next owner.
func (h *holding[A]) giveUpAccounts(ctx context.Context) error {
	// In this order: no new try begins, those under way are waited for, and only then is served complete, and all in it given up. An account
	// taken up behind that would act for a shard that has another owner.
	h.stop()
	h.mu.Lock()
	h.ending = true
	h.mu.Unlock()
	select {
	case <-h.looked:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	h.tries.Wait()
	h.turn <- struct{}{} // or somebody asks for the accounts anew
	defer func() { <-h.turn }()
	h.mu.Lock()
	var all conc.WaitGroup
	errs := make([]error, 0, len(h.served))
	for name := range h.served {
		all.Go(func() {
			err := h.holder.bot.GiveUp(ctx, name)
			h.holder.reportServed(name, false)
			h.mu.Lock()
			defer h.mu.Unlock()
			errs = append(errs, err)
		})
	}
	h.mu.Unlock()
	all.Wait()
	return errors.Join(errs...)
}

// count returns how many accounts are served.
func (h *holding[A]) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.served)
}

// isWhole reports whether all accounts that there are have been taken up.
func (h *holding[A]) isWhole() bool {
	select {
	case <-h.looked:
	default:
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.ending && !h.unread && len(h.served) == len(h.wanted)
}
