package budget_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/budget"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// leaves are what leaves a host.
type leaves struct {
	mu   sync.Mutex
	what []string
	when []time.Time
}

func (l *leaves) add(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.what, l.when = append(l.what, what), append(l.when, time.Now())
}

func (l *leaves) count(what string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.what {
		if w == what {
			n++
		}
	}
	return n
}

// asks lets somebody ask for requests, one after another, until ctx ends.
func (l *leaves) asks(ctx context.Context, h *budget.Host, what string) {
	for h.Wait(ctx, what == "sign-in") == nil {
		l.add(what)
		select {
		case <-time.After(time.Millisecond): // or no time would go by without a limit
		case <-ctx.Done():
			return
		}
	}
}

// A host gets so many requests a second, and no more, however many want to leave: over any time that is the rate and what may be saved up.
func TestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := budget.New(20).HostAt("host")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		l := &leaves{}
		for range 10 {
			go l.asks(ctx, h, "act")
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := len(l.when); n < 195 || n > 200 {
			t.Errorf("%d requests have left in 10 s, want 20 a second from the beginning", n)
		}
		stop()
		synctest.Wait()
		time.Sleep(time.Minute) // what is saved up is a quarter of a second
		ctx, stop = context.WithCancel(t.Context())
		defer stop()
		l = &leaves{}
		go l.asks(ctx, h, "act")
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(l.when); n < 24 || n > 26 {
			t.Errorf("%d requests have left in a second after a pause, want 25", n)
		}
	})
}

// What acts and what signs in goes before what polls, whoever came first; polls take what is left.
func TestActsBeforePolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := budget.New(10).HostAt("host")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		time.Sleep(time.Minute)
		l := &leaves{}
		polls := h.Polls()
		under, end, _ := polls.Begin(false)
		defer end()
		cycle := under(ctx)
		for range 3 {
			go l.asks(cycle, h, "poll")
		}
		time.Sleep(10 * time.Second)
		if n := l.count("poll"); n < 95 {
			t.Errorf("%d polls alone in 10 s", n)
		}
		for range 3 {
			acts, enough := context.WithTimeout(ctx, 10*time.Second)
			defer enough()
			go l.asks(acts, h, "act")
			go l.asks(acts, h, "sign-in")
		}
		before := l.count("poll")
		time.Sleep(9 * time.Second)
		if acts, signs, n := l.count("act"), l.count("sign-in"), l.count("poll")-before; acts < 40 || signs < 40 || n > 1 {
			t.Errorf("%d acts, %d sign-ins and %d polls in 9 s", acts, signs, n)
		}
		if under, _, wait := polls.Begin(false); under != nil || wait <= 0 {
			t.Error("a cycle begins although others wait")
		}
		time.Sleep(11 * time.Second)
		if n := l.count("poll") - before; n < 90 {
			t.Errorf("%d polls after the acts", n)
		}
		stop()
		synctest.Wait()
	})
}

// Polls for whose end something waits that acts do not wait behind others.
func TestHurry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := budget.New(1).HostAt("host")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		time.Sleep(time.Minute)
		mine, others := h.Polls(), h.Polls()
		under, end, _ := mine.Begin(false)
		defer end()
		own := under(ctx)
		if err := h.Wait(own, false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		under, end, _ = others.Begin(false)
		defer end()
		theirs := under(ctx)
		l := &leaves{}
		for range 5 {
			go func() { _ = h.Wait(theirs, false); l.add("theirs") }()
		}
		synctest.Wait()
		go func() { _ = h.Wait(own, false); l.add("waited") }()
		synctest.Wait()
		over := mine.LetHurry()
		go func() { _ = h.Wait(own, false); l.add("came") }()
		synctest.Wait()
		time.Sleep(2100 * time.Millisecond)
		if l.count("waited") != 1 || l.count("came") != 1 {
			t.Errorf("%v have left", l.what)
		}
		over()
		time.Sleep(10 * time.Second)
		if l.count("theirs") != 5 {
			t.Errorf("%v have left", l.what)
		}
	})
}

