package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// troubled is a bot with an echo and a handler for "boom" that gets into trouble.
func troubled(boom func(ctx context.Context, t *bot.Turn) error) bottest.Config {
	return bottest.Config{Routes: []bot.Route{on("boom", boom), echo().Ordered(1)}}
}

// A handler that fails or panics stops its own conversation for two minutes at most, and no other.
func TestTroubleIsContained(t *testing.T) {
	t.Parallel()
	for name, boom := range map[string]func(context.Context, *bot.Turn) error{
		"error": func(_ context.Context, t *bot.Turn) error {
			return errors.Join(t.Reply("never seen"), errors.New("no idea"))
		},
		"panic": func(_ context.Context, t *bot.Turn) error {
			t.Label("never")
			panic("no idea")
		},
		"out of range": func(_ context.Context, t *bot.Turn) error {
			return t.Reply(strings.Fields(t.Text())[7])
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, troubled(boom), func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				ana.Says("hi")
				ana.Expects("hi")
				ana.Says("boom", "are you there?")
				began := time.Now()
				leo.Says("hi")
				leo.Expects("hi")
				ana.Expects("are you there?")
				if took := time.Since(began); took < time.Minute || took > 2*time.Minute+30*time.Second {
					t.Errorf("the conversation went on after %v", took)
				}
				ana.ExpectsNothing(time.Hour)
				decisions := w.Decisions(ana)
				if len(decisions) != 7 || decisions[5].Outcome != "quarantined" || !strings.Contains(decisions[5].Note, "try 5") {
					t.Errorf("the traces are %v", decisions)
				}
				w.Restart()
				ana.ExpectsNothing(time.Hour)
				if c := w.Conversation(ana); c.HasLabel("never") {
					t.Error("a turn that panicked left something behind")
				}
			})
		})
	}
}

// What fails for a while succeeds in the end, once, and in order.
func TestTroubleThatPasses(t *testing.T) {
	t.Parallel()
	tries := 0
	boom := func(_ context.Context, t *bot.Turn) error {
		if tries++; tries < 4 {
			panic("not yet")
		}
		return t.Reply(fmt.Sprintf("try %d", tries))
	}
	bottest.Run(t, troubled(boom), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("boom", "next")
		ana.Expects("try 4", "next")
		ana.ExpectsNothing(time.Hour)
		if !strings.Contains(w.Log(), "a handler panicked") || !strings.Contains(w.Log(), "failing_test.go") {
			t.Errorf("the log does not show where:\n%s", w.Log())
		}
	})
}

// Tries are counted over restarts: five are five.
func TestTroubleOverRestarts(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(*bottest.World){"restart": (*bottest.World).Restart, "crash": (*bottest.World).Crash} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			tries := 0
			boom := func(context.Context, *bot.Turn) error { tries++; return errors.New("no idea") }
			bottest.Run(t, troubled(boom), func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("boom", "next")
				w.Advance(15 * time.Second)
				again(w)
				w.Advance(10 * time.Second)
				again(w)
				ana.Expects("next")
				ana.ExpectsNothing(time.Hour)
				if tries != 5 {
					t.Errorf("it was tried %d times", tries)
				}
			})
		})
	}
}

// A handler that hangs but listens to its context fails like any other.
func TestHandlerThatTakesTooLong(t *testing.T) {
	t.Parallel()
	boom := func(ctx context.Context, _ *bot.Turn) error {
		<-ctx.Done()
		return ctx.Err()
	}
	bottest.Run(t, troubled(boom), func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("boom", "are you there?")
		leo.Says("hi")
		leo.Expects("hi")
		began := time.Now()
		ana.Expects("are you there?")
		if took := time.Since(began); took > 3*time.Minute {
			t.Errorf("the conversation went on after %v", took)
		}
		if n := abandoned(t, w.Bot()); n != 0 {
			t.Errorf("%d handlers count as left behind", n)
		}
	})
}

// A handler that does not even listen is left behind: what it decides later is refused.
func TestHandlerThatHangs(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	bottest.Run(t, bottest.Config{
		Before: func(*bottest.World) { release = make(chan struct{}) }, // a channel of the bubble
		Routes: []bot.Route{on("boom", func(_ context.Context, t *bot.Turn) error {
			<-release
			t.Label("never")
			return t.Reply("too late")
		}), echo().Ordered(1)},
	}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("boom", "are you there?")
		leo.Says("hi")
		leo.Expects("hi")
		began := time.Now()
		ana.Expects("are you there?")
		if took := time.Since(began); took > 3*time.Minute {
			t.Errorf("the conversation went on after %v", took)
		}
		if n := abandoned(t, w.Bot()); n == 0 || n > 5 {
			t.Errorf("%d handlers count as left behind", n)
		}
		close(release)
		ana.ExpectsNothing(time.Hour)
		if c := w.Conversation(ana); c.HasLabel("never") {
			t.Error("a handler that was left behind changed the conversation")
		}
	})
}

// A stop waits a little for handlers, and takes nothing from those that do not end.
func TestStopWhileAHandlerRuns(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	boom := func(ctx context.Context, t *bot.Turn) error {
		select {
		case <-time.After(10 * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
		return t.Reply("done")
	}
	bottest.Run(t, troubled(boom), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("boom")
		w.Advance(15 * time.Second) // polled, and under way
		if len(w.Decisions(ana)) > 0 {
			t.Fatal("the handler has ended already")
		}
		began := time.Now()
		w.Restart()
		if took := time.Since(began); took > 9*time.Second {
			t.Errorf("the stop took %v", took)
		}
		ana.Expects("done")
		ana.ExpectsNothing(time.Hour)
	})
}

// A matcher that panics is contained like a handler.
func TestMatcherThatPanics(t *testing.T) {
	t.Parallel()
	panics := bot.NewMatcher(func(_ context.Context, t *bot.Turn) (event.Message, bool) {
		if t.Text() == "boom" {
			panic("no idea")
		}
		return event.Message{}, false
	}, event.KindMessage)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{bot.On("a", panics, says[event.Message]("never")), echo()}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("boom", "hi")
		ana.Expects("hi")
	})
}

// A timer whose handler fails is given up after as many tries, and takes nothing with it.
func TestTimerThatFails(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	tries := 0
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("set", func(_ context.Context, t *bot.Turn) error {
			t.After(time.Minute, "bad")
			t.After(time.Minute, "good")
			return nil
		}),
		bot.On("bad", bot.Timer("bad"), func(context.Context, *bot.Turn, event.Timer) error {
			tries++
			return errors.New("no idea")
		}),
		bot.On("good", bot.Timer("good"), says[event.Timer]("ding")),
		echo().Ordered(1),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("set")
		ana.Expects("ding")
		w.Advance(10 * time.Minute)
		ana.Says("hi")
		ana.Expects("hi")
		ana.ExpectsNothing(2 * time.Hour)
		if tries != 5 {
			t.Errorf("it was tried %d times", tries)
		}
	})
}

// abandoned returns how many handlers were left behind.
func abandoned(t *testing.T, b *bot.Bot) int64 {
	t.Helper()
	c, err := b.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c.Abandoned
}
