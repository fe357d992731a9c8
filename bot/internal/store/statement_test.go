package store_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/store"
)

// TestStatementsArePrepared: a file takes every statement that the package has, but for those of a server, which it does not.
func TestStatementsArePrepared(t *testing.T) {
	db := asked(t)
	texts := store.Texts(t)
	for _, name := range slices.Concat(store.MayReadMuch, store.OfServer, store.OfFile) {
		if texts[name] == "" {
			t.Errorf("%s is no statement any more: take it out of its list in export_statement_test.go", name)
		}
	}
	for name, text := range texts {
		st, err := db.PrepareContext(t.Context(), text)
		if err == nil {
			err = st.Close() //nolint:sqlclosecheck // here it ends
		}
		if ofServer := slices.Contains(store.OfServer, name); ofServer != (err != nil) {
			t.Errorf("%s, of a server alone: %t, is prepared by a file with %v:\n%s", name, ofServer, err, text)
		}
	}
}

var inserts = regexp.MustCompile(`INSERT INTO \w+( AS \w+)?\s+(VALUES|SELECT)`)

// TestInsertsNameTheirColumns: a column that a migration adds takes no other's value.
func TestInsertsNameTheirColumns(t *testing.T) {
	t.Parallel()
	for _, text := range slices.Concat(store.Statements(t), store.PostgresStatements(t)) {
		if inserts.MatchString(text) {
			t.Errorf("say behind the table into which columns it stores:\n%s", text)
		}
	}
}
