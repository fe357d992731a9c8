package store_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

func testNothing(w *world) {
	key := event.Key{Account: ana, Peer: 7}
	w.same("conversation", conversation.State{Key: key}, w.conversation(key))
	w.handled(map[event.ID]bool{}, message(7, 1).ID)
	w.same("pending", []string{}, w.pending(0))
	w.same("open", []string{}, w.opened())
	w.same("due", []string{}, w.due(noon, 10))
	timers, next := w.timers(noon, 10)
	if len(timers) > 0 || !next.IsZero() {
		w.Errorf("timers %v, next %v", timers, next)
	}
	last, err := highest(w.Context(), w)
	nextDue, err2 := w.NextDue(w.Context(), ana)
	facts, err3 := w.Facts(w.Context(), ana, "message:1")
	states, err4 := w.FlowStates(w.Context())
	cursors, err5 := w.Cursors(w.Context(), ana, event.Messages, nil)
	results, err6 := w.Results(w.Context(), ana, event.VerbMessage, nil)
	w.same("errors", []error{nil, nil, nil, nil, nil, nil}, []error{err, err2, err3, err4, err5, err6})
	if last != 0 || !nextDue.IsZero() || len(facts)+len(states)+len(cursors)+len(results) > 0 {
		w.Errorf("something is there: %v %v %v %v %v %v", last, nextDue, facts, states, cursors, results)
	}
}

// everything is a turn that changes all that a turn can change.
func everything() *store.Turn {
	e := message(7, 501)
	e.Image, e.Post, e.Subject = "https://example.org/a.png", 31, "post_reply"
	t := turnOf(e)
	t.Conversation = &conversation.State{
		Key: e.Key(), Version: 1, Name: "Ana's \"peer\"", User: "peer_7", Owner: "support", OwnerSince: noon.Add(-time.Hour),
		Labels: []string{"a,b", "vip\nnot", "ünï"}, Unreachable: noon.Add(time.Hour),
		Flow: conversation.Instance{
			Flow: "order", State: "ask-size", Version: 3, Data: raw(`{"size":"L"}`), Since: noon.Truncate(time.Millisecond),
		},
		Values: map[string]json.RawMessage{"plugin/a": raw(`{"n":1}`), "plugin/b": raw(`"x"`)},
	}
	t.Timers = []event.Timer{{Key: e.Key(), Name: "flow/order", Occurrence: 5, Due: noon.Add(time.Hour), Data: []byte(`{"a":1}`)}}
	t.Facts = []event.Fact{{Name: "profile:7", Value: raw(`{"age":30}`), ReadAt: noon}}
	t.Record = event.DecisionRecord{Route: "order", Outcome: "handled", Note: "it's fine"}
	says(t, "hello", due(noon.Add(time.Minute)))
	t.Actions = append(t.Actions, record.Action{Action: event.Action{
		Key: "message:501/order/1", Account: ana, Peer: 7, Verb: event.VerbFollow, Post: 9, User: 8, Want: true, Priority: event.Broadcast,
		State: event.StateSending, Due: noon, Position: 12, ReconcileFrom: 34, Reason: "because", DecidedAt: noon, LeftAt: noon.Add(time.Second),
	}})
	return t
}

// has checks that all of everything is there.
func (w *world) has(turn *store.Turn) {
	w.Helper()
	w.handled(map[event.ID]bool{turn.Trigger.Event.ID: true}, turn.Trigger.Event.ID)
	w.same("conversation", *turn.Conversation, w.conversation(turn.Trigger.Key))
	timers, _ := w.timers(noon.Add(2*time.Hour), 10)
	w.same("timers", turn.Timers, timers)
	facts, err := w.Facts(w.Context(), ana, "message:501")
	w.same("facts", turn.Facts, facts)
	w.same("error", nil, err)
	waits, err := w.DueActions(w.Context(), ana, noon.Add(time.Hour), nil, 10)
	w.same("due", []event.Action{turn.Actions[0].Action}, waits)
	w.same("error", nil, err)
	open, err := w.Open(w.Context(), ana)
	w.same("open", []event.Action{turn.Actions[1].Action}, open)
	w.same("error", nil, err)
}

func testWholeTurn(w *world) {
	turn := everything()
	w.must(turn)
	for range 2 {
		w.has(turn)
		last, err := highest(w.Context(), w)
		w.same("last", int64(501), last)
		w.same("error", nil, err)
		w.restart()
	}
	next := *turn.Conversation
	next.Version, next.Owner, next.OwnerSince, next.Labels, next.Flow = 2, "", time.Time{}, nil, conversation.Instance{}
	second := turnOf(message(7, 502))
	second.Conversation = &next
	w.must(second)
	w.same("the changed conversation", next, w.conversation(next.Key))
	next.Version, next.Values = 3, nil
	third := turnOf(message(7, 503))
	third.Conversation = &next
	w.must(third)
	w.same("the emptied conversation", next, w.conversation(next.Key))
}

