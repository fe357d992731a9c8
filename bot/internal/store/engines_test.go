package store_test

import (
	"log/slog"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/store"
)

// engine is a kind of database under a store. What every engine has to do is said by testStore, testUnclear and testHistory.
type engine struct {
	name string
	// fresh makes an empty database, with a way to it, also from an inspector, and a log.
	fresh func(t *testing.T, way way) database
	// incarnations returns what makes databases whose processes die, for a property: quickly.
	incarnations func(t *testing.T) func(t tb) incarnations
	// histories is how many of them are tried; 0 for as many as rapid tries.
	histories int
}

// way is the way to a database. The zero value is a plain one.
type way struct {
	around func(do func() error) error // see store.Options
	log    *slog.Logger
	keep   time.Duration
}

// incarnations is a database whose process dies and comes again.
type incarnations struct {
	open func() store.Store
	// die lets the process of a store die when its last commit has been acknowledged, and returns the store of the next incarnation.
	die func(old store.Store) store.Store
}

// engines are all of them.
var engines = []engine{sqlite, postgreSQL}

var sqlite = engine{
	name: "SQLite",
	fresh: func(t *testing.T, way way) database {
		t.Helper()
		path := filepath.Join(t.TempDir(), "store.db")
		return database{
			open: func() store.Store {
				return openFile(t, store.Options{Path: path, Fast: true, Around: way.around, Log: way.log, Keep: way.keep})
			},
			inspector: func() asker {
				d := openInspector(t, path)
				if way.around != nil {
					d.Around(way.around)
				}
				return d
			},
		}
	},
	incarnations: func(t *testing.T) func(t tb) incarnations {
		t.Helper()
		dir := t.TempDir()
		empty := filepath.Join(dir, "empty.db")
		if err := openFile(t, store.Options{Path: empty}).Close(); err != nil {
			t.Fatal(err)
		}
		made := 0
		next := func() string {
			made++
			return filepath.Join(dir, strconv.Itoa(made)+".db")
		}
		return func(t tb) incarnations {
			t.Helper()
			path := next()
			if err := copyFile(empty, path); err != nil { // quicker than to make one
				t.Fatal(err)
			}
			return incarnations{
				open: func() store.Store { return openFile(t, store.Options{Path: path, Fast: true}) },
				die: func(old store.Store) store.Store {
					t.Helper()
					from := path
					path = next()
					copyContents(t, old, from, path)
					return openFile(t, store.Options{Path: path, Fast: true})
				},
			}
		}
	},
}

// copyContents copies the files of a store as they are when the last commit has been acknowledged, and closes it.
func copyContents(t tb, old store.Store, from, to string) {
	t.Helper()
	copied := make(chan error)
	old.Commit(store.Write{Done: func(store.Receipt) { // nothing is written meanwhile
		err := copyFile(from, to)
		if err == nil {
			err = copyFile(from+"-wal", to+"-wal")
		}
		copied <- err
	}})
	if err := <-copied; err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
}
