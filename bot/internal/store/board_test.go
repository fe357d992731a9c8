package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/record"
)

// TestBoardInMemory: the board of simulations does what the one in a database does.
func TestBoardInMemory(t *testing.T) {
	t.Parallel()
	testBoard(t, func(*testing.T) func() lease.Board {
		m := lease.NewMemory(nil)
		return m.Board
	})
}

// table is a board with some workers at it.
type table struct {
	*testing.T
	way func() lease.Board
}

// visitor is a worker at a table.
type visitor struct {
	*table
	lease.Board
	seat lease.Seat
	name string
}

// sit lets a worker enter, and beat once.
func (t *table) sit(name string) *visitor {
	t.Helper()
	g := &visitor{table: t, Board: t.way(), name: name}
	var err error
	if g.seat, err = g.AddWorker(t.Context(), lease.Card{Name: name, Version: "v1", Has: []string{"rules:a"}, Speaks: lease.Span{From: 1, To: 2}}); err != nil {
		t.Fatal(err)
	}
	g.beat()
	return g
}

func (g *visitor) beat() int64 {
	g.Helper()
	n, err := g.RenewLease(g.Context(), g.seat, lease.Pulse{State: lease.StateUp, Wall: time.Now()})
	if err != nil {
		g.Fatal(err)
	}
	return n
}

// look returns what there is, and the worker.
func (g *visitor) look() (*lease.View, *lease.Peer) {
	g.Helper()
	v, err := g.ReadView(g.Context())
	if err != nil {
		g.Fatal(err)
	}
	return v, v.WorkerByNumber(g.seat.Worker)
}

// want plans shards for workers.
func (g *visitor) want(wants ...lease.Want) {
	g.Helper()
	if ok, err := g.StorePlan(g.Context(), g.seat, func(*lease.View) []lease.Want { return wants }); !ok || err != nil {
		g.Fatal("it does not plan: ", ok, err)
	}
}

// acquires returns what it gets.
func (g *visitor) acquires(again ...int) (got []string) {
	g.Helper()
	all, err := g.Acquire(g.Context(), g.seat, again...)
	if err != nil {
		g.Fatal(err)
	}
	for _, h := range all {
		got = append(got, fmt.Sprintf("%d/%d %s", h.Shard, h.Epoch, h.Note))
	}
	slices.Sort(got)
	return got
}

func (t *table) same(what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// isGone checks that nothing of a worker takes effect any more.
func (g *visitor) isGone() {
	g.Helper()
	for what, call := range map[string]func() error{
		"beats": func() error { _, err := g.RenewLease(g.Context(), g.seat, lease.Pulse{}); return err },
		"plans": func() error {
			wants := []lease.Want{{Shard: 9, Worker: g.seat.Worker}}
			_, err := g.StorePlan(g.Context(), g.seat, func(*lease.View) []lease.Want { return wants })
			return err
		},
		"claims": func() error { _, err := g.Acquire(g.Context(), g.seat); return err },
		"releases": func() error {
			return g.Release(g.Context(), g.seat, lease.Released{Shard: 5, Epoch: 1, Note: []byte("late")})
		},
		"leaves": func() error { return g.RemoveWorker(g.Context(), g.seat) },
		"asks": func() error {
			_, err := g.AskRate(g.Context(), g.seat, 0, lease.Ask{Wish: lease.Wish{Host: "a"}})
			return err
		},
	} {
		err := call()
		for tries := 0; tries < 10 && err != nil && !errors.Is(err, lease.ErrGone); tries++ { // its connections were ended, too
			err = call()
		}
		if !errors.Is(err, lease.ErrGone) {
			g.Errorf("it %s: %v", what, err)
		}
	}
}

// testBoard is what every board has to do.
func testBoard(t *testing.T, fresh func(t *testing.T) func() lease.Board) {
	t.Helper()
	for name, test := range map[string]func(t *table){
		"workers": testWorkers, "takeover": testTakeover, "shards": testShards, "names": testNames, "asks": testAsks, "plans": testPlans, "hints": testHints,
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			test(&table{T: t, way: fresh(t)})
		})
	}
}

