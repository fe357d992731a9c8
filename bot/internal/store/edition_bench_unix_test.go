//go:build unix

package store_test

import (
	"fmt"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// BenchmarkSets is what a worker asks each second, with sets that have a long history.
func BenchmarkSets(b *testing.B) {
	url := pgServer(b).schema(b)
	d, err := store.OpenInspector(b.Context(), url, "key")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	sqlOn(b, url, `INSERT INTO rules_edition SELECT 'set' || s, n, 'hash' || n, n, 'ines', '', 0 FROM generate_series(1, 20) AS s, generate_series(1, 5000) AS n`)
	sqlOn(b, url, `INSERT INTO rules_set SELECT 'set' || s, 5000, 'hash5000' FROM generate_series(1, 20) AS s`)
	for b.Loop() {
		if all, err := d.Sets(b.Context()); err != nil || len(all) != 20 {
			b.Fatal(len(all), err)
		}
	}
}

// BenchmarkSaveRules is what a worker stores when rules of very many accounts come into force: the first one, and each other.
func BenchmarkSaveRules(b *testing.B) {
	const accounts = 100_000
	for _, others := range []bool{false, true} {
		b.Run(map[bool]string{false: "the first worker", true: "the others"}[others], func(b *testing.B) {
			s, err := store.Open(b.Context(), store.Options{Path: pgServer(b).schema(b), Key: "key"})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			r := record.Rules{Hash: "h", Content: "rules", Folder: "store:shop"}
			for n := range accounts {
				r.Accounts = append(r.Accounts, event.Account(fmt.Sprint("account", n)))
			}
			if err := s.SaveRules(b.Context(), r); err != nil {
				b.Fatal(err)
			}
			n := 0
			for b.Loop() {
				if n++; !others {
					r.Hash = fmt.Sprint("h", n)
				}
				if err := s.SaveRules(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
