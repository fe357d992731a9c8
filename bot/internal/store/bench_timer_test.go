package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// orphanage makes a store with so many timers that are due and orphaned, and a few that wait.
func orphanage(b *testing.B, orphans int) *world {
	b.Helper()
	w := &world{tb: b, Store: openFile(b, store.Options{Path: b.TempDir() + "/store.db", Fast: true})}
	b.Cleanup(func() {
		if err := w.Close(); err != nil {
			b.Error(err)
		}
	})
	const batch = 1000
	for from := 0; from < orphans; from += batch {
		timers := make([]event.Timer, min(batch, orphans-from))
		for i := range timers {
			timers[i] = alarm(platform.UserID(from+i+1), "reminder", 1, noon.Add(time.Duration(from+i)*time.Millisecond))
		}
		w.must(sets(int64(from+1), timers...))
		if r := w.commit(store.Write{Orphans: timers}); r.Err != nil {
			b.Fatal(r.Err)
		}
	}
	for i := range 10 {
		w.must(sets(int64(orphans+i+1), alarm(platform.UserID(orphans+i+1), "other", 1, noon.Add(time.Duration(i)*time.Hour))))
	}
	return w
}

// BenchmarkDueTimers: however many timers wait for a program that has a route for them, to look for what is due costs
// the same.
func BenchmarkDueTimers(b *testing.B) {
	for _, orphans := range []int{0, 100_000} {
		b.Run(fmt.Sprint("orphans=", orphans), func(b *testing.B) {
			w := orphanage(b, orphans)
			for b.Loop() {
				due, next, err := w.DueTimers(b.Context(), noon.Add(time.Minute), 256)
				if len(due) != 1 || next.IsZero() || err != nil {
					b.Fatal(len(due), next, err)
				}
			}
		})
	}
}

// BenchmarkStartOverOrphans is what a start pays for them, once: it counts them by name, and lets them wait again.
func BenchmarkStartOverOrphans(b *testing.B) {
	for _, orphans := range []int{0, 100_000} {
		b.Run(fmt.Sprint("count/orphans=", orphans), func(b *testing.B) {
			w := orphanage(b, orphans)
			for b.Loop() {
				n := 0
				if err := w.TimerNames(b.Context(), func(c record.TimerCount) { n += c.People }); err != nil || n != orphans+10 {
					b.Fatal(n, err)
				}
			}
		})
	}
	b.Run("adopt/orphans=100000", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			w := orphanage(b, 100_000)
			b.StartTimer()
			if err := w.AdoptTimers(b.Context(), ana, []string{"reminder"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
