package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// secrets are words that stand in everything that private fills a store with, and nowhere else.
var secrets = []string{
	"s3cret-text", "s3cret-image", "s3cret-note", "s3cret-before", "s3cret-flow", "s3cret-value", "s3cret-reply", "s3cret-timer", "s3cret-fact",
	"s3cret-entry", "s3cret-data", "s3cret-notice", "s3cret-edit", "s3cret-pending", "s3cret-quarantined", "s3cret-known", "s3cret-tried", "s3cret-token", "s3cret-effect", "s3cret-kept",
}

// private stores something in each column that is sealed.
func private(w *world, inspector *inspector) {
	w.Helper()
	turn := everything()
	e := &turn.Trigger.Event
	e.Text, e.Image = secrets[0], "https://example.org/"+secrets[1]
	turn.Record.Note, turn.Record.Before = secrets[2], []byte(`{"x":"`+secrets[3]+`"}`)
	turn.Conversation.Flow.Data = raw(`{"x":"` + secrets[4] + `"}`)
	turn.Conversation.Values["plugin/a"] = raw(`"` + secrets[5] + `"`)
	turn.Actions[0].Text = secrets[6]
	turn.Timers[0].Data = []byte(`{"x":"` + secrets[7] + `"}`)
	turn.Facts[0].Value = raw(`"` + secrets[8] + `"`)
	turn.Entries = []event.Entry{{Account: ana, List: "leads", Key: "7", Peer: 7, Text: secrets[9], Data: raw(`{"x":"` + secrets[10] + `"}`), At: noon}}
	turn.Notices = []event.Notice{{Account: ana, ID: "message:501/test/0", Who: "team", Text: secrets[11], Peer: 7, At: noon}}
	held := record.Action{Action: event.Action{Account: ana, Key: "message:501/test/9", Peer: 7, Verb: event.VerbBooks, State: event.StateHeld, DecidedAt: noon}}
	held.Approval = &event.Approval{Group: held.Key, Effects: event.Effects{Notices: []event.HeldNotice{{Who: "team", Text: secrets[18]}}}}
	turn.Actions = append(turn.Actions, held)
	turn.Values = []store.ValueUse{{Plugin: "p", Name: "a", Version: 1, Value: raw(`"` + secrets[19] + `"`)}}
	turn.Known = []event.Fact{{Name: "known", Value: raw(`"` + secrets[15] + `"`), ReadAt: noon}}
	w.must(turn)
	request := event.Request{Key: event.Key{Account: ana, Peer: 7}, Wish: event.WishEdit, Action: turn.Actions[0].Key, Text: secrets[12]}
	inspector.ask(request)
	pending, tried := message(9, 601), message(9, 602)
	pending.Text, tried.Text = secrets[13], secrets[14]
	w.same("error", nil, w.commit(store.Write{Pending: []event.Event{pending}}).Err)
	try := &store.Attempt{
		Event: tried, Tries: 1, Quarantined: true, At: noon, Record: event.DecisionRecord{Note: "its handler said " + secrets[16]},
		Facts: []event.Fact{{Name: "f", Value: raw(`"` + secrets[8] + `"`), ReadAt: noon}},
	}
	w.same("error", nil, w.commit(store.Write{Attempt: try}).Err)
	w.same("error", nil, w.Keeper(ana).SaveSession(w.Context(), kept(secrets[17])))
}

// told returns which of secrets a reader of the store is told.
func told(t *testing.T, d *store.Inspector) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	note := func(v any, err error) {
		t.Helper()
		if err != nil && !errors.Is(err, seal.ErrSealed) {
			t.Error(err)
		}
		text := fmt.Sprintf("%+v", v)
		for _, s := range secrets {
			if strings.Contains(text, s) {
				found[s] = true
			}
		}
	}
	ctx := t.Context()
	text := func(b []byte) string { return string(b) }
	events, err := d.Events(ctx, record.EventQuery{Account: ana, Limit: 10})
	note(events, err)
	for _, e := range events {
		note(text(e.Record.Before), nil)
	}
	c, err := d.Conversation(ctx, event.Key{Account: ana, Peer: 7})
	note(text(c.Flow.Data)+text(c.Values["plugin/a"]), err)
	actions, err := d.Actions(ctx, record.ActionQuery{Account: ana, State: event.StateDue, Limit: 10})
	note(actions, err)
	timers, err := d.Timers(ctx, record.TimerQuery{Account: ana, State: record.TimerWaiting, Until: noon.Add(time.Hour * 9), Limit: 9})
	note(timers, err)
	for _, x := range timers {
		note(text(x.Data), nil)
	}
	err = d.Recorded(ctx, ana, time.Time{}, func(r record.Recorded) error {
		for _, f := range r.Facts {
			note(text(f.Value), nil)
		}
		return nil
	})
	note(nil, err)
	known, _, err := d.Known(ctx, ana, "known")
	note(text(known.Value), err)
	value, err := d.AccountValue(ctx, ana, "p", "a")
	note(text(value.Value), err)
	entries, err := d.Entries(ctx, ana, "leads", "", 9)
	note(entries, err)
	for _, e := range entries {
		note(text(e.Data), nil)
	}
	notices, err := d.Unsent(ctx, 9)
	note(notices, err)
	requests, err := d.Requests(ctx, event.Request{}, 9)
	note(requests, err)
	approval, _, err := d.Approval(ctx, ana, "message:501/test/9")
	note(approval, err)
	quarantined, err := d.QuarantinedEvents(ctx, event.Key{Account: ana, Peer: 9})
	note(quarantined, err)
	pending, err := d.PendingEvents(ctx, ana, 0, 9)
	note(pending, err)
	session, err := d.Session(ctx, ana)
	note(session.SessionID.Reveal(), err)
	return found
}

