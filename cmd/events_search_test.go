package cmd

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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

// onFile runs a command on a database.
func onFile(tb testing.TB, path string, args ...string) result {
	tb.Helper()
	var out, err bytes.Buffer
	sh := cli.Shell{Args: args, Environ: []string{"NECTAR_STORE=sqlite:" + path}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err}
	return result{execute(context.Background(), sh), out.String(), err.String()}
}

// needles stores events that a rule decided, long before those of a recording.
func needles(tb testing.TB, path string, n int, outcome string) {
	tb.Helper()
	st, err := bot.OpenStore(tb.Context(), bot.StoreOptions{Path: path})
	if err != nil {
		tb.Fatal(err)
	}
	done := make(chan error, n)
	for i := range n {
		e := event.Event{
			Account: "main", ID: event.ID{Source: event.Mentions, Number: int64(i + 1)}, Kind: event.KindMention, SeenAt: time.Now().Add(-60 * 24 * time.Hour),
			Peer: platform.UserID(7000 + i), User: fmt.Sprintf("old%d", i), Text: fmt.Sprintf("a needle, number %d", i),
		}
		stored.Commit(st, stored.Write{
			Turn: &stored.Turn{
				Conversation: &conversation.State{Key: e.Key(), Version: 1, User: e.User},
				Trigger:      event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, At: e.SeenAt, Record: event.DecisionRecord{Route: "rules", Outcome: outcome, Rule: "needle"},
			},
			Done: func(err error) { done <- err },
		})
	}
	for range n {
		if err := <-done; err != nil {
			tb.Fatal(err)
		}
	}
	st.QueueCursors(record.Cursor{Account: "main", Source: event.Mentions, ID: int64(n), PolledAt: time.Now()}) // the account was polled
	if err := errors.Join(st.MarkNow(tb.Context()), st.Close()); err != nil {
		tb.Fatal(err)
	}
}

// What is looked for by rule or outcome is found, however much has happened since, and the list says how far it looked.
func TestEventsAreFoundHoweverOld(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	path := recordWeek(t, referenceFolder(t, allLive...), 50, map[bool]int{true: 1000, false: 12_000}[effort.Few()])
	needles(t, path, 3, "held back")
	for _, c := range []struct {
		args []string
		want int // of the needles
	}{
		{[]string{"--rule", "needle"}, 3},
		{[]string{"--rule", "needle", "--limit", "2"}, 2},
		{[]string{"--rule", "needle", "--outcome", "Held Back"}, 3},
		{[]string{"--rule", "needle", "--outcome", "answered"}, 0},
		{[]string{"--rule", "needle", "--since", "7d"}, 0},
		{[]string{"--rule", "needle", "--peer", "@old1"}, 1},
	} {
		got := onFile(t, path, append([]string{"events"}, c.args...)...)
		if n := strings.Count(got.stdout, "a needle, number"); n != c.want || got.status != 0 {
			t.Errorf("%s finds %d, want %d:\n%s%s", c.args, n, c.want, got.stdout, got.stderr)
		}
		full := slices.Contains(c.args, "--limit")
		if told := strings.Contains(got.stdout, "\nlooked at all that is kept since "); told == full {
			t.Errorf("%s: how far it looked is told: %v\n%s", c.args, told, got.stdout)
		}
	}
}

// What was answered together is found by the rule that answered, each event of it, newest first.
func TestEventsOfBurstsAreFound(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	path := recordWeek(t, referenceFolder(t, allLive...), 5, 200)
	needles(t, path, 1, "acted")
	all := strings.Split(strings.TrimSpace(onFile(t, path, "events", "--limit", "1000", "--json").stdout), "\n")
	if len(all) != 201 {
		t.Fatalf("there are %d events", len(all))
	}
	for _, outcome := range []string{"answered", "held back", "acted", "gathering"} {
		var want []string
		for _, line := range all {
			if strings.Contains(line, `"outcome":"`+outcome+`"`) {
				want = append(want, line)
			}
		}
		got := strings.Split(onFile(t, path, "events", "--limit", "1000", "--json", "--outcome", outcome).stdout, "\n")
		got = got[:len(got)-1] // behind the last line
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || len(want) == 0 && outcome == "answered" {
			t.Errorf("%s: %d events, want %d", outcome, len(got), len(want))
		}
	}
}

// aMillion writes a million events into a database, as rules have answered them, in bursts of one.
const aMillion = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
	INSERT INTO event (shard, account, source, number, peer, kind, name, username, text, image, post, subject, seen_at, not_before, state, tries,
		handled_at, route, outcome, note, rule, rules_version, before)
	SELECT $1, 'main', 1, i, 1 + i % 5000, 'message', 'Ana Lima', 'ana' || (i % 5000), 'can you tell me when you are open? ' || i, '', 0, '', $2 + i, 0,
		'handled', 0, $2 + i, 'rules', 'gathering', 'waits until 10:00:00 UTC for what else is written', '', printf('%.32c', 'a'), printf('%.300c', 'x') FROM n`

// BenchmarkEventsByRule looks for what a rule decided once, long ago, among a million events:
//
//	go test -run - -bench EventsByRule -benchtime 5x ./cmd
func BenchmarkEventsByRule(b *testing.B) {
	path := filepath.Join(b.TempDir(), "nectar.db")
	needles(b, path, 200, "held back")
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.ExecContext(b.Context(), aMillion, event.Account("main").Shard(), time.Now().Add(-50*24*time.Hour).UnixMicro())
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if got := onFile(b, path, "events", "--rule", "needle"); strings.Count(got.stdout, "a needle, number") != 20 {
			b.Fatal(got)
		}
	}
}
