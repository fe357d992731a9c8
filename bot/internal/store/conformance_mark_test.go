package store_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

func testMarks(w *world) {
	turn := says(turnOf(message(7, 1)), "hello")
	w.must(turn)
	a := turn.Actions[0].Action
	for _, state := range []event.State{event.StateInDoubt, event.StateSending, event.StateDue, event.StateInDoubt} {
		a.State, a.Position, a.ReconcileFrom, a.Tries = state, a.Position+5, a.ReconcileFrom+7, a.Tries+1
		a.Reason, a.Due, a.LeftAt = "because of "+string(state), a.Due.Add(time.Second), a.LeftAt.Add(time.Minute)
		if err := w.MarkNow(w.Context(), outbox.MarkOf(&a)); err != nil {
			w.Fatal(err)
		}
		open, err := w.Open(w.Context(), ana)
		if state == event.StateDue {
			open, err = w.DueActions(w.Context(), ana, a.Due, nil, 10)
		}
		w.same(string(state), []event.Action{a}, open)
		w.same("error", nil, err)
	}
	a.State, a.Result, a.Reason, a.EndedAt = event.StateDone, 900, "", noon
	if err := w.MarkNow(w.Context(), outbox.MarkOf(&a)); err != nil {
		w.Fatal(err)
	}
	w.same("open", []string{}, w.opened())
	w.same("due", []string{}, w.due(noon.Add(time.Hour), 10))
	for _, state := range []event.State{event.StateHeld, event.StateRefused, event.StateWithdrawn, event.StateDead} {
		a.State, a.Result = state, 0
		if err := w.MarkNow(w.Context(), outbox.MarkOf(&a)); err != nil {
			w.Fatal(err)
		}
		w.same("open", []string{}, w.opened())
		results, err := w.Results(w.Context(), ana, event.VerbMessage, []int64{900})
		w.same("results", map[int64]bool{}, results)
		w.same("error", nil, err)
	}
	if err := w.MarkNow(w.Context(), outbox.Mark{Account: ana, Key: "nobody's", State: event.StateInDoubt}); err != nil {
		w.Fatal(err)
	}
	w.same("open", []string{}, w.opened())
}

// testEnded: an action that was withdrawn, or is gone, does not leave, however late whoever sends it
// hears of it.
func testEnded(w *world) {
	free, gone := says(turnOf(message(7, 1)), "free", due(noon)), says(turnOf(message(8, 2)), "gone", due(noon))
	w.must(free, gone)
	for _, state := range []event.State{event.StateWithdrawn, event.StateRefused, event.StateDone, event.StateDead} {
		if err := w.MarkNow(w.Context(), mark(gone, state, 0)); err != nil {
			w.Fatal(err)
		}
		err := w.MarkNow(w.Context(), mark(free, event.StateSending, 0), mark(gone, event.StateSending, 0))
		if !errors.Is(err, store.ErrEnded) {
			w.Errorf("%s, and it may leave: %v", state, err)
		}
		w.same("due", []string{"free"}, w.due(noon, 10))
		w.QueueMarks(mark(gone, event.StateSending, 0), mark(gone, state, 0))
		w.flush()
		w.same("open", []string{}, w.opened())
	}
	if err := w.MarkNow(w.Context(), mark(says(turnOf(message(9, 9)), "nobody's"), event.StateSending, 0)); !errors.Is(err, store.ErrEnded) {
		w.Errorf("what was never stored may leave: %v", err)
	}
	for _, state := range []event.State{event.StateSending, event.StateInDoubt, event.StateHeld, event.StateDue} {
		for range 2 {
			if err := w.MarkNow(w.Context(), mark(free, state, 0), mark(free, event.StateSending, 0)); err != nil {
				w.Errorf("%s, and it may not leave: %v", state, err)
			}
		}
	}
}

