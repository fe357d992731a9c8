//go:build unix

package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// TestBoardOnAServer: the board in a database does what the one of simulations does.
func TestBoardOnAServer(t *testing.T) {
	t.Parallel()
	testBoard(t, func(t *testing.T) func() lease.Board {
		t.Helper()
		url := pgServer(t).schema(t)
		return func() lease.Board { return openBoard(t, url) }
	})
}

// TestUnfitForWorkers: what makes a server, or its user, unfit for a worker is told in one line.
func TestUnfitForWorkers(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	s := pgServer(t)
	url := s.schema(t)
	open := func(url string, o board.Options) error {
		t.Helper()
		b, err := board.Open(t.Context(), url, o)
		if err == nil {
			t.Cleanup(func() { _ = b.Close() })
			_, err = b.AddWorker(t.Context(), lease.Card{Name: "another"})
		}
		if err == nil {
			t.Fatal("it fits")
		}
		return err
	}
	oneLine(t, open(url, board.Options{Connections: 1000}), "raise max_connections")
	oneLine(t, open(s.bare(t), board.Options{Looks: true}), "there is none yet")
	oneLine(t, open("postgres://bot:geheim%zz@host/db", board.Options{}), "it is no URL")
	sits(t, url, "a")
	role := fmt.Sprintf("role_%d", time.Now().UnixNano())
	sqlOn(t, url, strings.ReplaceAll(`DO $$ DECLARE s text := quote_ident(current_schema()); BEGIN
		CREATE ROLE $role LOGIN;
		EXECUTE 'GRANT USAGE, CREATE ON SCHEMA ' || s || ' TO $role';
		EXECUTE 'GRANT ALL ON ALL TABLES IN SCHEMA ' || s || ' TO $role';
		EXECUTE 'GRANT ALL ON ALL SEQUENCES IN SCHEMA ' || s || ' TO $role';
		END $$`, "$role", role))
	oneLine(t, open(strings.Replace(url, "bot@", role+"@", 1), board.Options{}), "let all use the same one")
}

// openBoard opens a board, which is closed with the test.
func openBoard(tb testing.TB, url string) *board.Board {
	tb.Helper()
	b, err := board.Open(tb.Context(), url, board.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := b.Close(); err != nil {
			tb.Error(err)
		}
	})
	return b
}
