package bottest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// greeter says hello to whoever writes, likes mentions, thanks for reposts and follows back.
func greeter() []bot.Route {
	return []bot.Route{
		bot.On("hello", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			t.Label("met")
			return t.Reply("hello, " + m.From.User + ": " + m.Text)
		}),
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			t.Like(m.Post)
			t.Repost(m.Post)
			return t.Reply("seen")
		}),
		bot.On("repost", bot.AnyRepost(), func(_ context.Context, t *bot.Turn, _ event.Repost) error {
			return t.Message("thank you")
		}),
		bot.On("follow", bot.AnyFollow(), func(_ context.Context, t *bot.Turn, _ event.Follow) error {
			t.Follow()
			return nil
		}),
	}
}

func TestPeople(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: greeter()}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.AddPerson(emulator.Person{Username: "leo", Private: true})
		ana.Says("hi", "are you there?")
		ana.Expects("hello, ana: hi", "hello, ana: are you there?")
		ana.Mentions("look")
		ana.ExpectsRepost()
		ana.ExpectsLike()
		ana.ExpectsReply("seen")
		ana.Reposts(w.Posts("spring menu"))
		ana.ExpectsPart("thank")
		leo.Follows()
		leo.ExpectsFollow()
		leo.SaysImage()
		leo.ExpectsPart("hello, leo")
		ana.ExpectsNothing(time.Hour)
		leo.ExpectsNothing(0)
		want := `ana      hi
ana      are you there?
bot  →   ana: hello, ana: hi
bot  →   ana: hello, ana: are you there?
ana      ✎ posts "@bot look"
`
		if diff := cmp.Diff(want, w.Transcript()[:len(want)]); diff != "" {
			t.Error(diff)
		}
		if c := w.Conversation(ana); !c.HasLabel("met") || c.User != "ana" {
			t.Errorf("the conversation is %+v", c)
		}
	})
}

func TestTimeBelongsToTheTest(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	start := time.Date(2031, time.December, 24, 18, 0, 0, 0, time.UTC)
	bottest.Run(t, bottest.Config{Routes: greeter(), Start: start, Bot: bot.Config{PollInterval: 30 * time.Second, RequestPause: time.Minute}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello, ana: hi")
		w.Advance(24 * time.Hour)
		ana.Says("hi again")
		ana.Expects("hello, ana: hi again")
		if now := time.Now(); now.Before(start.Add(24*time.Hour)) || now.After(start.Add(25*time.Hour)) {
			t.Errorf("it is %v", now)
		}
	})
}

// A crash may come at any moment: people notice nothing.
func TestCrash(t *testing.T) {
	t.Parallel()
	step := 19 * time.Millisecond
	if testing.Short() {
		step *= 4
	}
	for after := time.Duration(0); after < 320*time.Millisecond; after += step {
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			bottest.Run(t, bottest.Config{
				Routes: greeter(), Bot: bot.Config{PollInterval: 100 * time.Millisecond},
			}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("one", "two")
				ana.Mentions("look")
				w.Advance(after)
				w.Crash()
				ana.Says("three")
				ana.Expects("hello, ana: one", "hello, ana: two", "hello, ana: three")
				ana.ExpectsLike()
				ana.ExpectsRepost()
				ana.ExpectsReply("seen")
				ana.ExpectsNothing(2 * time.Minute)
			})
		})
	}
}

func TestStopAndStart(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: greeter()}, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Stop()
		if w.Bot() != nil {
			t.Error("there is a bot although it was stopped")
		}
		ana.Says("hi")
		ana.ExpectsNothing(time.Hour)
		w.Start()
		ana.Expects("hello, ana: hi")
		w.CrashStop()
		ana.Says("and now?")
		ana.ExpectsNothing(time.Hour)
		w.Start()
		ana.Expects("hello, ana: and now?")
		w.Restart()
		ana.ExpectsNothing(time.Hour)
		if n := w.Platform().Logins(); n != 1 {
			t.Errorf("the bot signed in %d times", n)
		}
	})
}

func TestDeploy(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: greeter()}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello, ana: hi")
		w.Deploy(func(c *bottest.Config) {
			c.Routes = []bot.Route{bot.On("bye", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
				return t.Reply("bye")
			})}
		})
		ana.Says("hi")
		ana.Expects("bye")
		want := []bottest.Decision{
			{Text: "hi", Route: "hello", Outcome: bot.OutcomeHandled}, {Text: "hi", Route: "bye", Outcome: bot.OutcomeHandled},
		}
		decisions := w.Decisions(ana)
		for i := range decisions {
			decisions[i].Trigger = ""
		}
		if diff := cmp.Diff(want, decisions); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFaults(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: greeter(), Bot: bot.Config{Ceiling: bot.Ceiling{Max: -1}}}, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Disturb("send_message", emulator.CutAfter, emulator.CutBefore)
		ana.Says("hi", "again")
		ana.Expects("hello, ana: hi", "hello, ana: again")
		w.Faults(emulator.Hostile())
		for i := range 20 {
			ana.Says(fmt.Sprint(i))
			ana.Expects(fmt.Sprintf("hello, ana: %d", i))
		}
		w.Faults(emulator.Faults{})
		ana.ExpectsNothing(time.Hour)
	})
}

func TestBefore(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Routes: greeter(),
		Before: func(w *bottest.World) { w.Person("ana").Says("is anybody there?") },
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.ExpectsNothing(time.Hour)
		ana.Says("hi")
		ana.Expects("hello, ana: hi")
	})
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	publish := bot.On("publish", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Publish(string(t.Event.Account) + ": " + m.Text)
	})
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{publish}, Accounts: []event.Account{"cafe", "shop"},
	}, func(w *bottest.World) {
		cafe, shop := w.Account("cafe"), w.Account("shop")
		w.Person("ana").Says("tea is ready")
		cafe.ExpectsPost("cafe: tea is ready")
		shop.Person("ana").Says("caps are in")
		shop.ExpectsPost("shop: caps are in")
		if cafe.Person("ana").ID() != shop.Person("ana").ID() || cafe.ID() == shop.ID() {
			t.Error("one person became two, or two accounts one")
		}
		shop.Person("ana").ExpectsNothing(time.Hour)
		if diff := cmp.Diff("ana      caps are in\nshop →   ✎ posts \"shop: caps are in\"\n", shop.Transcript()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOwnerByPhone(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: greeter()}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello, ana: hi")
		w.Account("bot").Tells(ana, "it is me, in person")
		w.Advance(time.Minute)
		ana.Says("how nice")
		ana.ExpectsNothing(time.Hour)
	})
}
