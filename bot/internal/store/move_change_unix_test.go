//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/move"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// TestMoveOfWhatChanges: what a bot has done since a move was interrupted goes along with the next one, and what people do at
// an inspector while it is under way.
func TestMoveOfWhatChanges(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, way := range []string{"there", "back"} {
		t.Run(way, func(t *testing.T) {
			effort.Case(t)
			file, server := newHome(t, "key"), newServerHome(t)
			from, to := file, server
			if way == "back" {
				from, to = server, file
			}
			from.incarnations(fullHistory)
			k := &deathAt{at: 4}
			if _, err := to.tries(record.MoveOptions{Step: 5, Around: k.around}, from); !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			from.incarnations(func(w *world) {
				w.must(at(says(turnOf(message(50, 800)), "later"), noon)) // a new row, and below one that was moved
				w.must(says(turnOf(message(7, 2)), "an older one"))
				q := asking(ana, 31, event.WishRetry)
				w.ask(q)
			})
			to.moves(from)
			if d := cmp.Diff(from.contents(), to.contents()); d != "" {
				t.Errorf("(-where it was +where it is):\n%s", d)
			}
		})
	}
}

// TestMoveBesideAnInspector: what people do at an inspector while a move is under way goes along, or is refused.
func TestMoveBesideAnInspector(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, way := range []string{"there", "back"} {
		t.Run(way, func(t *testing.T) {
			effort.Case(t)
			empty := newServerHome(t)
			for at, last := 1, 7; at <= last; at++ {
				file, server := newHome(t, "key"), empty.emptied()
				from, to := file, server
				if way == "back" {
					from, to = server, file
				}
				from.incarnations(func(w *world) { one(ana, 1)(w); one(berk, 2)(w) })
				last = besideAnInspector(t, from, to, at)
			}
		})
	}
}

