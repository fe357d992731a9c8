package poll_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/budget"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// limited are pollers under one budget.
type limited struct {
	*world
	budget   *budget.Budget
	schedule *poll.Schedule

	mu     sync.Mutex
	active map[event.Account]bool
	polled map[event.Account][]time.Time
	calls  int
}

// underBudget runs f with so many pollers, whose hosts get so many requests a second.
func underBudget(t *testing.T, perSecond float64, pollers int, interval time.Duration, f func(l *limited)) {
	t.Helper()
	play(t, habits{}, func(r *world) {
		l := &limited{world: r, budget: budget.New(perSecond), schedule: poll.NewSchedule(2 * pollers), active: map[event.Account]bool{}, polled: map[event.Account][]time.Time{}}
		pipe := emulator.NewPipe(r.model)
		defer func() { _ = pipe.Close() }()
		c, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport(), Limiter: l.budget.HostAt("host")})
		if err != nil {
			r.Fatal(err)
		}
		r.client = c.WithSession(open{})
		for i := range pollers {
			l.add(event.Account(fmt.Sprintf("shop %03d", i)), interval)
		}
		ctx, stop := context.WithCancel(r.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.schedule.Run(ctx) }()
		f(l)
		stop()
		if err := <-ended; err != nil {
			r.Error(err)
		}
	})
}

func (l *limited) add(account event.Account, interval time.Duration) {
	l.Helper()
	cfg := l.config()
	cfg.Account, cfg.Interval = account, interval
	cfg.Sources = poll.Sources{Messages: true}
	cfg.Budget = l.budget.HostAt("host").Polls()
	cfg.Bot = owner{
		active: func() bool {
			l.mu.Lock()
			defer l.mu.Unlock()
			return l.active[account]
		},
		polled: func(r event.PollResult, _ error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.polled[account] = append(l.polled[account], r.Began)
			l.calls += r.Calls
		},
	}
	p, err := poll.New(cfg)
	if err != nil {
		l.Fatal(err)
	}
	l.schedule.Add(p)
}

// counts waits, and returns how often each was polled meanwhile.
func (l *limited) counts(d time.Duration) (counts map[event.Account]int, calls int) {
	from := time.Now()
	l.mu.Lock()
	before := l.calls
	l.mu.Unlock()
	time.Sleep(d)
	l.mu.Lock()
	defer l.mu.Unlock()
	counts = map[event.Account]int{}
	for account, when := range l.polled {
		counts[account] = len(when) - max(0, slices.IndexFunc(append(when, time.Now()), func(t time.Time) bool { return !t.Before(from) }))
	}
	return counts, l.calls - before
}

// A budget that is too small is used up, and each account has its turn before any has the next one.
func TestBudgetIsSharedEvenly(t *testing.T) {
	t.Parallel()
	underBudget(t, 20, 200, time.Second, func(l *limited) { // they would make 50 requests a second
		time.Sleep(time.Minute)
		counts, calls := l.counts(100 * time.Second)
		if calls < 1990 || calls > 2005 {
			l.Errorf("%d requests in 100 s of 20 a second", calls)
		}
		for account, n := range counts {
			if n < 9 || n > 11 {
				l.Errorf("%s was polled %d times, and all together 2000 times", account, n)
			}
		}
		if len(counts) != 200 {
			l.Errorf("%d accounts were polled", len(counts))
		}
		if c := l.budget.UsageCounts()[0]; c.Delayed < 1000 || c.Polls < 3000 {
			l.Errorf("it counts %+v", c)
		}
	})
}

// Active accounts are read first, and at their own pace, while the budget has enough for them; the others have the rest, and when the
// active ones alone would need more than all of it, still a part.
func TestActiveAccountsFirst(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	underBudget(t, 10, 200, time.Second, func(l *limited) {
		set := func(n int, is bool) {
			l.mu.Lock()
			defer l.mu.Unlock()
			for i := range n {
				l.active[event.Account(fmt.Sprintf("shop %03d", i))] = is
			}
		}
		time.Sleep(time.Minute)
		set(10, true)
		time.Sleep(30 * time.Second)
		counts, _ := l.counts(100 * time.Second)
		for i := range 10 { // idle, they would be polled each 20 s, and each for itself each 4 s
			if n := counts[event.Account(fmt.Sprintf("shop %03d", i))]; n < 20 || n > 27 {
				l.Errorf("an active account was polled %d times in 100 s", n)
			}
		}
		set(150, true)
		time.Sleep(time.Minute)
		counts, _ = l.counts(200 * time.Second)
		idle := 0
		for i := 150; i < 200; i++ {
			idle += counts[event.Account(fmt.Sprintf("shop %03d", i))]
		}
		if idle < 400 || idle > 600 {
			l.Errorf("idle accounts were polled %d times in 200 s, and active ones need 37 requests a second of 10", idle)
		}
	})
}

// While budget is left, no account is polled more rarely than each four intervals.
func TestUnusedBudget(t *testing.T) {
	t.Parallel()
	underBudget(t, 100, 50, 2*time.Second, func(l *limited) {
		time.Sleep(2 * time.Minute)
		l.mu.Lock()
		defer l.mu.Unlock()
		for account, when := range l.polled {
			for i := 1; i < len(when); i++ {
				if gap := when[i].Sub(when[i-1]); gap > 8*time.Second+100*time.Millisecond {
					l.Errorf("%s was not polled for %v", account, gap)
				}
			}
		}
	})
}

// A poller that waits for the budget can be taken away, and kicked.
func TestRemoveWhileItWaits(t *testing.T) {
	t.Parallel()
	underBudget(t, 0.001, 3, time.Second, func(l *limited) {
		time.Sleep(time.Minute)
		cfg := l.config()
		cfg.Account, cfg.Budget = "other", l.budget.HostAt("host").Polls()
		p, err := poll.New(cfg)
		if err != nil {
			l.Fatal(err)
		}
		l.schedule.Add(p)
		time.Sleep(time.Minute)
		l.schedule.MakeDue(p)
		l.schedule.Remove(p)
		if w := l.budget.Wishes()[0]; w.Polls != 9 {
			l.Errorf("without it, they wish %v polls a second", w.Polls)
		}
	})
}