// testMarkOrder: marks of an action are stored as they were given, whichever way.
func testMarkOrder(w *world) {
	turn := says(turnOf(message(7, 1)), "hello")
	w.must(turn)
	held, free := make(chan bool), make(chan bool)
	w.Commit(store.Write{Done: func(store.Receipt) { close(held); <-free }})
	<-held
	var committed sync.WaitGroup
	states := []event.State{event.StateInDoubt, event.StateHeld, event.StateInDoubt, event.StateHeld, event.StateDone, event.StateInDoubt}
	for i, state := range states {
		m := mark(turn, state, 0)
		m.Position = int64(100 + i)
		if i%2 == 0 {
			w.QueueMarks(m)
			continue
		}
		committed.Add(1)
		w.Commit(store.Write{Marks: []outbox.Mark{m}, Done: func(store.Receipt) { committed.Done() }})
	}
	close(free)
	committed.Wait()
	open, err := w.Open(w.Context(), ana)
	if err != nil || len(open) != 1 || open[0].Position != int64(100+len(states)-1) {
		w.Errorf("open %+v, error %v", open, err)
	}
}

// eventually waits for a condition: for long, since machines may be busy with other things.
func (w *world) eventually(what string, holds func() bool) {
	w.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			w.Fatalf("in vain: %s", what)
		}
	}
}

func testLazy(w *world) {
	turn := says(turnOf(message(7, 1)), "hello")
	w.must(turn)
	w.QueueMarks()
	w.QueueCursors()
	w.QueueMarks(mark(turn, event.StateDone, 5))
	w.eventually("a mark is stored alone", func() bool {
		w.QueueCursors() // nothing, which must not put off anything
		return len(w.opened()) == 0
	})
	w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, Peer: 7, ID: 9, PolledAt: noon})
	w.eventually("a cursor is stored alone", func() bool {
		w.QueueMarks()
		cursors, err := w.Cursors(w.Context(), ana, event.Messages, []platform.UserID{7})
		return err == nil && len(cursors) == 1
	})
}

func testMarkNowCancelled(w *world) {
	held, free, committed := make(chan bool), make(chan bool), make(chan bool)
	w.Commit(store.Write{Done: func(store.Receipt) { close(held); <-free; close(committed) }})
	<-held
	ctx, cancel := context.WithCancelCause(w.Context())
	gone := errors.New("nobody waits")
	cancel(gone)
	if err := w.MarkNow(ctx); !errors.Is(err, gone) {
		w.Errorf("error %v", err)
	}
	close(free)
	<-committed
}

func testClose(w *world) {
	turn := says(turnOf(message(7, 1)), "hello")
	var receipts []store.Receipt
	w.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
		receipts = append(receipts, r)
		w.Commit(store.Write{Turn: turnOf(message(7, 2)), Done: func(r store.Receipt) { receipts = append(receipts, r) }})
		w.QueueMarks(mark(turn, event.StateDone, 77))
		w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, ID: 2})
	}})
	w.restart()
	w.same("receipts", []store.Receipt{stored, stored}, receipts)
	w.handled(map[event.ID]bool{message(7, 1).ID: true, message(7, 2).ID: true}, message(7, 1).ID, message(7, 2).ID)
	w.same("open", []string{}, w.opened())
	cursors, err := w.Cursors(w.Context(), ana, event.Messages, []platform.UserID{0})
	w.same("cursors", []record.Cursor{{Account: ana, Source: event.Messages, ID: 2}}, cursors)
	w.same("error", nil, err)
}

func testClosed(w *world) {
	closed := w.Store
	w.restart()
	if err := closed.Close(); err != nil {
		w.Errorf("closing again: %v", err)
	}
	var mu sync.Mutex
	refused := make(chan store.Receipt, 1)
	mu.Lock()
	closed.Commit(store.Write{Turn: turnOf(message(7, 1)), Done: func(r store.Receipt) {
		mu.Lock() // whoever commits may hold a lock that Done takes
		defer mu.Unlock()
		refused <- r
	}})
	mu.Unlock()
	if r := <-refused; r.Err == nil {
		w.Error("a closed store took a turn")
	}
	closed.Commit(store.Write{})
	closed.QueueMarks(outbox.Mark{Account: ana, Key: "k"})
	closed.QueueCursors(record.Cursor{Account: ana})
	if err := closed.MarkNow(w.Context()); err == nil {
		w.Error("a closed store took marks")
	}
	if _, err := closed.Conversation(w.Context(), event.Key{Account: ana, Peer: 7}); err == nil {
		w.Error("a closed store was read")
	}
	w.handled(map[event.ID]bool{}, message(7, 1).ID)
}