// seen returns which of secrets stand in the database at path, its log and whatever else lies beside it.
func seen(t *testing.T, path string) (found []string) {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range secrets {
			if bytes.Contains(content, []byte(s)) {
				found = append(found, s+" in "+filepath.Base(file))
			}
		}
	}
	return found
}

func reader(t *testing.T, path string, key platform.Secret) *store.Inspector {
	t.Helper()
	d, err := store.OpenInspector(t.Context(), path, key)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// tells checks who is told what is private.
func tells(t *testing.T, path string, key platform.Secret, all bool) {
	t.Helper()
	d := reader(t, path, key)
	got := told(t, d)
	if all != (len(got) == len(secrets)) || !all && len(got) > 0 {
		var missing []string
		for _, s := range secrets {
			if !got[s] {
				missing = append(missing, s)
			}
		}
		t.Errorf("with the key %q all is told: %v, want %v; not %q", key.Reveal(), len(got) == len(secrets), all, missing)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// With a key, nothing that people said can be read from the file, and all of it by who has the key.
func TestSealed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := openFile(t, store.Options{Path: path, Key: "key"})
	d := &inspector{reader(t, path, "key"), t}
	private(&world{tb: t, Store: s}, d)
	check := func(when string) {
		t.Helper()
		if got := seen(t, path); len(got) > 0 {
			t.Errorf("%s, the files show %q", when, got)
		}
		tells(t, path, "key", true)
		tells(t, path, "", false)
		tells(t, path, "another", false)
	}
	check("while it is open")
	if err := errors.Join(d.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	check("when it is closed")
	for key, want := range map[platform.Secret]error{"": seal.ErrNoKey, "another": seal.ErrSealed} {
		if _, err := store.Open(t.Context(), store.Options{Path: path, Key: key}); !errors.Is(err, want) {
			t.Errorf("with the key %q, it opens with %v", key.Reveal(), err)
		}
	}
}

// sealedBy waits until all is sealed with the newest of so many keys.
func sealedBy(t *testing.T, s *store.Database, keys int) {
	t.Helper()
	for range 100 {
		got, err := s.Sealing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got.Keys == keys && !got.DoneAt.IsZero() {
			return
		}
		time.Sleep(time.Second) // of the bubble's clock
	}
	t.Fatalf("%d keys do not come", keys)
}

// What was stored in the clear is sealed once there is a key.
func TestSealedInTheBackground(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "store.db")
		s := openFile(t, store.Options{Path: path})
		d := &inspector{reader(t, path, ""), t}
		private(&world{tb: t, Store: s}, d)
		if err := errors.Join(d.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		tells(t, path, "", true)
		s = openFile(t, store.Options{Path: path, Key: "key"})
		sealedBy(t, s, 1)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		inTheClear(t, path)
		tells(t, path, "key", true)
		tells(t, path, "", false)
	})
}

// inTheClear checks that no column that is to be sealed has a text.
func inTheClear(t *testing.T, path string) {
	t.Helper()
	for _, c := range store.SealedColumns() {
		table, name, _ := strings.Cut(c, ".")
		query := `SELECT '` + c + ` has ' || substr(` + name + `, 1, 30) FROM "` + table + `" WHERE typeof(` + name + `) = 'text' AND ` + name + ` NOT IN ('', '{}')`
		if got := column(t, path, query); len(got) > 0 {
			t.Errorf("%q", got)
		}
	}
}

// clearColumns are those whose texts are not sealed: names, ids and what is looked for.
var clearColumns = []string{
	"event.account", "event.kind", "event.name", "event.username", "event.subject", "event.state", "event.route", "event.outcome", "event.rule", "event.rules_version", "event.why",
	"turn.account", "turn.id", "turn.route", "turn.outcome", "turn.rule", "turn.rules_version", "turn.why",
	"conversation.account", "conversation.name", "conversation.username", "conversation.owner", "conversation.flow", "conversation.flow_state", "conversation.labels",
	"action.account", "action.key", "action.verb", "action.state", "action.reason", "action.rule", "action.claims", "action.why",
	"timer.account", "timer.name", "timer.state", "timer.why", "claim.account", "claim.name", "claim.scope", "claim.action",
	"fact.account", "fact.trigger_id", "fact.name", "cursor.account", "session.account", "shard.owner",
	"rules_version.hash", "rules_version.content", "rules_in_force.account", "rules_in_force.hash", "rules_in_force.folder", "request.account", "request.wish", "request.subject",
	"entry.account", "entry.list", "entry.key", "entry.trigger_id", "notice.account", "notice.id", "notice.who", "notice.kind", "notice.reached",
	"address.id", "address.pace", "account_value.account", "account_value.plugin", "account_value.name", "alarm.account", "alarm.kind", "alarm.subject",
	"approval.account", "approval.key", "approval.leader", "approval.ruling", "approval.ruled_by", "request.asked_by", "turn.decided_by",
	"floor.account", "ignored.account", "waiting.account", "waiting.why", "meta.key", "meta.value", "named.account", "named.key", "doubt.account", "doubt.key", "doubt.boot", "named.trigger_id", "stray.account", "stray.id", "stray.verb", "seal_user.secret",
}

// Somebody who adds a column decides whether it is sealed.
func TestEachColumnIsSealedOrClear(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	if err := openFile(t, store.Options{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	got := column(t, path, `SELECT m.name || '.' || c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
		WHERE m.type = 'table' AND c.type IN ('TEXT', 'BLOB') AND m.name NOT LIKE 'goose%' AND m.name NOT LIKE 'nectar_%' AND m.name NOT LIKE 'sqlite%' AND m.name <> 'seal_key'`)
	want := append(slices.Clone(clearColumns), store.SealedColumns()...)
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("columns (-known +there):\n%s", d)
	}
}

// Without its key the store goes on when it is told to: who is on a list stays there, what waited is missing.
func TestForgetSealed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := openFile(t, store.Options{Path: path, Key: "lost"})
	d := &inspector{reader(t, path, "lost"), t}
	private(&world{tb: t, Store: s}, d)
	if err := errors.Join(d.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	s = openFile(t, store.Options{Path: path, Key: "fresh", ForgetSealed: true})
	w := &world{tb: t, Store: s}
	due, err := s.DueActions(t.Context(), ana, noon.Add(time.Hour), nil, 9)
	w.same("due", 0, len(due))
	w.same("error", nil, err)
	books, _, err := s.Action(t.Context(), ana, "message:501/test/9")
	w.same("what waits for an approval, and says nothing", event.StateWithdrawn, books.State)
	w.same("error", nil, err)
	listed, err := s.HasEntry(t.Context(), ana, "leads", "7")
	w.same("listed", true, listed)
	w.same("error", nil, err)
	w.handled(map[event.ID]bool{message(7, 501).ID: true}, message(7, 501).ID, message(9, 601).ID, message(9, 602).ID)
	c := w.conversation(event.Key{Account: ana, Peer: 7})
	w.same("owner", "support", c.Owner)
	w.same("flow", "", c.Flow.Flow)
	w.must(named(turnOf(message(7, 700)), c.Version+1, "goes on"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	tells(t, path, "fresh", false)
}

// A value that somebody copies to another row does not open there.
func TestSealedValuesStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := openFile(t, store.Options{Path: path, Key: "key"})
	w := &world{tb: t, Store: s}
	w.must(says(turnOf(message(7, 501)), "for seven"), says(turnOf(message(8, 502)), "for eight"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, path, `UPDATE action SET text = (SELECT text FROM action WHERE peer = 7) WHERE peer = 8`)
	r := reader(t, path, "key")
	if _, err := r.Open(t.Context(), ana); err == nil || !strings.Contains(err.Error(), "moved to another row") {
		t.Errorf("it is read with %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// A session that a version before this one sealed opens with its key alone, and is sealed anew.
func TestSessionOfBeforeTheKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	if err := openFile(t, store.Options{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	sealed := store.OldSession(t, "key", ana, kept("an old one"))
	change(t, path, `INSERT INTO session VALUES (?, ?, ?, 1)`, ana.Shard(), string(ana), sealed)
	for key, want := range map[platform.Secret]error{"": seal.ErrNoKey, "another": seal.ErrSealed} {
		if _, err := store.Open(t.Context(), store.Options{Path: path, Key: key}); !errors.Is(err, want) {
			t.Errorf("with the key %q, it opens with %v", key.Reveal(), err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := openFile(t, store.Options{Path: path, Key: "key"})
		sealedBy(t, s, 1)
		if got, err := s.Keeper(ana).LoadSession(t.Context()); err != nil || got != kept("an old one") {
			t.Errorf("got %v, %v", got, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if got := column(t, path, `SELECT hex(substr(sealed, 1, 1)) FROM session`); !slices.Equal(got, []string{"02"}) {
		t.Errorf("it is stored as %q", got)
	}
}
