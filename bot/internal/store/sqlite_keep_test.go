package store_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

const (
	day      = 24 * time.Hour
	keepDays = 10
)

// keeping is a store that keeps things for ten days.
func keeping(t *testing.T) (*world, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	open := func() store.Store { return openFile(t, store.Options{Path: path, Fast: true, Keep: keepDays * day}) }
	w := &world{tb: t, open: open, Store: open(), inspector: nil}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, path
}

// live lets turns of somebody else come for a while, so that retention gets its bites, and goes once through
// everything.
func (w *world) live(from time.Time) {
	w.Helper()
	for i := range 14 {
		after := 2 * time.Second
		if i == 6 {
			after = 2 * time.Hour // it begins, or has rested
		}
		from = from.Add(after)
		t := turnBy(event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: "zoe", Peer: 1}, Choice: from.String()})
		if r := w.commit(store.Write{Turn: at(t, from)}); r.Err != nil {
			w.Fatal(r.Err)
		}
	}
}

// rows counts what a table holds of ana.
func rows(t *testing.T, path, table string) int {
	t.Helper()
	return len(column(t, path, `SELECT 'x' FROM `+table+` WHERE account = 'ana'`))
}

func at(t *store.Turn, when time.Time) *store.Turn {
	t.At = when
	for i := range t.Actions {
		a := &t.Actions[i]
		a.DecidedAt = when
		if a.State.Final() {
			a.EndedAt = when
		}
	}
	return t
}

func in(state event.State, result int64) func(*record.Action) {
	return func(a *record.Action) { a.State, a.Result, a.EndedAt = state, result, noon }
}

// TestRetention: what is over and old goes, with what belongs to it; what is young, or waits for something, stays.
func TestRetention(t *testing.T) {
	t.Parallel()
	w, path := keeping(t)
	old, young := noon, noon.Add(keepDays*day)
	done := says(turnOf(message(7, 1)), "done", in(event.StateDone, 900))
	done.Facts = []event.Fact{{Name: "x", Value: raw("1"), ReadAt: noon}}
	w.must(at(done, old), at(says(turnOf(message(7, 2)), "held", in(event.StateHeld, 0)), old), at(turnOf(message(7, 3)), young))
	w.must(at(says(turnOf(message(7, 4)), "due", due(old)), old), at(says(turnOf(message(7, 5)), "unsure", in(event.StateInDoubt, 0)), old))
	timer := alarm(7, "t", 1, noon)
	timed := turnBy(byTimer(timer))
	timed.Notices = []event.Notice{{Account: ana, ID: "a", At: old}, {Account: ana, ID: "b", At: old}}
	timed.Entries = []event.Entry{{Account: ana, List: "l", Key: "k", At: old}}
	ever := event.LimitUse{Limit: "ever", Max: 1}
	timed.LimitUses = []event.LimitUse{ever}
	set := sets(6, timer)
	set.Conversation = nil
	w.must(at(set, old), at(timed, old))
	w.quarantine(message(7, 8))
	if r := w.commit(store.Write{Pending: []event.Event{message(7, 9)}}); r.Err != nil {
		t.Fatal(r.Err)
	}
	last := message(7, 10)
	w.must(at(turnOf(last), old))
	w.same("error", nil, w.Told(w.Context(), sent(event.Notice{Account: ana, ID: "a"}), nil))
	change(t, path, `UPDATE notice SET sent_at = $1 WHERE sent_at > 0`, old.UnixMicro())

	w.live(young.Add(time.Hour))
	w.same("events", []string{"3"}, remaining(t, path, "handled", 10))
	w.same("waiting", []string{"8", "9"}, column(t, path, `SELECT number FROM event WHERE state <> 'handled' AND account = 'ana' ORDER BY number`))
	w.same("text of the last", []string{""}, column(t, path, `SELECT text FROM event WHERE number = 10`))
	w.same("actions", []string{"due", "held", "unsure"}, column(t, path, `SELECT text FROM action WHERE account = 'ana' ORDER BY text`))
	w.same("facts", 0, rows(t, path, "fact"))
	w.same("turns", 0, rows(t, path, "turn"))
	w.same("notices", []string{"b"}, column(t, path, `SELECT id FROM notice`))
	w.same("entries", 1, rows(t, path, "entry"))
	w.uses(1, ever, noon)
	for range 2 {
		highest, err := highest(w.Context(), w)
		w.same("last", []any{int64(10), nil}, []any{highest, err})
		own, err := w.ForgottenUpTo(w.Context(), ana)
		w.same("forgotten", []any{platform.MessageID(900), nil}, []any{own, err})
		// None of it is handled again.
		for n := range int64(7) {
			if n != 0 {
				w.same(fmt.Sprint("again ", n), dropped, w.commit(store.Write{Turn: at(turnOf(message(7, n)), young)}))
				w.handled(map[event.ID]bool{{Source: event.Messages, Number: n}: true}, event.ID{Source: event.Messages, Number: n})
			}
		}
		if r := w.commit(store.Write{Pending: []event.Event{message(7, 1)}, Attempt: &store.Attempt{Event: message(7, 2), Tries: 1}}); r.Err != nil {
			t.Error(r.Err)
		}
		w.same("waiting", []string{"message:9"}, w.pending(7))
		w.restart()
	}
	// What waited has its turn all the same.
	w.must(at(turnOf(message(7, 9)), young))
	a := &store.Attempt{Event: message(7, 8), Tries: 6, Quarantined: true, Record: event.DecisionRecord{Note: "try 6"}}
	if r := w.commit(store.Write{Attempt: a}); r.Err != nil {
		t.Error(r.Err)
	}
	w.same("note", []string{"try 6"}, column(t, path, `SELECT note FROM event WHERE number = 8 AND tries = 6`))
	w.must(at(turnOf(message(7, 8)), young), turnOf(message(7, 11)))
}

