package store_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// testServed: a process is shown the work of the shards that it serves, and no other. A term begins above the places of whoever
// had the account before.
func testServed(w *world) {
	told := func(account event.Account) event.Notice {
		return event.Notice{Account: account, ID: "n", Who: "ines", Text: "look", At: noon}
	}
	var timers []event.Timer
	for i, account := range []event.Account{ana, berk} {
		timer := event.Timer{Key: event.Key{Account: account, Peer: 7}, Name: "t", Occurrence: 1, Due: noon.Add(time.Duration(i) * time.Second)}
		turn := turnBy(event.Trigger{Kind: event.ByRequest, Key: timer.Key, Choice: "x"})
		turn.Timers, turn.Notices = []event.Timer{timer}, []event.Notice{told(account)}
		w.must(turn)
		timers = append(timers, timer)
		w.ask(asking(account, 7, event.WishRelease))
	}
	shown := func(what string, want ...event.Account) {
		w.Helper()
		var due, asked, unsent, named []event.Account
		for _, t := range w.dueTimers() {
			due = append(due, t.Key.Account)
		}
		for _, q := range w.waiting() {
			asked = append(asked, q.Key.Account)
		}
		notices, err := w.Unsent(w.Context(), 10)
		for _, n := range notices {
			unsent = append(unsent, n.Account)
		}
		w.same("error", nil, err)
		w.same("error", nil, w.TimerNames(w.Context(), func(c record.TimerCount) { named = append(named, c.Account) }))
		for kind, got := range map[string][]event.Account{"timers": due, "requests": asked, "notices": unsent, "names of timers": named} {
			w.same(what+": "+kind, len(want), len(got))
			for _, account := range want {
				if n := count(got, account); n != 1 {
					w.Errorf("%s: %s: %s is there %d times: %v", what, kind, account, n, got)
				}
			}
		}
	}
	shown("before anything is said", ana, berk)
	w.Serve([]int{ana.Shard()})
	shown("one", ana)
	_, next, err := w.DueTimers(w.Context(), noon.Add(-time.Hour), 10)
	w.same("the next one", []any{true, nil}, []any{next.Equal(timers[0].Due), err})
	w.Serve([]int{berk.Shard(), ana.Shard(), 1023})
	shown("both", ana, berk)
	w.Serve(nil)
	shown("none")

	far := w.NextPosition() + 1_000_000
	ahead := turnBy(event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: berk, Peer: 8}, Choice: "y"})
	says(ahead, "hello", func(a *record.Action) { a.State, a.Position, a.Due = event.StateDue, far, noon })
	w.must(ahead)
	w.same("error", nil, w.Begin(w.Context(), ana))
	if p := w.NextPosition(); p >= far {
		w.Errorf("a term of one account is above the places of another one: %d", p)
	}
	w.same("error", nil, w.Begin(w.Context(), berk))
	if p := w.NextPosition(); p <= far {
		w.Errorf("the place %d is not above that of an earlier term, %d", p, far)
	}
}

func count[T comparable](all []T, x T) (n int) {
	for _, y := range all {
		if y == x {
			n++
		}
	}
	return n
}

// TestRetentionOfOthers: what is old is deleted by whoever serves its shard.
func TestRetentionOfOthers(t *testing.T) {
	t.Parallel()
	w, path := keeping(t)
	old := noon
	w.must(at(turnOf(message(7, 1)), old), at(turnOf(message(7, 2)), old), at(turnBy(event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: ana, Peer: 7}, Choice: "z"}), old))
	kept := func() int {
		return rows(t, path, "turn") + len(column(t, path, `SELECT text FROM event WHERE account = 'ana' AND state = 'handled'`))
	}
	before := kept()
	w.Serve([]int{ana.Shard() - 1, event.Account("zoe").Shard()}) // a look begins below
	w.live(noon.Add(keepDays*day + time.Hour))
	w.same("kept", before, kept())
	w.Serve([]int{ana.Shard()})
	w.live(noon.Add((keepDays + 2) * day))
	if n := kept(); n >= before {
		t.Errorf("%d rows of %d are kept by whoever serves them", n, before)
	}
}
