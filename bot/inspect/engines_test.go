package inspect_test

import (
	"path/filepath"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/inspect"
)

// shelf is a database, with a way to put something into it, and one to look at it.
type shelf struct {
	inspect.Inspector
	store bot.Store
}

// onEngines runs a test on a file, and on a server.
func onEngines(t *testing.T, test func(t *testing.T, s *shelf)) {
	t.Helper()
	for name, place := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "nectar.db") },
		"PostgreSQL": serverURL,
	} {
		if testing.Short() && name != "SQLite" { // a server takes longer to start than all of this
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := place(t)
			st, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: path, Key: "key", Fast: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = st.Close() })
			i, err := inspect.Open(t.Context(), path, "key")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = i.Close() })
			test(t, &shelf{i, st})
		})
	}
}

// put stores writes, and returns when they are.
func (s *shelf) put(t interface{ Fatal(args ...any) }, writes ...stored.Write) {
	done := make(chan error, len(writes))
	for _, w := range writes {
		w.Done = func(err error) { done <- err }
		stored.Commit(s.store, w)
	}
	for range writes {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}
