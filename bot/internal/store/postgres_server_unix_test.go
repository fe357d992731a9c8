//go:build unix

package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// server is a server of PostgreSQL of the test's own.
type server struct {
	*pgserver.Server
	mu   sync.Mutex
	made int      // schemas
	free []string // URLs of those that no test uses
}

// shared is the one of all tests but those that kill it.
var shared server

// pgServer returns the server of all tests.
func pgServer(tb testing.TB) *server {
	tb.Helper()
	s := pgtest.Shared(tb)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.Server == nil { // others read it since
		shared.Server = s
	}
	return &shared
}

// ownServer returns a server that a test may kill.
func ownServer(t *testing.T) *server {
	t.Helper()
	return &server{Server: pgtest.New(t)}
}

// bare returns the URL of a schema without tables.
func (s *server) bare(tb testing.TB) string {
	tb.Helper()
	s.mu.Lock()
	s.made++
	name := fmt.Sprint("t", s.made)
	s.mu.Unlock()
	s.sql(tb, "CREATE SCHEMA "+name)
	return s.URL("&search_path=" + name)
}

// schema returns the URL of a schema without rows, for a test alone, in which all is sealed with "key". It is used again after
// the test, since to make one takes longer than many a test.
func (s *server) schema(tb testing.TB) string {
	tb.Helper()
	s.mu.Lock()
	url := ""
	if n := len(s.free); n > 0 {
		url, s.free = s.free[n-1], s.free[:n-1]
	}
	s.mu.Unlock()
	if url == "" {
		url = s.bare(tb)
		sealAll(tb, url)
	}
	s.clear(tb, url)
	tb.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = append(s.free, url)
	})
	return url
}

// sql runs a statement as the owner of all.
func (s *server) sql(tb testing.TB, text string) {
	tb.Helper()
	sqlOn(tb, s.URL(""), text)
}

// sqlOn runs a statement on the database at a URL, and returns its rows.
func sqlOn(tb testing.TB, url, text string) (all [][]any) {
	tb.Helper()
	db, err := store.OpenPostgresDB(url)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	return rowsOf(tb, db, text)
}

// rowsOf runs a statement, and returns its rows.
func rowsOf(tb testing.TB, db *sql.DB, text string) (all [][]any) {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		tb.Fatal(err)
	}
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			tb.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return all
}

// clear deletes the rows of a schema, if there are tables.
func (s *server) clear(tb testing.TB, url string) {
	tb.Helper()
	sqlOn(tb, url, `DO $$ DECLARE t text; BEGIN
		FOR t IN SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
			AND relname NOT IN ('meta', 'schema_version', 'seal_key', 'sealing', 'seal_user')
		LOOP EXECUTE 'DELETE FROM ' || t; END LOOP;
		DELETE FROM meta WHERE key <> 'program'; END $$`)
}

// killConnections kills the processes of the server that work on a schema, as the death of a client would end them.
func (s *server) killConnections(tb testing.TB, url string) {
	tb.Helper()
	sqlOn(tb, url, `SELECT pg_terminate_backend(backend_pid, 5000) FROM fence`)
}

// shoot ends the server's process that writes on a schema with kill -9, which makes the server begin anew; false when there
// is none at the moment.
func (s *server) shoot(ctx context.Context, url string) bool {
	pid := s.process(ctx, url, `SELECT pid FROM fence JOIN pg_stat_activity ON pid = backend_pid`)
	return pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil
}

// checkpointer returns the number of a process that is another one when the server has begun anew.
func (s *server) checkpointer(ctx context.Context, url string) int {
	return s.process(ctx, url, `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`)
}

// process returns the number of the server's process that a statement finds; 0 when there is none at the moment.
func (s *server) process(ctx context.Context, url, text string) int {
	db, err := store.OpenPostgresDB(url)
	if err != nil {
		return 0
	}
	defer func() { _ = db.Close() }()
	pid := 0
	if db.QueryRowContext(ctx, text).Scan(&pid) != nil {
		return 0
	}
	return pid
}