// TestRetentionOfStrays: what a person decided about long ago is looked for no more.
func TestRetentionOfStrays(t *testing.T) {
	t.Parallel()
	w, path := keeping(t)
	w.inspector = openInspector(t, path)
	for i, when := range []time.Time{noon, noon.Add(keepDays * day)} {
		left := says(turnOf(message(7, int64(i+1))), fmt.Sprint("dropped ", i))
		w.must(at(left, when))
		w.same("error", nil, w.MarkNow(w.Context(), mark(left, event.StateHeld, 0)))
		w.must(at(decides(w.ask(asking(ana, 7, event.WishDrop))[0], left.Actions[0].Action, event.StateWithdrawn), when))
	}
	w.live(noon.Add(keepDays*day + time.Hour))
	w.same("strays", []string{"dropped 1"}, column(t, path, `SELECT text FROM stray`))
}

// remaining returns the numbers of ana's events in a state below a number.
func remaining(t *testing.T, path, state string, below int) []string {
	t.Helper()
	return column(t, path, fmt.Sprintf(`SELECT number FROM event WHERE state = '%s' AND account = 'ana' AND number < %d`, state, below))
}

// TestRetentionOfRules: the content of rules stays as long as a decision record names it, a process has it, or it is in force.
func TestRetentionOfRules(t *testing.T) {
	t.Parallel()
	w, path := keeping(t)
	for _, hash := range []string{"old", "named", "unused"} {
		w.same("error", nil, w.SaveRules(w.Context(), record.Rules{Hash: hash, Content: "rules"}))
	}
	change(t, path, `UPDATE rules_version SET loaded_at = 0`)
	rule := func(number int64, hash string, when time.Time) {
		turn := at(turnOf(message(7, number)), when)
		turn.Record.Version = hash
		w.must(turn)
	}
	rule(1, "old", noon)
	rule(2, "named", noon)
	rule(3, "named", noon.Add(5*day))
	rule(4, "old", noon) // the last one
	w.restart()
	w.same("error", nil, w.SaveRules(w.Context(), record.Rules{Hash: "here", Content: "rules"}))
	change(t, path, `UPDATE rules_version SET loaded_at = 0`)
	w.live(noon.Add(12 * day))
	w.same("rules", []string{"here", "named"}, column(t, path, `SELECT hash FROM rules_version ORDER BY hash`))
	w.same("names", []string{"", "named"}, column(t, path, `SELECT rules_version FROM event WHERE account = 'ana' ORDER BY rules_version`))
	w.live(noon.Add(16 * day))
	w.same("rules", []string{"here"}, column(t, path, `SELECT hash FROM rules_version ORDER BY hash`))
	w.restart()
	w.live(noon.Add(48 * day))
	w.same("in force, though no process has read its files", []string{"here"}, column(t, path, `SELECT hash FROM rules_version ORDER BY hash`))
}