// A share changes while requests wait: nothing leaves with a share of nothing, and what was saved up does not grow with it.
func TestShareChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := budget.NewShared(100)
		h := b.HostAt("host")
		ctx, stop := context.WithCancel(t.Context())
		l := &leaves{}
		go l.asks(ctx, h, "act")
		left := func(in time.Duration) int {
			before := l.count("act")
			time.Sleep(in)
			synctest.Wait()
			return l.count("act") - before
		}
		if n := left(time.Minute); n != 0 {
			t.Errorf("%d requests leave before anybody says how many", n)
		}
		for _, c := range []struct {
			share    float64
			from, to int
		}{{50, 498, 501}, {5, 48, 51}, {100, 998, 1001}, {0, 0, 1}, {0.1, 0, 1}, {10, 98, 101}} {
			b.GrantShare("host", c.share, 100)
			if n := left(10 * time.Second); n < c.from || n > c.to {
				t.Errorf("%d requests leave in 10 s with a share of %v", n, c.share)
			}
		}
		b.GrantShare("host", 0, 100)
		waits, enough := context.WithTimeout(ctx, time.Second)
		defer enough()
		if err := h.Wait(waits, false); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait that ends gets %v", err)
		}
		stop()
		synctest.Wait()
		b.GrantShare("host", 0, 0)
		done := make(chan struct{})
		go func() { defer close(done); _ = h.Wait(t.Context(), false) }()
		<-done
		if h.Limited() || b.UsageCounts() != nil {
			t.Error("there is no limit, and it is counted")
		}
	})
}

// What a process wishes is what acts lately, and what polls would take; which part of anything it may do follows from its share.
func TestWishes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := budget.NewShared(10)
		h := b.HostAt("host")
		b.GrantShare("host", 10, 10)
		a, c := h.Polls(), h.Polls()
		a.NoteDemand(3)
		c.NoteDemand(2)
		c.NoteDemand(0.5)
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		go func() {
			for ctx.Err() == nil {
				time.Sleep(250 * time.Millisecond)
				_ = h.Wait(ctx, false) // it ends
			}
		}()
		for range 20 {
			time.Sleep(time.Second)
			_ = b.Wishes()
		}
		if w := b.Wishes()[0]; w.Acts < 3 || w.Acts > 5 || w.Polls != 3.5 {
			t.Errorf("it wishes %+v", w)
		}
		time.Sleep(time.Second)
		a.NoteDemand(0)
		for range 20 {
			time.Sleep(time.Second)
			_ = b.Wishes()
		}
		if w := b.Wishes()[0]; w.Acts != 0 || w.Polls != 0.5 {
			t.Errorf("long after that it wishes %+v", w)
		}
		b.GrantShare("host", 2.5, 10)
		if part := b.ShareFraction("host"); part != 0.25 {
			t.Errorf("its part is %v", part)
		}
		free := budget.NewShared(0)
		if part := free.ShareFraction("host"); part != 0 {
			t.Errorf("without a limit, its part is %v before it knows of the others", part)
		}
		free.SetWorkers(4)
		if part := free.ShareFraction("host"); part != 0.25 {
			t.Errorf("of four, its part is %v", part)
		}
		if part := budget.New(0).ShareFraction("host"); part != 1 {
			t.Errorf("alone, its part is %v", part)
		}
	})
}

func BenchmarkWaitWithoutLimit(b *testing.B) {
	h := budget.NewShared(0).HostAt("host")
	for b.Loop() {
		if err := h.Wait(b.Context(), false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWait(b *testing.B) {
	h := budget.New(1e9).HostAt("host")
	time.Sleep(10 * time.Millisecond)
	for b.Loop() {
		if err := h.Wait(b.Context(), false); err != nil {
			b.Fatal(err)
		}
	}
}
