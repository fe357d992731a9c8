package outbox_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// The ledger of these tests does what the real one does.
func TestLedgerIsFaithful(t *testing.T) {
	t.Parallel()
	real, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "db"), Fast: true})
	must(err)
	defer func() { must(real.Close()) }()
	accounts := 0
	rapid.Check(t, func(t *rapid.T) {
		accounts++ // a new one each time
		account := event.Account(fmt.Sprint("account ", accounts))
		fake := &memory{disk: newDisk(), lawless: true}
		base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var keys []string
		decisions := 0
		draw := func(t *rapid.T) event.Action {
			a := drawAction(t, base)
			a.Account = account
			a.Position = a.Position<<20 + fake.NextPosition() // each has its own
			return a
		}
		ops := map[string]func(){
			"insert": func() {
				a := draw(t)
				a.Key = fmt.Sprintf("t/%04d", len(keys))
				if rapid.IntRange(0, 9).Draw(t, "again") == 0 {
					a.Key = keys[0]
				}
				keys = append(keys, a.Key)
				must(fake.commit(t.Context(), []event.Action{a}, nil))
				insert(real, record.Action{Action: a}, len(keys))
			},
			"decide": func() {
				a := draw(t)
				a.Key = rapid.SampledFrom(keys).Draw(t, "key")
				must(fake.MarkNow(t.Context()))
				held := fake.action(a.Key)
				if held.State != event.StateHeld {
					return
				}
				a.Peer, a.Verb, a.DecidedAt, a.Until = held.Peer, held.Verb, held.DecidedAt, held.Until // these stay
				fake.free(a.Key)
				must(fake.commit(t.Context(), []event.Action{a}, nil))
				decisions++
				insert(real, record.Action{Action: a, Held: true}, -decisions)
			},
			"mark": func() {
				a := draw(t)
				a.Key = rapid.SampledFrom(keys).Draw(t, "key")
				fake.QueueMarks(outbox.MarkOf(&a))
				real.QueueMarks(outbox.MarkOf(&a))
			},
			"mark now": func() {
				var marks []outbox.Mark
				for range rapid.IntRange(1, 3).Draw(t, "marks") {
					a := draw(t)
					a.Key = rapid.SampledFrom(keys).Draw(t, "key")
					m := outbox.MarkOf(&a)
					m.Waits = rapid.IntRange(0, 2).Draw(t, "waits") == 0
					marks = append(marks, m)
				}
				want, got := real.MarkNow(t.Context(), marks...), fake.MarkNow(t.Context(), marks...)
				if (want == nil) != (got == nil) {
					t.Fatalf("mark %+v: real %v, fake %v", marks, want, got)
				}
			},
		}
		names := slices.Sorted(maps.Keys(ops))
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 1, 15).Draw(t, "ops") {
			if len(keys) == 0 {
				keys = append(keys, "nobody's")
			}
			ops[name]()
		}
		must(fake.MarkNow(t.Context()))
		must(real.MarkNow(t.Context()))
		compare(t, account, fake, real, base)
	})
}

func drawAction(t *rapid.T, base time.Time) event.Action {
	at := func(name string) time.Time {
		return base.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, name)) * 1500)
	}
	maybe := func(name string, at time.Time) time.Time {
		if rapid.Bool().Draw(t, name) {
			return at
		}
		return time.Time{}
	}
	return event.Action{
		Peer:     platform.UserID(rapid.IntRange(1, 3).Draw(t, "peer")),
		Verb:     rapid.SampledFrom([]event.Verb{event.VerbMessage, event.VerbPost}).Draw(t, "verb"),
		Text:     rapid.String().Draw(t, "text"),
		Priority: event.Priority(rapid.IntRange(0, 2).Draw(t, "priority")),
		State: rapid.SampledFrom([]event.State{
			event.StateDue, event.StateDue, event.StateSending, event.StateInDoubt, event.StateDone, event.StateHeld,
		}).Draw(t, "state"),
		Due: at("due"), DecidedAt: at("decided"), LeftAt: maybe("has left", at("left")), Until: maybe("has an end", at("until")),
		Position:      rapid.Int64Range(-9, 9).Draw(t, "position"),
		ReconcileFrom: rapid.Int64Range(0, 100).Draw(t, "from"),
		Result:        rapid.Int64Range(0, 20).Draw(t, "result"),
		Tries:         rapid.IntRange(0, 5).Draw(t, "tries"),
		Reason:        rapid.SampledFrom([]string{"", "why"}).Draw(t, "reason"),
	}
}

// insert stores an action with a turn of its own.
func insert(s *store.Database, a record.Action, n int) {
	stored := make(chan error)
	trigger := event.Trigger{Kind: event.ByRequest, Key: a.Conversation(), Choice: fmt.Sprint(n)}
	s.Commit(store.Write{
		Turn: &store.Turn{Trigger: trigger, Actions: []record.Action{a}, At: a.DecidedAt},
		Done: func(r store.Receipt) { stored <- r.Err },
	})
	must(<-stored)
}

func compare(t *rapid.T, account event.Account, fake, real outbox.Ledger, base time.Time) {
	equal := func(what string, want, got any) {
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s (-real +fake):\n%s", what, diff)
		}
	}
	open := func(l outbox.Ledger) []event.Action {
		actions, err := l.Open(t.Context(), account)
		must(err)
		return actions
	}
	equal("open", open(real), open(fake))
	now := base.Add(2 * time.Millisecond)
	for _, except := range [][]platform.UserID{nil, {1, 3}} {
		due := func(l outbox.Ledger) []event.Action {
			actions, err := l.DueActions(t.Context(), account, now, except, 5)
			must(err)
			return actions
		}
		equal("due", due(real), due(fake))
	}
	next := func(l outbox.Ledger) time.Time {
		at, err := l.NextDue(t.Context(), account)
		must(err)
		return at
	}
	equal("next due", next(real), next(fake))
	equal("overdue", overdueIn(t.Context(), real, account, now), overdueIn(t.Context(), fake, account, now))
	late := func(l outbox.Ledger) []string {
		actions, err := l.LateActions(t.Context(), account, now, 100)
		must(err)
		var all []string
		for _, a := range actions {
			all = append(all, fmt.Sprint(a.Key, a.State, a.Until.UnixMicro()))
		}
		slices.Sort(all)
		return all
	}
	equal("late", late(real), late(fake))
	until := func(l outbox.Ledger) time.Time {
		at, err := l.NextUntil(t.Context(), account, now)
		must(err)
		return at
	}
	equal("next until", until(real), until(fake))
	results := func(l outbox.Ledger) map[int64]bool {
		found, err := l.Results(t.Context(), account, event.VerbMessage, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9})
		must(err)
		return found
	}
	equal("results", results(real), results(fake))
	held := func(l outbox.Ledger) []string {
		actions, err := l.HeldActions(t.Context(), account, 100)
		must(err)
		var all []string
		for _, a := range actions {
			all = append(all, fmt.Sprint(a.Account, a.Peer, a.Verb, a.State, a.Text, a.Post, a.ReconcileFrom, a.LeftAt.UnixMicro()))
		}
		slices.Sort(all)
		return all
	}
	equal("held", held(real), held(fake))
}
