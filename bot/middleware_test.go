package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers"
)

type asker struct{}

// What middleware puts into the context reaches matchers, handlers, and all functions of a flow.
func TestContextReachesFlows(t *testing.T) {
	t.Parallel()
	who := func(ctx context.Context) string { return fmt.Sprint(ctx.Value(asker{})) }
	flow, err := bot.NewFlow("asks", bot.FlowDefinition[struct{}]{
		States: []bot.FlowState[struct{}]{
			{
				Name: "ask", Enter: func(ctx context.Context, t *bot.Turn, _ *struct{}) error { return t.Message("enter: " + who(ctx)) },
				Handle: func(ctx context.Context, t *bot.Turn, _ *struct{}) (conversation.Signal, error) {
					return "on", t.Message("handle: " + who(ctx))
				},
			},
			{Name: "end", Final: true},
		},
		Transitions: []bot.FlowTransition[struct{}]{{
			From: "ask", On: "on", To: "end", Guard: func(ctx context.Context, t *bot.Turn, _ *struct{}) bool { return t.Message("guard: "+who(ctx)) == nil },
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	starts := bot.On("start", bot.AnyMessage().If(func(ctx context.Context, _ *bot.Turn) bool { return who(ctx) == "vip" }),
		func(ctx context.Context, t *bot.Turn, _ event.Message) error {
			return bot.StartFlow(ctx, t, flow, struct{}{})
		})
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{starts}, Flows: []bot.Machine{flow},
		Middleware: []bot.Middleware{func(next bot.Handler) bot.Handler {
			return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
				return next.Handle(context.WithValue(ctx, asker{}, "vip"), t)
			})
		}},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("enter: vip")
		ana.Says("L")
		ana.Expects("handle: vip", "guard: vip")
	})
}

// Middleware goes around every turn, whatever becomes of it, and knows that behind its handler. What it says where nobody was to answer does not leave; what it
// keeps stays.
func TestMiddlewareGoesAroundEveryTurn(t *testing.T) {
	t.Parallel()
	type seen struct{ Outcomes []string }
	value := bot.NewValue[seen]("watch", "seen")
	watch := func(next bot.Handler) bot.Handler {
		return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
			if err := next.Handle(ctx, t); err != nil {
				return err
			}
			all, _, err := value.Load(t)
			if err != nil {
				return err
			}
			all.Outcomes = append(all.Outcomes, t.Outcome()+" by "+t.Route())
			if err := value.Save(t, all); err != nil {
				return err
			}
			return t.Message("I always have a word")
		})
	}
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{
			on("hi", func(_ context.Context, t *bot.Turn) error { return nil }),
			bot.On("old", saying("old"), says[event.Message]("old")).Within(time.Minute),
			bot.On("timer", bot.Timer("late"), func(context.Context, *bot.Turn, event.Timer) error { return nil }),
		},
		Middleware: []bot.Middleware{watch},
		Bot:        bot.Config{StopWords: []string{"stop"}, TakeoverFor: time.Hour},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("I always have a word")
		ana.Says("what?")
		ana.Expects("I always have a word")

		w.Stop()
		ana.Says("old")
		w.Advance(time.Hour)
		w.Start()
		ana.ExpectsNothing(time.Minute)

		w.Account("bot").Tells(ana, "it is me, in person")
		w.Advance(time.Minute)
		ana.Says("how nice")
		ana.ExpectsNothing(2 * time.Hour)

		ana.Says("stop")
		ana.ExpectsNothing(time.Minute)
		ana.Says("hi")
		ana.ExpectsNothing(time.Minute)

		var got seen
		if err := json.Unmarshal(w.Conversation(ana).Values["watch/seen"], &got); err != nil {
			t.Fatal(err)
		}
		want := []string{"handled by on-hi", "unmatched by ", "late by old", "owned by ", "left alone by ", "left alone by "}
		if diff := cmp.Diff(want, got.Outcomes); diff != "" {
			t.Error(diff)
		}
		var withheld []event.Reason
		for _, a := range actionsOf(w, ana) {
			if a.State == event.StateWithdrawn {
				withheld = append(withheld, a.Why)
			}
		}
		for _, outcome := range []string{bot.OutcomeLate, bot.OutcomeOwned, bot.OutcomeLeftAlone} {
			if !slices.Contains(withheld, event.Because("turn.unanswered", "outcome", outcome)) {
				t.Errorf("nothing was withheld of a turn that ended %q: %q", outcome, withheld)
			}
		}
	})
}

