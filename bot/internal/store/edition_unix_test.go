//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// inspectorOn opens an inspector on a server.
func inspectorOn(t *testing.T, url string) *store.Inspector {
	t.Helper()
	d, err := store.OpenInspector(t.Context(), url, "key")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// edition is one with a content of its own.
func edition(name, hash, by, why string) record.Edition {
	return record.Edition{Set: record.Set{Name: name, Hash: hash}, By: by, Why: why}
}

// TestPublish: a set has one edition in force, all of them are kept with who, when and why, and who comes second is told who was first.
func TestPublish(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	w := &world{tb: t}
	one, two := inspectorOn(t, url), inspectorOn(t, url)
	sets, err := one.Sets(t.Context())
	w.same("no sets", []any{0, nil}, []any{len(sets), err})
	first, err := one.Publish(t.Context(), edition("shop", "abc", "ines", odd), "content "+odd, 0)
	w.same("the first one", []any{int64(1), nil}, []any{first.Number, err})
	second, err := two.Publish(t.Context(), edition("shop", "def", "\x00"+odd, "prices"), "more", 1)
	w.same("the second one", []any{int64(2), nil}, []any{second.Number, err})
	for name, seen := range map[string]int64{"shop": 1, "cafe": 3} {
		_, err = one.Publish(t.Context(), edition(name, "ghi", "ines", ""), "never", seen)
		overtaken, ok := errors.AsType[*record.OvertakenError](err)
		if !ok {
			t.Fatalf("%s: %v", name, err)
		}
		w.same("in force is "+name, map[string]int64{"shop": 2, "cafe": 0}[name], overtaken.Number)
	}
	back := edition("shop", "abc", "ines", "")
	back.BackTo = 1
	_, err = one.Publish(t.Context(), back, "content "+odd, 2)
	w.same("back", nil, err)
	_, err = one.Publish(t.Context(), edition("cafe", "abc", "leo", ""), "content "+odd, 0)
	w.same("another set with the same content", nil, err)

	sets, err = two.Sets(t.Context())
	w.same("the sets", []any{[]record.Set{{Name: "cafe", Number: 1, Hash: "abc"}, {Name: "shop", Number: 3, Hash: "abc"}}, nil}, []any{sets, err})
	all, err := two.Editions(t.Context(), "shop", 10)
	var said []string
	for _, e := range all {
		said = append(said, fmt.Sprintf("%d %s %q %q %d", e.Number, e.Hash, e.By, e.Why, e.BackTo))
		if time.Since(e.At) > time.Minute {
			t.Errorf("%d was published at %s", e.Number, e.At)
		}
	}
	w.same("the history", []any{[]string{`3 abc "ines" "" 1`, fmt.Sprintf(`2 def %q "prices" 0`, "\x00"+odd), fmt.Sprintf(`1 abc "ines" %q 0`, odd)}, nil}, []any{said, err})
	content, ok, err := two.Rules(t.Context(), "abc")
	w.same("the content", []any{"content " + odd, true, nil}, []any{content, ok, err})
	_, ok, err = two.Edition(t.Context(), "shop", 4)
	w.same("what was never published", []any{false, nil}, []any{ok, err})
}

// TestPublishAtOnce: of many who publish at once one is in force, and the others are told.
func TestPublishAtOnce(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	const people, rounds = 6, 8
	inspectors := make([]*store.Inspector, people)
	for i := range inspectors {
		inspectors[i] = inspectorOn(t, url)
	}
	for round := range rounds {
		var all sync.WaitGroup
		errs := make([]error, people)
		for i, d := range inspectors {
			all.Go(func() {
				hash := fmt.Sprint("h", round, "/", i)
				_, errs[i] = d.Publish(t.Context(), edition("shop", hash, fmt.Sprint("p", i), ""), hash, int64(round))
			})
		}
		all.Wait()
		done := 0
		for i, err := range errs {
			if err == nil {
				done++
			} else if o, ok := errors.AsType[*record.OvertakenError](err); !ok || o.Number != int64(round+1) || o.By == fmt.Sprint("p", i) {
				t.Errorf("round %d: %v", round, err)
			}
		}
		if done != 1 {
			t.Fatalf("round %d: %d have published", round, done)
		}
	}
}

// TestNoSetsInAFile: a file has none, and says what to do.
func TestNoSetsInAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := openFile(t, store.Options{Path: path})
	defer func() { _ = s.Close() }()
	d, err := store.OpenInspector(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	_, sets := d.Sets(t.Context())
	_, editions := d.Editions(t.Context(), "shop", 1)
	_, _, one := d.Edition(t.Context(), "shop", 1)
	_, publish := d.Publish(t.Context(), edition("shop", "abc", "ines", ""), "x", 0)
	for _, err := range []error{sets, editions, one, publish} {
		if !errors.Is(err, record.ErrNoSets) {
			t.Error(err)
		}
	}
}

// TestRetentionOfEditions: what was published is kept, whatever became of it; so is what comes into force while retention looks.
func TestRetentionOfEditions(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	d := inspectorOn(t, url)
	for i, hash := range []string{"first", "second"} {
		if _, err := d.Publish(t.Context(), edition("shop", hash, "ines", ""), "rules", int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(t.Context(), store.Options{Path: url, Key: "key", Keep: 7 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{tb: t, Store: st}
	defer func() { _ = st.Close() }()
	sqlOn(t, url, `INSERT INTO rules_version VALUES ('old', 'rules', 1, 1), ('acted by', 'rules', 1, 1);`)
	sqlOn(t, url, `INSERT INTO rules_in_force VALUES ('bo', 'acted by', 'rules', 1)`)
	sqlOn(t, url, `UPDATE rules_version SET loaded_at = 1`)
	w.must(at(turnOf(message(7, 1)), noon))
	for n := range int64(12) { // each bite is of another table
		w.must(at(turnOf(message(7, 2+n)), noon.Add(time.Hour+time.Duration(n)*time.Minute)))
	}
	got := fmt.Sprint(sqlOn(t, url, `SELECT hash FROM rules_version ORDER BY hash`))
	w.same("what is kept", "[[acted by] [first] [second]]", got)
}

// TestWorkersStoreTheSameRules: workers that put the same folders in force at once, in whatever order, do not get into each other's
// way, nor into shards of others, and turns that name these rules go on.
func TestWorkersStoreTheSameRules(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	url := pgServer(t).schema(t)
	const workers, folders, accounts, rounds = 4, 6, 50, 12
	board := openBoard(t, url)
	stores := make([]*store.Database, workers)
	for i := range stores {
		seat, err := board.AddWorker(t.Context(), lease.Card{Name: fmt.Sprint("w", i)})
		if err != nil {
			t.Fatal(err)
		}
		if stores[i], err = store.Open(t.Context(), store.Options{Path: url, Key: "key", Fence: store.Fence{Worker: seat.Worker, Epoch: seat.Epoch, Stream: 1}}); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = stores[i].Close() }()
	}
	of := make([][]event.Account, folders)
	for f := range of {
		for n := range accounts {
			of[f] = append(of[f], event.Account(fmt.Sprint("a", (n*7+f*13)%accounts, "-", f)))
		}
	}
	names := func(all *sync.WaitGroup, i, f, round, half int) { // a turn that names a version
		hash := fmt.Sprint("h", round, "-", f)
		turn := turnBy(event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: event.Account(fmt.Sprint("t", i)), Peer: 7}, Choice: fmt.Sprint(hash, "/", half)})
		turn.Record.Version, turn.At = hash, noon.Add(time.Duration(4*round+2*half)*time.Hour)
		all.Go(func() {
			if r := confirmed(stores[i], turn); r.Err != nil {
				t.Error(r.Err)
			}
		})
	}
	for round := range rounds {
		var all, more sync.WaitGroup
		for i, st := range stores {
			for k := range folders {
				f := (k + i) % folders
				all.Go(func() {
					if err := st.SaveRules(t.Context(), record.Rules{Hash: fmt.Sprint("h", round, "-", f), Content: "rules", Folder: fmt.Sprint("store:", f), Accounts: of[f]}); err != nil {
						t.Error(err)
					}
				})
				names(&all, i, folders-1-f, round, 0)
			}
		}
		all.Wait()
		for i := range stores {
			for k := range folders {
				names(&more, i, (k+i)%folders, round, 1)
			}
		}
		more.Wait()
	}
	got := sqlOn(t, url, fmt.Sprintf(`SELECT count(*), count(DISTINCT since) FROM rules_in_force WHERE hash LIKE 'h%d-%%'`, rounds-1))
	if got[0][0] != int64(folders*accounts) {
		t.Errorf("%v rows are of the last round, want %d", got[0][0], folders*accounts)
	}
}

// confirmed stores a turn, and waits for it.
func confirmed(st *store.Database, turn *store.Turn) store.Receipt {
	done := make(chan store.Receipt, 1)
	st.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) { done <- r }})
	return <-done
}

// TestMoveTakesEditions: what was published goes along when a database goes as a whole, from server to server.
func TestMoveTakesEditions(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	from, to, file := newServerHome(t), newServerHome(t), newHome(t, "key")
	from.incarnations(fullHistory)
	d := inspectorOn(t, from.path)
	for i, name := range []string{"shop", "shop", "cafe"} {
		if _, err := d.Publish(t.Context(), edition(name, fmt.Sprint("hash", i), "ines", odd), "rules "+odd, int64(i%2)); err != nil {
			t.Fatal(err)
		}
	}
	to.moves(from)
	moved := inspectorOn(t, to.path)
	w := &world{tb: t}
	sets, err := moved.Sets(t.Context())
	w.same("the sets", []any{[]record.Set{{Name: "cafe", Number: 1, Hash: "hash2"}, {Name: "shop", Number: 2, Hash: "hash1"}}, nil}, []any{sets, err})
	all, err := moved.Editions(t.Context(), "shop", 9)
	w.same("the history", []any{2, nil}, []any{len(all), err})
	content, ok, err := moved.Rules(t.Context(), "hash0")
	w.same("what is not in force any more", []any{"rules " + odd, true, nil}, []any{content, ok, err})
	file.moves(to) // which has no sets
}
