package poll_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// fleet is a schedule with pollers of many accounts on one model platform.
type fleet struct {
	*world
	schedule *poll.Schedule
	pollers  []*poll.Poller
	stop     context.CancelFunc
	ended    chan error

	mu     sync.Mutex
	cycles map[event.Account]int
	busy   int
	most   int
}

// sail starts a schedule with so many pollers, whose cycles take a second.
func sail(r *world, pollers, workers int) *fleet {
	ctx, stop := context.WithCancel(r.Context())
	f := &fleet{
		world: r, schedule: poll.NewSchedule(workers), stop: stop, ended: make(chan error, 1), cycles: map[event.Account]int{},
	}
	for i := range pollers {
		f.add(event.Account(fmt.Sprint("shop ", i)))
	}
	go func() { f.ended <- f.schedule.Run(ctx) }()
	return f
}

func (f *fleet) add(account event.Account) {
	f.Helper()
	cfg := f.config()
	cfg.Account = account
	cfg.Sources = poll.Sources{Messages: true}
	cfg.Slots = slowly{f}
	cfg.Bot = owner{polled: func(event.PollResult, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.cycles[account]++
	}}
	p, err := poll.New(cfg)
	if err != nil {
		f.Fatal(err)
	}
	f.pollers = append(f.pollers, p)
	f.schedule.Add(p)
}

// slowly lets each call wait for a second, and counts those that wait.
type slowly struct{ f *fleet }

// Acquire implements poll.Slots.
func (s slowly) Acquire(ctx context.Context) error {
	s.f.mu.Lock()
	s.f.busy++
	s.f.most = max(s.f.most, s.f.busy)
	s.f.mu.Unlock()
	select {
	case <-time.After(time.Second):
		return nil
	case <-ctx.Done():
		s.Release()
		return ctx.Err()
	}
}

// Release implements poll.Slots.
func (s slowly) Release() {
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	s.f.busy--
}

func (f *fleet) count(account int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cycles[event.Account(fmt.Sprint("shop ", account))]
}

func (f *fleet) end() {
	f.Helper()
	f.stop()
	if err := <-f.ended; err != nil {
		f.Errorf("the schedule ended with %v", err)
	}
}

func TestScheduleRunsEverybody(t *testing.T) {
	play(t, habits{}, func(r *world) {
		f := sail(r, 100, 10)
		time.Sleep(10*time.Minute + time.Millisecond)
		f.end()
		if f.most > 10 {
			t.Errorf("%d cycles at once, want at most 10", f.most)
		}
		for i := range f.pollers {
			// Ten a second for a hundred, so the first takes 10 s; later ones come each 20 s or so.
			if got := f.count(i); got < 25 || got > 45 {
				t.Errorf("account %d was polled %d times", i, got)
			}
		}
	})
}

func TestScheduleKick(t *testing.T) {
	play(t, habits{}, func(r *world) {
		f := sail(r, 2, 2)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		before := f.count(0)
		f.schedule.MakeDue(f.pollers[0])
		time.Sleep(time.Millisecond)
		f.schedule.MakeDue(f.pollers[0]) // during the cycle: once more
		time.Sleep(2500 * time.Millisecond)
		if got := f.count(0) - before; got < 2 || got > 3 {
			t.Errorf("%d cycles, want 2", got)
		}
		f.end()
	})
}

// A kick at the instant at which a cycle begins is served by that cycle, whichever of the two comes first: what happens does not depend on
// the scheduler of Go.
func TestScheduleKickAsItBegins(t *testing.T) {
	play(t, habits{}, func(r *world) {
		f := sail(r, 1, 1)
		for f.count(0) < 20 { // an idle poller rests for 10 s at least
			time.Sleep(10 * time.Millisecond)
		}
		before := f.count(0)
		f.schedule.MakeDue(f.pollers[0])
		synctest.Wait() // the cycle is under way
		f.schedule.MakeDue(f.pollers[0])
		time.Sleep(5 * time.Second)
		if got := f.count(0) - before; got != 1 {
			t.Errorf("%d cycles, want 1", got)
		}
		f.end()
	})
}

func TestScheduleRemove(t *testing.T) {
	play(t, habits{}, func(r *world) {
		f := sail(r, 3, 1)
		time.Sleep(500 * time.Millisecond)
		f.schedule.Remove(f.pollers[0]) // its cycle is under way
		f.schedule.Remove(f.pollers[1]) // it waits
		f.schedule.Remove(f.pollers[1])
		f.schedule.MakeDue(f.pollers[1])
		first := f.count(0)
		time.Sleep(time.Minute)
		if f.count(0) != first || f.count(1) != 0 || f.count(2) == 0 {
			t.Errorf("cycles %v, want those of shop 2 only", f.cycles)
		}
		f.schedule.Add(f.pollers[0])
		f.schedule.Add(f.pollers[0])
		time.Sleep(3 * time.Second)
		if got := f.count(0) - first; got != 1 {
			t.Errorf("%d cycles after it was added again, want 1", got)
		}
		f.end()
	})
}

func TestScheduleEndsAndRunsAgain(t *testing.T) {
	play(t, habits{}, func(r *world) {
		f := sail(r, 3, 2)
		time.Sleep(500 * time.Millisecond)
		if err := f.schedule.Run(r.Context()); !errors.Is(err, poll.ErrRunning) {
			t.Errorf("error %v, want %v", err, poll.ErrRunning)
		}
		f.end() // in the middle of cycles
		before := f.count(0) + f.count(1) + f.count(2)
		time.Sleep(time.Hour)
		if got := f.count(0) + f.count(1) + f.count(2); got != before {
			t.Errorf("%d cycles after the end", got-before)
		}
		ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
		defer cancel()
		if err := f.schedule.Run(ctx); err != nil {
			t.Errorf("the schedule ended with %v", err)
		}
		for i := range f.pollers {
			if f.count(i) < 3 {
				t.Errorf("account %d was polled %d times", i, f.count(i))
			}
		}
	})
}

// An account at rest costs little: its poller, its place in the schedule and its rows.
func TestIdleAccountsAreSmall(t *testing.T) {
	effort.Long(t)
	const accounts, limit = 2000, 2950
	sink, server := &blind{}, newCanned(10, 0)
	c := client(t, server)
	schedule := poll.NewSchedule(4)
	used := func() uint64 {
		runtime.GC()
		runtime.GC() // what the first one leaves in pools
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	pollers := make([]*poll.Poller, 0, accounts+100)
	add := func(n int) {
		for range n {
			p, err := poll.New(poll.Config{
				Account: event.Account(fmt.Sprint("shop ", len(pollers))), Client: c, Cursors: sink, Sink: sink,
				Me: func(context.Context) (platform.UserID, error) { return me, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if _, err := p.Poll(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			schedule.Add(p)
			pollers = append(pollers, p)
		}
	}
	add(100) // what the first ones set up is not theirs alone
	before := used()
	add(accounts)
	each := (used() - before) / accounts
	t.Logf("%d bytes per account", each)
	if each > limit {
		t.Errorf("an idle account takes %d bytes, want at most %d", each, limit)
	}
	runtime.KeepAlive(schedule)
	runtime.KeepAlive(pollers)
}
