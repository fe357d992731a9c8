//go:build unix

package store_test

import (
	"flag"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/internal/move"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

var moveEvents = flag.Int("move-events", 20_000, "how many events BenchmarkMove has; rows are twice as many")

// BenchmarkMove moves a file to a server, with indexes and comparison, and back into another file: how many rows a second,
// and how much memory that takes.
//
//	go test ./bot/internal/store -run XXX -bench 'Move$' -benchtime 1x -move-events 1000000 -timeout 1h
func BenchmarkMove(b *testing.B) {
	key := platform.Secret("key")
	path := filepath.Join(b.TempDir(), "bench.db")
	l := &load{path: path, people: 1000, next: 1, talking: true, states: map[platform.UserID]*conversation.State{}}
	l.store = openFile(b, store.Options{Path: path, Key: key, Fast: true})
	l.run(b, *moveEvents, 200)
	if err := l.store.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		server, other := pgServer(b).bare(b), filepath.Join(b.TempDir(), "back.db")
		for _, way := range []struct{ from, to, unit string }{{path, server, "there"}, {server, other, "back"}} {
			began, peak := time.Now(), uint64(0)
			m, err := move.Move(b.Context(), record.MoveOptions{From: []string{way.from}, To: way.to, Key: key, Say: func(record.MoveProgress) {
				var now runtime.MemStats
				if time.Now().UnixNano()%16 == 0 {
					runtime.ReadMemStats(&now)
					peak = max(peak, now.HeapInuse)
				}
			}})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(m.Rows())/time.Since(began).Seconds(), "rows/s/"+way.unit)
			b.ReportMetric(float64(peak)/(1<<20), "MB/"+way.unit)
		}
		path = other
	}
}
