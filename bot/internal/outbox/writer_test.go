package outbox_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// writer stores turns as the bot's store does: what came in while the last commit ran makes the next
// one, and the receipts come after it, in order. When a commit fails, the turns are decided again. What
// a crash kept from being stored is decided again in the next incarnation.
type writer struct {
	w           *world
	incarnation *incarnation
	random      *rand.Rand
	done        chan struct{}

	mu       sync.Mutex
	queue    []reservedTurn
	waiting  [][]event.Action // not decided yet, while those before them are decided again
	retrying bool
	closed   bool
	woken    chan struct{}
}

// reservedTurn is a turn that waits to be stored.
type reservedTurn struct {
	actions  []event.Action
	reserved outbox.Reservation
}

func (w *world) startWriter(seed uint64) {
	wr := &writer{
		w: w, incarnation: w.incarnation, random: rand.New(rand.NewPCG(seed, 0)), woken: make(chan struct{}, 1), done: make(chan struct{}),
	}
	w.writer = wr
	again := w.undone
	w.undone = nil
	go wr.run()
	for _, turn := range again {
		w.turn(turn...)
	}
}

// turn decides actions and lets them be stored; it does not wait for that.
func (w *world) turn(actions ...event.Action) {
	wr := w.writer
	wr.mu.Lock()
	defer wr.mu.Unlock()
	if wr.retrying {
		wr.waiting = append(wr.waiting, actions)
		return
	}
	wr.decide(actions)
}

func (wr *writer) decide(actions []event.Action) {
	wr.queue = append(wr.queue, reservedTurn{actions, wr.incarnation.outbox.Reserve(actions, time.Now())})
	wr.wake()
}

func (wr *writer) wake() {
	select {
	case wr.woken <- struct{}{}:
	default:
	}
}

// close stores what is queued, as far as the disk still takes it.
func (wr *writer) close() {
	wr.mu.Lock()
	wr.closed = true
	wr.wake()
	wr.mu.Unlock()
	<-wr.done
}

func (wr *writer) run() {
	defer close(wr.done)
	for {
		wr.mu.Lock()
		group, closed := wr.queue, wr.closed
		wr.queue = nil
		wr.mu.Unlock()
		switch {
		case len(group) > 0:
			wr.commit(group)
		case closed:
			return
		default:
			<-wr.woken
		}
	}
}

func (wr *writer) commit(group []reservedTurn) {
	var all []event.Action
	for _, turn := range group {
		all = append(all, turn.actions...)
	}
	time.Sleep(time.Duration(wr.random.Int64N(int64(20 * time.Millisecond))))
	err := wr.incarnation.ledger.commit(wr.incarnation.ctx, all, nil)
	for i := range group {
		switch turn := &group[i]; {
		case err == nil:
			if wr.random.IntN(3) == 0 {
				time.Sleep(time.Duration(wr.random.Int64N(int64(100 * time.Millisecond))))
			}
			turn.reserved.Commit(wr.incarnation.ctx)
		case !errors.Is(err, errBroken):
			wr.w.undone = append(wr.w.undone, fresh(turn.actions))
		}
	}
	if errors.Is(err, errBroken) {
		wr.again(group)
	}
}

// again decides turns again that could not be stored, and those after them.
func (wr *writer) again(group []reservedTurn) {
	wr.mu.Lock()
	group = append(group, wr.queue...)
	wr.queue, wr.retrying = nil, true
	wr.mu.Unlock()
	turns := make([][]event.Action, len(group))
	for i := range group {
		turns[i] = group[i].actions
		group[i].reserved.GiveBack()
	}
	time.Sleep(100 * time.Millisecond)
	wr.mu.Lock()
	defer wr.mu.Unlock()
	for _, turn := range append(turns, wr.waiting...) {
		wr.decide(fresh(turn))
	}
	wr.waiting, wr.retrying = nil, false
}

// fresh returns actions as the handler made them.
func fresh(turn []event.Action) []event.Action {
	out := make([]event.Action, len(turn))
	for i, a := range turn {
		out[i] = event.Action{
			Key: a.Key, Account: a.Account, Peer: a.Peer, Verb: a.Verb, Text: a.Text, Post: a.Post, User: a.User, Want: a.Want,
			Priority: a.Priority, ReconcileFrom: a.ReconcileFrom,
		}
		if a.Due.After(a.DecidedAt) {
			out[i].Due = a.Due
		}
	}
	return out
}
