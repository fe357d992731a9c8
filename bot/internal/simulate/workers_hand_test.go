package simulate_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/hook"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/lease/leasetest"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// hand is one incarnation of a worker's process: a whole bot with a lease.
type hand struct {
	*crew
	slot    int
	number  int // among all incarnations
	power   *power
	ice     leasetest.Ice
	clock   *clockOf
	guard   *lease.Guard
	holder  lease.Holder // nil before there is a bot
	stop    context.CancelFunc
	ended   chan struct{}
	fate    atomic.Pointer[mishap] // what befalls it next
	inside  atomic.Pointer[mishap] // in the middle of a commit of a turn
	turned  atomic.Bool            // a turn was made since the last commit
	atGuard atomic.Pointer[mishap]
	giving  atomic.Pointer[mishap] // when it gives an account away
	slow    atomic.Pointer[mishap] // behind its next beat
	left    atomic.Bool            // it was asked to leave
	seat    lease.Seat

	mu     sync.Mutex
	worker *lease.Worker // nil before it has entered
	epochs map[int]int64 // of the shards that it serves
}

func newHand(c *crew, slot, number int) *hand {
	h := &hand{crew: c, slot: slot, number: number, ended: make(chan struct{}), epochs: map[int]int64{}}
	h.power = newPower(c.trace, number, c.path(), "")
	h.power.cut, h.power.way = h.struck, h.reach
	d := c.dice.draw("clock of a life")
	base, speed := d.between(0, time.Hour), 980+d.n(41)
	h.clock = &clockOf{Clock: leasetest.NewClock(&h.ice, base, speed, d.between(-2*time.Second, 2*time.Second)), hand: h}
	h.guard = lease.NewGuard(h.clock.atGuard())
	return h
}

func (h *hand) name() string { return fmt.Sprint("worker ", h.slot) }

// String names the incarnation.
func (h *hand) String() string { return fmt.Sprintf("life %d of worker %d", h.number, h.slot) }

// live is an incarnation from its beginning to its end.
func (h *hand) live(ctx context.Context) {
	defer close(h.ended)
	defer h.stop()
	log := slog.New(slog.DiscardHandler)
	cfg := lease.Config{
		Card: lease.Card{Name: h.name()}, Board: h.wire(), Holder: (*holderOf)(h), Clock: h.clock.clock(), Guard: h.guard, Log: log,
		Report: func() record.WorkerReport { return record.WorkerReport{} },
	}
	if d := h.dice.draw("bomb"); d.n(2) == 0 {
		cfg.Deadman = leasetest.NewDeadman(h.clock.Clock, func() { h.kill("its lease is over") })
	}
	var w *lease.Worker
	for w == nil {
		var err error
		if w, err = lease.StartWorker(ctx, cfg); ctx.Err() != nil && w == nil {
			return
		} else if err != nil {
			time.Sleep(time.Second)
		}
	}
	h.seat = w.Seat()
	end := h.serve(ctx, w, log)
	lost, _ := errors.AsType[*lease.LostError](end)
	switch {
	case h.power.out.Load():
	case lost != nil && errors.Is(lost.Why, lease.ErrGone):
		h.trace.add("%v has lost its lease", h)
	case end == nil && h.left.Load():
		h.trace.add("%v has left", h)
	default:
		h.wrong("%v ends with %v", h, end)
	}
}

// serve lets a worker serve shards until it ends.
func (h *hand) serve(ctx context.Context, w *lease.Worker, log *slog.Logger) error {
	working, leave := context.WithCancel(ctx)
	defer leave()
	st, b, err := h.makeBot(ctx, log)
	if err != nil {
		leave()
		_ = w.Run(working)
		if h.power.out.Load() {
			return nil
		}
		return err
	}
	h.mu.Lock()
	h.worker = w
	h.mu.Unlock()
	run, stop := context.WithCancel(ctx)
	ran := make(chan error, 1)
	go func() { ran <- b.Run(run) }()
	end := w.Run(working)
	stop()
	if err := <-ran; err != nil && !h.power.out.Load() {
		end = errors.Join(end, err)
	}
	_ = st.Close() // what is not stored then was said when it was lost
	return end
}

