//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/record"
)

// keeper serves shards by noting which it has.
type keeper struct {
	mu    sync.Mutex
	has   map[int]int64 // epochs by shard
	notes map[int]string
	lost  error
}

// TakeShards implements lease.Holder.
func (k *keeper) TakeShards(_ context.Context, shards []lease.Holding) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range shards {
		k.has[h.Shard] = h.Epoch
		k.notes[h.Shard] = string(h.Note)
	}
}

// Release implements lease.Holder.
func (k *keeper) Release(_ context.Context, shard int) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.has, shard)
	return fmt.Append(nil, k.notes[shard], "."), nil
}

// Lost implements lease.Holder.
func (k *keeper) IsEmpty(int) bool { return false }

// EndLost implements lease.Holder.
func (k *keeper) EndLost(l lease.Loss) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.has, k.lost = map[int]int64{}, l.Why
}

func (k *keeper) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.has)
}

// crew is a worker that runs.
type crew struct {
	*keeper
	*lease.Worker
	guard *lease.Guard
	stop  context.CancelFunc
	ended chan error
}

// runs lets workers run on a server until the test is over, and begin at once.
func runs(t *testing.T, url string, names ...string) (all []*crew) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	for _, name := range names {
		c := &crew{keeper: &keeper{has: map[int]int64{}, notes: map[int]string{}}, guard: lease.NewGuard(lease.SystemClock()), ended: make(chan error, 1)}
		w, err := lease.StartWorker(t.Context(), lease.Config{Card: lease.Card{Name: name}, Board: openBoard(t, url), Holder: c, Guard: c.guard})
		if err != nil {
			t.Fatal(err)
		}
		c.Worker = w
		all = append(all, c)
	}
	for _, c := range all {
		var mine context.Context
		mine, c.stop = context.WithCancel(ctx)
		running.Go(func() { c.ended <- c.Run(mine) })
	}
	return all
}

// share waits until workers have all shards, each as many.
func share(w *world, all ...*crew) {
	w.Helper()
	shared := func() bool {
		sum := 0
		for _, c := range all {
			n := c.count()
			if n < event.Shards/len(all)*4/5 {
				return false
			}
			sum += n
		}
		return sum == event.Shards
	}
	for began := time.Now(); !shared(); time.Sleep(10 * time.Millisecond) { // 64 shards move in two seconds
		if time.Since(began) > time.Minute {
			w.Fatal("the shards are not shared")
		}
	}
}

// TestWorkersOnAServer: workers share what there is, over a leave, a crash, and a database that has gone back.
func TestWorkersOnAServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	url := pgServer(t).schema(t)
	w := &world{tb: t}
	all := runs(t, url, "a", "b", "c")
	a, b, c := all[0], all[1], all[2]
	share(w, a, b, c)
	a.LeaveBoard(t.Context())
	if err := <-a.ended; err != nil {
		t.Errorf("it leaves with %v", err)
	}
	share(w, b, c)
	noted := 0
	for _, note := range b.notes {
		if note != "" {
			noted++
		}
	}
	if noted == 0 {
		t.Error("nobody has got a note")
	}
	sqlOn(t, url, `UPDATE worker SET seen_at = seen_at - 3600000000`) // the server's clock decides nothing
	b.stop()                                                          // as a crash would
	share(w, c)
	if c.lost != nil {
		t.Errorf("a lease was lost: %v", c.lost)
	}
	sqlOn(t, url, `UPDATE worker SET beat = 1 WHERE name = 'c'`)
	var err error
	w.eventually("it ends", func() bool {
		select {
		case err = <-c.ended:
			return true
		default:
			return false
		}
	})
	if !errors.Is(err, record.ErrWentBack) || c.guard.IsOpen() {
		t.Errorf("the database has gone back, and it ends with %v, its gate open: %v", err, c.guard.IsOpen())
	}
}

// TestServerThatStandsStill: while nobody gets an answer nobody is declared dead, and nothing leaves.
func TestServerThatStandsStill(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	s := pgServer(t)
	url := s.schema(t)
	p, far := newProxy(t, s, url)
	w := &world{tb: t}
	all := runs(t, far, "a", "b")
	a, b := all[0], all[1]
	share(w, a, b)
	epochs := a.has
	release := p.hold()
	w.eventually("the gates are shut", func() bool { return !a.guard.IsOpen() && !b.guard.IsOpen() })
	until := time.Now().Add(3 * lease.Term)
	w.eventually("it has stood still for long", func() bool { return time.Now().After(until) })
	if a.guard.IsOpen() || b.guard.IsOpen() {
		t.Error("a gate is open")
	}
	release()
	w.eventually("the gates are open", func() bool { return a.guard.IsOpen() && b.guard.IsOpen() })
	until = time.Now().Add(lease.Term)
	w.eventually("all have looked at one another", func() bool { return time.Now().After(until) })
	a.mu.Lock()
	defer a.mu.Unlock()
	w.same("shards", epochs, a.has)
	if a.lost != nil || b.lost != nil {
		t.Errorf("a lease was lost: %v, %v", a.lost, b.lost)
	}
}
