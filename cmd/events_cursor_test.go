package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform"
)

// waits makes a database in which events of accounts wait for their turns.
func waits(t *testing.T, n int64, accounts ...event.Account) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "nectar.db")
	st, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: path, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range accounts {
		var all []event.Event
		for i := range n {
			all = append(all, event.Event{
				Account: a, ID: event.ID{Source: event.Messages, Number: 1 + i}, Kind: event.KindMessage, Peer: 7, User: "ana", Text: "hello",
				SeenAt: time.Now().Add(time.Duration(i-n) * time.Minute),
			})
		}
		stored.Commit(st, stored.Write{Pending: all})
		st.QueueCursors(record.Cursor{Account: a, Source: event.Messages, ID: n, PolledAt: time.Now()})
	}
	if err := errors.Join(st.MarkNow(t.Context()), st.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// turned runs a list with --json until it does not go on, and returns the values of a field of all lines.
func turned(t *testing.T, path, field string, args ...string) (all []string) {
	t.Helper()
	var cursor []string
	for range 40 {
		r := onFile(t, path, append(append(args, "--json"), cursor...)...)
		if r.status != 0 {
			t.Fatal(r)
		}
		next := ""
		for line := range strings.Lines(r.stdout) {
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			if next != "" {
				t.Errorf("a line that is not the last says where it goes on:\n%s", r.stdout)
			}
			next, _ = row["next"].(string)
			text, _ := row[field].(string)
			all = append(all, text)
		}
		if next == "" {
			return all
		}
		cursor = []string{"--cursor", next}
	}
	t.Fatal("it does not end")
	return nil
}

func TestEventsGoOn(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	path := waits(t, 7, "main")
	want := strings.Fields("message:7 message:6 message:5 message:4 message:3 message:2 message:1")
	for _, args := range [][]string{{"events", "--limit", "3"}, {"events", "--limit", "7"}, {"events", "--limit", "2", "--peer", "@ana"}} {
		if have := turned(t, path, "id", args...); strings.Join(have, " ") != strings.Join(want, " ") {
			t.Errorf("%v: %v", args, have)
		}
	}
	if all := turned(t, path, "id", "events", "--limit", "99"); len(all) != 7 {
		t.Error(all)
	}
}

func TestEventsGoOnForPeople(t *testing.T) {
	t.Parallel()
	path := waits(t, 7, "main")
	var last struct{ Next string }
	lines := strings.Split(strings.TrimSpace(onFile(t, path, "events", "--limit", "3", "--json").stdout), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	first := onFile(t, path, "events", "--limit", "3")
	if first.status != 0 || strings.Contains(first.stdout, "--cursor") {
		t.Error(first)
	}
	second := onFile(t, path, "events", "--limit", "3", "--cursor", last.Next)
	if second.status != 0 || !strings.Contains(second.stdout, "message:4") || !strings.Contains(second.stdout, "it goes on: --cursor ") {
		t.Error(second)
	}
	rest := onFile(t, path, "events", "--limit", "30", "--cursor", last.Next)
	if rest.status != 0 || !strings.Contains(rest.stdout, "message:1") || strings.Contains(rest.stdout, "it goes on") {
		t.Error(rest)
	}
}

// What is pending goes on with its timers, and with all accounts together.
func TestPendingGoesOn(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	path := waits(t, 4, "main", "shop")
	st, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: path, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	for n, account := range []event.Account{"main", "shop", "shop"} {
		later := event.Timer{Key: event.Key{Account: account, Peer: 7}, Name: "nag", Occurrence: int64(n + 1), Due: time.Now().Add(-time.Duration(n+1) * 90 * time.Second)}
		later.Key.Peer += platform.UserID(n)
		c := &conversation.State{Key: later.Key, Version: 1, User: "ana"}
		trigger := event.Trigger{Kind: event.ByRequest, Key: later.Key, Choice: fmt.Sprint("request/", n)}
		stored.Commit(st, stored.Write{Turn: &stored.Turn{Conversation: c, Trigger: trigger, At: time.Now(), Timers: []event.Timer{later}}})
	}
	if err := errors.Join(st.MarkNow(t.Context()), st.Close()); err != nil {
		t.Fatal(err)
	}
	want := turned(t, path, "id", "events", "--pending", "--limit", "99")
	if len(want) != 11 {
		t.Errorf("%d of 8 events and 3 timers: %v", len(want), want)
	}
	for _, limit := range []string{"1", "2", "5"} {
		if have := turned(t, path, "id", "events", "--pending", "--limit", limit); strings.Join(have, " ") != strings.Join(want, " ") {
			t.Errorf("%s at a time: %v, want %v", limit, have, want)
		}
	}
	all := turned(t, path, "id", "events", "--limit", "3")
	if len(all) != 8 || all[0] != "message:4" || all[1] != "message:4" {
		t.Errorf("not both accounts from the newest on: %v", all)
	}
}

func TestConversationsGoOn(t *testing.T) {
	t.Parallel()
	path := waits(t, 1, "main", "shop", "cafe")
	for _, limit := range []string{"1", "2"} {
		if have := strings.Join(turned(t, path, "account", "conversations", "--limit", limit), " "); have != "cafe shop main" {
			t.Errorf("%s at a time: %s", limit, have)
		}
	}
}

func TestNoticesGoOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nectar.db")
	st, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: path, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []event.Notice
	at := time.Now().Add(-time.Hour)
	for n := range 5 { // of one moment
		all = append(all, event.Notice{Account: "main", ID: fmt.Sprint("notice/", n), Who: map[bool]string{true: "sales", false: "team"}[n%2 == 0], Kind: "handoff", At: at})
	}
	key := event.Key{Account: "main", Peer: 7}
	stored.Commit(st, stored.Write{Turn: &stored.Turn{Trigger: event.Trigger{Kind: event.ByRequest, Key: key, Choice: "request/1"}, At: at, Notices: all}})
	st.QueueCursors(record.Cursor{Account: "main", Source: event.Messages, ID: 1, PolledAt: time.Now()})
	if err := errors.Join(st.MarkNow(t.Context()), st.Close()); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"notices --limit 2":              "notice/4 notice/3 notice/2 notice/1 notice/0",
		"notices --limit 1 --team sales": "notice/4 notice/2 notice/0",
	} {
		if have := strings.Join(turned(t, path, "id", strings.Fields(args)...), " "); have != want {
			t.Errorf("%s: %s", args, have)
		}
	}
}

func TestOutboxGoesOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nectar.db")
	st, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: path, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	e := event.Event{Account: "main", ID: event.ID{Source: event.Messages, Number: 1}, Kind: event.KindMessage, Peer: 7, User: "ana", SeenAt: time.Now()}
	turn := &stored.Turn{Trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, Record: event.DecisionRecord{Outcome: bot.OutcomeHandled}, At: time.Now()}
	for n, key := range []string{"message:1/greet/0", "message:1/greet/1", "message:1/greet/2", "message:1/greet/3", "message:1/greet/4"} {
		turn.Actions = append(turn.Actions, record.Action{Action: event.Action{
			Account: "main", Peer: 7, Key: key, Verb: event.VerbMessage, User: 7, Text: "hello", State: event.StateHeld, Position: int64(n + 1), DecidedAt: time.Now(),
			Rule: []string{"greet", "offer"}[n%2], Reason: []string{event.NeedsApproval, "the other bot"}[n/3],
		}})
	}
	stored.Commit(st, stored.Write{Turn: turn})
	st.QueueCursors(record.Cursor{Account: "main", Source: event.Messages, ID: 1, PolledAt: time.Now()})
	if err := errors.Join(st.MarkNow(t.Context()), st.Close()); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"outbox --held --limit 2":                                 "4 3 2 1 0",
		"outbox --peer 7 --limit 3":                               "4 3 2 1 0",
		"outbox --needs-approval --limit 1":                       "2 1 0",
		"outbox --held --rule greet --limit 1":                    "4 2 0",
		"outbox --peer 7 --rule offer --limit 1":                  "3 1",
		"outbox --needs-approval --peer 7 --rule greet --limit 1": "2 0",
		"outbox --needs-approval --campaign greet --limit 2":      "2 0",
		"outbox --needs-approval --held --rule greet --limit 2":   "4 2 0",
		"outbox --held --rule nobody --limit 2":                   "",
	} {
		have := turned(t, path, "key", strings.Fields(args)...)
		for i := range have {
			have[i] = strings.TrimPrefix(have[i], "message:1/greet/")
		}
		if strings.Join(have, " ") != want {
			t.Errorf("%s: %v", args, have)
		}
	}
	if r := onFile(t, path, "outbox", "--cursor", "x"); r.status != cli.ExitUsage || !strings.Contains(r.stderr, "--cursor goes with --needs-approval") {
		t.Error(r)
	}
}

func TestCursorsThatDoNotFit(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	one, two := waits(t, 3, "main"), waits(t, 3, "main", "shop")
	for _, c := range []struct{ path, args, says string }{
		{one, "events --cursor message:3", "--cursor: this cursor is none of this list"},
		{one, "events --cursor x --rule hello", "--cursor does not go with"},
		{one, "events --cursor x --outcome handled", "--cursor does not go with"},
		{two, "conversations --cursor x", "--cursor: this cursor is none of this list"},
		{two, "notices --cursor x", "--cursor: this cursor is none of this list"},
		{two, "events --cursor x --account shop", "--cursor: this cursor is none of this list"},
	} {
		if r := onFile(t, c.path, strings.Fields(c.args)...); r.status != cli.ExitUsage || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s: %v", c.args, r)
		}
	}
}
