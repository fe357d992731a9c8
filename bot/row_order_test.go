package bot_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// detour is a store that the first turn with a post reaches late, and the others at once.
type detour struct {
	store.Store

	mu     sync.Mutex
	places map[string]int64 // of posts in the order of release, by text
}

// Commit passes the write on.
func (s *detour) Commit(w store.Write) {
	if w.Turn != nil && len(w.Turn.Actions) > 0 {
		a := w.Turn.Actions[0]
		s.mu.Lock()
		first := len(s.places) == 0
		s.places[a.Text] = a.Position
		s.mu.Unlock()
		if first {
			time.Sleep(time.Second)
		}
	}
	s.Store.Commit(w)
}

// Posts of different conversations leave in the order of their places: what is read back after a crash is
// told apart by that.
func TestPostsOfManyLeaveInTheOrderOfTheirPlaces(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		s := &detour{places: map[string]int64{}}
		stop := anotherOn(t, w, "second", func(st store.Store) store.Store { s.Store = st; return s }, bot.Config{},
			bot.On("publish", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error { return t.Publish("re: " + m.Text) }))
		defer stop()
		second := w.Platform().UserID("second")
		since := w.Platform().Ledger().Len()
		w.Platform().Say(ana.ID(), second, "ana")
		w.Platform().Say(leo.ID(), second, "leo")
		w.Advance(time.Minute)
		var left []string
		for _, e := range w.Platform().Ledger().Since(since) {
			if e.Kind == emulator.Published {
				left = append(left, e.Text)
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		placed := slices.SortedFunc(slices.Values([]string{"re: ana", "re: leo"}), func(x, y string) int { return int(s.places[x] - s.places[y]) })
		if d := cmp.Diff(placed, left); d != "" {
			t.Errorf("posts (-by their places +as they left):\n%s", d)
		}
	})
}
