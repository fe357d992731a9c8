//go:build unix

package store_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// TestTablesAreTheSame: both engines have the same tables with the same columns in the same order, since rows are inserted
// by that; and what is sealed has room for it.
func TestTablesAreTheSame(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	path := filepath.Join(t.TempDir(), "store.db")
	if err := openFile(t, store.Options{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	own := []string{"schema_version", "sqlite_sequence", "writer", "shard", "meta", "fence", "worker", "planning", "host", "share", "rules_edition", "rules_set", "account", "account_changes", "seal_writer"} // of one of them
	want := column(t, path, `SELECT m.name || '.' || c.cid || '.' || c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'`)
	var got, bytes []string
	for _, row := range sqlOn(t, url, `SELECT c.relname || '.' || (row_number() OVER (PARTITION BY c.oid ORDER BY attnum) - 1) || '.' || attname,
			c.relname || '.' || attname, atttypid::regtype::text FROM pg_class AS c JOIN pg_attribute ON attrelid = c.oid
		WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0`) {
		got = append(got, fmt.Sprint(row[0]))
		if row[2] == "bytea" {
			bytes = append(bytes, fmt.Sprint(row[1]))
		}
	}
	isOwn := func(column string) bool { return slices.Contains(own, column[:strings.IndexByte(column, '.')]) }
	want, got, bytes = slices.DeleteFunc(want, isOwn), slices.DeleteFunc(got, isOwn), slices.DeleteFunc(bytes, isOwn)
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("columns (-SQLite +PostgreSQL):\n%s", d)
	}
	sealed := append(store.SealedColumns(), "seal_key.secret", "seal_key.box", "seal_user.secret")
	slices.Sort(sealed)
	slices.Sort(bytes)
	if d := cmp.Diff(sealed, bytes); d != "" {
		t.Errorf("columns of bytes (-sealed +there):\n%s", d)
	}
}
