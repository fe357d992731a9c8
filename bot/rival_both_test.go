package bot_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// hasStopped stores that a bot has stopped, for an answer of its own.
func hasStopped(t *testing.T, st *store.Database, answer platform.MessageID) {
	t.Helper()
	at := time.Now()
	value, err := json.Marshal(record.Rivalry{Stopped: at, Answer: answer})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	st.Commit(store.Write{Turn: &store.Turn{
		Trigger: event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: "bot"}, Choice: "rival/test"},
		Known:   []event.Fact{{Name: "rival", Value: value, ReadAt: at}}, At: at,
	}, Done: func(r store.Receipt) { done <- r.Err }})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// Two bots that have both stopped, since neither saw the whole, end with one of them at work. An outage in which nobody could answer proves of
// neither that the other one is gone: both would go on the moment it is over.
func TestBothHaveStopped(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, outage := range map[string]time.Duration{"at once": 0, "over an outage": 20 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			cfg := bottest.Config{
				Routes: []bot.Route{hours}, Bot: bot.Config{PollInterval: 250 * time.Millisecond},
				Transport: func(next http.RoundTripper) http.RoundTripper { return delayed(next, always(slower)) },
			}
			bottest.Run(t, cfg, func(w *bottest.World) {
				w.Stop()
				st, err := store.Open(context.Background(), store.Options{Path: w.Database(), Fast: true})
				if err != nil {
					t.Fatal(err)
				}
				hasStopped(t, st, 504)
				if err := st.Close(); err != nil {
					t.Fatal(err)
				}
				w.Start()
				// For 504 and 992 the two look at the same moments, and have to wait for 103 and 43 seconds.
				other := processOn(t, w, always(faster), bot.Config{PollInterval: 250 * time.Millisecond}, func(st *store.Database) { hasStopped(t, st, 992) }, hours)
				defer func() { other.stop() }()
				people := visitors(w, "guest", 4, time.Second) // they do not wait for long enough to prove anything yet
				if outage > 0 {
					w.Platform().SetFaults(emulator.Faults{Bad502: 1})
					w.Advance(outage)
					w.Platform().SetFaults(emulator.Faults{})
				}
				people = append(people, visitors(w, "more", 3, 20*time.Second)...)
				w.Advance(20 * time.Minute)
				late := visitors(w, "late", 3, 20*time.Second)
				w.Advance(20 * time.Minute)
				if got := heard(w, 0, append(people, late...)...); slices.Min(got) != 1 || slices.Max(got) != 1 {
					t.Errorf("they were answered %v times:\n%s\n%s", got, tail(w.Log()), tail(other.log.String()))
				}
				theirs, err := bot.RivalryOf(context.Background(), other.store, "bot")
				if mine := standing(t, w); err != nil || mine.Stopped.IsZero() == theirs.Stopped.IsZero() {
					t.Errorf("they stand as %+v and %+v, %v", mine, theirs, err)
				}
			})
		})
	}
}
