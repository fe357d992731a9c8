//go:build unix

package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// What an extension has in the schema is no table of another program; what is beside it is.
func TestBesideAnExtension(t *testing.T) {
	t.Parallel()
	s := pgServer(t)
	open := func(url string) error {
		db, err := store.Open(t.Context(), store.Options{Path: url, Key: "key"})
		if err == nil {
			err = db.Close()
		}
		return err
	}
	foreign := s.bare(t)
	sqlOn(t, foreign, `CREATE EXTENSION pg_stat_statements`)
	sqlOn(t, foreign, `CREATE TABLE customers (id int)`)
	if err := open(foreign); !errors.Is(err, record.ErrForeign) {
		t.Errorf("with a table of another program beside an extension: %v", err)
	}
	sqlOn(t, foreign, `DROP EXTENSION pg_stat_statements`)
	empty := s.bare(t)
	sqlOn(t, empty, `CREATE EXTENSION pg_stat_statements`)
	for _, when := range []string{"empty but for an extension", "with its own tables beside it"} {
		if err := open(empty); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
}

// readOnly returns the URL of a user for whom a database only reads, as some who look after databases set it when a disk is full.
func (s *server) readOnly(t *testing.T, url string) string {
	t.Helper()
	s.sql(t, `DO $$ BEGIN CREATE ROLE still LOGIN SUPERUSER; EXCEPTION WHEN duplicate_object THEN NULL; END $$`)
	s.sql(t, `ALTER ROLE still SET default_transaction_read_only = on`)
	return strings.Replace(url, "bot@", "still@", 1)
}

// A database that only reads is told as that, also by a bot that runs; whoever looks alone looks.
func TestReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	s := pgServer(t)
	url := s.schema(t)
	still := s.readOnly(t, url)
	doesNotOpen(t, still, "key", nil, "the database only reads: see default_transaction_read_only")
	doesNotOpen(t, s.readOnly(t, s.bare(t)), "key", nil, "the database only reads: see default_transaction_read_only")
	d, err := store.OpenInspector(t.Context(), still, "key")
	if err != nil {
		t.Fatalf("whoever looks alone: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
