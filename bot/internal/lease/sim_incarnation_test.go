package lease_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/lease/leasetest"
	"github.com/nectar-bot/nectar/bot/record"
)

// incarnation is one incarnation of a worker's process.
type incarnation struct {
	*faults
	slot   int
	number int // among all
	clock  *leasetest.Clock
	ice    leasetest.Ice
	guard  *lease.Guard
	bomb   *leasetest.Deadman // its deadman; nil on systems that have none
	stop   context.CancelFunc
	worker *lease.Worker
	ended  chan struct{}

	mu     sync.Mutex
	holds  bitset
	epochs [event.Shards]int64
	killed bool
	harm   time.Time // until when something befalls it
	well   time.Time // since when nothing has befallen it
}

// beatEvery is how often workers look.
const beatEvery = time.Second

var errKilled = errors.New("this process is dead")

// live is an incarnation from its beginning to its end.
func (l *incarnation) live(ctx context.Context) {
	defer close(l.ended)
	board := &lease.Wire{
		Board: l.board.Board(),
		Before: func(ctx context.Context, call string) error {
			l.ice.WaitForThaw()
			return l.travel(ctx, l, "there "+call)
		},
		After: func(ctx context.Context, call string) error {
			err := l.travel(ctx, l, "back "+call)
			l.ice.WaitForThaw()
			return err
		},
	}
	cfg := lease.Config{
		Card: lease.Card{Name: fmt.Sprint("worker ", l.slot)}, Board: board, Holder: l, Clock: l.clock.Seen(), Guard: l.guard,
		Report: func() record.WorkerReport { return record.WorkerReport{} },
	}
	if l.bomb != nil {
		cfg.Deadman = l.bomb
	}
	for l.worker == nil {
		w, err := lease.StartWorker(ctx, cfg)
		switch {
		case err == nil:
			l.mu.Lock()
			l.worker, l.well = w, time.Now().Add(beatEvery)
			if l.harm.After(l.well) {
				l.well = l.harm
			}
			l.mu.Unlock()
		case ctx.Err() != nil:
			return
		default: // as whoever looks after processes starts them again
			time.Sleep(time.Second)
		}
	}
	err := l.worker.Run(ctx)
	var lost *lease.LostError
	switch {
	case ctx.Err() != nil, err == nil:
	case errors.As(err, &lost):
		if why := l.unjust(); why != "" {
			l.wrong("%s was taken over (%v), and nothing had befallen it: %s", l, lost.Why, why)
		}
		if !errors.Is(lost.Why, lease.ErrGone) {
			l.wrong("%s: %v", l, err)
		}
	default:
		l.wrong("%s ends with %v", l, err)
	}
	l.mu.Lock()
	l.killed = true
	l.mu.Unlock()
}

func (l *incarnation) String() string { return fmt.Sprintf("life %d of worker %d", l.number, l.slot) }

// justice is for how long something that has befallen a worker may be why others take over.
const justice = 8 * time.Second

// unjust returns since when nothing had befallen a process; "" when something had lately.
func (l *incarnation) unjust() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if since := time.Since(l.well); since > justice && !l.killed {
		return since.String()
	}
	return ""
}

// kill ends a process at once.
func (l *incarnation) kill() {
	l.mu.Lock()
	l.killed = true
	l.holds = bitset{}
	l.mu.Unlock()
	l.stop()
	l.ice.Thaw() // so that its goroutines end
}

func (l *incarnation) isKilled() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.killed
}

// hurt notes that something befalls it until a time.
func (l *incarnation) hurt(until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until.After(l.harm) {
		l.harm = until
	}
	if until.After(l.well) {
		l.well = until
	}
}

// TakeShards implements lease.Holder. Requests leave from the beginning.
func (l *incarnation) TakeShards(ctx context.Context, shards []lease.Holding) {
	l.ice.WaitForThaw()
	l.mu.Lock()
	if !l.killed && ctx.Err() == nil {
		for _, h := range shards {
			if h.Epoch <= l.epochs[h.Shard] {
				l.wrong("%s takes shard %d with epoch %d after %d", l, h.Shard, h.Epoch, l.epochs[h.Shard])
			}
			l.holds.set(h.Shard, true)
			l.epochs[h.Shard] = h.Epoch
		}
	}
	l.mu.Unlock()
	l.moved(shards)
	l.pause(ctx, l.draw.span(0, 300*time.Millisecond, "take", l.now()))
}

// Release implements lease.Holder.
func (l *incarnation) Release(ctx context.Context, shard int) ([]byte, error) {
	l.pause(ctx, l.draw.span(0, 400*time.Millisecond, fmt.Sprint("release ", shard), l.now()))
	l.ice.WaitForThaw()
	if l.draw.roll(50, "unreleased", l.now()) == 0 {
		return nil, errors.New("not now")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holds.set(shard, false)
	return fmt.Appendf(nil, "note of shard %d", shard), nil
}

// Lost implements lease.Holder.
func (l *incarnation) IsEmpty(shard int) bool { return shard%3 == 0 }

// EndLost implements lease.Holder.
func (l *incarnation) EndLost(lease.Loss) {
	l.ice.WaitForThaw()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holds = bitset{}
}

func (l *incarnation) pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// open reports whether requests of it leave at this moment: also of one that is frozen, which may stand right before a request. Where
// a deadman watches, a bystander knows when it strikes.
func (l *incarnation) open() (bitset, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.killed || l.clock.Steady() >= l.guard.Until() {
		return bitset{}, false
	}
	return l.holds, true
}
