//go:build unix

package store_test

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/internal/rekey"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

var rekeyEvents = flag.Int("rekey-events", 20_000, "how many events BenchmarkRekey has")

// BenchmarkRekey encrypts a database anew on which others write all the time: how long it takes, and how long the
// longest of their commits waits.
//
//	go test ./bot/internal/store -run XXX -bench Rekey -benchtime 1x -rekey-events 1000000
func BenchmarkRekey(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bench.db")
	l := &load{path: path, people: 1000, next: 1, talking: true, states: map[platform.UserID]*conversation.State{}}
	l.store = openFile(b, store.Options{Path: path, Key: "old", Fast: true})
	l.run(b, *rekeyEvents, 200)
	keys := 1
	for b.Loop() {
		if err := rekey.ChangeKey(b.Context(), path, platform.Secret("old"), "new"); err != nil {
			b.Fatal(err)
		}
		keys++
		began, longest := time.Now(), time.Duration(0)
		for {
			asked := time.Now()
			l.run(b, 1, 1)
			longest = max(longest, time.Since(asked))
			at, err := l.store.Sealing(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if at.Keys == keys && !at.DoneAt.IsZero() {
				break
			}
			time.Sleep(5 * time.Millisecond) // a bot that is not idle
		}
		b.ReportMetric(time.Since(began).Seconds(), "s")
		b.ReportMetric(float64(longest.Milliseconds()), "ms/longest")
	}
	if err := l.store.Close(); err != nil {
		b.Fatal(err)
	}
}