// TestRetentionForEver: without a time, nothing goes; and nothing goes that is younger than a week.
func TestRetentionForEver(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for keep, want := range map[time.Duration]int{0: 3, time.Hour: 2} {
		path := filepath.Join(t.TempDir(), "store.db")
		w := &world{tb: t, Store: openFile(t, store.Options{Path: path, Fast: true, Keep: keep})}
		w.must(at(turnOf(message(7, 1)), noon), at(turnOf(message(7, 2)), noon.Add(5*day)), at(turnOf(message(7, 3)), noon.Add(5*day)))
		w.live(noon.Add(8 * day))
		w.same(fmt.Sprint("keeping for ", keep), want, rows(t, path, "event"))
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRetentionOfAnyHistory: whatever came in whatever order, and whenever a clock was wrong, only what is handled
// and old goes, and none of it is handled again.
func TestRetentionOfAnyHistory(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.db")
	if err := openFile(t, store.Options{Path: empty}).Close(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		path := filepath.Join(t.TempDir(), "store.db")
		if err := copyFile(empty, path); err != nil {
			r.Fatal(err)
		}
		open := func() store.Store { return openFile(r, store.Options{Path: path, Fast: true, Keep: 8 * day}) }
		w := &world{tb: r, open: open, Store: open()}
		defer func() {
			if err := w.Close(); err != nil {
				r.Fatal(err)
			}
		}()
		handled, waits := map[int64]time.Time{}, map[int64]bool{}
		now := noon
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(3*day)).Draw(r, "passes")))
			number := rapid.Int64Range(1, 30).Draw(r, "number")
			_, was := handled[number]
			switch rapid.SampledFrom([]string{"turn", "turn", "pending", "quarantine", "restart", "live"}).Draw(r, "step") {
			case "turn":
				got := w.commit(store.Write{Turn: at(turnOf(message(7, number)), now)})
				if got.Err != nil || was && !got.Dropped {
					r.Fatalf("%d was handled %v, and again: %+v", number, was, got)
				}
				if waits[number] && got.Dropped {
					r.Fatalf("%d waited and was dropped", number)
				}
				if !got.Dropped {
					delete(waits, number)
					handled[number] = now
				}
			case "pending", "quarantine":
				if was {
					continue
				}
				w.commit(store.Write{Pending: []event.Event{message(7, number)}})
				waits[number] = slices.Contains(w.pending(7), message(7, number).ID.String())
			case "restart":
				w.restart()
			case "live":
				w.live(now)
			}
			for n := range waits {
				if waits[n] && !slices.Contains(w.pending(7), message(7, n).ID.String()) {
					r.Fatalf("%d waited and is gone", n)
				}
			}
			for n, when := range handled {
				states, err := w.StoredEvents(w.Context(), ana, []event.ID{{Source: event.Messages, Number: n}})
				if err != nil || !states[event.ID{Source: event.Messages, Number: n}] {
					r.Fatalf("%d was handled at %v and is not known, %v", n, when, err)
				}
			}
		}
	})
}

// TestRetentionThatIsRolledBack: what could not be deleted is deleted later, and is known to be.
func TestRetentionThatIsRolledBack(t *testing.T) {
	t.Parallel()
	w, path := keeping(t)
	w.must(at(turnOf(message(7, 1)), noon), at(turnOf(message(7, 2)), noon))
	change(t, path, `CREATE TRIGGER stop BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'not now'); END`)
	later, failed := noon.Add(20*day), 0
	for i := range 5 {
		later = later.Add(time.Hour)
		turn := turnBy(event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: "zoe", Peer: 1}, Choice: fmt.Sprint(i)})
		if r := w.commit(store.Write{Turn: at(turn, later)}); r.Err != nil {
			failed++
		}
	}
	if failed == 0 {
		t.Error("nothing has failed")
	}
	change(t, path, `DROP TRIGGER stop`)
	w.live(later.Add(3 * time.Hour))
	w.same("events", []string{"2"}, column(t, path, `SELECT number FROM event WHERE account = 'ana'`))
	w.restart()
	w.same("again", dropped, w.commit(store.Write{Turn: at(turnOf(message(7, 1)), later)}))
}
