package config_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// The store that is opened forgets what the settings do not keep.
func TestOpenStoreKeepsForAsLongAsItIsTold(t *testing.T) {
	const day = 24 * time.Hour
	for kept, want := range map[time.Duration]bool{7 * day: false, 90 * day: true, 0: true} {
		file := filepath.Join(t.TempDir(), "bot.db")
		st, err := config.Config{Store: config.StoreFile(file), Retention: kept}.OpenStore(t.Context(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Date(2027, time.March, 2, 10, 0, 0, 0, time.UTC)
		for n, at := range []time.Time{start, start.Add(30 * day), start.Add(30*day + time.Hour), start.Add(30*day + 2*time.Hour)} {
			e := event.Event{Account: "main", ID: event.ID{Source: event.Messages, Number: int64(n + 1)}, Kind: event.KindMessage, Peer: 7, SeenAt: at}
			done := make(chan error, 1)
			st.Commit(store.Write{
				Turn: &store.Turn{Trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, At: at},
				Done: func(r store.Receipt) { done <- r.Err },
			})
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if there := isThere(t, file, 1); there != want {
			t.Errorf("kept for %v: the event of a month ago is there: %v", kept, there)
		}
	}
}

// isThere reports whether a message is still in a database.
func isThere(t *testing.T, file string, number int64) bool {
	t.Helper()
	d, err := inspect.Open(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	_, there, err := d.Event(t.Context(), "main", event.ID{Source: event.Messages, Number: number})
	if err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return there
}
