package lease_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/record"
)

// TestHandOver: a rolling restart leaves no shard alone for more than a second.
func TestHandOver(t *testing.T) {
	inHall(t, func(h *hall) {
		a, b := h.enter("a"), h.enter("b")
		h.has(40*time.Second, map[string]int{"a": 512, "b": 512})
		a2 := h.enter("a2")
		h.has(40*time.Second, map[string]int{"a": 341, "b": 341, "a2": 341})
		for _, c := range []*clerk{a, b} {
			began := time.Now()
			c.LeaveBoard(h.Context())
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

// TestHandOverUnderLoad: however slow the board is, a shard that changes hands waits for few of its answers: that it is free, a look of who is to
// have it, and that it is theirs, and for what they are at when it becomes free.
func TestHandOverUnderLoad(t *testing.T) {
	inHall(t, func(h *hall) {
		a, b := h.enter("a"), h.enter("b")
		h.has(40*time.Second, map[string]int{"a": 512, "b": 512})
		c := h.enter("c")
		h.has(40*time.Second, map[string]int{"a": 341, "b": 341, "c": 341})
		const trip = 300 * time.Millisecond
		slow := func() error { time.Sleep(trip); return nil } //nolint:unparam // others fail
		for _, w := range []*clerk{a, b, c} {
			w.way.Store(&slow)
		}
		h.mu.Lock()
		h.gaps = nil
		h.mu.Unlock()
		patience, cancel := context.WithTimeout(h.Context(), time.Hour)
		defer cancel()
		a.LeaveBoard(patience)
		h.mu.Lock()
		defer h.mu.Unlock()
		slices.Sort(h.gaps)
		longest, median := h.gaps[len(h.gaps)-1], h.gaps[len(h.gaps)/2]
		t.Logf("%d hand-overs, without an owner for %.1f trips to the board in the median, %.1f at most", len(h.gaps), median.Seconds()/trip.Seconds(), longest.Seconds()/trip.Seconds())
		if len(h.gaps) < 300 || longest > 5*trip || median > 4*trip {
			t.Errorf("of %d shards without an owner: median %v, at most %v, by trips of %v", len(h.gaps), median, longest, trip)
		}
	})
}

// TestStopOfEmptyShards: a stop takes as long as the shards need in which there is something, and tells of all in a few calls.
func TestStopOfEmptyShards(t *testing.T) {
	inHall(t, func(h *hall) {
		a, b := h.enter("a"), h.enter("b")
		h.has(40*time.Second, map[string]int{"a": 512, "b": 512})
		for _, c := range []*clerk{a, b} {
			c.mu.Lock()
			c.bare = true
			c.mu.Unlock()
		}
		a.releases.Store(0)
		began := time.Now()
		a.LeaveBoard(h.Context())
		took, calls := time.Since(began), a.releases.Load()
		h.has(time.Second, map[string]int{"b": event.Shards})
		began = time.Now()
		b.LeaveBoard(h.Context())
		t.Logf("it left within %v, by %d calls; the last one within %v, by %d", took, calls, time.Since(began), b.releases.Load())
		if took > time.Second || calls > 10 {
			t.Errorf("it left within %v, by %d calls", took, calls)
		}
		if alone := time.Since(began); alone > time.Second || b.releases.Load() > 10 {
			t.Errorf("the last one left within %v, by %d calls", alone, b.releases.Load())
		}
	})
}

// TestStopWithinItsGrace: whatever others take, and whatever can be released, a stop ends within ten seconds of its patience: who started the
// worker kills it then (docs/operating/postgres.md).
func TestStopWithinItsGrace(t *testing.T) {
	for name, fails := range map[string]bool{"others lack what shards need": false, "nothing can be released either": true} {
		t.Run(name, func(t *testing.T) {
			inHall(t, func(h *hall) {
				a := h.enter("a", "rules")
				h.has(2*time.Second, map[string]int{"a": event.Shards})
				for n := range event.Shards {
					if err := h.memory.Board().StoreNeeds(h.Context(), n, []string{"rules"}); err != nil {
						t.Fatal(err)
					}
				}
				h.enter("b")
				time.Sleep(5 * time.Second)
				a.mu.Lock()
				a.fails = fails
				a.mu.Unlock()
				const wait = 30 * time.Second
				patience, cancel := context.WithTimeout(h.Context(), wait)
				defer cancel()
				began := time.Now()
				a.LeaveBoard(patience)
				if took := time.Since(began); took < wait || took > wait+10*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
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
		a.LeaveBoard(h.Context())
		h.has(0, map[string]int{"": event.Shards})
		b := h.enter("a") // at once: it is the same name
		h.has(2*time.Second, map[string]int{"a": event.Shards})
		b.mu.Lock()
		b.fails = true
		b.mu.Unlock()
		patience, cancel := context.WithTimeout(h.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		b.LeaveBoard(patience)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
		if v, err := h.memory.Board().ReadView(h.Context()); err != nil || v.Shards[7].Owner != 0 {
			t.Errorf("a shard that was not released belongs to %d, %v", v.Shards[7].Owner, err)
		}
	})
}

// TestTwoOfOneName: the second one says so, unless the first is dead.
func TestTwoOfOneName(t *testing.T) {
	inHall(t, func(h *hall) {
		a := h.enter("a")
		h.has(2*time.Second, map[string]int{"a": event.Shards})
		_, err := lease.StartWorker(h.Context(), lease.Config{Card: lease.Card{Name: "a"}, Board: h.memory.Board(), Holder: a, Clock: lease.GoClock()})
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
			if err := board.StoreNeeds(h.Context(), n, []string{"rules:1"}); err != nil {
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
	t.Parallel()
	for n := range 3 { // beats and looks are at other moments each time
		t.Run(fmt.Sprint(n), standsStill)
	}
}

func standsStill(t *testing.T) {
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

// RenewLease implements lease.Board.
func (f *forgetful) RenewLease(ctx context.Context, s lease.Seat, p lease.Pulse) (int64, error) {
	refused := p.Report != nil && f.noReports.Load()
	if refused {
		p.Report = nil
	}
	n, err := f.Board.RenewLease(ctx, s, p)
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
			a.TellChanges()
			if !a.guard.IsOpen() {
				t.Fatal("it has no lease, although its beats are stored")
			}
		}
		a.board.noReports.Store(false)
		time.Sleep(15 * time.Second)
		v, err := h.memory.Board().ReadView(t.Context())
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
