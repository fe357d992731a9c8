package store_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/rekey"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// The key changes while the store is in use, over an end at any time; then the new one alone opens it.
func TestChangeKey(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"running", "closed at once", "not running"} {
		t.Run(how, func(t *testing.T) {
			effort.Case(t)
			synctest.Test(t, func(t *testing.T) { changesKey(t, how) })
		})
	}
}

func changesKey(t *testing.T, how string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	s := openFile(t, store.Options{Path: path, Key: "old"})
	d := &inspector{reader(t, path, "old"), t}
	w := &world{tb: t, Store: s}
	private(w, d)
	sealedBy(t, s, 1)
	if how == "not running" {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // to ask for it again changes nothing
		if err := rekey.ChangeKey(t.Context(), path, "old", "new"); err != nil {
			t.Fatal(err)
		}
	}
	tells(t, path, "old", true)
	tells(t, path, "new", true)
	if how == "closed at once" {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if how != "running" {
		s = openFile(t, store.Options{Path: path, Key: "new"})
		w.Store = s
	}
	sealedBy(t, s, 2)
	w.must(says(turnOf(message(30, 900)), secrets[6])) // the one who runs goes on
	if _, err := d.AddEntry(t.Context(), event.Entry{Account: ana, List: "leads", Key: "30", Text: secrets[9]}); !errors.Is(err, seal.ErrSealed) {
		t.Errorf("a desk with the old key stores a text with %v", err)
	}
	if err := errors.Join(d.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	tells(t, path, "new", true)
	tells(t, path, "old", false)
	if _, err := store.Open(t.Context(), store.Options{Path: path, Key: "old"}); !errors.Is(err, seal.ErrSealed) {
		t.Errorf("with the old key it opens with %v", err)
	}
	if got := seen(t, path); len(got) > 0 {
		t.Errorf("the files show %q", got)
	}
	if err := rekey.ChangeKey(t.Context(), path, "old", "third"); !errors.Is(err, seal.ErrSealed) {
		t.Errorf("the old key is changed with %v", err)
	}
	if err := rekey.ChangeKey(t.Context(), path, "new", "new"); !errors.Is(err, rekey.ErrSameKey) {
		t.Errorf("the same key is taken with %v", err)
	}
}

// What an inspector stores while the key changes is sealed with the next one, and the bot that has not heard of it reads it.
func TestInspectorDuringAChangeOfKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, inspectorsDuringAChangeOfKey) // so that the bot does not look for a new key meanwhile
}

func inspectorsDuringAChangeOfKey(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	s := openFile(t, store.Options{Path: path, Key: "old"})
	d := &inspector{reader(t, path, "old"), t}
	if err := rekey.ChangeKey(t.Context(), path, "old", "new"); err != nil {
		t.Fatal(err)
	}
	added, err := d.AddEntry(t.Context(), event.Entry{Account: ana, List: "leads", Key: "7", Text: "a lead"})
	if !added || err != nil {
		t.Errorf("an entry is added: %v, %v", added, err)
	}
	d.ask(event.Request{Key: event.Key{Account: ana, Peer: 7}, Wish: event.WishEdit, Action: "x", Text: "better"})
	if got := column(t, path, `SELECT hex(substr(text, 2, 2)) FROM entry UNION ALL SELECT hex(substr(text, 2, 2)) FROM request`); !slices.Equal(got, []string{"0002", "0002"}) {
		t.Errorf("they are sealed with the keys %q", got)
	}
	requests, err := s.Requests(t.Context(), event.Request{}, 9)
	if err != nil || len(requests) != 1 || requests[0].Text != "better" {
		t.Errorf("the bot reads %+v, %v", requests, err)
	}
	if err := errors.Join(d.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// The key changes just when all is sealed with the one before: the bot that runs takes the next one into use, and reads what is sealed with that.
func TestChangeKeyAsTheOneBeforeIsDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path, commits := filepath.Join(t.TempDir(), "store.db"), 0
		s := openFile(t, store.Options{Path: path, Key: "old", Around: func(commit func() error) error {
			if commits++; commits == 2 { // which says that nothing is left to be sealed with the first key
				if err := rekey.ChangeKey(t.Context(), path, "old", "new"); err != nil {
					t.Error(err)
				}
			}
			return commit()
		}})
		sealedBy(t, s, 2)
		d := &inspector{reader(t, path, "new"), t}
		d.ask(event.Request{Key: event.Key{Account: ana, Peer: 7}, Wish: event.WishEdit, Action: "x", Text: "better"})
		if all, err := s.Requests(t.Context(), event.Request{}, 9); err != nil || len(all) != 1 || all[0].Text != "better" {
			t.Errorf("the bot reads %+v, %v", all, err)
		}
		if err := errors.Join(d.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Open(t.Context(), store.Options{Path: path, Key: "old"}); !errors.Is(err, seal.ErrSealed) {
			t.Errorf("with the old key it opens with %v", err)
		}
	})
}

// A bot that was started with a key that is changed by now cannot follow a second change: it waits for a restart.
func TestChangeKeyTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := openFile(t, store.Options{Path: path, Key: "first"})
	change := func(from, to platform.Secret, want error) {
		t.Helper()
		if err := rekey.ChangeKey(t.Context(), path, from, to); !errors.Is(err, want) {
			t.Errorf("from %q to %q: %v", from.Reveal(), to.Reveal(), err)
		}
	}
	change("first", "second", nil)
	change("second", "third", rekey.ErrOtherRuns)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	change("second", "third", nil)
	s = openFile(t, store.Options{Path: path, Key: "second"}) // it is not changed everywhere yet
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	clear := filepath.Join(t.TempDir(), "clear.db")
	if err := openFile(t, store.Options{Path: clear}).Close(); err != nil {
		t.Fatal(err)
	}
	if err := rekey.ChangeKey(t.Context(), clear, "first", "second"); !errors.Is(err, rekey.ErrNothingSealed) {
		t.Errorf("where nothing is sealed: %v", err)
	}
}
