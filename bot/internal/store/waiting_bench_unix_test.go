//go:build unix

package store_test

import (
	"database/sql"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// BenchmarkWhoWaits counts a hundred thousand conversations that wait, and reads the twenty that have waited longest.
func BenchmarkWhoWaits(b *testing.B) {
	const waits = 100_000
	for name, on := range map[string]func(b *testing.B) (string, func(text string)){
		"SQLite": func(b *testing.B) (string, func(string)) {
			b.Helper()
			path := b.TempDir() + "/store.db"
			s, err := store.Open(b.Context(), store.Options{Path: path})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			return path, func(text string) {
				db, err := sql.Open("sqlite", path)
				if err == nil {
					_, err = db.ExecContext(b.Context(), text)
				}
				if err = errors.Join(err, db.Close()); err != nil {
					b.Fatal(err)
				}
			}
		},
		"PostgreSQL": func(b *testing.B) (string, func(string)) {
			b.Helper()
			url := pgServer(b).schema(b)
			return url, func(text string) { sqlOn(b, url, text) }
		},
	} {
		b.Run(name, func(b *testing.B) {
			place, exec := on(b)
			d, err := store.OpenInspector(b.Context(), place, "")
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO waiting SELECT ` +
				strconv.Itoa(ana.Shard()) + `, '` + string(ana) + `', i, i, 1, i, i, 'words.unanswered?outcome=late', 0, 0 FROM n`)
			accounts := []event.Account{ana}
			for b.Loop() {
				those, counts, err := d.Waiting(b.Context(), accounts, time.Now(), 20)
				if err != nil || counts[ana] != waits || len(those) != 20 {
					b.Fatal(len(those), counts, err)
				}
			}
		})
	}
}
