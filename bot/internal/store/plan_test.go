package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/rekey"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// asked is a database of the store, and the way to ask about its statements.
func asked(t *testing.T) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := store.Open(t.Context(), store.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return db
}

// What an account sent is read from the number that is given, not from its first message.
func TestPlanOfWhatWasSent(t *testing.T) {
	db := asked(t)
	for _, text := range store.AboveResult() {
		given, seeks := registers(t, db, text)
		if len(seeks) != 1 || !given[seeks[0]] {
			t.Errorf("the index is sought by registers %v, and parameters are in %v; want a parameter in\n%s", seeks, given, text)
		}
	}
}

// registers returns the registers of a statement's program that hold parameters, and those that indexes are sought by.
func registers(t *testing.T, db *sql.DB, text string) (given map[int]bool, seeks []int) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN "+text, 1, 1, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	given = map[int]bool{}
	for rows.Next() {
		var at, p1, p2, p3 int
		var opcode string
		var p4, p5, comment any
		if err := rows.Scan(&at, &opcode, &p1, &p2, &p3, &p4, &p5, &comment); err != nil {
			t.Fatal(err)
		}
		switch opcode {
		case "Variable":
			given[p2] = true
		case "SeekGT":
			seeks = append(seeks, p3)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return given, seeks
}

// TestPlans: no statement reads a table, or all that an account has in it.
func TestPlans(t *testing.T) {
	db := asked(t)
	statements := store.Statements(t)
	if len(statements) < 30 {
		t.Errorf("%d statements only", len(statements))
	}
	for _, text := range statements {
		for _, step := range plan(t, db, text) {
			// A page of snapshots, whose numbers say nothing of their order, sorts what was seen at one moment, and no more; one of timers what is
			// due at one moment.
			isTie := step == "USE TEMP B-TREE FOR LAST TERM OF ORDER BY" && strings.Contains(text, "INDEXED BY event_snapshot") ||
				step == "USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY" && strings.Contains(text, "INDEXED BY timer_due")
			// What a later clock has set is looked for at a start, and when the clock was set back: an index would cost whoever sets a timer.
			isSetAhead := step == "SEARCH timer USING PRIMARY KEY (shard=? AND account=?)" && strings.Contains(text, "set_at >")
			if !isTie && !isSetAhead && !quick(step) {
				t.Errorf("%s\nin\n%s", step, text)
			}
		}
	}
}

// Accounts are found by leaps: from each to the next one in an index.
func TestPlansOfLeaps(t *testing.T) {
	db := asked(t)
	for _, text := range store.Leaping() {
		leaps := 0
		for _, step := range plan(t, db, text) {
			if strings.HasPrefix(step, "SEARCH") && strings.HasSuffix(step, "((shard,account)>(?,?))") {
				leaps++
			}
			if strings.HasPrefix(step, "USE TEMP B-TREE") {
				t.Errorf("%s\nin\n%s", step, text)
			}
		}
		if leaps != 1 {
			t.Errorf("%d leaps in\n%s\n%s", leaps, text, strings.Join(plan(t, db, text), "\n"))
		}
	}
}

// quick reports whether a step of a plan finds what it wants by a key.
func quick(step string) bool {
	if strings.HasPrefix(step, "SCAN") {
		return slices.Contains([]string{
			"SCAN CONSTANT ROW", "SCAN json_each VIRTUAL TABLE INDEX 1:", // what was given, no table
			"SCAN t VIRTUAL TABLE INDEX 1:",     // the same
			"SCAN ahead VIRTUAL TABLE INDEX 1:", // the same
			"SCAN last", "SCAN one",             // what is published within the time of a limit
			"SCAN c VIRTUAL TABLE INDEX 3:",       // the limit uses of one action
			"SCAN action USING INDEX action_open", // what is open, once in a scrape
			"SCAN waiting USING COVERING INDEX waiting_since", "SCAN event USING COVERING INDEX event_waiting", "SCAN timer USING COVERING INDEX timer_aside",
			"SCAN timer USING INDEX timer_due",      // in its order, and only as far as wanted
			"SCAN notice USING INDEX notice_unsent", // the same
			"SCAN address", "SCAN alarm",            // a few rows, at start
			"SCAN floor", "SCAN rules_version", "SCAN rules_in_force", "SCAN f", // a few rows, at start and once in a round of retention
			"SCAN seal_key", // a few rows, when a key has taken the place of another
			"SCAN sqlite_dbpage VIRTUAL TABLE INDEX 3:",                // one page, by its number
			"SCAN conversation USING COVERING INDEX conversation_flow", // those in flows, at start
		}, step)
	}
	wholeAccount := strings.HasSuffix(step, "PRIMARY KEY (shard=? AND account=?)")
	return !strings.HasPrefix(step, "USE TEMP B-TREE") && !strings.Contains(step, "AUTOMATIC") &&
		(!wholeAccount || slices.Contains([]string{
			"SEARCH session USING PRIMARY KEY (shard=? AND account=?)",
			"SEARCH request USING PRIMARY KEY (shard=? AND account=?)", // what is asked and not done, at the beginning of a term
		}, step))
}

func plan(t *testing.T, db *sql.DB, text string) []string {
	t.Helper()
	args := make([]any, 40) // more than any statement takes
	for i := range args {
		args[i] = 1
	}
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	defer func() { _ = rows.Close() }()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}

// No statement is planned anew for the values that it gets: that costs several times what it does.
func TestStatementsArePlannedOnce(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "store.db")
		s := openFile(t, store.Options{Path: path, Key: "key", Keep: 7 * 24 * time.Hour})
		w := &world{tb: t, Store: s}
		for n := int64(1); n <= 600; n++ {
			turn := turnOf(message(7, 1000+n))
			turn.At = noon.Add(time.Duration(n) * time.Hour) // old ones are deleted
			turn.Masks = []store.Mask{{Event: turn.Trigger.Event.ID, Text: "(private)"}}
			w.must(says(turn, "hello"))
		}
		if err := rekey.ChangeKey(t.Context(), path, "key", "another"); err != nil {
			t.Fatal(err)
		}
		sealedBy(t, s, 2)
		for _, text := range s.Replanned() {
			t.Errorf("planned anew: %s", text)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
