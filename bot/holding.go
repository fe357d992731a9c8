package bot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"sync"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/sourcegraph/conc"
)

// holding is a shard that is held, with its accounts.
type holding struct {
	holder *holder
	shard  int
	lease  context.Context //nolint:containedctx // it ends with the lease
	term   context.Context //nolint:containedctx // of the shard: it ends with the lease, or when the shard is given away
	stop   context.CancelFunc
	looked chan struct{} // closed, by seen, when each of its accounts was tried once, or the lease is over
	seen   func()
	turn   chan struct{}  // holds something while somebody changes which accounts are served
	tries  sync.WaitGroup // what failed, and is tried again; a panic there ends the process

	mu     sync.Mutex // guards the fields below
	wanted []*Account // as they were asked for last
	served map[event.Account]*Account
	parked map[event.Account]*Account // their credentials are another person's: not tried again as they are
	unread bool                       // nobody could tell yet which accounts there are
	ending bool
}

func (h *holder) newHolding(ctx context.Context, shard int) *holding {
	s := &holding{holder: h, shard: shard, lease: ctx, looked: make(chan struct{}), turn: make(chan struct{}, 1), served: map[event.Account]*Account{}, parked: map[event.Account]*Account{}}
	s.seen = sync.OnceFunc(func() { close(s.looked) })
	s.term, s.stop = context.WithCancel(ctx)
	return s
}

// beginShard finds out which accounts the shard has, once it was checked on which server the database lives. What cannot be is tried again beside
// everything else, and they are taken up then.
func (h *holding) beginShard(checked func() error) {
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
			err := read(func() error { return h.holder.bot.store.CheckServer(h.term) })
			if err == nil {
				h.holder.takeUpShards(h)
			}
			return err
		})
	}
}

// giveUpUnwanted says which accounts are wanted, and gives up those that are not, or not as they are.
func (h *holding) giveUpUnwanted(accounts []Account) {
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	h.remove(h.want(accounts))
}

// want takes over which accounts are wanted, and returns those that have to go.
func (h *holding) want(accounts []Account) (gone []event.Account) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := map[event.Account]*Account{}
	for _, a := range h.wanted {
		before[a.Name] = a
	}
	h.wanted, h.unread = nil, false
	there := map[event.Account]*Account{}
	for _, fresh := range accounts {
		a := &fresh
		if old := before[a.Name]; old != nil && old.isSame(a) {
			a = old // the loop that tries to take it up goes on
		}
		h.wanted = append(h.wanted, a)
		there[a.Name] = a
	}
	for name, a := range h.served {
		if there[name] != a {
			gone = append(gone, name)
		}
	}
	maps.DeleteFunc(h.parked, func(name event.Account, a *Account) bool { return there[name] != a })
	return gone
}

// isSame reports whether an account is configured as another one, but for what it publishes, which may change while it is served.
func (a *Account) isSame(other *Account) bool {
	x, y := *a, *other
	x.Publishing, y.Publishing = nil, nil
	return reflect.DeepEqual(x, y)
}

// remove gives accounts up. The turn is taken.
func (h *holding) remove(gone []event.Account) {
	var all conc.WaitGroup
	for _, name := range gone {
		all.Go(func() {
			_ = h.holder.bot.remove(h.lease, name) // it has gone already, or goes with the bot
			h.mu.Lock()
			delete(h.served, name)
			h.mu.Unlock()
			h.holder.reportServed(name, false)
		})
	}
	all.Wait()
}

// missingAccounts returns the accounts that are wanted and not served, but for those that are parked.
func (h *holding) missingAccounts() (all []*Account) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.wanted {
		if h.served[a.Name] == nil && h.parked[a.Name] == nil {
			all = append(all, a)
		}
	}
	return all
}

// takeUpAccount takes an account up, if it is still wanted as it is. The turn is taken. ahead is what was read of it already.
func (h *holding) takeUpAccount(a *Account, ahead *store.Ahead) error {
	h.mu.Lock()
	wanted := false
	for _, w := range h.wanted {
		wanted = wanted || w == a
	}
	// Asked again with the turn taken: a try that waited may be of an account that was changed, or given away, meanwhile.
	wanted = wanted && h.served[a.Name] == nil && h.term.Err() == nil
	h.mu.Unlock()
	if !wanted {
		return nil
	}
	h.holder.reportServed(a.Name, true)
	err := h.holder.bot.add(h.lease, a, ahead)
	if isAnother(err) {
		h.holder.reportServed(a.Name, false)
		h.holder.bot.tellParked(a.Name, err)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.parked[a.Name] = a
		return nil
	}
	if err == nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.served[a.Name] = a
	}
	return err
}

// retryUntilDone does what has failed once more, with pauses in between, until it works or the shard is given away.
func (h *holding) retryUntilDone(what string, err error, do func() error) {
	b := h.holder.bot
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ending {
		return
	}
	b.log.Error("a shard cannot be served as a whole yet; trying again", "what", what, "err", err)
	h.tries.Go(func() {
		for pause := takeUpPause; h.term.Err() == nil && !errors.Is(err, ErrStopped); pause = min(2*pause, longestTermPause) {
			_ = lifecycle.Sleep(h.term, pause)
			if h.term.Err() != nil {
				return
			}
			if err = do(); err == nil {
				b.log.Info("what could not be served can be now", "what", what)
				b.timers.wake()
				return
			}
		}
	})
}

// giveUpAccounts gives all accounts of the shard up, for good: what comes due waits for the next owner.
func (h *holding) giveUpAccounts(ctx context.Context) error {
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
			err := h.holder.bot.remove(ctx, name)
			if errors.Is(err, ErrNotServed) {
				err = nil // it has gone already
			}
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
func (h *holding) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.served)
}

// isWhole reports whether all accounts that there are have been taken up.
func (h *holding) isWhole() bool {
	select {
	case <-h.looked:
	default:
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.ending && !h.unread && len(h.served) == len(h.wanted)
}
