package bot_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A handler that returns in the very instant in which it is left behind was either in time or not: what is
// behind it is neither lost nor answered twice.
func TestHandlerThatReturnsAsItIsLeftBehind(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	var mu sync.Mutex
	tries := map[string]int{}
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{bot.On("answer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			mu.Lock()
			tries[t.Peer().User+m.Text]++
			n := tries[t.Peer().User+m.Text]
			mu.Unlock()
			switch {
			case m.Text == "hard" && n < 5:
				return errors.New("not yet")
			case m.Text == "hard":
				time.Sleep(31 * time.Second) // a second more than it has
			case m.Text == "long":
				time.Sleep(10 * time.Second)
			}
			return t.Reply(m.Text)
		})},
		Bot: bot.Config{Pace: &event.Pace{}, Concurrency: 32},
	}, func(w *bottest.World) {
		people := make([]*bottest.Person, 60)
		for i := range people {
			people[i] = w.Person(fmt.Sprintf("guest%02d", i))
			people[i].Says("hard", "long", "short")
		}
		w.Advance(10 * time.Minute)
		for _, p := range people {
			var got []string
			for _, e := range w.Platform().Ledger().Since(0) {
				if e.Kind == emulator.Arrived && e.To == p.ID() {
					got = append(got, e.Text)
				}
			}
			if !slices.Equal(got, []string{"hard", "long", "short"}) && !slices.Equal(got, []string{"long", "short"}) {
				t.Errorf("%v gets %q", p, got)
			}
		}
	})
}