func (h *hand) makeBot(ctx context.Context, log *slog.Logger) (*store.Database, *bot.Bot, error) {
	h.ice.WaitForThaw()
	st, err := store.Open(ctx, store.Options{
		Path: h.path(), Fast: true, Log: log, Around: h.around, Keep: keep, Fence: store.Fence{Worker: h.seat.Worker, Epoch: h.seat.Epoch, Stream: 1},
	})
	if err != nil {
		return nil, nil, err
	}
	pipe := emulator.NewPipe(&road{hand: h})
	h.crew.mu.Lock()
	h.pipes = append(h.pipes, pipe)
	h.crew.mu.Unlock()
	router, err := bot.NewRouter(bot.RouterConfig{Routes: routes(h.posts), Middleware: []bot.Middleware{h.unsteady, h.turns}})
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	pace := &event.Pace{}
	if h.plan.pace > 0 {
		pace.Account = event.Rate{PerSecond: h.plan.pace, Burst: cmp.Or(h.plan.burst, usualBurst)}
	}
	disk := disk{st, h.power, h.dice}
	b, err := bot.New(bot.Config{
		MayBeIdle: true, Store: disk, Router: router, Transport: h.guard.Transport(pipe.Transport(), requestTimeout), Log: log,
		PollInterval: h.plan.interval, Concurrency: h.plan.concurrency, Pace: pace,
		RequestTimeout: requestTimeout, ReconcileGrace: grace, Ceiling: bot.Ceiling{Max: -1},
		Yield: func(ctx context.Context, what string) context.Context {
			_ = disk.seek(ctx, "yield %s", what) // whoever is dead finds out soon
			return ctx
		},
	})
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	h.holder = hook.GetBehind(b)(h.accounts)
	return st, b, nil
}

// accounts returns those of a shard.
func (h *hand) accounts(ctx context.Context, shard int) ([]bot.Account, error) {
	all := h.of(shard)
	if len(all) == 0 {
		return nil, nil
	}
	return all, h.reach(ctx)
}

// serves reports whether an incarnation that is not over serves a shard.
func (h *hand) serves(shard int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.epochs[shard] > 0 && !h.power.out.Load()
}

// kill ends an incarnation at once.
func (h *hand) kill(why string) {
	if !h.power.fail() {
		return
	}
	h.trace.add("%v ends: %s", h, why)
	h.stop()
	h.ice.Thaw() // so that its goroutines end
}

// struck lets what is to befall an incarnation befall it.
func (h *hand) struck(what string) {
	m := h.fate.Load()
	if m.what == dies {
		h.kill(what)
		return
	}
	h.freeze(m, what)
}

// freeze holds an incarnation up for a while; nil for not at all.
func (h *hand) freeze(m *mishap, what string) {
	if m == nil || h.power.out.Load() || h.peace.Load() {
		return
	}
	h.trace.add("%v freezes: %s", h, what)
	h.ice.Freeze()
	h.running.Go(func() {
		time.Sleep(m.long)
		h.ice.Thaw()
	})
}

// turns notes that turns are made.
func (h *hand) turns(next bot.Handler) bot.Handler {
	return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
		h.turned.Store(true)
		return next.Handle(ctx, t)
	})
}

// boundary counts a boundary of an incarnation, and returns an error when it is over.
func (h *hand) boundary(what string) error {
	if err := h.power.boundary(what); err != nil {
		return err
	}
	h.ice.WaitForThaw()
	return h.power.dead()
}

// leave lets a worker give its shards away.
func (h *hand) leave(ctx context.Context) {
	h.mu.Lock()
	w := h.worker
	h.mu.Unlock()
	if w == nil {
		return
	}
	h.left.Store(true)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	w.LeaveBoard(ctx)
}

// holderOf sees which shards an incarnation serves.
type holderOf hand

// TakeShards implements lease.Holder.
func (h *holderOf) TakeShards(ctx context.Context, shards []lease.Holding) {
	h.ice.WaitForThaw()
	h.took(ctx, (*hand)(h), shards)
	h.mu.Lock()
	for _, s := range shards {
		h.epochs[s.Shard] = s.Epoch
	}
	h.mu.Unlock()
	h.holder.TakeShards(ctx, shards)
}

// Release implements lease.Holder.
func (h *holderOf) Release(ctx context.Context, shard int) ([]byte, error) {
	h.ice.WaitForThaw()
	h.gives((*hand)(h), shard)
	note, err := h.holder.Release(ctx, shard)
	if err == nil {
		h.gave(ctx, (*hand)(h), shard)
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.epochs, shard)
	}
	return note, err
}

// IsEmpty implements lease.Holder.
func (h *holderOf) IsEmpty(shard int) bool { return h.holder.IsEmpty(shard) }

// EndLost implements lease.Holder.
func (h *holderOf) EndLost(loss lease.Loss) { h.holder.EndLost(loss) }
