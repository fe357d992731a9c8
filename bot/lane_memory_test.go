package bot_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// A lane remembers its conversation, and nothing of the turns that made it what it is: not the last one, and
// not those that were on their way before that.
func TestLanesForgetTheirTurns(t *testing.T) {
	t.Parallel()
	const messages = 40
	var mu sync.Mutex
	var turns []weak.Pointer[bot.Turn]
	count := bot.On("count", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		mu.Lock()
		turns = append(turns, weak.Make(t))
		n := len(turns)
		mu.Unlock()
		t.UseLimit(perPerson(t, "each", messages))
		if err := counter.Save(t, n); err != nil {
			return err
		}
		return t.Reply(m.Text)
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{count}}, func(w *bottest.World) {
		ana := w.Person("ana")
		var lines []string
		for n := range messages {
			lines = append(lines, fmt.Sprintf("line %d", n))
		}
		ana.Says(lines...)
		ana.Expects(lines...)
		w.Advance(time.Minute)
		runtime.GC()
		kept := 0
		for _, turn := range turns {
			if turn.Value() != nil {
				kept++
			}
		}
		if kept > 0 || len(turns) != messages {
			t.Errorf("%d of %d turns are still there", kept, len(turns))
		}
	})
}
