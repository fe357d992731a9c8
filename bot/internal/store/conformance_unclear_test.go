package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// far is a store at the end of a line.
type far struct {
	*world
	line *line
	log  *page
}

// testUnclear is what every engine has to do with a commit whose end is not clear: it finds out before it says
// anything.
func testUnclear(t *testing.T, e engine) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(w *far, lost loss)
	}{
		{"turns", testUnclearTurns},
		{"what is about to leave", testUnclearMarks},
		{"what nobody waits for", testUnclearLazy},
		{"a session", testUnclearSession},
		{"what waits, tries, notices and rules", testUnclearRest},
		{"nothing else is stored meanwhile", testUnclearFirst},
		{"a store that is closed does not wait", testUnclearAtClose},
		{"what people ask for", testUnclearRequests},
		{"what people put on lists", testUnclearEntries},
	} {
		for _, lost := range []loss{answers, calls} {
			t.Run(fmt.Sprintf("%s, %v is lost", c.name, lost), func(t *testing.T) {
				effort.Case(t)
				w := &far{line: newLine(), log: &page{}}
				w.world = newWorld(t, func(t *testing.T) database {
					t.Helper()
					return e.fresh(t, way{around: w.line.around, log: slog.New(slog.NewTextHandler(w.log, nil))})
				})
				c.test(w, lost)
			})
		}
	}
	t.Run("what was not tried is not asked about", func(t *testing.T) {
		effort.Case(t)
		tries := 0
		w := newWorld(t, func(t *testing.T) database {
			t.Helper()
			return e.fresh(t, way{around: func(do func() error) error {
				if tries++; tries == 1 {
					return errLine
				}
				return do()
			}})
		})
		if r := w.commit(store.Write{Turn: turnOf(message(7, 1))}); !errors.Is(r.Err, errLine) {
			w.Errorf("receipt %+v", r)
		}
		w.must(turnOf(message(7, 1)))
		w.same("tries", 2, tries)
	})
}

// told checks that the log has one line about the fault and one about its end, which comes at the latest when the
// store is closed.
func (w *far) told() {
	w.Helper()
	w.must(turnOf(message(99, 99)))
	w.restart()
	text := strings.Join(w.log.lines(), "\n")
	if f, e := strings.Count(text, "cannot write"), strings.Count(text, "writes again"); f != 1 || e != 1 || len(w.log.lines()) != 2 {
		w.Errorf("the log is\n%s", text)
	}
}

// proven checks the error of what is known not to be stored.
func (w *far) proven(what string, err error) {
	w.Helper()
	if err == nil || errors.As(err, new(*unclear.Error)) || !strings.Contains(err.Error(), errLine.Error()) || strings.Contains(err.Error(), "not known") {
		w.Errorf("%s: the error is %v", what, err)
	}
}

// testUnclearTurns: all that a commit decided holds when it turns out to be stored, and nothing of it when it does not.
func testUnclearTurns(w *far, lost loss) {
	once := claiming(event.LimitUse{Limit: "once", Max: 1})
	w.must(turnOf(message(6, 1)))
	group := func() (*store.Sequence, []store.Write) {
		sequence := &store.Sequence{}
		unfit := named(turnOf(message(9, 5)), 1, "unfit")
		unfit.Conversation.Values = map[string]json.RawMessage{"plugin/x": raw(`{"half":`)}
		return sequence, []store.Write{
			on(sequence, says(named(turnOf(message(7, 2)), 1, "one"), "gets it", once, due(noon))),
			on(sequence, says(says(named(turnOf(message(7, 3)), 2, "two"), "does not", once), "leaves")),
			{Turn: says(turnOf(message(6, 1)), "was handled")},
			{Turn: named(turnOf(message(8, 4)), 4, "stale")},
			{Turn: unfit},
		}
	}
	w.line.lose(lost, calls, answers, calls)
	sequence, writes := group()
	receipts := w.commitAll(writes...)
	if lost == calls {
		for _, i := range []int{0, 2, 3} {
			w.proven(fmt.Sprintf("write %d", i), receipts[i].Err)
		}
		w.same("receipts of the others", []string{"stale", "unfit"}, outcomes([]store.Receipt{receipts[1], receipts[4]}))
		w.same("due", []string{}, w.due(noon, 10))
		w.handled(map[event.ID]bool{}, message(7, 2).ID, message(7, 3).ID)
		sequence, writes = group()
		receipts = w.commitAll(writes...)
	}
	w.same("receipts", []string{"stored", "stored", "dropped", "stale", "unfit"}, outcomes(receipts))
	w.same("denied", []int{0}, receipts[1].Denied)
	w.same("due", []string{"gets it"}, w.due(noon, 10))
	w.same("open", []string{"leaves"}, w.opened())
	uses, err := w.CountUses(w.Context(), ana, event.LimitUse{Limit: "once", Max: 1}, noon)
	w.same("uses", 1, uses)
	w.same("error", nil, err)
	w.same("what was computed on it", stored, w.commit(on(sequence, named(turnOf(message(7, 6)), 3, "three"))))
	w.same("again", dropped, w.commit(store.Write{Turn: turnOf(message(7, 2))}))
	w.told()
}

