package bot_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// Faults cost time, and so do deaths; but a bot that loses nothing and waits for ever answers nobody either. So the time until all are answered
// is compared with that of a calm run: by the clock of the test, which goes on only while everybody waits.
func TestFaultsTakeTheirTimeAndNoMore(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, c := range map[string]struct {
		faults emulator.Faults
		lines  int     // of each person
		most   float64 // times as long as a calm run takes
	}{
		"rough":   {emulator.Rough(), 60, 12},
		"hostile": {emulator.Hostile(), 15, 50},
	} {
		t.Run(name, func(t *testing.T) {
			var calm, disturbed time.Duration
			for seed := range uint64(3) {
				calm += untilAnswered(t, seed, emulator.Faults{}, c.lines)
				disturbed += untilAnswered(t, seed, c.faults, c.lines)
			}
			ratio := float64(disturbed) / float64(calm)
			t.Logf("%v, and calm %v: %.2f times", disturbed, calm, ratio)
			if ratio > c.most {
				t.Errorf("with faults it takes %v, %.2f times as long as the %v without; want %.2f times at most", disturbed, ratio, calm, c.most)
			}
		})
	}
}

// untilAnswered returns how long it takes until a busy bot has answered all.
func untilAnswered(t *testing.T, seed uint64, faults emulator.Faults, lines int) (took time.Duration) {
	t.Helper()
	const people = 40
	cfg := bottest.Config{
		Routes: answers(func() error { return nil }), Platform: emulator.Config{Seed: seed}, Latency: 10 * time.Millisecond,
		Bot: bot.Config{
			Pace: &event.Pace{}, Concurrency: 32, PollInterval: 200 * time.Millisecond, Ceiling: bot.Ceiling{Max: -1},
			SessionsPerMinute: 45, RequestTimeout: 2 * time.Second, ReconcileGrace: time.Second, ReconcilePause: time.Second,
		},
	}
	bottest.Run(t, cfg, func(w *bottest.World) {
		since := w.Platform().Ledger().Len()
		w.Advance(time.Second)
		w.Faults(faults)
		begun := time.Now()
		for line := range lines {
			for i := range people {
				someone := w.Person(fmt.Sprint("p", i))
				someone.Says(fmt.Sprint("line ", line))
				if line == 0 && i%2 == 0 {
					someone.Mentions("look")
				}
			}
		}
		expect := livelyExpect(w, since)
		arrived := func() (n int) {
			for _, e := range w.Platform().Ledger().Since(since) {
				if e.Kind == emulator.Arrived && e.From == w.Account("bot").ID() {
					n, took = n+1, e.At.Sub(begun)
				}
			}
			return n
		}
		for arrived() < people*lines && time.Since(begun) < time.Hour {
			w.Advance(100 * time.Millisecond)
		}
		w.Faults(emulator.Faults{})
		w.Advance(5 * time.Minute)
		if v := judge.Entries(w.Platform().Ledger().Since(0), expect); !v.OK() {
			t.Errorf("%v\n%v", v, v.Details)
		}
	})
	return took
}
