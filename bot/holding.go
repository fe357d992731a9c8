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

// begin finds out which accounts the shard has, once it was checked on which server the database lives. What cannot be is tried again beside
// everything else, and they are taken up then.
func (s *holding) begin(checked func() error) {
	read := func(checked func() error) error {
		if err := checked(); err != nil {
			return err
		}
		accounts, err := s.holder.accounts(s.term, s.shard)
		if err == nil {
			s.leave(accounts)
		}
		return err
	}
	if err := read(checked); err != nil {
		s.mu.Lock()
		s.unread = true
		s.mu.Unlock()
		s.again(fmt.Sprintf("the accounts of shard %d", s.shard), err, func() error {
			err := read(func() error { return s.holder.bot.store.CheckServer(s.term) })
			if err == nil {
				s.holder.bring(s)
			}
			return err
		})
	}
}

// leave says which accounts are wanted, and gives up those that are not, or not as they are.
func (s *holding) leave(accounts []Account) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.remove(s.want(accounts))
}

// want takes over which accounts are wanted, and returns those that have to go.
func (s *holding) want(accounts []Account) (gone []event.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := map[event.Account]*Account{}
	for _, a := range s.wanted {
		before[a.Name] = a
	}
	s.wanted, s.unread = nil, false
	there := map[event.Account]*Account{}
	for _, fresh := range accounts {
		a := &fresh
		if old := before[a.Name]; old != nil && old.isSame(a) {
			a = old // whoever tries to take it up goes on
		}
		s.wanted = append(s.wanted, a)
		there[a.Name] = a
	}
	for name, a := range s.served {
		if there[name] != a {
			gone = append(gone, name)
		}
	}
	maps.DeleteFunc(s.parked, func(name event.Account, a *Account) bool { return there[name] != a })
	return gone
}

// isSame reports whether an account is configured as another one, but for what it publishes, which may change while it is served.
func (a *Account) isSame(other *Account) bool {
	x, y := *a, *other
	x.Publishing, y.Publishing = nil, nil
	return reflect.DeepEqual(x, y)
}

// remove gives accounts up. The turn is taken.
func (s *holding) remove(gone []event.Account) {
	var all conc.WaitGroup
	for _, name := range gone {
		all.Go(func() {
			_ = s.holder.bot.remove(s.lease, name) // it has gone already, or goes with the bot
			s.mu.Lock()
			delete(s.served, name)
			s.mu.Unlock()
			s.holder.tell(name, false)
		})
	}
	all.Wait()
}

// missing returns the accounts that are wanted and not served, but for those that are parked.
func (s *holding) missing() (all []*Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.wanted {
		if s.served[a.Name] == nil && s.parked[a.Name] == nil {
			all = append(all, a)
		}
	}
	return all
}

// take takes an account up, if it is still wanted as it is. The turn is taken. ahead is what was read of it already.
func (s *holding) take(a *Account, ahead *store.Ahead) error {
	s.mu.Lock()
	wanted := false
	for _, w := range s.wanted {
		wanted = wanted || w == a
	}
	// Asked again with the turn taken: a try that waited may be of an account that was changed, or given away, meanwhile.
	wanted = wanted && s.served[a.Name] == nil && s.term.Err() == nil
	s.mu.Unlock()
	if !wanted {
		return nil
	}
	s.holder.tell(a.Name, true)
	err := s.holder.bot.add(s.lease, a, ahead)
	if isAnother(err) {
		s.holder.tell(a.Name, false)
		s.holder.bot.tellParked(a.Name, err)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.parked[a.Name] = a
		return nil
	}
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.served[a.Name] = a
	}
	return err
}

// again does what has failed once more, with pauses in between, until it works or the shard is given away.
func (s *holding) again(what string, err error, do func() error) {
	b := s.holder.bot
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return
	}
	b.log.Error("a shard cannot be served as a whole yet; trying again", "what", what, "err", err)
	s.tries.Go(func() {
		for pause := takeUpPause; s.term.Err() == nil && !errors.Is(err, ErrStopped); pause = min(2*pause, longestTermPause) {
			_ = lifecycle.Sleep(s.term, pause)
			if s.term.Err() != nil {
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

// end gives all accounts of the shard up, for good: what comes due waits for the next owner.
func (s *holding) end(ctx context.Context) error {
	// In this order: no new try begins, those under way are waited for, and only then is served complete, and all in it given up. An account
	// taken up behind that would act for a shard that has another owner.
	s.stop()
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	select {
	case <-s.looked:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.tries.Wait()
	s.turn <- struct{}{} // or somebody asks for the accounts anew
	defer func() { <-s.turn }()
	s.mu.Lock()
	var all conc.WaitGroup
	errs := make([]error, 0, len(s.served))
	for name := range s.served {
		all.Go(func() {
			err := s.holder.bot.remove(ctx, name)
			if errors.Is(err, ErrNotServed) {
				err = nil // it has gone already
			}
			s.holder.tell(name, false)
			s.mu.Lock()
			defer s.mu.Unlock()
			errs = append(errs, err)
		})
	}
	s.mu.Unlock()
	all.Wait()
	return errors.Join(errs...)
}

// count returns how many accounts are served.
func (s *holding) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.served)
}

// isWhole reports whether all accounts that there are have been taken up.
func (s *holding) isWhole() bool {
	select {
	case <-s.looked:
	default:
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ending && !s.unread && len(s.served) == len(s.wanted)
}
