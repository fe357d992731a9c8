package store_test

import (
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// limitUses makes a turn depend on uses of its own, which belong to its action n; -1 for none.
func limitUses(t *store.Turn, n int, limitUses ...event.LimitUse) *store.Turn {
	t.LimitUses = limitUses
	if n >= 0 {
		t.LimitUseKey = t.Actions[n].Key
	}
	return t
}

// uses checks how many uses count.
func (w *world) uses(want int, c event.LimitUse, at time.Time, except ...string) {
	w.Helper()
	got, err := w.CountUses(w.Context(), ana, c, at, except...)
	if err != nil || got != want {
		w.Errorf("%d uses of %s count, want %d; %v", got, c.Limit, want, err)
	}
}

// isDenied checks that a turn was not stored since a limit denied it.
func (w *world) isDenied(limit string, r store.Receipt) {
	w.Helper()
	d, ok := errors.AsType[*store.DeniedError](r.Err)
	if !ok || d.Limit != limit || r.Dropped || len(r.Denied) > 0 {
		w.Errorf("the receipt is %+v, want one denied by %s", r, limit)
	}
}

func testTurnLimitUses(w *world) {
	once, daily := event.LimitUse{Limit: "once", Scope: "peer:7", Max: 1}, event.LimitUse{Limit: "daily", Max: 2, Within: 24 * time.Hour}
	w.uses(0, once, noon)
	w.must(limitUses(says(turnOf(message(7, 1)), "one", due(noon)), 0, daily, once))
	w.uses(1, once, noon)
	w.uses(1, daily, noon.Add(time.Hour))
	w.uses(0, daily, noon.Add(25*time.Hour))
	w.uses(0, daily, noon, "message:1/test/0")
	second := named(says(limitUses(turnOf(message(7, 2)), -1, daily, once), "two", due(noon)), 1, "x")
	second.Timers = []event.Timer{alarm(7, "t", 1, noon)}
	second.Entries = []event.Entry{{Account: ana, List: "l", Key: "k"}}
	w.isDenied("once", w.commit(store.Write{Turn: second, Pending: []event.Event{message(7, 3)}}))
	w.restart()
	w.handled(map[event.ID]bool{}, message(7, 2).ID)
	w.isNamed(second.Trigger.Key, 0, "")
	w.same("due", []string{"one"}, w.due(noon, 10))
	w.same("pending", []string{}, w.pending(0))
	timers, _ := w.timers(noon, 10)
	w.same("timers", 0, len(timers))
	w.uses(1, daily, noon)
	second.LimitUses = []event.LimitUse{daily}
	w.must(second)
	w.uses(2, daily, noon)
	w.isDenied("daily", w.commit(store.Write{Turn: limitUses(turnOf(message(8, 4)), -1, daily)}))
	w.must(turnOf(message(8, 4)))
}

// testTurnLimitUsesInAGroup: of many turns that want the last uses, exactly as many get them; the turns behind
// one that is denied wait for its lane, and everybody else's are stored.
func testTurnLimitUsesInAGroup(w *world) {
	total := event.LimitUse{Limit: "total", Max: 3}
	var writes []store.Write
	for n := range int64(5) {
		peer, sequence := platform.UserID(20+n), &store.Sequence{}
		first := limitUses(says(named(turnOf(message(peer, 100+10*n)), 1, "first"), "first", due(noon)), 0, total)
		second := named(turnOf(message(peer, 101+10*n)), 2, "second")
		first.Sequence, second.Sequence = sequence, sequence
		writes = append(writes, store.Write{Turn: first}, store.Write{Turn: second})
	}
	receipts := w.commitAll(writes...)
	for i, r := range receipts {
		switch {
		case i < 6:
			w.same("receipt", store.Receipt{}, r)
		case i%2 == 0:
			w.isDenied("total", r)
		default:
			w.same("receipt", store.Receipt{Err: store.ErrStale}, r)
		}
	}
	w.uses(3, total, noon)
	w.isNamed(event.Key{Account: ana, Peer: 22}, 2, "second")
	w.isNamed(event.Key{Account: ana, Peer: 23}, 0, "")
}

func testTurnLimitUsesOnce(w *world) {
	twice := event.LimitUse{Limit: "twice", Max: 2}
	turn := limitUses(says(turnOf(message(7, 1)), "one"), 0, twice)
	w.must(turn)
	w.same("receipt", dropped, w.commit(store.Write{Turn: turn}))
	w.uses(1, twice, noon)
	late := limitUses(turnOf(message(7, 1)), -1, twice) // decided otherwise, after a crash
	w.same("receipt", dropped, w.commit(store.Write{Turn: late}))
	w.uses(1, twice, noon)
	w.must(limitUses(turnOf(message(7, 2)), -1, twice))
	w.uses(2, twice, noon)
}

// testGiveBack: refused, withdrawn or dead, however it came to that.
func testGiveBack(w *world) {
	backs, stays := event.LimitUse{Limit: "backs", Max: 100, GiveBack: true}, event.LimitUse{Limit: "stays", Max: 100}
	number := int64(0)
	decided := func() *store.Turn {
		number++
		t := says(turnOf(message(7, number)), "reply", claiming(backs, stays))
		says(t, "another", claiming(stays))
		own := backs
		own.Limit = "own"
		kept := stays
		kept.Limit = "kept"
		return limitUses(t, 0, own, kept)
	}
	own, kept := backs, stays
	own.Limit, kept.Limit = "own", "kept"
	w.must(decided())
	w.uses(1, backs, noon)
	w.uses(1, own, noon)
	for i, state := range []event.State{event.StateRefused, event.StateWithdrawn, event.StateDead} {
		for _, now := range []bool{true, false} {
			t := decided()
			w.must(t)
			w.uses(2, backs, noon)
			if m := mark(t, state, 0); now {
				w.same("error", nil, w.MarkNow(w.Context(), m))
			} else {
				w.QueueMarks(m)
				w.flush()
			}
			w.uses(1, backs, noon)
			w.uses(1, own, noon)
			w.uses(2+2*i+map[bool]int{true: 0, false: 1}[now], kept, noon)
		}
	}
	w.uses(14, stays, noon)
	for _, state := range []event.State{event.StateDone, event.StateHeld, event.StateInDoubt} {
		t := decided()
		w.must(t)
		w.same("error", nil, w.MarkNow(w.Context(), mark(t, state, 1)))
	}
	w.uses(4, backs, noon)
	// Another limit denies the action in its commit.
	none := event.LimitUse{Limit: "none"}
	t := decided()
	t.Actions[0].LimitUses = append(t.Actions[0].LimitUses, none)
	w.same("receipt", store.Receipt{Denied: []int{0}}, w.commit(store.Write{Turn: t}))
	w.uses(4, backs, noon)
	w.uses(4, own, noon)
	// A person drops what is held.
	q := w.ask(asking(ana, 7, event.WishDrop))[0]
	held, _, err := w.Action(w.Context(), ana, "message:9/test/0")
	w.same("error", nil, err)
	w.same("state", event.StateHeld, held.State)
	w.must(decides(q, held, event.StateWithdrawn))
	w.uses(3, backs, noon)
	w.uses(3, own, noon)
}

func testGiveBackWithdrawn(w *world) {
	c := event.LimitUse{Limit: "c", Max: 5, GiveBack: true}
	w.must(limitUses(says(turnOf(message(7, 1)), "one", due(noon)), 0, c), limitUses(says(turnOf(message(7, 2)), "two"), 0, c),
		limitUses(says(turnOf(message(8, 3)), "three", due(noon)), 0, c), limitUses(turnOf(message(7, 4)), -1, c))
	w.uses(4, c, noon)
	t := turnOf(message(7, 5))
	t.Withdraw = "a person came"
	w.must(t)
	w.uses(3, c, noon)
	w.same("due", []string{"three"}, w.due(noon, 10))
}

// testNothingUsed: an action that the turn has withdrawn uses no limit, and its turn nothing for it that is
// given back.
func testNothingUsed(w *world) {
	backs, stays := event.LimitUse{Limit: "backs", Max: 1, GiveBack: true}, event.LimitUse{Limit: "stays", Max: 1}
	t := says(turnOf(message(7, 1)), "watched", claiming(backs, stays), func(a *record.Action) { a.State, a.Reason = event.StateWithdrawn, "watch" })
	own, kept := backs, stays
	own.Limit, kept.Limit = "own", "kept"
	w.must(limitUses(t, 0, own, kept))
	w.uses(0, backs, noon)
	w.uses(0, stays, noon)
	w.uses(0, own, noon)
	w.uses(1, kept, noon)
}

// testHeldLimitUses: an action that was held when it was decided has its limit uses stored with it, and a person's
// release takes them with its turn, or is not stored.
func testHeldLimitUses(w *world) {
	c := event.LimitUse{Limit: "c", Scope: "peer:7", Max: 1, Within: time.Hour, GiveBack: true}
	holds := func(number int64) *store.Turn {
		t := says(turnOf(message(7, number)), "held", claiming(c), func(a *record.Action) { a.State, a.LeftAt = event.StateHeld, time.Time{} })
		w.must(t)
		return t
	}
	one, two := holds(1), holds(2)
	w.uses(0, c, noon)
	w.restart()
	for _, t := range []*store.Turn{one, two} {
		wanted, err := w.WantedUses(w.Context(), ana, t.Actions[0].Key)
		w.same("wanted", []event.LimitUse{c}, wanted)
		w.same("error", nil, err)
	}
	asked := w.ask(asking(ana, 7, event.WishRelease), asking(ana, 7, event.WishRelease), asking(ana, 7, event.WishRelease))
	release := limitUses(decides(asked[0], one.Actions[0].Action, event.StateSending), 0, c)
	release.Actions[0].Text = "edited"
	w.must(release)
	w.same("open", []string{"edited"}, w.opened())
	w.uses(1, c, noon)
	wanted, err := w.WantedUses(w.Context(), ana, one.Actions[0].Key)
	w.same("wanted", []event.LimitUse(nil), wanted)
	w.same("error", nil, err)
	w.isDenied("c", w.commit(store.Write{Turn: limitUses(decides(asked[1], two.Actions[0].Action, event.StateSending), 0, c)}))
	w.same("waiting", 2, len(w.waiting()))
	// Refused, its use is given back, and the other one may have it.
	w.same("error", nil, w.MarkNow(w.Context(), mark(release, event.StateRefused, 0)))
	w.uses(0, c, noon)
	w.must(limitUses(decides(asked[1], two.Actions[0].Action, event.StateSending), 0, c))
	w.uses(1, c, noon)
	// Dropped, one that has taken nothing gives nothing back.
	three := holds(3)
	w.must(decides(asked[2], three.Actions[0].Action, event.StateWithdrawn))
	w.uses(1, c, noon)
}
