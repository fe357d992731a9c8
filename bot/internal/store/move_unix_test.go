//go:build unix

package store_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/move"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// odd is a text that PostgreSQL does not take as it is.
const odd = "a\x00b \xff\xfe \U0010ff41 ünï"

// home is a database that accounts live in, now and then.
type home struct {
	*testing.T
	path string
	key  platform.Secret
}

func newHome(t *testing.T, key platform.Secret) home {
	t.Helper()
	return home{t, filepath.Join(t.TempDir(), "store.db"), key}
}

func newServerHome(t *testing.T) home {
	t.Helper()
	return home{t, pgServer(t).schema(t), "key"}
}

// emptied returns it without anything.
func (h home) emptied() home {
	h.Helper()
	if remote.IsURL(h.path) {
		pgServer(h).clear(h, h.path)
		return h
	}
	return newHome(h.T, h.key)
}

// open opens it for a bot.
func (h home) open() *world {
	h.Helper()
	w := &world{tb: h, Store: openServer(h, store.Options{Path: h.path, Key: h.key, Fast: true})}
	d, err := store.OpenInspector(h.Context(), h.path, h.key)
	if err != nil {
		h.Fatal(err)
	}
	w.inspector = d
	return w
}

// incarnations lets a bot live there.
func (h home) incarnations(incarnation func(w *world)) {
	h.Helper()
	w := h.open()
	incarnation(w)
	d, ok := w.inspector.(*store.Inspector)
	if !ok {
		h.Fatalf("a desk of type %T", w.inspector)
	}
	if err := errors.Join(d.Close(), w.Close()); err != nil {
		h.Fatal(err)
	}
}

// fails checks that no bot can live there, and why.
func (h home) fails(want string) {
	h.Helper()
	s, err := store.Open(h.Context(), store.Options{Path: h.path, Key: h.key})
	if err == nil {
		_ = s.Close()
	}
	if err == nil || !contains(err.Error(), want) {
		h.Errorf("it opens with %v, not %q", err, want)
	}
}

// contents returns all that is there.
func (h home) contents() map[string][]string {
	h.Helper()
	all, err := move.ReadContents(h.Context(), h.path, h.key)
	if err != nil {
		h.Fatal(err)
	}
	return all
}

// answers asks everything.
func (h home) answers() (all map[string]any) {
	h.Helper()
	h.incarnations(func(w *world) { all = allAnswers(h.T, w) })
	return all
}

// holds checks that all is there.
func (h home) holds(contents map[string][]string, answers map[string]any) {
	h.Helper()
	if d := cmp.Diff(contents, h.contents()); d != "" {
		h.Errorf("%s (-was +is):\n%s", remote.NameOf(h.path), d)
	}
	if d := cmp.Diff(answers, h.answers()); d != "" {
		h.Errorf("what %s answers (-was +is):\n%s", remote.NameOf(h.path), d)
	}
}

// moves moves all from other homes.
func (h home) moves(from ...home) record.Moved {
	h.Helper()
	got, err := h.tries(record.MoveOptions{}, from...)
	for errors.Is(err, record.ErrInUse) && h.Context().Err() == nil { // the server is about to notice that a connection is gone
		got, err = h.tries(record.MoveOptions{}, from...)
	}
	if err != nil {
		h.Fatal(err)
	}
	return got
}

// tries tries to move something.
func (h home) tries(o record.MoveOptions, from ...home) (record.Moved, error) {
	h.Helper()
	o.To = h.path
	if o.Key == "" {
		o.Key = "key"
	}
	for _, f := range from {
		o.From = append(o.From, f.path)
	}
	return move.Move(h.Context(), o)
}

