package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
)

// A start that follows an unclean end says so, with the version that died, and calls people, once in an hour. One that follows a stop does
// not, and a stop says that it was one.
func TestCrashIsToldAtTheNextStart(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{}, func(w *bottest.World) {
		notices := func() (n int) {
			w.Inspect(func(d inspect.Inspector) {
				all, err := d.Unsent(context.Background(), 99)
				if err != nil {
					t.Fatal(err)
				}
				for i := range all {
					if all[i].Kind == event.CallCrashed {
						n++
					}
				}
			})
			return n
		}
		expect := func(when string, crashes, stops, called int) {
			t.Helper()
			w.Advance(5 * time.Second)
			c, s := strings.Count(w.Log(), "had ended without being stopped: "), strings.Count(w.Log(), "the bot has stopped\" version=")
			if n := notices(); c != crashes || s != stops || n != called {
				t.Errorf("%s: the log tells %d crashes and %d stops, want %d and %d; people were called %d times, want %d", when, c, s, crashes, stops, n, called)
			}
		}
		w.Restart()
		expect("a stop", 0, 1, 0)
		w.Crash()
		expect("a crash", 1, 1, 1)
		w.Crash()
		expect("another one", 2, 1, 1)
		w.Restart()
		expect("a stop after it", 2, 2, 1)
		w.Advance(2 * time.Hour)
		w.Crash()
		expect("one of two hours later", 3, 2, 2)
		if !strings.Contains(w.Log(), "last_sign_of_life=2") || !strings.Contains(w.Log(), `version=`) {
			t.Error("the log does not say which version died, and when")
		}
	})
}
