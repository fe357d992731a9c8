package store_test

import (
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

var update = flag.Bool("update", false, "write the dump of the newest schema anew")

// A dump of a database of every version of the schema, with something in each table, lies in testdata.
// A new migration needs a new one: run the tests with -update, and leave the older ones alone.
const dumps = "testdata/schema_*.sql"

// TestMigrations: a database of any earlier version opens, has the schema of a new one, and has kept
// what was in it.
func TestMigrations(t *testing.T) {
	newest := filepath.Join(t.TempDir(), "new.db")
	fill(t, newest)
	migrations, err := filepath.Glob("../sqlite/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		version, _, _ := strings.Cut(filepath.Base(migrations[len(migrations)-1]), "_")
		path := strings.Replace(dumps, "*", version, 1)
		if err := os.WriteFile(path, []byte(dump(t, newest)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old, err := filepath.Glob(dumps)
	if err != nil || len(old) != len(migrations) {
		t.Fatalf("there are %d dumps for %d migrations; %v", len(old), len(migrations), err)
	}
	for i, file := range old {
		if testing.Short() && i > 0 { // the oldest one goes through all of them
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "old.db")
			change(t, path, string(text))
			for range 2 {
				w := &world{tb: t, Store: openFile(t, store.Options{Path: path})}
				w.isFilled()
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(schema(t, newest), schema(t, path)); d != "" {
				t.Errorf("the schema (-new +migrated):\n%s", d)
			}
		})
	}
}

// fill makes a store with something in each table.
func fill(t *testing.T, path string) {
	t.Helper()
	w := &world{tb: t, Store: openFile(t, store.Options{Path: path})}
	turn := everything()
	turn.Actions[0].LimitUses = []event.LimitUse{{Limit: "once", Scope: "peer:7", Max: 1}}
	turn.Record.Rule, turn.Record.Version, turn.Record.Before = "prices", "abc", []byte(`{"state":"x"}`)
	turn.LimitUses, turn.LimitUseKey = []event.LimitUse{{Limit: "rules/prices/per_person", Scope: "peer:7", Max: 1, GiveBack: true}}, turn.Actions[1].Key
	turn.Entries = []event.Entry{{Account: ana, List: "leads", Key: "7", Peer: 7, Trigger: "message:501", Text: "a lead", Data: raw(`{"x":1}`), At: noon}}
	turn.Notices = []event.Notice{{Account: ana, ID: "message:501/test/0", Who: "team", Text: "come", Peer: 7, At: noon}}
	if err := w.SaveRules(t.Context(), record.Rules{Hash: "abc", Content: "rules"}); err != nil {
		t.Fatal(err)
	}
	w.must(turn, sets(502, alarm(8, "t", 1, noon)), turnBy(byTimer(alarm(8, "t", 1, noon))))
	w.QueueMarks(ageOf(turn.Actions[1].Key, -15*time.Second, "boot", time.Hour))
	inspector := openInspector(t, path)
	w.inspector = inspector
	w.strays()
	if r := w.commit(store.Write{Pending: []event.Event{message(9, 503)}}); r.Err != nil {
		t.Fatal(r.Err)
	}
	w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, ID: 500, Mark: 1, PolledAt: noon})
	if err := w.Keeper(ana).SaveSession(t.Context(), kept("session")); err != nil {
		t.Fatal(err)
	}
	inspector.ask(event.Request{Key: event.Key{Account: ana, Peer: 7}, Wish: event.WishRetry})
	w.isFilled()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// strays drops a message that had left, as a person does.
func (w *world) strays() {
	w.Helper()
	t := says(turnOf(message(8, 504)), "dropped")
	w.must(t)
	w.same("error", nil, w.MarkNow(w.Context(), mark(t, event.StateHeld, 0)))
	w.must(decides(w.ask(asking(ana, 8, event.WishDrop))[0], t.Actions[0].Action, event.StateWithdrawn))
}

// isFilled checks what fill has stored.
func (w *world) isFilled() {
	w.Helper()
	w.has(everything())
	w.same("a timer that fired", dropped, w.commit(store.Write{Turn: turnBy(byTimer(alarm(8, "t", 1, noon)))}))
	w.same("pending", []string{"message:503"}, w.pending(0))
	content, there, err := w.Rules(w.Context(), "abc") // the first dumps have none
	w.same("error", nil, err)
	for _, account := range []event.Account{"", ana} {
		f, ok, err := w.RulesInForce(w.Context(), account)
		w.same("rules in force", []any{content, there, nil}, []any{f.Content, ok, err})
	}
	cursors, err := w.Cursors(w.Context(), ana, event.Messages, []platform.UserID{0})
	w.same("cursors", []record.Cursor{{Account: ana, Source: event.Messages, ID: 500, Mark: 1, PolledAt: noon}}, cursors)
	w.same("error", nil, err)
	session, err := w.Keeper(ana).LoadSession(w.Context())
	w.same("session", kept("session"), session)
	w.same("error", nil, err)
}

// schema returns what a database is made of, as it was written.
func schema(t *testing.T, path string) []string {
	t.Helper()
	return column(t, path, `SELECT sql FROM sqlite_schema WHERE sql <> '' AND name <> 'sqlite_sequence' ORDER BY name`)
}

// dump returns a database as statements that make it.
func dump(t *testing.T, path string) string {
	t.Helper()
	text := strings.Join(column(t, path, `SELECT 'PRAGMA application_id = ' || application_id FROM pragma_application_id`), "") +
		";\n" + strings.Join(schema(t, path), ";\n") + ";\n"
	for _, table := range column(t, path, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence' ORDER BY name`) {
		values := column(t, path, `SELECT group_concat('quote("' || name || '")', ' || '', '' || ') FROM pragma_table_info('`+table+`')`)[0]
		for _, row := range column(t, path, `SELECT `+values+` FROM `+table) {
			text += "INSERT INTO " + table + " VALUES (" + row + ");\n"
		}
	}
	return text
}

// column returns the rows of a query for one text.
func column(t *testing.T, path, query string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%v in %s", err, query)
	}
	defer func() { _ = rows.Close() }()
	var texts []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}
