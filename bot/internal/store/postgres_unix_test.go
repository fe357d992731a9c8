//go:build unix

package store_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/store"
)

func TestPostgres(t *testing.T) { testStore(t, postgreSQL) }

var postgreSQL = engine{
	name:      "PostgreSQL",
	histories: 25, // one takes as long as twenty of SQLite's
	fresh: func(t *testing.T, way way) database {
		t.Helper()
		url := pgServer(t).schema(t)
		return database{
			open: func() store.Store {
				return openServer(t, store.Options{Path: url, Key: "key", Around: way.around, Log: way.log, Keep: way.keep})
			},
			inspector: func() asker {
				d := openServerInspector(t, url)
				if way.around != nil {
					d.Around(way.around)
				}
				return d
			},
		}
	},
	incarnations: func(t *testing.T) func(t tb) incarnations {
		t.Helper()
		s := pgServer(t)
		url := s.schema(t)
		return func(tb tb) incarnations {
			tb.Helper()
			s.clear(t, url)
			return incarnations{
				open: func() store.Store { return openServer(tb, store.Options{Path: url, Key: "key"}) },
				die: func(old store.Store) store.Store {
					tb.Helper()
					s.killConnections(t, url)
					next := openServer(tb, store.Options{Path: url, Key: "key"})
					if err := old.Close(); err != nil {
						tb.Fatal(err)
					}
					return next
				},
			}
		}
	},
}

// openServer opens a store that has to open.
func openServer(t tb, o store.Options) store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openServerInspector opens an inspector, which is closed with the test.
func openServerInspector(t *testing.T, url string) *store.Inspector {
	t.Helper()
	d, err := store.OpenInspector(t.Context(), url, "key")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// sealAll makes the tables of a store, with a key.
func sealAll(tb testing.TB, url string) {
	tb.Helper()
	if err := openServer(tb, store.Options{Path: url, Key: "key"}).Close(); err != nil {
		tb.Error(err)
	}
}
