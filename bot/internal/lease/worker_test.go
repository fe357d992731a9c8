package lease_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/record"
)

// hall is a board with workers that nothing befalls unless a test wants it.
type hall struct {
	*testing.T
	memory *lease.Memory
	mu     sync.Mutex
	owner  [event.Shards]string
	since  [event.Shards]time.Time // when it lost its last owner
	gaps   []time.Duration
	stops  []func()

	clerks map[string]*clerk // by name
	all    sync.WaitGroup
}

// inHall runs a test in a bubble.
func inHall(t *testing.T, test func(h *hall)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hall{T: t, memory: lease.NewMemory(nil), clerks: map[string]*clerk{}}
		test(h)
		for _, stop := range h.stops {
			stop()
		}
		h.all.Wait()
		time.Sleep(2 * time.Minute) // what is on its way arrives
	})
}

// clerk is a worker of a hall.
type clerk struct {
	*hall
	*lease.Worker
	name  string
	board *forgetful
	way   atomic.Pointer[func() error] // of each call; nil: it takes a moment
	guard *lease.Guard
	bomb  fuse
	wall  atomic.Int64 // how much its clock is ahead
	log   lines
	stop  context.CancelFunc
	ended chan error
	loss  *lease.Loss
	notes []string
	fails bool // Release does
}

// fuse notes whether a deadman is armed.
type fuse struct {
	mu    sync.Mutex
	armed bool
}

// Arm implements lease.Deadman.
func (f *fuse) Arm(time.Duration) error { f.set(true); return nil }

// Disarm implements lease.Deadman.
func (f *fuse) Disarm() error { f.set(false); return nil }

func (f *fuse) set(armed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = armed
}

func (f *fuse) isArmed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.armed
}

// Take implements lease.Holder.
func (c *clerk) Take(_ context.Context, shards []lease.Holding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range shards {
		if other := c.clerks[c.owner[h.Shard]]; other != nil && other.guard.IsOpen() {
			c.Errorf("%s takes shard %d of %s", c.name, h.Shard, c.owner[h.Shard])
		}
		c.owner[h.Shard] = c.name
		if !c.since[h.Shard].IsZero() {
			c.gaps = append(c.gaps, time.Since(c.since[h.Shard]))
		}
		if len(h.Note) > 0 {
			c.notes = append(c.notes, string(h.Note))
		}
	}
}

// Release implements lease.Holder.
func (c *clerk) Release(_ context.Context, shard int) ([]byte, error) {
	time.Sleep(100 * time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fails {
		return nil, errors.New("not now")
	}
	c.owner[shard], c.since[shard] = "", time.Now()
	return fmt.Append(nil, shard, " of ", c.name), nil
}

// Lost implements lease.Holder.
func (c *clerk) Lost(l lease.Loss) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loss = &l
	for i := range c.owner {
		if c.owner[i] == c.name {
			c.owner[i] = ""
		}
	}
}

// enter lets a worker enter.
func (h *hall) enter(name string, has ...string) *clerk {
	h.Helper()
	c := &clerk{hall: h, name: name, ended: make(chan error, 1)}
	clock := lease.GoClock()
	clock.Wall = func() time.Time { return time.Now().Add(time.Duration(c.wall.Load())) }
	c.guard = lease.NewGuard(clock)
	c.board = &forgetful{Board: h.memory.Board()}
	wire := &lease.Wire{Board: c.board, Before: func(context.Context, string) error {
		if way := c.way.Load(); way != nil {
			return (*way)()
		}
		time.Sleep(5 * time.Millisecond) // as on a network
		return nil
	}}
	var err error
	c.Worker, err = lease.Enter(h.Context(), lease.Config{
		Card: lease.Card{Name: name, Has: has}, Board: wire, Holder: c, Clock: clock, Guard: c.guard, Deadman: &c.bomb,
		Log:    slog.New(slog.NewTextHandler(&c.log, nil)),
		Report: func() record.WorkerReport { return record.WorkerReport{Has: has} },
	})
	if err != nil {
		h.Fatal(err)
	}
	h.mu.Lock()
	h.clerks[name] = c
	h.mu.Unlock()
	var ctx context.Context
	ctx, c.stop = context.WithCancel(h.Context())
	h.stops = append(h.stops, c.stop)
	h.all.Go(func() { c.ended <- c.Run(ctx) })
	return c
}

