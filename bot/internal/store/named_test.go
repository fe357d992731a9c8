package store_test

import (
	"path/filepath"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// namedTurn is a turn with 7 whose action has a name, and that changes a value of the account.
func namedTurn(name string) *store.Turn {
	t := says(uses(turnOf(message(7, 1)), "a", 0, 11, `"one"`), "one")
	a := &t.Actions[0]
	a.Key, a.Verb, a.State, a.EndedAt = event.NamedKey(name), event.VerbPost, event.StateDone, noon
	return t
}

// Retention deletes what is known of a name with its action, and leaves what plugins keep for the account.
func TestRetentionOfNames(t *testing.T) {
	t.Parallel()
	w, path := keeping(t)
	w.must(namedTurn("slot"))
	w.live(noon.Add(day))
	if n := rows(t, path, "named"); n != 1 {
		t.Errorf("%d names", n)
	}
	w.live(noon.Add(2 * keepDays * day))
	if actions, names, values := rows(t, path, "action"), rows(t, path, "named"), rows(t, path, "account_value"); actions+names > 0 || values != 1 {
		t.Errorf("%d actions, %d names and %d values are left", actions, names, values)
	}
}

// Whoever is forgotten is in no name any more.
func TestForgetNames(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := openFile(t, store.Options{Path: path})
	w := &world{tb: t, Store: s}
	turn := namedTurn("for-7")
	turn.Actions[0].Result = 900
	w.must(turn)
	d := &inspector{reader(t, path, ""), t}
	q := d.ask(event.Request{Key: event.Key{Account: ana, Peer: 7}, Wish: event.WishForget})[0]
	f := store.NewForgetting(q)
	for done := false; !done; {
		var err error
		if done, err = s.ForgetPerson(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	if n := rows(t, path, "named"); n > 0 {
		t.Errorf("%d names are left", n)
	}
	if got := column(t, path, `SELECT key FROM action WHERE key LIKE '%for-7%'`); len(got) > 0 {
		t.Errorf("there is still %q", got)
	}
	if got, err := s.Results(t.Context(), ana, event.VerbPost, []int64{900}); err != nil || !got[900] {
		t.Errorf("whose post it is, is not known any more: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
