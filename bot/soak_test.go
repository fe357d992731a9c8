package bot_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// lively answers everything, and stumbles now and then.
func lively(seed uint64) []bot.Route {
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(seed, 2))
	stumble := func() error {
		mu.Lock()
		n := dice.IntN(40)
		mu.Unlock()
		switch n {
		case 0:
			return errors.New("stumbled")
		case 1:
			panic("fell")
		}
		return nil
	}
	return answers(stumble)
}

// answers answers everything, and then does what stumble does.
func answers(stumble func() error) []bot.Route {
	return []bot.Route{
		bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return errors.Join(t.Reply("echo: "+m.Text), stumble())
		}),
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			t.Like(m.Post)
			t.Repost(m.Post)
			return stumble()
		}),
		bot.On("follow", bot.AnyFollow(), func(_ context.Context, t *bot.Turn, _ event.Follow) error {
			t.Follow()
			return errors.Join(t.Message("welcome", bot.Once("welcome")), stumble())
		}),
		bot.On("repost", bot.AnyRepost(), func(_ context.Context, t *bot.Turn, r event.Repost) error {
			return errors.Join(t.Message(fmt.Sprintf("thanks for %d", r.Post), bot.OncePerPost("thanks", r.Post)), stumble())
		}),
	}
}

func livelyExpect(w *bottest.World, since int64) judge.Expect {
	return judge.Expect{
		Account: w.Account("bot").ID(), Since: since,
		Replies:          func(said emulator.Entry) []string { return []string{"echo: " + said.Text} },
		ThankReposts:     func(r emulator.Entry) (string, bool) { return fmt.Sprintf("thanks for %d", r.Post), true },
		WelcomeFollowers: func(emulator.Entry) (string, bool) { return "welcome", true },
		LikeMentions:     true, RepostMentions: true, FollowBack: true,
	}
}

// Whatever people, faults, stumbling handlers and crashes do, the platform shows in the end that
// nothing was lost, doubled or out of order.
func TestSoak(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for seed := range uint64(9) {
		if !effort.Some(fmt.Sprint(seed)) {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			effort.Case(t)
			dice := rand.New(rand.NewPCG(seed, 1))
			faults := []emulator.Faults{{}, emulator.Rough(), emulator.Hostile()}[seed%3]
			cfg := bottest.Config{
				Routes: lively(seed), Platform: emulator.Config{Seed: seed},
				Bot: bot.Config{PollInterval: time.Second, Ceiling: bot.Ceiling{Max: -1}},
			}
			bottest.Run(t, cfg, func(w *bottest.World) {
				since := w.Platform().Ledger().Len()
				menu := []platform.PostID{w.Posts("menu one"), w.Posts("menu two")}
				w.Advance(time.Second)
				w.Faults(faults)
				people := []*bottest.Person{w.Person("ana"), w.Person("leo"), w.Person("mia")}
				for i := range 120 {
					someone := people[dice.IntN(len(people))]
					switch n := dice.IntN(40); {
					case n < 24:
						someone.Says(fmt.Sprint("line ", i/2))
					case n < 28:
						someone.Mentions(fmt.Sprint("look ", i))
					case n < 30:
						w.Platform().Follow(someone.ID(), w.Account("bot").ID())
					case n < 32:
						w.Platform().Repost(someone.ID(), menu[n%2])
					case n < 33:
						w.Crash()
					case n < 34:
						w.Restart()
					default:
						w.Advance(time.Duration(dice.IntN(3000)) * time.Millisecond)
					}
				}
				w.Faults(emulator.Faults{})
				w.Advance(5 * time.Minute)
				verdict := judge.Entries(w.Platform().Ledger().Since(0), livelyExpect(w, since))
				if !verdict.OK() {
					t.Errorf("%v\n%s", verdict, strings.Join(verdict.Details, "\n"))
				}
			})
		})
	}
}
