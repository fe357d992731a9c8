package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nectar-bot/nectar/bot/store"
)

const childPath = "NECTAR_TEST_STORE_CHILD"

func writeForEver(path string) int { return len(path) - len(os.Args) }

func TestSQLite(t *testing.T) {
	testStore(t, func(t *testing.T) func() store.Store {
		t.Helper()
		path := filepath.Join(t.TempDir(), "store.db")
		return func() store.Store {
			t.Helper()
			s, err := store.Open(t.Context(), store.Options{Path: path, Fast: true})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	})
}