func testWorkers(t *table) {
	a, b := t.sit("a"), t.sit("b")
	if n := a.beat(); n != 2 {
		t.Errorf("the second beat is %d", n)
	}
	pulse := lease.Pulse{State: lease.StateLeaving, Wall: time.Now().Add(time.Hour), Report: &record.WorkerReport{Has: []string{"rules:b", "host:x"}}}
	if _, err := a.RenewLease(t.Context(), a.seat, pulse); err != nil {
		t.Fatal(err)
	}
	v, me := b.look()
	other := v.WorkerByNumber(a.seat.Worker)
	t.same("the other", []any{"a", "v1", []string{"rules:b", "host:x"}, lease.Span{From: 1, To: 2}, int64(3), lease.StateLeaving, false},
		[]any{other.Name, other.Version, other.Has, other.Speaks, other.Beat, other.State, other.Drain})
	if other.Ahead < 59*time.Minute || other.Ahead > 61*time.Minute || me.Ahead > time.Minute || me.Ahead < -time.Minute {
		t.Errorf("clocks are ahead by %v and %v", other.Ahead, me.Ahead)
	}
	if since := v.Now.Sub(other.Seen); since < 0 || since > time.Minute {
		t.Errorf("it was seen %v ago", since)
	}
	for name, want := range map[string]bool{"b": true, "nobody": false} {
		if ok, err := a.Drain(t.Context(), name, true); ok != want || err != nil {
			t.Errorf("drain %s: %v, %v", name, ok, err)
		}
	}
	if _, me := b.look(); !me.Drain {
		t.Error("it is not asked to give its shards away")
	}
	leave := func() {
		t.Helper()
		if err := b.RemoveWorker(t.Context(), b.seat); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	b.isGone()
	if _, me := b.look(); me.State != lease.StateGone {
		t.Errorf("it has left, and is %v", me.State)
	}
	if ok, err := a.Drain(t.Context(), "b", true); ok || err != nil {
		t.Errorf("drain one that is gone: %v, %v", ok, err)
	}
	b = t.sit("b")
	if _, me := b.look(); !me.Drain {
		t.Error("it has come back, and nobody remembers that it was asked to give its shards away")
	}
	leave()
	if ok, err := a.Drain(t.Context(), "b", false); !ok || err != nil {
		t.Errorf("undo that of one that is gone: %v, %v", ok, err)
	}
	if _, me := t.sit("b").look(); me.Drain {
		t.Error("it was undone while it was gone, and holds")
	}
}

func testTakeover(t *table) {
	a, b := t.sit("a"), t.sit("b")
	a.want(lease.Want{Shard: 5, Worker: a.seat.Worker}, lease.Want{Shard: 6, Worker: b.seat.Worker})
	t.same("claimed", []string{"5/1 "}, a.acquires())
	_, seen := a.look()
	a.beat()
	if taken, err := b.TakeOver(t.Context(), seen.Sight); taken || err != nil {
		t.Errorf("a beat in between does not win: %v, %v", taken, err)
	}
	_, seen = a.look()
	for _, want := range []bool{true, false} { // of two that are fast
		if taken, err := b.TakeOver(t.Context(), seen.Sight); taken != want || err != nil {
			t.Errorf("taken over: %v, %v", taken, err)
		}
	}
	a.isGone()
	v, dead := a.look()
	t.same("the dead one", []any{lease.StateGone, a.seat.Epoch + 1}, []any{dead.State, dead.Epoch})
	t.same("its shard", lease.Shard{Epoch: 1}, v.Shards[5])
	t.same("another", lease.Shard{Wanted: b.seat.Worker}, v.Shards[6])
	b.want(lease.Want{Shard: 5, Worker: b.seat.Worker})
	t.same("claimed", []string{"5/2 ", "6/1 "}, b.acquires())
}

func testShards(t *table) {
	a, b := t.sit("a"), t.sit("b")
	a.want(lease.Want{Shard: 5, Worker: a.seat.Worker}, lease.Want{Shard: 1023, Worker: a.seat.Worker})
	t.same("claimed", []string{"1023/1 ", "5/1 "}, a.acquires())
	t.same("claimed again", []string(nil), a.acquires())
	t.same("claimed since the answer was lost", []string{"5/1 "}, a.acquires(5, 6))
	a.want(lease.Want{Shard: 5, Worker: b.seat.Worker})
	t.same("of another", []string(nil), b.acquires())
	note := []byte{0, 1, 2, 0xff, '"'}
	if err := b.Release(t.Context(), b.seat, lease.Released{Shard: 5, Epoch: 1}); err != nil { // which is not its own
		t.Error(err)
	}
	for _, r := range []lease.Released{
		{Shard: 5, Epoch: 7, Note: []byte("of another time")},
		{Shard: 5, Epoch: 1, Note: note},
		{Shard: 5, Epoch: 1, Note: []byte("twice")},
	} {
		if err := a.Release(t.Context(), a.seat, r); err != nil {
			t.Error(err)
		}
	}
	if err := a.Release(t.Context(), a.seat, lease.Released{Shard: 1023, Epoch: 1, Note: make([]byte, lease.MaxNote+1)}); !errors.Is(err, lease.ErrNoteTooLong) {
		t.Errorf("a long note: %v", err)
	}
	t.same("claimed", []string{fmt.Sprintf("5/2 %s", note)}, b.acquires())
	if err := b.Release(t.Context(), b.seat, lease.Released{Shard: 5, Epoch: 2}); err != nil { // it has nothing to add
		t.Error(err)
	}
	t.same("claimed", []string{fmt.Sprintf("5/3 %s", note)}, b.acquires())
	a.want(lease.Want{Shard: 8, Worker: a.seat.Worker}, lease.Want{Shard: 9, Worker: a.seat.Worker})
	t.same("claimed", []string{"8/1 ", "9/1 "}, a.acquires())
	for range 2 { // the second time it does nothing
		several := []lease.Released{{Shard: 1023, Epoch: 1, Note: note}, {Shard: 5, Epoch: 3}, {Shard: 9, Epoch: 7}, {Shard: 8, Epoch: 1}}
		if err := a.Release(t.Context(), a.seat, several...); err != nil {
			t.Error(err)
		}
	}
	t.same("claimed, of several that were released", []string{fmt.Sprintf("1023/2 %s", note), "8/2 "}, a.acquires())
	loads := lease.Pulse{State: lease.StateUp, Wall: time.Now(), Report: &record.WorkerReport{Loads: map[int]int64{5: 700, 1023: 800}}}
	if _, err := b.RenewLease(t.Context(), b.seat, loads); err != nil {
		t.Error(err)
	}
	if err := a.StoreNeeds(t.Context(), 7, []string{"rules:a", `host:"x"`}); err != nil {
		t.Error(err)
	}
	v, _ := a.look()
	t.same("shards", []lease.Shard{
		{Owner: b.seat.Worker, Wanted: b.seat.Worker, Epoch: 3, Load: 700},
		{Needs: []string{"rules:a", `host:"x"`}},
		{Owner: a.seat.Worker, Wanted: a.seat.Worker, Epoch: 2},
		{Owner: a.seat.Worker, Wanted: a.seat.Worker, Epoch: 1},
	}, []lease.Shard{v.Shards[5], v.Shards[7], v.Shards[1023], v.Shards[9]})
}

func testNames(t *table) {
	a := t.sit("a")
	if _, err := t.way().AddWorker(t.Context(), lease.Card{Name: "a"}); !errors.Is(err, record.ErrNameTaken) {
		t.Errorf("another one of the name: %v", err)
	}
	if err := a.RemoveWorker(t.Context(), a.seat); err != nil {
		t.Fatal(err)
	}
	next := t.sit("a")
	if next.seat.Worker != a.seat.Worker || next.seat.Epoch <= a.seat.Epoch {
		t.Errorf("the next one is %+v after %+v", next.seat, a.seat)
	}
	a.isGone()
	next.beat()
}

func testPlans(t *table) {
	a, b := t.sit("a"), t.sit("b")
	before, _ := a.look()
	var all []lease.Want
	for n := range event.Shards {
		all = append(all, lease.Want{Shard: n, Worker: []int64{a.seat.Worker, b.seat.Worker}[n%2]})
	}
	a.want(all...)
	after, _ := a.look()
	if after.Plans != before.Plans+1 {
		t.Errorf("%d plans after %d", after.Plans, before.Plans)
	}
	t.same("claimed", []int{event.Shards / 2, event.Shards / 2}, []int{len(a.acquires()), len(b.acquires())})
	b.want()
	if later, _ := a.look(); later.Plans != after.Plans+1 {
		t.Errorf("%d plans after %d", later.Plans, after.Plans)
	}
}

func testHints(t *table) {
	a, b := t.sit("a"), t.sit("b")
	a.want(lease.Want{Shard: 5, Worker: a.seat.Worker})
	a.acquires()
	// A hint may come for nothing, or for something earlier; so each of these is done until one has come, or the test is over.
	for what, do := range map[string]func() error{
		"a plan": func() error { a.want(); return nil },
		"a release": func() error {
			a.want(lease.Want{Shard: 5, Worker: a.seat.Worker})
			a.acquires()
			return a.Release(t.Context(), a.seat, lease.Released{Shard: 5})
		},
		"a drain": func() error { _, err := a.Drain(t.Context(), "a", true); return err },
	} {
		come := false
		for tries := 0; !come; tries++ {
			if tries == 1000 {
				t.Fatal("no hint of ", what)
			}
			if err := do(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-b.Hints():
				come = true
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}

// testAsks: what workers say of a host is what all see, of two at once one says something, and what one has said that has gone does not
// count.
func testAsks(t *table) {
	a, b := t.sit("a"), t.sit("b")
	ask := func(g *visitor, number int64, host string, share float64) bool {
		t.Helper()
		said, err := g.AskRate(t.Context(), g.seat, number, lease.Ask{Wish: lease.Wish{Host: host, Acts: 0.1, Polls: 1.5}, Rate: 10, Share: share})
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	hosts := func(g *visitor) map[string]lease.HostView {
		t.Helper()
		v, err := g.ReadHosts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v.Hosts
	}
	if v, err := a.ReadHosts(t.Context()); err != nil || v.Workers != 2 || len(v.Hosts) != 0 {
		t.Errorf("an empty board has %+v, %v", v, err)
	}
	for i, c := range []struct {
		who    *visitor
		number int64
		share  float64
		said   bool
	}{{a, 0, 1.0 / 3, true}, {b, 0, 2, false}, {b, 1, 2, true}, {a, 1, 3, false}, {a, 2, 0.25, true}} {
		if said := ask(c.who, c.number, "h", c.share); said != c.said {
			t.Errorf("%d: it says something: %v", i, said)
		}
	}
	ask(b, 0, "other:81", 7)
	said := func(host string, share float64) lease.Ask {
		return lease.Ask{Wish: lease.Wish{Host: host, Acts: 0.1, Polls: 1.5}, Rate: 10, Share: share}
	}
	t.same("what they say", map[string]lease.HostView{
		"h":        {Number: 3, Asks: map[int64]lease.Ask{a.seat.Worker: said("h", 0.25), b.seat.Worker: said("h", 2)}},
		"other:81": {Number: 1, Asks: map[int64]lease.Ask{b.seat.Worker: said("other:81", 7)}},
	}, hosts(a))
	if err := b.RemoveWorker(t.Context(), b.seat); err != nil {
		t.Fatal(err)
	}
	t.same("what is left", map[string]lease.HostView{
		"h": {Number: 3, Asks: map[int64]lease.Ask{a.seat.Worker: said("h", 0.25)}}, "other:81": {Number: 1, Asks: map[int64]lease.Ask{}},
	}, hosts(a))
	again := t.sit("b")
	if len(hosts(a)["other:81"].Asks) > 0 {
		t.Error("what it said in another life counts")
	}
	ask(again, 1, "other:81", 1)
	t.same("in another life", lease.HostView{Number: 2, Asks: map[int64]lease.Ask{again.seat.Worker: said("other:81", 1)}}, hosts(a)["other:81"])
}
