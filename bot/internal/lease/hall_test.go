package lease_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	bare  bool // there is something in a few shards alone

	releases atomic.Int32 // calls
}

// fuse notes whether a deadman is armed.
type fuse struct {
	mu    sync.Mutex
	armed bool
}

// SetDeadline implements lease.Deadman.
func (f *fuse) SetDeadline(time.Duration) error { f.set(true); return nil }

// ClearDeadline implements lease.Deadman.
func (f *fuse) ClearDeadline() error { f.set(false); return nil }

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

// TakeShards implements lease.Holder.
func (c *clerk) TakeShards(_ context.Context, shards []lease.Holding) {
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

// IsEmpty implements lease.Holder.
func (c *clerk) IsEmpty(shard int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bare && shard%64 != 0
}

// EndLost implements lease.Holder.
func (c *clerk) EndLost(l lease.Loss) {
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
	wire := &lease.Wire{Board: c.board, Before: func(_ context.Context, call string) error {
		if call == "release" {
			c.releases.Add(1)
		}
		if way := c.way.Load(); way != nil {
			return (*way)()
		}
		time.Sleep(5 * time.Millisecond) // as on a network
		return nil
	}}
	var err error
	c.Worker, err = lease.StartWorker(h.Context(), lease.Config{
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
