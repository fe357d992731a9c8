package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// TestRulesLoaded: rules are loaded when they were stored last.
func TestRulesLoaded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	w := &world{tb: t, Store: openFile(t, store.Options{Path: path, Fast: true})}
	d := openInspector(t, path)
	_, ok, err := d.RulesLoaded(t.Context(), "abc")
	w.same("before", []any{false, nil}, []any{ok, err})
	for range 2 {
		before := time.Now().Truncate(time.Microsecond)
		if err := w.SaveRules(t.Context(), record.Rules{Hash: "abc", Content: "id: one"}); err != nil {
			t.Fatal(err)
		}
		at, ok, err := d.RulesLoaded(t.Context(), "abc")
		if err != nil || !ok || at.Before(before) || at.After(time.Now()) {
			t.Errorf("loaded %s, %v, %v; they were stored after %s", at, ok, err, before)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestRecorded: turns come back in the order in which they were handled, with all that belongs to them.
func TestRecorded(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	w := &world{tb: t, Store: openFile(t, store.Options{Path: path, Fast: true})}
	const many = 1203 // some batches, and a part of one
	for n := range int64(many) {
		turn := says(says(turnOf(message(platform.UserID(n%7+1), many-n)), fmt.Sprint("reply ", n)), "and more")
		turn.Facts = []event.Fact{{Name: "a", Value: raw(fmt.Sprint(n)), ReadAt: noon}, {Name: "b", Value: raw(`""`), ReadAt: noon}}
		turn.Record.Before = fmt.Append(nil, n)
		w.must(at(turn, noon.Add(time.Duration(n)*time.Second)))
	}
	timer := alarm(3, "t", 1, noon)
	timed := says(turnBy(byTimer(timer)), "in time")
	w.must(at(sets(5000, timer), noon.Add(-time.Hour)), at(timed, noon.Add(1500*time.Millisecond)))
	w.quarantine(message(3, 6000))
	d := openInspector(t, path)
	var got []string
	next := 0
	err := d.Recorded(t.Context(), ana, noon.Add(time.Second), func(r record.Recorded) error {
		if r.Turn != nil {
			got = append(got, r.Trigger(), r.Actions[0].Text, fmt.Sprint(len(r.Actions), r.Turn.Peer, r.Turn.HandledAt.Sub(noon)))
			return nil
		}
		next++
		want := []string{fmt.Sprint("message:", many-next), fmt.Sprint("reply ", next), "and more", fmt.Sprint(next), fmt.Sprint(next)}
		w.same("turn", want, []string{
			r.Event.ID.String(), r.Actions[0].Text, r.Actions[1].Text, string(r.Facts[0].Value), string(r.Event.Record.Before),
		})
		if len(r.Facts) != 2 || len(r.Actions) != 2 {
			w.Errorf("%d facts, %d actions", len(r.Facts), len(r.Actions))
		}
		return nil
	})
	w.same("error", nil, err)
	w.same("events", many-1, next)
	w.same("the timer's", []string{timer.ID(), "in time", "1 3 1.5s"}, got)
	actions, err := d.ActionsOf(t.Context(), ana, timer.ID())
	w.same("error", nil, err)
	w.same("actions", []string{"in time"}, texts(actions))
	for id, want := range map[string]string{
		"message:1200": "message:1200 2 actions, 2 facts", "message:1200/test/1": "message:1200 2 actions, 2 facts",
		timer.ID(): timer.ID() + " 1 actions, 0 facts", timed.Actions[0].Key: timer.ID() + " 1 actions, 0 facts",
		"message:6000": "message:6000 0 actions, 0 facts", "message:9999": "", "timer:3/x/1": "", "": "", "nonsense/0": "",
	} {
		r, found, err := d.Why(t.Context(), ana, id)
		got := ""
		if found {
			got = fmt.Sprintf("%s %d actions, %d facts", r.Trigger(), len(r.Actions), len(r.Facts))
		}
		if got != want || err != nil {
			w.Errorf("%s: %q, want %q; %v", id, got, want, err)
		}
	}
	stop := errors.New("enough")
	w.same("error", stop, d.Recorded(t.Context(), ana, time.Time{}, func(record.Recorded) error { return stop }))
	w.same("error", nil, d.Recorded(t.Context(), berk, time.Time{}, func(record.Recorded) error { return stop }))
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