// Middleware that answers by itself, or apologises for what it has taken back, goes past nobody: what a person of ours has, who asks for silence, and what waits
// for an approval that has expired are seen to before it is called.
func TestMiddlewareThatAnswersByItself(t *testing.T) {
	t.Parallel()
	for name, closed := range map[string]bot.Middleware{
		"without next": func(bot.Handler) bot.Handler {
			return bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error { return t.Message("we are closed") })
		},
		"behind a checkpoint": func(next bot.Handler) bot.Handler {
			return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
				restore := t.Checkpoint()
				if err := next.Handle(ctx, t); err != nil {
					return err
				}
				restore()
				return t.Message("we are closed")
			})
		},
		"an apology": handlers.Recover(slog.New(slog.DiscardHandler), "we are closed"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fails := bot.On("fails", bot.AnyMessage(), func(context.Context, *bot.Turn, event.Message) error {
				if name == "an apology" {
					panic("oops")
				}
				return nil
			})
			bottest.Run(t, bottest.Config{
				Routes:     []bot.Route{engine.Route(fails, engine.Ways{LooksOn: func(event.Account, event.Kind) bool { return true }})},
				Middleware: []bot.Middleware{closed}, Bot: bot.Config{StopWords: []string{"stop"}},
			}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("hi")
				ana.Expects("we are closed")
				w.Account("bot").Tells(ana, "it is me, in person")
				w.Advance(time.Minute)
				ana.Says("how nice")
				ana.ExpectsNothing(13 * time.Hour)
				ana.Says("stop")
				ana.ExpectsNothing(time.Minute)
				if s := w.Conversation(ana).Silence; s.Since.IsZero() {
					t.Error("the silence is not noted")
				}
			})
		})
	}
}

// What middleware does of an account that is paused leaves nothing behind, whether it comes before its handler or behind it.
func TestMiddlewareOfAPausedAccountLeavesNothing(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{echo()},
		Middleware: []bot.Middleware{func(next bot.Handler) bot.Handler {
			return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
				if t.Text() == "help" {
					t.HandoffFor("support", time.Hour)
				}
				err := next.Handle(ctx, t)
				t.Label("seen")
				t.After(time.Minute, "later")
				return err
			})
		}},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Ask(aboutRule(event.WishPause, ""))
		w.Advance(time.Second)
		ana.Says("help")
		w.Advance(time.Minute)
		if c := w.Conversation(ana); c.Owner != "" || len(c.Labels) != 0 {
			t.Errorf("owner %q, labels %q", c.Owner, c.Labels)
		}
		w.Ask(aboutRule(event.WishGoOn, ""))
		w.Advance(time.Second)
		ana.Says("hi")
		ana.Expects("hi")
	})
}

// Middleware of the bot has nobody to leave a turn to.
func TestMiddlewareThatDeclines(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Middleware: []bot.Middleware{func(bot.Handler) bot.Handler {
		return bot.HandlerFunc(func(context.Context, *bot.Turn) error { return bot.Decline })
	}}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.ExpectsNothing(time.Minute)
		if got := outcomes(w, ana); !slices.Equal(got, []string{"quarantined"}) {
			t.Errorf("%q", got)
		}
	})
}

// Of an account that is paused middleware is called, too, and nothing leaves.
func TestMiddlewareOfAPausedAccount(t *testing.T) {
	t.Parallel()
	called := 0
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{echo()},
		Middleware: []bot.Middleware{func(next bot.Handler) bot.Handler {
			return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
				called++
				if err := t.Message("a word before"); err != nil {
					return err
				}
				return next.Handle(ctx, t)
			})
		}},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("a word before", "hi")
		w.Ask(aboutRule(event.WishPause, ""))
		w.Advance(time.Second)
		ana.Says("hello?")
		ana.ExpectsNothing(time.Minute)
		if called != 2 {
			t.Errorf("called %d times", called)
		}
	})
}
