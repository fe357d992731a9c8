//go:build unix

package store_test

import (
	"slices"
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/store"
)

// TestStatementsArePreparedByAServer: a server takes every statement that the package has, but for those of a file.
func TestStatementsArePreparedByAServer(t *testing.T) {
	t.Parallel()
	db, err := store.OpenPostgresDB(pgServer(t).schema(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for name, text := range store.Texts(t) {
		if slices.Contains(store.OfFile, name) {
			continue
		}
		st, err := db.PrepareContext(t.Context(), text)
		if err == nil {
			err = st.Close() //nolint:sqlclosecheck // here it ends
		}
		if err != nil {
			t.Errorf("%s: %v in\n%s", name, err, text)
		}
	}
}