// counts returns how many shards each has, after a while.
func (h *hall) counts(after time.Duration) map[string]int {
	time.Sleep(after)
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	counts := map[string]int{}
	for _, o := range h.owner {
		counts[o]++
	}
	return counts
}

// has checks who has how many shards after a while.
func (h *hall) has(after time.Duration, want map[string]int) {
	h.Helper()
	got := h.counts(after)
	if len(got) != len(want) {
		h.Errorf("shards are with %v, want %v", got, want)
		return
	}
	for name, n := range want {
		if d := got[name] - n; d < -n/10 || d > n/10 {
			h.Errorf("shards are with %v, want %v", got, want)
		}
	}
}

// crash lets a worker end as in a crash.
func (c *clerk) crash() {
	c.stop()
	if err := <-c.ended; !errors.Is(err, context.Canceled) {
		c.Errorf("it ends with %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.owner {
		if c.owner[i] == c.name {
			c.owner[i], c.since[i] = "", time.Now()
		}
	}
}

// TestHandOver: a rolling restart leaves no shard alone for more than a second.
func TestHandOver(t *testing.T) {
	inHall(t, func(h *hall) {
		a, b := h.enter("a"), h.enter("b")
		h.has(40*time.Second, map[string]int{"a": 512, "b": 512})
		a2 := h.enter("a2")
		h.has(40*time.Second, map[string]int{"a": 341, "b": 341, "a2": 341})
		for _, c := range []*clerk{a, b} {
			began := time.Now()
			c.Leave(h.Context())
			if err := <-c.ended; err != nil {
				t.Error(err)
			}
			if c.bomb.isArmed() || c.guard.IsOpen() {
				t.Error("it has left, and could still act")
			}
			t.Logf("it left within %v", time.Since(began))
		}
		h.has(time.Second, map[string]int{"a2": event.Shards})
		h.mu.Lock()
		defer h.mu.Unlock()
		slices.Sort(h.gaps)
		longest, median := h.gaps[len(h.gaps)-1], h.gaps[len(h.gaps)/2]
		t.Logf("%d hand-overs, without an owner: median %v, at most %v", len(h.gaps), median, longest)
		if longest > time.Second || median > 300*time.Millisecond {
			t.Errorf("without an owner: median %v, at most %v", median, longest)
		}
		if len(a2.notes) < 900 {
			t.Errorf("of %d hand-overs %d have a note", len(h.gaps), len(a2.notes))
		}
	})
}

// TestTakenOverAfterACrash: what a worker had is with others within the recovery time, and its last note is there.
func TestTakenOverAfterACrash(t *testing.T) {
	inHall(t, func(h *hall) {
		a := h.enter("a")
		h.has(2*time.Second, map[string]int{"a": event.Shards})
		h.enter("b")
		h.has(40*time.Second, map[string]int{"a": 512, "b": 512})
		h.mu.Lock()
		h.gaps = nil
		h.mu.Unlock()
		a.crash()
		h.has(recovery, map[string]int{"b": event.Shards})
		t.Logf("without an owner: at most %v", slices.Max(h.gaps))
	})
}

// TestLeaveAlone: the last worker releases all that it has, also what takes a second try, and what never comes to an end it leaves.
func TestLeaveAlone(t *testing.T) {
	inHall(t, func(h *hall) {
		a := h.enter("a")
		h.has(2*time.Second, map[string]int{"a": event.Shards})
		a.Leave(h.Context())
		h.has(0, map[string]int{"": event.Shards})
		b := h.enter("a") // at once: it is the same name
		h.has(2*time.Second, map[string]int{"a": event.Shards})
		b.mu.Lock()
		b.fails = true
		b.mu.Unlock()
		patience, cancel := context.WithTimeout(h.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		b.Leave(patience)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
		if v, err := h.memory.Board().Look(h.Context()); err != nil || v.Shards[7].Owner != 0 {
			t.Errorf("a shard that was not released belongs to %d, %v", v.Shards[7].Owner, err)
		}
	})
}

// TestTwoOfOneName: the second one says so, unless the first is dead.
func TestTwoOfOneName(t *testing.T) {
	inHall(t, func(h *hall) {
		a := h.enter("a")
		h.has(2*time.Second, map[string]int{"a": event.Shards})
		_, err := lease.Enter(h.Context(), lease.Config{Card: lease.Card{Name: "a"}, Board: h.memory.Board(), Holder: a, Clock: lease.GoClock()})
		if !errors.Is(err, record.ErrNameTaken) {
			t.Errorf("another one enters: %v", err)
		}
		if a.loss != nil {
			t.Error("the first one is lost")
		}
		a.crash()
		before := a.Seat()
		again := h.enter("a")
		if s := again.Seat(); s.Worker != before.Worker || s.Epoch <= before.Epoch {
			t.Errorf("it enters as %+v after %+v", s, before)
		}
		h.has(2*time.Second, map[string]int{"a": event.Shards})
	})
}

// TestWhoMayHaveWhat: who is drained, who lacks something, and whose clock is wrong gives its shards away, as far as there are others.
func TestWhoMayHaveWhat(t *testing.T) {
	inHall(t, func(h *hall) {
		a, _ := h.enter("a", "rules:1"), h.enter("b")
		c := h.enter("c", "rules:1")
		h.has(40*time.Second, map[string]int{"a": 341, "b": 341, "c": 341})
		board := h.memory.Board()
		if _, err := board.Drain(h.Context(), "a", true); err != nil {
			t.Fatal(err)
		}
		h.has(20*time.Second, map[string]int{"b": 512, "c": 512})
		for n := range event.Shards {
			if err := board.Need(h.Context(), n, []string{"rules:1"}); err != nil {
				t.Fatal(err)
			}
		}
		h.has(20*time.Second, map[string]int{"c": event.Shards})
		if _, err := board.Drain(h.Context(), "a", false); err != nil {
			t.Fatal(err)
		}
		h.has(40*time.Second, map[string]int{"a": 512, "c": 512})
		c.setWall(-31 * time.Second)
		h.has(20*time.Second, map[string]int{"a": event.Shards})
		c.setWall(0)
		h.has(40*time.Second, map[string]int{"a": 512, "c": 512})
		for _, w := range []*clerk{a, c} { // both as much as the other: the database's clock is wrong
			w.setWall(time.Hour)
		}
		h.has(20*time.Second, map[string]int{"a": 512, "c": 512})
	})
}

func (c *clerk) setWall(ahead time.Duration) { c.wall.Store(int64(ahead)) }

// TestBoardThatStandsStill: for a minute nobody gets an answer. Nobody is declared dead, nothing leaves, no process is ended, and then
// all goes on as it was.
func TestBoardThatStandsStill(t *testing.T) {
	inHall(t, func(h *hall) {
		all := []*clerk{h.enter("a"), h.enter("b"), h.enter("c")}
		h.has(40*time.Second, map[string]int{"a": 341, "b": 341, "c": 341})
		until := time.Now().Add(time.Minute)
		still := func() error {
			if time.Now().Before(until) {
				time.Sleep(time.Until(until))
				return errLost
			}
			return nil
		}
		for _, c := range all {
			c.way.Store(&still)
		}
		time.Sleep(lease.Term)
		for _, c := range all {
			if c.guard.IsOpen() || c.bomb.isArmed() {
				t.Errorf("the gate of %s is open: %v, its deadman armed: %v", c.name, c.guard.IsOpen(), c.bomb.isArmed())
			}
		}
		h.has(2*time.Minute, map[string]int{"a": 341, "b": 341, "c": 341})
		for _, c := range all {
			if c.loss != nil || !c.guard.IsOpen() || !c.bomb.isArmed() {
				t.Errorf("%s has lost %+v, its gate is open: %v", c.name, c.loss, c.guard.IsOpen())
			}
		}
	})
}

// TestCutOff: a worker that does not reach the board shuts its guard before others have its shards; when it comes back it is told, and
// tells since when.
func TestCutOff(t *testing.T) {
	inHall(t, func(h *hall) {
		a, _ := h.enter("a"), h.enter("b")
		h.has(40*time.Second, map[string]int{"a": 512, "b": 512})
		until := time.Now().Add(20 * time.Second)
		cut := func() error {
			if time.Now().Before(until) {
				return errLost
			}
			return nil
		}
		a.way.Store(&cut)
		began := time.Now()
		for a.guard.IsOpen() {
			time.Sleep(time.Millisecond)
		}
		t.Logf("the gate is shut after %v", time.Since(began))
		var lost *lease.LostError
		if err := <-a.ended; !errors.As(err, &lost) || !errors.Is(err, lease.ErrGone) {
			t.Fatalf("it ends with %v", err)
		}
		if since := lost.Since.Sub(began); since < lease.Term-lease.Margin-time.Second || since > lease.Term-lease.Margin {
			t.Errorf("the lease was over %v after the cut", since)
		}
		if found := lost.Until.Sub(until); found < 0 || found > 3*time.Second {
			t.Errorf("it was told %v after the end of the cut", found)
		}
		h.has(0, map[string]int{"b": event.Shards})
	})
}

// forgetful is a board that goes back: it loses beats that it has confirmed; or one that stores no reports.
type forgetful struct {
	lease.Board
	back      atomic.Int64
	noReports atomic.Bool
}

// Beat implements lease.Board.
func (f *forgetful) Beat(ctx context.Context, s lease.Seat, p lease.Pulse) (int64, error) {
	refused := p.Report != nil && f.noReports.Load()
	if refused {
		p.Report = nil
	}
	n, err := f.Board.Beat(ctx, s, p)
	if err == nil && refused {
		err = errLost
	}
	return n - f.back.Load(), err
}

// TestReportsThatAreNotStored: a beat that is stored renews the lease, also when what came with it is not. Others see the beat, and would
// take nothing over from a worker that stands still for want of a lease.
func TestReportsThatAreNotStored(t *testing.T) {
	inHall(t, func(h *hall) {
		a := h.enter("a", "rules")
		a.board.noReports.Store(true)
		h.has(5*time.Second, map[string]int{"a": event.Shards})
		for range 600 {
			time.Sleep(100 * time.Millisecond)
			a.Changed()
			if !a.guard.IsOpen() {
				t.Fatal("it has no lease, although its beats are stored")
			}
		}
		a.board.noReports.Store(false)
		time.Sleep(15 * time.Second)
		v, err := h.memory.Board().Look(t.Context())
		if err != nil || len(v.Workers) != 1 || len(v.Workers[0].Has) == 0 {
			t.Errorf("what it has is not known in the end: %+v, %v", v, err)
		}
	})
}

// TestBoardThatWentBack: a worker whose board has lost what it had confirmed stops, and says so.
func TestBoardThatWentBack(t *testing.T) {
	inHall(t, func(h *hall) {
		a := h.enter("a")
		h.has(5*time.Second, map[string]int{"a": event.Shards})
		a.board.back.Store(3)
		time.Sleep(2 * time.Second)
		select {
		case err := <-a.ended:
			if !errors.Is(err, record.ErrWentBack) || a.guard.IsOpen() {
				t.Errorf("it ends with %v, its gate is open: %v", err, a.guard.IsOpen())
			}
		default:
			t.Error("it goes on")
		}
	})
}
