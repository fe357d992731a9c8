package bot_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A handler that declines leaves the event to the next one, and nothing stays of what it collected but what it has read. Flows decline, too, and keep
// their state; so does a fallback, and then nobody has had it.
func TestDecline(t *testing.T) {
	t.Parallel()
	var read int
	picky := bot.On("picky", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, m event.Message) error {
		n, err := bot.Fact(ctx, t, "price", func(context.Context) (int, error) { read++; return 7, nil })
		if err != nil {
			return err
		}
		t.Label("seen by picky")
		t.After(time.Minute, "picky/later")
		t.UseLimit(event.LimitUse{Limit: "picky", Scope: "all", Max: 1, Within: time.Hour})
		t.Note("not for long")
		if err := t.Reply(fmt.Sprint("it costs ", n)); err != nil || strings.Contains(m.Text, "price") {
			return err
		}
		return fmt.Errorf("no price was asked for: %w", bot.Decline)
	})
	next := bot.On("zzz", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, m event.Message) error {
		n, err := bot.Fact(ctx, t, "price", func(context.Context) (int, error) { read++; return 8, nil })
		if err != nil || strings.Contains(m.Text, "nobody") || strings.Contains(m.Text, "fall") {
			return errors.Join(err, bot.Decline)
		}
		return t.Reply(fmt.Sprint("next read ", n))
	})
	asks, err := bot.NewFlow("asks", bot.FlowDefinition[struct{}]{
		States: []bot.FlowState[struct{}]{
			{Name: "size", Handle: func(_ context.Context, t *bot.Turn, _ *struct{}) (conversation.Signal, error) {
				if t.Text() != "L" {
					return "", errors.Join(t.Reply("what?"), bot.Decline)
				}
				return "done", t.Reply("noted")
			}},
			{Name: "end", Final: true},
		},
		Transitions: []bot.FlowTransition[struct{}]{{From: "size", On: "done", To: "end"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{
			picky, next, on("order", func(ctx context.Context, t *bot.Turn) error { return bot.StartFlow(ctx, t, asks, struct{}{}) }).Ordered(-1),
		},
		Flows: []bot.Machine{asks},
		Fallback: bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error {
			if strings.Contains(t.Text(), "nobody") {
				return errors.Join(t.Reply("me neither"), bot.Decline)
			}
			return t.Reply("fallen")
		}),
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hello")
		ana.Expects("next read 7")
		if s := w.Conversation(ana); read != 1 || len(s.Labels) != 0 {
			t.Errorf("read %d times, labels %q", read, s.Labels)
		}
		ana.ExpectsNothing(2 * time.Minute)
		ana.Says("fall")
		ana.Expects("fallen")
		ana.Says("the price?") // its limit was not used before
		ana.Expects("it costs 7")
		ana.Says("nobody")
		ana.ExpectsNothing(time.Minute)
		ana.Says("order", "hello again")
		ana.Expects("next read 7")
		if in := w.Conversation(ana).Flow; in.State != "size" {
			t.Errorf("the flow stands in %q", in.State)
		}
		ana.Says("L")
		ana.Expects("noted")
		var got []string
		for _, d := range w.Decisions(ana) {
			got = append(got, d.String()[strings.Index(d.String(), " ")+1:])
		}
		want := []string{
			`"hello": handled by zzz (picky declined)`,
			`"fall": unmatched by fallback (picky declined; zzz declined)`,
			`"the price?": handled by picky (not for long)`,
			`"nobody": unmatched (picky declined; zzz declined; fallback declined)`,
			`"order": handled by on-order (flow asks: moved  → size)`,
			`"hello again": handled by zzz (flow/asks declined; picky declined)`,
			`"L": handled by flow/asks (flow asks: moved size → end)`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// An error of reading is none of declining: the turn waits until the platform can be asked.
func TestDeclineIsNoErrorOfReading(t *testing.T) {
	t.Parallel()
	asks := bot.On("asks", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
		if _, err := t.Profile(ctx); err != nil {
			return errors.Join(err, bot.Decline)
		}
		return t.Reply("I know you")
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{asks}}, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Disturb("profile", slices.Repeat([]emulator.Fault{emulator.Err500Before}, 20)...)
		ana.Says("hi")
		ana.Expects("I know you")
	})
}

// A flow that declines what its own timer began has nobody to leave it to: that is an error, and no other try mends it.
func TestDeclineOfATimer(t *testing.T) {
	t.Parallel()
	waits, err := bot.NewFlow("waits", bot.FlowDefinition[struct{}]{
		States: []bot.FlowState[struct{}]{
			{Name: "ask", Timeout: time.Minute},
			{Name: "end", Final: true, Enter: func(context.Context, *bot.Turn, *struct{}) error { return bot.Decline }},
		},
		Transitions: []bot.FlowTransition[struct{}]{{From: "ask", On: conversation.TimedOut, To: "end"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{on("hi", func(ctx context.Context, t *bot.Turn) error { return bot.StartFlow(ctx, t, waits, struct{}{}) })},
		Flows:  []bot.Machine{waits},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		w.Advance(70 * time.Second)
		all := w.Decisions(ana)
		if last := all[len(all)-1]; last.Outcome != "quarantined" || !strings.Contains(last.Note, "flow waits declined its own timer") {
			t.Errorf("%v", last)
		}
	})
}

// What no other try mends is quarantined at its first one; the order is not held for it.
func TestPermanentErrors(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(ctx context.Context, t *bot.Turn) error{
		"said": func(context.Context, *bot.Turn) error {
			return fmt.Errorf("ask: %w", bot.Permanent(errors.New("it is gone")))
		},
		"long":          func(_ context.Context, t *bot.Turn) error { return t.Publish(strings.Repeat("x", bot.MaxPost+1)) },
		"empty":         func(_ context.Context, t *bot.Turn) error { return t.Message(" ") },
		"timer of ours": func(_ context.Context, t *bot.Turn) error { t.After(time.Hour, "flow/mine"); return nil },
		"misspelt": func(context.Context, *bot.Turn) error {
			return fmt.Errorf("move: %w", &conversation.SignalError{Flow: "order", Signal: "wheighed"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tries := 0
			bottest.Run(t, bottest.Config{Routes: []bot.Route{
				echo().Ordered(1),
				on("fail", func(ctx context.Context, t *bot.Turn) error { tries++; return fails(ctx, t) }),
			}}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("fail", "hello")
				ana.Expects("hello")
				if got := outcomes(w, ana); tries != 1 || !slices.Equal(got, []string{"quarantined", "handled"}) {
					t.Errorf("%d tries: %q", tries, got)
				}
			})
		})
	}
}

// A handler knows which try it is, and apologises with the last one.
func TestTries(t *testing.T) {
	t.Parallel()
	var tries []int
	bottest.Run(t, bottest.Config{Routes: []bot.Route{on("hi", func(_ context.Context, t *bot.Turn) error {
		if tries = append(tries, t.Try()); t.LastTry() {
			return t.Reply("sorry")
		}
		return errors.New("not yet")
	})}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		w.Advance(3 * time.Minute)
		ana.Expects("sorry")
		if !slices.Equal(tries, []int{1, 2, 3, 4, 5}) {
			t.Errorf("tries %v", tries)
		}
	})
}

// What waits for a commit is called once it has come about, and not for a turn that fails; a panic there ends nobody else's.
func TestOnCommit(t *testing.T) {
	t.Parallel()
	calls := make(chan string, 10)
	fails := true
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("hi", func(_ context.Context, t *bot.Turn) error {
			t.OnCommit(func() { calls <- fmt.Sprint("try ", t.Try()) })
			if fails {
				fails = false
				return errors.New("not yet")
			}
			return t.Reply("hello")
		}),
		on("bad", func(_ context.Context, t *bot.Turn) error {
			t.OnCommit(func() { panic("oops") })
			return t.Reply("done")
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello")
		ana.Says("bad", "hi")
		ana.Expects("done", "hello")
		w.Stop()
		close(calls)
		var got []string
		for c := range calls {
			got = append(got, c)
		}
		if !slices.Equal(got, []string{"try 2", "try 1"}) {
			t.Errorf("called: %q", got)
		}
		if !strings.Contains(w.Log(), "oops") {
			t.Error("nobody was told of the panic")
		}
	})
}

// An option that is left out by a condition is none.
func TestNoOption(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{on("hi", func(_ context.Context, t *bot.Turn) error {
		defer t.Amend(nil)
		return t.Reply("hello", nil)
	})}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello")
	})
}