// fullHistory is a life with something in every table, and with odd texts wherever somebody else may write them.
func fullHistory(w *world) {
	w.Helper()
	live(w)
	turn := named(turnOf(message(40, 700)), 1, odd)
	turn.Trigger.Event.Text, turn.Trigger.Event.Name = odd, odd
	turn.Actions, turn.Record.Note = nil, odd
	says(turn, odd, func(a *record.Action) { a.Position = 4 })
	turn.Actions[0].Key = "message:700/" + odd + "/0"
	turn.Actions[0].LimitUses = []event.LimitUse{{Limit: odd, Scope: "peer:40", Max: 1}}
	turn.Record.Rule, turn.Record.Version = "prices", "abc"
	turn.Entries = []event.Entry{
		{Account: ana, List: "leads", Key: odd, Peer: 40, Text: odd, Data: raw(`{"x":1}`), At: noon},
		{Account: ana, List: "leads", Key: "\x00", Peer: 40, At: noon},
		{Account: ana, List: "leads", Key: "\xff", Peer: 40, At: noon},
	}
	turn.Notices = []event.Notice{{Account: ana, ID: "message:700/test/0", Who: "team", Text: odd, Peer: 40, At: noon, Details: raw(`{"said":"x"}`)}}
	if err := w.SaveRules(w.Context(), record.Rules{Hash: "abc", Content: "rules " + odd, Accounts: []event.Account{ana}, Folder: "rules"}); err != nil {
		w.Fatal(err)
	}
	w.must(turn)
	for _, account := range []event.Account{ana, berk} {
		if err := w.Keeper(account).SaveSession(w.Context(), kept("session-of-"+string(account))); err != nil {
			w.Fatal(err)
		}
	}
	alarms := []event.Alarm{{Kind: "disk", Since: noon}, {Account: ana, Kind: "deaf", Subject: odd, Since: noon}}
	all := []event.Notice{{ID: "disk/1", Who: "team", Text: odd, At: noon}}
	if err := w.Tell(w.Context(), all, alarms, nil); err != nil {
		w.Fatal(err)
	}
	if err := w.Told(w.Context(), nil, map[string]json.RawMessage{"phone": raw(`{"failing":1}`)}); err != nil {
		w.Fatal(err)
	}
	w.QueueCursors(record.Cursor{Account: berk, Source: event.Messages, ID: 7, PolledAt: noon})
	w.flush()
}

// TestMoveThereAndBack: whatever is moved is there as it was, and so are the answers to all questions, also after the way back.
func TestMoveThereAndBack(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, key := range map[string]platform.Secret{"in the clear": "", "encrypted": "key"} {
		t.Run(name, func(t *testing.T) {
			file, server, other := newHome(t, key), newServerHome(t), newHome(t, "key")
			file.incarnations(fullHistory)
			was, said := file.contents(), file.answers()
			for _, table := range move.MovedTables() {
				if len(was[table]) == 0 && table != "ignored" && table != "floor" && table != "approval" && table != "stray" {
					t.Errorf("there is nothing in the table %s", table)
				}
			}
			m := server.moves(file)
			if len(m.From) != 1 || !m.From[0].Whole || len(m.From[0].Accounts) != 2 {
				t.Errorf("it says %+v", m)
			}
			file.fails("it was moved to the database postgres on ")
			server.holds(was, said)
			for _, column := range store.SealedColumns() {
				table, name, _ := strings.Cut(column, ".")
				if clear := sqlOn(t, server.path, `SELECT count(*) FROM "`+table+`" WHERE "`+name+`" <> '' AND substring("`+name+`" FROM 1 FOR 1) <> '\x02'`); clear[0][0] != int64(0) {
					t.Errorf("%v values of %s are in the clear", clear[0][0], column)
				}
			}
			was = server.contents()
			other.moves(server)
			server.fails("it was moved to " + other.path)
			other.holds(was, said)
			file.moves(other)
			file.key = "key"
			other.fails("it was moved to " + file.path)
			file.holds(other.contents(), said)
			server.moves(file)
			server.holds(was, said)
		})
	}
}

func contains(text, part string) bool { return strings.Contains(text, part) }
