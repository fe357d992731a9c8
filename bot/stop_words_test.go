package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
)

// speaks is a bot of a program without rules that hears "stop": it greets, thanks, asks, reminds, and answers everything else with itself.
func speaks(t *testing.T) bottest.Config {
	t.Helper()
	cfg := greets(t)
	cfg.Bot = bot.Config{PollInterval: 30 * time.Second, Pace: &event.Pace{}, StopWords: []string{"stop", "baja"}}
	cfg.Routes = append(cfg.Routes,
		bot.On("greet", bot.AnyFollow(), says[event.Follow]("welcome")),
		bot.On("answer", bot.AnyMention(), says[event.Mention]("thanks")),
		on("later", func(_ context.Context, t *bot.Turn) error { return t.Message("here I am", bot.In(30*time.Minute)) }),
		on("hold", func(_ context.Context, t *bot.Turn) error { return t.Message("an offer", bot.Held("asks")) }),
		on("timer", func(_ context.Context, t *bot.Turn) error { t.After(2*time.Hour, "nag"); return nil }),
		bot.On("nag", bot.Timer("nag"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			t.Label("nagged")
			return t.Message("still there?", bot.Once("nag"))
		}),
		echo().Ordered(1),
	)
	cfg.Fallback = bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error { return t.Message("what?") })
	return cfg
}

// isSilenced checks whether somebody has asked for silence, and stands in no flow then.
func isSilenced(t *testing.T, w *bottest.World, p *bottest.Person, want bool) {
	t.Helper()
	if c := w.Conversation(p); c.Silence.Since.IsZero() == want || want && c.Flow.Active() {
		t.Errorf("silence %+v, flow %+v; want silence %v", c.Silence, c.Flow, want)
	}
}

// Whoever asks a program without rules for silence hears nothing automatic of it before a start word: no flow takes the word for an answer, nothing
// greets or thanks them, timers say nothing; over a restart, too.
func TestStopWordsOfAProgram(t *testing.T) {
	t.Parallel()
	bottest.Run(t, speaks(t), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("when does it stop?", "timer")
		ana.Expects("when does it stop?")
		ana.Says("later", "hi")
		ana.Expects("what is your name?")
		ana.Says("STOP, please")
		w.Advance(time.Minute)
		isSilenced(t, w, ana, true)
		if all := w.Decisions(ana); all[len(all)-1].Outcome != bot.OutcomeLeftAlone {
			t.Error(all[len(all)-1])
		}
		ana.Follows()
		ana.Mentions("hello @bot")
		ana.Says("hello?", "stop")
		w.Restart()
		ana.ExpectsNothing(5 * time.Hour)
		withheld := 0
		for _, a := range actionsOf(w, ana) {
			if a.Why.Code() == "person.silent" && a.Text == "still there?" && a.State == event.StateWithdrawn {
				withheld++
			}
		}
		if c := w.Conversation(ana); withheld != 1 || !c.HasLabel("nagged") {
			t.Errorf("%d withheld, labels %v", withheld, c.Labels)
		}
		w.Inspect(func(d inspect.Inspector) {
			if those, _, err := d.Waiting(context.Background(), []event.Account{"bot"}, time.Now(), 9); err != nil || len(those) != 0 {
				t.Errorf("people wait: %+v, %v", those, err)
			}
		})
		w.Account("bot").Tells(ana, "Mia here")
		w.Advance(13 * time.Hour) // Mia has the conversation for 12 hours
		ana.Says("alta")
		ana.ExpectsNothing(5 * time.Minute)
		isSilenced(t, w, ana, false)
		ana.Says("timer", "hello")
		ana.Expects("hello")
		w.Advance(2 * time.Hour)
		ana.Expects("still there?") // the one that was withheld has not used up the limit
	})
}

// It is heard while a person of ours has the conversation, and while the account is paused.
func TestStopWordsWhileNobodyAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begin, end func(w *bottest.World, p *bottest.Person)
	}{
		"owned": {
			func(w *bottest.World, p *bottest.Person) { w.Account("bot").Tells(p, "I take this one") },
			func(w *bottest.World, p *bottest.Person) { w.Advance(13 * time.Hour) },
		},
		"paused": {
			func(w *bottest.World, p *bottest.Person) {
				w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishPause, By: "mia"})
			},
			func(w *bottest.World, p *bottest.Person) {
				w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishGoOn, By: "mia"})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, speaks(t), func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("later", "timer", "x")
				ana.Expects("x")
				c.begin(w, ana)
				w.Advance(time.Minute)
				ana.Says("stop")
				w.Advance(time.Minute)
				isSilenced(t, w, ana, true)
				c.end(w, ana)
				ana.ExpectsNothing(3 * time.Hour)
				c.begin(w, ana)
				w.Advance(time.Minute)
				ana.Says("start")
				w.Advance(time.Minute)
				isSilenced(t, w, ana, false)
				c.end(w, ana)
				w.Advance(time.Minute)
				ana.Says("hello")
				ana.Expects("hello")
			})
		})
	}
}

// What waits for an approval is said to somebody who has asked for silence since only when that is insisted on.
func TestApprovedForWhoAskedForSilence(t *testing.T) {
	t.Parallel()
	bottest.Run(t, speaks(t), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hold")
		w.Advance(time.Minute)
		ana.Says("stop")
		w.Advance(time.Minute)
		held := heldBack(w, event.StateHeld)
		if len(held) != 1 {
			t.Fatalf("held are %+v", held)
		}
		decides(t, w, decided(ana, event.WishRelease, held[0].Key), bot.OutcomeObsolete, "is still held: the person has asked for silence")
		ana.ExpectsNothing(time.Minute)
		decides(t, w, decided(ana, event.WishInsist, held[0].Key), bot.OutcomeHandled, "released")
		ana.Expects("an offer")
	})
}

func TestStopWordsThatNobodyCanWrite(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{{"stop", ""}, {"!"}, {strings.Repeat("stop ", 99)}} {
		router, err := bot.NewRouter(bot.RouterConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bot.New(bot.Config{MayBeIdle: true, Router: router, Store: struct{ bot.Store }{}, StopWords: words}); err == nil || !strings.Contains(err.Error(), "bot.Config.StopWords") {
			t.Errorf("%q: New returned %v", words, err)
		}
	}
}