func testTexts(w *world) {
	for i, text := range []string{
		"", "'", `"; DROP TABLE event; --`, "%s$1?", "ça va? 👩‍👩‍👧", "a\r\nb\tc", strings.Repeat("long ", 30_000), strings.Repeat("x", 64<<10),
	} {
		turn := says(named(turnOf(message(7, int64(i+1))), int64(i+1), text), text, due(noon), func(a *record.Action) { a.Position = int64(i + 1) })
		turn.Trigger.Event.Text = text
		w.must(turn)
		w.isNamed(turn.Trigger.Key, int64(i+1), text)
		w.same("due", []string{text}, w.due(noon, 10))
		if err := w.MarkNow(w.Context(), mark(turn, event.StateDone, 0)); err != nil {
			w.Fatal(err)
		}
		waiting := message(7, int64(1000+i))
		waiting.Text = text
		if r := w.commit(store.Write{Pending: []event.Event{waiting}}); r.Err != nil {
			w.Fatal(r.Err)
		}
		got, err := w.PendingEvents(w.Context(), ana, 0, 10)
		w.same("pending", []store.PendingEvent{{Event: waiting}}, got)
		w.same("error", nil, err)
		w.must(turnOf(waiting))
	}
}

// testBytes: keys and what people are called are kept as they are, whatever bytes they are made of.
func testBytes(w *world) {
	for i, text := range []string{"a\x00b", "\x00", "\xff\xfe", "é\U0010ff00\xe9", "\U0010ffff\xf4\x8f", string(bytes.Repeat([]byte{0x80}, 70<<10))} {
		turn := says(named(turnOf(message(7, int64(i+1))), int64(i+1), text), text, due(noon), func(a *record.Action) { a.Position = int64(i + 1) })
		turn.Facts = []event.Fact{{Name: "fact", Value: raw(`"\u0000"`), ReadAt: noon}}
		w.must(turn)
		w.isNamed(turn.Trigger.Key, int64(i+1), text)
		got := w.due(noon, 10)
		w.same("the last that is due", text, got[len(got)-1])
		facts, err := w.Facts(w.Context(), ana, turn.Trigger.ID())
		w.same("facts", turn.Facts, facts)
		w.same("error", nil, err)
		if len(text) > 100 {
			continue // too long for a key
		}
		once := event.LimitUse{Limit: "once " + text, Scope: text, Max: 1, GiveBack: true}
		a := says(turnOf(message(8, int64(100+i))), "claims", claiming(once), due(noon), func(a *record.Action) { a.Key = text + "/test/0" })
		w.must(a)
		w.uses(1, once, noon)
		w.same("error", nil, w.MarkNow(w.Context(), mark(a, event.StateWithdrawn, 0)))
		if utf8.ValidString(text) { // or JSON has other bytes in its place, and it stays
			w.uses(0, once, noon)
		}
	}
}

func testAccounts(w *world) {
	w.must(says(named(turnOf(message(7, 1)), 1, "of ana"), "from ana", due(noon)))
	other := message(7, 1)
	other.Account = berk
	w.must(says(named(turnOf(other), 1, "of berk"), "from berk", due(noon)))
	w.isNamed(event.Key{Account: ana, Peer: 7}, 1, "of ana")
	w.isNamed(event.Key{Account: berk, Peer: 7}, 1, "of berk")
	w.same("due", []string{"from ana"}, w.due(noon, 10))
	if timers, _ := w.timers(noon, 10); len(timers) > 0 {
		w.Errorf("timers %v", timers)
	}
}

func testManyAtOnce(w *world) {
	const sequences, turns = 8, 60
	var all sync.WaitGroup
	for peer := range platform.UserID(sequences) {
		peer++
		all.Go(func() {
			sequence, committed := &store.Sequence{}, make(chan store.Receipt, turns)
			for n := range int64(turns) {
				turn := says(named(turnOf(message(peer, int64(peer)*1000+n)), n+1, fmt.Sprint(n)), "")
				turn.Sequence = sequence
				w.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
					w.QueueMarks(mark(turn, event.StateDone, int64(peer)*1000+n))
					committed <- r
				}})
			}
			for range turns {
				if r := <-committed; r.Err != nil || r.Dropped {
					w.Errorf("a turn with %d: %+v", peer, r)
				}
				if _, err := w.Conversation(w.Context(), event.Key{Account: ana, Peer: peer}); err != nil {
					w.Error(err)
				}
			}
		})
	}
	all.Wait()
	w.flush()
	for peer := range platform.UserID(sequences) {
		w.isNamed(event.Key{Account: ana, Peer: peer + 1}, turns, fmt.Sprint(turns-1))
	}
	w.same("open", []string{}, w.opened())
}

func testReceipts(w *world) {
	const n = 700
	got := make(chan int, 2*n)
	for i := range n {
		x := store.Write{Done: func(store.Receipt) { got <- i }}
		switch i % 4 {
		case 0:
			x.Turn = turnOf(message(7, int64(1+i/8))) // every other one is dropped
		case 1:
			x.Turn = named(turnOf(message(platform.UserID(i), int64(10_000+i))), 9, "stale")
		case 2:
			x.Pending = []event.Event{message(8, int64(20_000+i))}
		case 3:
			x.Marks = []outbox.Mark{{Account: ana, Key: "nobody's"}}
		}
		w.Commit(x)
	}
	for want := range n {
		if i := <-got; i != want {
			w.Fatalf("receipt %d came when %d was to", i, want)
		}
	}
	w.flush()
	if len(got) > 0 {
		w.Errorf("%d receipts too many", len(got))
	}
}