// besideAnInspector moves accounts while somebody adds an entry right behind a commit, and returns how many there were.
func besideAnInspector(t *testing.T, from, to home, at int) (made int) {
	t.Helper()
	d, err := store.OpenInspector(t.Context(), from.path, from.key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	refused := error(nil)
	_, err = to.tries(record.MoveOptions{Around: func(commit func() error) error {
		err := commit()
		if made++; err == nil && made == at {
			_, refused = d.AddEntry(t.Context(), event.Entry{Account: ana, List: "late", Key: "x", Text: odd, At: noon})
		}
		return err
	}}, from)
	entries := len(to.contents()["entry"])
	gone := errors.As(refused, new(*record.MovedError))
	if err != nil || gone == (entries == 1) || refused != nil && !gone {
		t.Errorf("behind commit %d: %v, %d entries, refused: %v", at, err, entries, refused)
	}
	if _, err := d.RemoveEntry(t.Context(), ana, "late", "x"); !errors.As(err, new(*record.MovedError)) {
		t.Errorf("an entry is removed where nobody is any more: %v", err)
	}
	if err := d.ForgetUses(t.Context(), ana, "a"); !errors.As(err, new(*record.MovedError)) {
		t.Errorf("uses are forgotten where nobody is any more: %v", err)
	}
	if _, err := d.Ask(t.Context(), asking(ana, 7, event.WishRetry)); !errors.As(err, new(*record.MovedError)) {
		t.Errorf("something is asked for where nobody is any more: %v", err)
	}
	return made
}

// TestMoveFencesOthers: a bot that has lost its connection, and wakes up after its account was moved, stores nothing more.
func TestMoveFencesOthers(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	file, server := newHome(t, "key"), newServerHome(t)
	var frozen sync.RWMutex
	w := &world{tb: t, Store: openServer(t, store.Options{Path: server.path, Key: "key", Around: func(commit func() error) error {
		frozen.RLock()
		defer frozen.RUnlock()
		return commit()
	}})}
	one(ana, 1)(w)
	frozen.Lock()
	pgServer(t).killConnections(t, server.path)
	file.moves(server)
	frozen.Unlock()
	if r := w.commit(store.Write{Turn: says(turnOf(message(8, 2)), "late")}); !errors.Is(r.Err, store.ErrFenced) {
		t.Errorf("it stores what it decides: %+v", r)
	}
	if err := w.Close(); err != nil {
		t.Log(err) // it says that it is fenced
	}
}

// TestMoveOverABadLine: whatever becomes of a connection with a commit, the next try brings the move to its end.
func TestMoveOverABadLine(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	template := newHome(t, "key")
	template.incarnations(fullHistory)
	was := template.contents()
	empty := newServerHome(t)
	for n, c := range []cut{lostAnswer, lostCall, lostBoth} {
		for at := range 7 {
			if !effort.Sampled(7*n + at) {
				continue
			}
			file, server := newHome(t, "key"), empty.emptied()
			if err := copyFile(template.path, file.path); err != nil {
				t.Fatal(err)
			}
			p, url := newProxy(t, pgServer(t), server.path)
			far := home{t, url, "key"}
			p.cutNext(append(slices.Repeat([]cut{noCut}, at), c)...)
			_, err := far.tries(record.MoveOptions{Step: 40}, file)
			p.close() // the server notices
			if file.has(ana) && server.has(ana) {
				t.Errorf("%s, commit %d: it lives in both", c, at)
			}
			if again := server.again(record.MoveOptions{Step: 40}, file); again != nil {
				t.Fatalf("%s, commit %d: %v, and then %v", c, at, err, again)
			}
			if d := cmp.Diff(was, server.contents()); d != "" {
				t.Errorf("%s, commit %d (-was +is):\n%s", c, at, d)
			}
		}
	}
}

// TestMoveBetweenAlike: from a file to a file, and from a server to a server.
func TestMoveBetweenAlike(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	first, second, third, fourth := newHome(t, ""), newHome(t, "key"), newServerHome(t), newServerHome(t)
	first.incarnations(fullHistory)
	was, said := first.contents(), first.answers()
	second.moves(first)
	second.holds(was, said)
	was = second.contents()
	third.moves(second)
	fourth.moves(third)
	fourth.holds(was, said)
	third.fails("it was moved to the database postgres on ")
}

// TestMoveTogether: several files go into one database, with the rules that each acts by; one that comes back later does not
// bring to life what was there once.
func TestMoveTogether(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	files := []home{newHome(t, ""), newHome(t, "key")}
	server := newServerHome(t)
	for i, account := range []event.Account{ana, berk} {
		files[i].incarnations(func(w *world) {
			one(account, 1)(w)
			if err := w.SaveRules(t.Context(), record.Rules{Hash: "h" + string(account), Content: "rules of " + string(account)}); err != nil {
				t.Fatal(err)
			}
		})
	}
	m := server.moves(files...)
	if len(m.From) != 2 || m.From[1].Accounts[0].Account != berk {
		t.Errorf("%+v", m)
	}
	server.incarnations(func(w *world) {
		for _, account := range []event.Account{ana, berk} {
			f, ok, err := w.RulesInForce(t.Context(), account)
			w.same("rules of "+string(account), []any{"rules of " + string(account), true, nil}, []any{f.Content, ok, err})
		}
	})
	files[0].key = "key"
	if _, err := files[0].tries(record.MoveOptions{Accounts: []event.Account{berk}}, server); err != nil {
		t.Fatal(err)
	}
	if got := files[0].contents()["event"]; len(got) != 1 || files[0].has(ana) || !files[0].has(berk) {
		t.Errorf("in the file is %q", got)
	}
}

// TestMoveTakesAllTables: whoever adds a table decides whether a move takes it along.
func TestMoveTakesAllTables(t *testing.T) {
	t.Parallel()
	file, server := newHome(t, ""), newServerHome(t)
	file.incarnations(func(*world) {})
	server.incarnations(func(*world) {})
	own := []string{"schema_version", "sqlite_sequence", "meta", "writer", "shard", "fence", "seal_key", "sealing", "seal_user", "worker", "planning", "host", "share", "account", "account_changes", "seal_writer"} // of a database itself
	want := append(append(move.MovedTables(), own...), "rules_edition", "rules_set")                                                                                                                                 // those of a server: see TestMoveTakesEditions
	got := column(t, file.path, `SELECT name FROM sqlite_schema WHERE type = 'table'`)
	for _, row := range sqlOn(t, server.path, `SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`) {
		got = append(got, fmt.Sprint(row[0]))
	}
	for _, table := range got {
		if !slices.Contains(want, table) {
			t.Errorf("nobody has decided whether a move takes the table %s along", table)
		}
	}
}

// TestMoveOfAnOldFile: a file of an earlier version is brought up to date on its way.
func TestMoveOfAnOldFile(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	file, server := newHome(t, ""), newServerHome(t)
	text, err := os.ReadFile("testdata/schema_00012.sql")
	if err != nil {
		t.Fatal(err)
	}
	change(t, file.path, string(text))
	server.moves(file)
	server.incarnations(func(w *world) { w.isFilled() })
}
