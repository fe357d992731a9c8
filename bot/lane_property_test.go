package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"pgregory.net/rapid"
)

// laneStep is what happens next to the lanes of a few conversations.
type laneStep struct {
	Person int           // who writes
	Lines  int           // how many messages at once
	Pass   time.Duration // until the next step
	Crash  bool
}

// counter is the model of a lane: its turns run one after another, each on the result of the one
// before, and each takes effect once.
var counter = bot.NewValue[int]("lanes", "count")

// countingBot answers each message with its number in the conversation. A try whose number is in fails
// ends with an error after everything was decided, unless it is the message's fifth: that one would be given up.
func countingBot(fails map[int64]bool) bot.Route {
	var mu sync.Mutex
	tries, failed := int64(0), map[event.ID]int{}
	stumbles := func(id event.ID) bool {
		mu.Lock()
		defer mu.Unlock()
		if tries++; !fails[tries] || failed[id] == 4 {
			return false
		}
		failed[id]++
		return true
	}
	return bot.On("count", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		n, _, err := counter.Load(t)
		if err := errors.Join(err, counter.Save(t, n+1), t.Reply(fmt.Sprintf("%d %s", n+1, m.Text))); err != nil {
			return err
		}
		if stumbles(t.Event.ID) {
			return errors.New("stumbled")
		}
		return nil
	})
}

// Whichever commits the disk refuses, whichever tries fail and whenever the bot crashes: a conversation
// counts its messages one by one.
func TestLanesCountLikeTheirModel(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) laneStep {
			return laneStep{
				Person: rapid.IntRange(0, 2).Draw(rt, "person"), Lines: rapid.IntRange(0, 5).Draw(rt, "lines"),
				Pass:  time.Duration(rapid.IntRange(0, 4000).Draw(rt, "pass")) * time.Millisecond,
				Crash: rapid.IntRange(0, 12).Draw(rt, "crash") == 0,
			}
		}), 1, 12).Draw(rt, "steps")
		refused := set(rapid.SliceOfN(rapid.Int64Range(1, 60), 0, 12).Draw(rt, "refused commits"))
		fails := set(rapid.SliceOfN(rapid.Int64Range(1, 60), 0, 8).Draw(rt, "failing tries"))
		if wrong := countInLanes(t, steps, refused, fails); wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

func set(numbers []int64) map[int64]bool {
	out := map[int64]bool{}
	for _, n := range numbers {
		out[n] = true
	}
	return out
}

// countInLanes runs the steps, and returns what is not as the model has it.
func countInLanes(t *testing.T, steps []laneStep, refused, fails map[int64]bool) (wrong string) {
	t.Helper()
	var commits atomic.Int64
	armed := atomic.Bool{}
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{countingBot(fails)},
		Bot:    bot.Config{PollInterval: time.Second},
		Commit: func(commit func() error) error {
			if armed.Load() && refused[commits.Add(1)] {
				return errors.New("the disk refuses")
			}
			return commit()
		},
	}, func(w *bottest.World) {
		people := []*bottest.Person{w.Person("ana"), w.Person("leo"), w.Person("mia")}
		since := w.Platform().Ledger().Len()
		armed.Store(true)
		for i, s := range steps {
			for k := range s.Lines {
				people[s.Person].Says(fmt.Sprintf("line %d.%d", i, k))
			}
			w.Advance(s.Pass)
			if s.Crash {
				w.Crash()
			}
		}
		w.Advance(5 * time.Minute)
		counts := map[string]int{}
		verdict := judge.Platform(w.Platform(), judge.Expect{
			Account: w.Account("bot").ID(), Since: since,
			Replies: func(said emulator.Entry) []string {
				who := fmt.Sprint(said.From)
				counts[who]++
				return []string{fmt.Sprintf("%d %s", counts[who], said.Text)}
			},
		})
		if !verdict.OK() {
			wrong = verdict.String() + "\n" + strings.Join(verdict.Details, "\n")
		}
	})
	return wrong
}
