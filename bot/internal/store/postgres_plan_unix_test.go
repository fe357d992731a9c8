//go:build unix

package store_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/store"
)

var (
	parameter  = regexp.MustCompile(`\$\d+|\?\d*`)
	wholeTable = regexp.MustCompile(`Seq Scan on (\w+)`)
)

// TestPostgresPlans: no statement of the writer, or of readers that are asked all the time, has to read a whole table.
func TestPostgresPlans(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	db, err := store.OpenPostgresDB(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	few := []string{"address", "alarm", "meta", "floor", "rules_version", "rules_in_force", "seal_key", "seal_user", "f", "v", "conversation"} // of the last, those in flows, at a start
	for _, setting := range []string{`SET enable_seqscan = off`, `SET enable_bitmapscan = off`, `SET plan_cache_mode = force_generic_plan`} {
		if _, err := db.ExecContext(t.Context(), setting); err != nil {
			t.Fatal(err)
		}
	}
	texts := store.PostgresStatements(t)
	if len(texts) < 150 {
		t.Errorf("%d statements only", len(texts))
	}
	for i, text := range texts {
		name := fmt.Sprint("p", i)
		if _, err := db.ExecContext(t.Context(), "PREPARE "+name+" AS "+text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		run := "EXPLAIN EXECUTE " + name
		if n := parameters(text); n > 0 {
			run += "(" + strings.TrimSuffix(strings.Repeat("NULL, ", n), ", ") + ")"
		}
		for _, row := range rowsOf(t, db, run) {
			step := fmt.Sprint(row[0])
			if table := wholeTable.FindStringSubmatch(step); table != nil && !slices.Contains(few, table[1]) {
				t.Errorf("%s\nin\n%s", strings.TrimSpace(step), text)
			}
		}
	}
}

// parameters counts the parameters of a statement.
func parameters(text string) int {
	highest, plain := 0, 0
	for _, p := range parameter.FindAllString(text, -1) {
		if p == "?" {
			plain++
			continue
		}
		if n, err := strconv.Atoi(p[1:]); err == nil {
			highest = max(highest, n)
		}
	}
	return max(highest, plain)
}
