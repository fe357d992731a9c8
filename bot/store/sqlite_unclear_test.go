package store_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/nectar-bot/nectar/bot/store"
)

func TestUnclearCommits(t *testing.T) {
	testUnclear(t, func(t *testing.T, around func(do func() error) error, log *slog.Logger) database {
		t.Helper()
		path := filepath.Join(t.TempDir(), "store.db")
		return database{
			open: func() store.Store {
				return openFile(t, store.Options{Path: path, Fast: true, Around: around, Log: log})
			},
			desk: func() asker {
				d := openDesk(t, path)
				d.Around(around)
				return d
			},
		}
	})
}