func testUnclearMarks(w *far, lost loss) {
	turn, gone := says(turnOf(message(7, 1)), "hello", due(noon)), says(turnOf(message(7, 2)), "withdrawn", due(noon))
	w.must(turn, gone)
	w.same("error", nil, w.MarkNow(w.Context(), mark(gone, event.StateWithdrawn, 0)))
	w.line.lose(lost, answers)
	err := w.MarkNow(w.Context(), mark(turn, event.StateSending, 0))
	if lost == calls {
		w.proven("marks", err)
		w.same("open", []string{}, w.opened())
		err = w.MarkNow(w.Context(), mark(turn, event.StateSending, 0))
	}
	w.same("error", nil, err)
	w.same("open", []string{"hello"}, w.opened())
	w.same("due", []string{}, w.due(noon, 10))
	for _, state := range []event.State{event.StateRefused, event.StateHeld, event.StateInDoubt} {
		w.line.lose(lost)
		if err := w.MarkNow(w.Context(), mark(turn, state, 0)); (err == nil) != (lost == answers) {
			w.Errorf("%s: the error is %v", state, err)
		}
		if lost == calls {
			w.same("error", nil, w.MarkNow(w.Context(), mark(turn, state, 0)))
		}
	}
	w.line.lose(lost)
	if err := w.MarkNow(w.Context(), mark(gone, event.StateSending, 0)); lost == answers && !errors.Is(err, store.ErrEnded) {
		w.Errorf("what has ended: the error is %v", err)
	}
	w.flush()
	w.told()
}

func testUnclearLazy(w *far, lost loss) {
	one, two := says(turnOf(message(7, 1)), "one"), says(turnOf(message(7, 2)), "two")
	w.must(one, two)
	w.line.lose(lost, calls, answers)
	w.QueueMarks(mark(one, event.StateDone, 5))
	w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, Peer: 7, ID: 9, PolledAt: noon})
	w.eventually("what nobody waits for is stored", func() bool {
		cursors, err := w.Cursors(w.Context(), ana, event.Messages, []platform.UserID{7})
		return err == nil && len(cursors) == 1 && len(w.opened()) == 1
	})
	w.QueueMarks(mark(two, event.StateDone, 6))
	w.flush()
	w.same("open", []string{}, w.opened())
	w.told()
}

func testUnclearSession(w *far, lost loss) {
	k := w.Keeper(ana)
	w.same("error", nil, k.SaveSession(w.Context(), kept("one")))
	w.line.lose(lost, answers)
	err := k.SaveSession(w.Context(), kept("two"))
	want := kept("two")
	if lost == calls {
		w.proven("session", err)
		want = kept("one")
	} else {
		w.same("error", nil, err)
	}
	got, err := k.LoadSession(w.Context())
	w.same("session", want, got)
	w.same("error", nil, err)
	w.told()
}

// testUnclearRest: whatever a commit is made of, it is known by its number, not by what it says.
func testUnclearRest(w *far, lost loss) {
	asked := turnOf(message(7, 1))
	asked.Notices = []event.Notice{{Account: ana, ID: "message:1/test/0", Who: "team", Text: "come", At: noon}}
	w.must(asked)
	for name, do := range map[string]func() error{
		"what waits": func() error { return w.commit(store.Write{Pending: []event.Event{message(8, 2)}}).Err },
		"a try": func() error {
			return w.commit(store.Write{Attempt: &store.Attempt{Event: message(8, 3), Tries: 1, At: noon}}).Err
		},
		"a notice":          func() error { return w.Told(w.Context(), sent(asked.Notices...), nil) },
		"rules":             func() error { return w.SaveRules(w.Context(), record.Rules{Hash: "abc", Content: "rules"}) },
		"what is known":     func() error { return w.RememberTrait(w.Context(), ana, "it rewrites") },
		"what changes none": func() error { return w.commit(store.Write{Turn: turnOf(message(7, 1))}).Err },
	} {
		for range 2 { // the second time it is stored already
			w.line.lose(lost, calls)
			err := do()
			if lost == calls {
				w.proven(name, err)
				err = do()
			}
			w.same(name, nil, err)
		}
	}
	w.same("pending", []string{"message:2", "message:3"}, w.pending(0))
	notices, err := w.Unsent(w.Context(), 10)
	w.same("unsent", 0, len(notices))
	w.same("error", nil, err)
}

