//go:build unix

package store_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// BenchmarkForget forgets people, each with some thousandth of what is stored, while others write: a commit every few
// milliseconds, which must not wait for long.
func BenchmarkForget(b *testing.B) {
	stored, people := 100_000, 1000
	if os.Getenv("NECTAR_BENCH_LARGE") != "" {
		stored, people = 1_000_000, 100
	}
	l := openBench(b, false)
	l.people, l.named = people, true
	l.run(b, stored, 100)
	d, err := store.OpenInspector(b.Context(), l.path, "")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	var longest, waits, n time.Duration
	peer, rows := 0, 0
	for b.Loop() {
		peer++
		asked, err := d.Ask(b.Context(), event.Request{Key: event.Key{Account: "bench", Peer: platform.UserID(peer)}, Wish: event.WishForget})
		if err != nil {
			b.Fatal(err)
		}
		stop := make(chan bool)
		var others sync.WaitGroup
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond):
				}
				began := time.Now()
				l.store.QueueCursors(record.Cursor{Account: "bench", Source: event.Mentions, ID: int64(n), PolledAt: began})
				if l.store.MarkNow(b.Context()) == nil {
					took := time.Since(began)
					longest, waits, n = max(longest, took), waits+took, n+1
				}
			}
		})
		f := store.NewForgetting(asked[0])
		for done := false; !done && err == nil; {
			done, err = l.store.ForgetPerson(b.Context(), f)
		}
		close(stop)
		others.Wait()
		if err != nil || f.LogKept {
			b.Fatalf("%v, %+v", err, f)
		}
		rows += f.Erased
	}
	b.ReportMetric(float64(longest.Milliseconds()), "longest-wait-ms")
	b.ReportMetric(float64(waits.Microseconds())/1000/float64(max(n, 1)), "wait-ms")
	b.ReportMetric(float64(rows)/float64(b.N), "rows/op")
}