// testUnclearFirst: as long as nobody knows, nothing is said and nothing else is stored; then all comes in its order.
func testUnclearFirst(w *far, lost loss) {
	type landing struct {
		number int64
		err    error
	}
	committed := make(chan landing, 10)
	commit := func(number int64) {
		w.Commit(store.Write{
			Turn: says(turnOf(message(7, number)), fmt.Sprint("number ", number), func(a *record.Action) { a.Position = number }),
			Done: func(r store.Receipt) { committed <- landing{number, r.Err} },
		})
	}
	w.line.silence(lost)
	commit(1)
	<-w.line.tried
	commit(2)
	w.QueueMarks(mark(says(turnOf(message(7, 1)), "number 1"), event.StateDone, 5))
	commit(3)
	for range 3 {
		<-w.line.tried
	}
	w.handled(map[event.ID]bool{}, message(7, 2).ID, message(7, 3).ID)
	if n := len(committed); n > 0 {
		w.Errorf("%d receipts while nobody knows", n)
	}
	w.line.repair()
	for number := range int64(3) {
		l := <-committed
		if l.number != number+1 || (l.err == nil) != (number > 0 || lost == answers) {
			w.Errorf("receipt %d is of %d: %v", number+1, l.number, l.err)
		}
	}
	w.flush()
	w.same("open", []string{"number 2", "number 3"}, w.opened())
	w.told()
}

// testUnclearAtClose: what is not known when the store is closed is not known; the next incarnation sees what is there.
func testUnclearAtClose(w *far, lost loss) {
	var committed []error
	sequence := &store.Sequence{}
	commit := func(number int64) {
		turn := named(turnOf(message(7, number)), number, "x")
		turn.Sequence = sequence
		w.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) { committed = append(committed, r.Err) }})
	}
	w.line.silence(lost)
	commit(1)
	<-w.line.tried
	commit(2)
	w.QueueMarks(mark(says(turnOf(message(7, 9)), "lazy"), event.StateDone, 5))
	w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, ID: 1})
	if err := w.Close(); err != nil {
		w.Error(err)
	}
	if len(committed) != 2 || !errors.As(committed[0], new(*unclear.Error)) || committed[1] == nil || errors.As(committed[1], new(*unclear.Error)) {
		w.Errorf("receipts %v", committed)
	}
	if log := w.log.lines(); len(log) != 1 || !strings.Contains(log[0], "not known") {
		w.Errorf("the log is %q", log)
	}
	w.line.repair()
	w.Store = w.open()
	want := map[event.ID]bool{}
	if lost == answers {
		want[message(7, 1).ID] = true
	}
	w.handled(want, message(7, 1).ID, message(7, 2).ID)
	w.must(named(turnOf(message(8, 3)), 1, "and on"))
}

// testUnclearRequests: what people are told to have failed does not happen later.
func testUnclearRequests(w *far, lost loss) {
	ask := func() ([]event.Request, error) {
		return w.inspector.Ask(w.Context(), asking(ana, 7, event.WishTakeOver), asking(ana, 8, event.WishRetry))
	}
	w.line.lose(lost, calls, answers)
	asked, err := ask()
	if lost == calls {
		w.proven("requests", err)
		w.same("waiting", 0, len(w.waiting()))
		asked, err = ask()
	}
	w.same("error", nil, err)
	w.same("waiting", []int64{asked[0].Number, asked[1].Number}, []int64{w.waiting()[0].Number, w.waiting()[1].Number})

	if lost == answers {
		w.line.lose(lost)
		w.line.befall(func() { // the bot is faster than the look
			for _, q := range w.waiting() {
				w.must(turnBy(q.Trigger()))
			}
		})
		_, err = ask()
		w.same("error", nil, err)
		w.same("waiting", 0, len(w.waiting()))
	}
	w.line.silence(lost)
	if _, err = ask(); !errors.As(err, new(*unclear.Error)) {
		w.Errorf("nobody can tell, and the error is %v", err)
	}
	w.line.repair()
}

func testUnclearEntries(w *far, lost loss) {
	lead := event.Entry{Account: ana, List: "leads", Key: "7", Peer: 7}
	change := func(what string, do func() (bool, error), want bool) {
		w.Helper()
		w.line.lose(lost, calls, answers)
		changed, err := do()
		if lost == calls && (want || err != nil) {
			w.proven(what, err)
			changed, err = do()
		}
		w.same(what, want, changed)
		w.same("error", nil, err)
	}
	change("added", func() (bool, error) { return w.inspector.AddEntry(w.Context(), lead) }, true)
	change("added again", func() (bool, error) { return w.inspector.AddEntry(w.Context(), lead) }, false)
	change("removed", func() (bool, error) { return w.inspector.RemoveEntry(w.Context(), ana, "leads", "7") }, true)
	w.must(says(turnOf(message(7, 1)), "once", claiming(event.LimitUse{Limit: "once", Max: 1})))
	w.line.lose(lost, calls)
	w.same("error", nil, w.inspector.ForgetUses(w.Context(), ana, "once"))
	uses, err := w.CountUses(w.Context(), ana, event.LimitUse{Limit: "once", Max: 1}, noon)
	w.same("uses", 0, uses)
	w.same("error", nil, err)
}
