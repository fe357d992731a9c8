package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/conversation"
)

type greeting struct{ Name string }

// greetingFlow asks for a name and a colour. It reminds after an hour and gives up after two.
func greetingFlow(t *testing.T) *bot.Flow[greeting] {
	t.Helper()
	say := func(format string) func(context.Context, *bot.Turn, *greeting) error {
		return func(_ context.Context, t *bot.Turn, g *greeting) error {
			if strings.Contains(format, "%s") {
				return t.Message(fmt.Sprintf(format, g.Name))
			}
			return t.Message(format)
		}
	}
	f, err := bot.NewFlow("greeting", bot.FlowDefinition[greeting]{
		States: []bot.FlowState[greeting]{
			{Name: "name", Enter: say("what is your name?"), Handle: func(_ context.Context, t *bot.Turn, g *greeting) (conversation.Signal, error) {
				switch {
				case t.Text() == "menu":
					return conversation.Pass, nil
				case len(t.Text()) < 2:
					return conversation.Stay, t.Reply("longer, please")
				}
				g.Name = t.Text()
				return "named", nil
			}, Timeout: time.Hour},
			{Name: "reminded", Enter: say("are you still there?"), Handle: func(_ context.Context, t *bot.Turn, g *greeting) (conversation.Signal, error) {
				g.Name = t.Text()
				return "named", nil
			}, Timeout: time.Hour},
			{Name: "colour", Enter: say("hello %s, which colour?"), Handle: func(context.Context, *bot.Turn, *greeting) (conversation.Signal, error) {
				return "done", nil
			}},
			{Name: "end", Enter: say("thank you, %s"), Final: true},
			{Name: "given-up", Enter: say("another time, then"), Final: true},
		},
		Transitions: []bot.FlowTransition[greeting]{
			{From: "name", On: "named", To: "colour"},
			{From: "reminded", On: "named", To: "colour"},
			{From: "colour", On: "done", To: "end"},
			{From: "name", On: conversation.TimedOut, To: "reminded"},
			{From: "reminded", On: conversation.TimedOut, To: "given-up"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// greets is a bot with the greeting flow, begun by "hi".
func greets(t *testing.T) bottest.Config {
	t.Helper()
	f := greetingFlow(t)
	return bottest.Config{
		Flows: []bot.Machine{f},
		Routes: []bot.Route{
			on("hi", func(ctx context.Context, t *bot.Turn) error { return bot.StartFlow(ctx, t, f, greeting{}) }),
			on("menu", func(_ context.Context, t *bot.Turn) error { return t.Reply("tea and cake") }),
		},
	}
}

func TestFlow(t *testing.T) {
	t.Parallel()
	bottest.Run(t, greets(t), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("what is your name?")
		if in := w.Conversation(ana).Flow; in.Flow != "greeting" || in.State != "name" {
			t.Errorf("the conversation stands in %+v", in)
		}
		ana.Says("x")
		ana.Expects("longer, please")
		ana.Says("menu")
		ana.Expects("tea and cake")
		ana.Says("Ana")
		ana.Expects("hello Ana, which colour?")
		w.Crash()
		ana.Says("blue")
		ana.Expects("thank you, Ana")
		if in := w.Conversation(ana).Flow; in.Active() {
			t.Errorf("the conversation still stands in %+v", in)
		}
		ana.ExpectsNothing(5 * time.Hour)
		ana.Says("menu", "hi")
		ana.Expects("tea and cake", "what is your name?")
	})
}

// A timeout fires by itself, whatever becomes of the bot meanwhile.
func TestFlowTimeouts(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w *bottest.World){
		"running": func(*bottest.World) {},
		"restart": func(w *bottest.World) { w.Restart() },
		"crash":   func(w *bottest.World) { w.Crash() },
		"outage": func(w *bottest.World) {
			w.Stop()
			w.Advance(90 * time.Minute)
			w.Start()
		},
	} {
		if !effort.Some(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			cfg := greets(t)
			cfg.Patience, cfg.Bot = 2*time.Hour, unasked()
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("hi")
				ana.Expects("what is your name?")
				began := time.Now()
				meanwhile(w)
				ana.Expects("are you still there?")
				if took := time.Since(began); took < time.Hour-time.Second {
					t.Errorf("the reminder came after %v", took)
				}
				meanwhile(w)
				if name == "restart" {
					ana.Says("Ana")
					ana.Expects("hello Ana, which colour?")
				} else {
					ana.Expects("another time, then")
				}
				meanwhile(w)
				ana.ExpectsNothing(5 * time.Hour)
			})
		})
	}
}

func TestFlowTimeoutStartsAnewWithAnAnswer(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, greets(t), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("what is your name?")
		for range 3 {
			ana.ExpectsNothing(50 * time.Minute)
			ana.Says("x")
			ana.Expects("longer, please")
		}
		ana.ExpectsNothing(50 * time.Minute)
		w.Advance(9 * time.Minute)
		ana.Expects("are you still there?")
	})
}

// A crash at any moment of a flow neither repeats a question nor loses an answer.
func TestFlowCrashes(t *testing.T) {
	t.Parallel()
	for after := time.Duration(0); after < 300*time.Millisecond; after += 20 * time.Millisecond {
		if !effort.Sampled(int(after / (20 * time.Millisecond))) {
			continue
		}
		t.Run(after.String(), func(t *testing.T) {
			effort.Case(t)
			cfg := greets(t)
			cfg.Bot.PollInterval = 100 * time.Millisecond
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("hi", "Ana", "blue")
				w.Advance(after)
				w.Crash()
				ana.Expects("what is your name?", "hello Ana, which colour?", "thank you, Ana")
				ana.ExpectsNothing(time.Minute)
			})
		})
	}
}

// States that a new version no longer has lock nobody in.
func TestFlowThatIsGone(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, greets(t), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("what is your name?")
		w.Deploy(func(c *bottest.Config) {
			c.Flows, c.Routes = nil, []bot.Route{echo()}
		})
		if !strings.Contains(w.Log(), `1 conversations are in flow \"greeting\"`) {
			t.Errorf("the log does not tell who is stuck:\n%s", w.Log())
		}
		ana.Says("Ana")
		ana.Expects("Ana")
		if in := w.Conversation(ana).Flow; in.Active() {
			t.Errorf("the conversation still stands in %+v", in)
		}
		ana.ExpectsNothing(5 * time.Hour)
	})
}

// A flow begun while another one runs takes its place, and its timeout with it.
func TestFlowInPlaceOfAnother(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	cfg := greets(t)
	flow := cfg.Flows[0].(*bot.Flow[greeting])
	other := bot.MustFlow("other", bot.FlowDefinition[struct{}]{
		States: []bot.FlowState[struct{}]{
			{Name: "wait", Timeout: 30 * time.Minute},
			{Name: "over", Final: true, Enter: func(_ context.Context, t *bot.Turn, _ *struct{}) error { return t.Message("other is over") }},
		},
		Transitions: []bot.FlowTransition[struct{}]{{From: "wait", On: conversation.TimedOut, To: "over"}},
	})
	cfg.Flows = append(cfg.Flows, other)
	cfg.Routes = append(cfg.Routes,
		on("start", func(ctx context.Context, t *bot.Turn) error { return bot.StartFlow(ctx, t, other, struct{}{}) }),
		on("again", func(ctx context.Context, t *bot.Turn) error { return bot.StartFlow(ctx, t, flow, greeting{}) }),
	)
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("start", "again")
		ana.Expects("what is your name?")
		ana.ExpectsNothing(50 * time.Minute)
		w.Advance(9 * time.Minute)
		ana.Expects("are you still there?")
		ana.ExpectsNothing(30 * time.Minute)
	})
}

// Reminders of a state are said once each, counted from the last answer, over restarts; after an outage the last of those that are due is said, and
// none when the timeout is over.
func TestReminders(t *testing.T) {
	t.Parallel()
	say := func(text string) func(context.Context, *bot.Turn, *int) error {
		return func(_ context.Context, t *bot.Turn, n *int) error {
			*n++
			return t.Message(fmt.Sprintf("%s (%d)", text, *n))
		}
	}
	f, err := bot.NewFlow("patient", bot.FlowDefinition[int]{
		States: []bot.FlowState[int]{
			{
				Name: "ask", Enter: say("which one?"), Timeout: 24 * time.Hour,
				Reminders: []bot.Reminder[int]{{After: time.Hour, Say: say("still there?")}, {After: 3 * time.Hour, Say: say("shall I keep it?")}},
				Handle:    func(context.Context, *bot.Turn, *int) (conversation.Signal, error) { return conversation.Stay, nil },
			},
			{Name: "left", Enter: say("I leave it"), Final: true},
		},
		Transitions: []bot.FlowTransition[int]{{From: "ask", On: conversation.TimedOut, To: "left"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	begin := on("hi", func(ctx context.Context, t *bot.Turn) error { return bot.StartFlow(ctx, t, f, 0) }).Ordered(-1)
	bottest.Run(t, bottest.Config{Flows: []bot.Machine{f}, Routes: []bot.Route{begin}, Bot: bot.Config{PollInterval: time.Minute}}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("hi")
		ana.Expects("which one? (1)")
		ana.ExpectsNothing(55 * time.Minute)
		w.Advance(10 * time.Minute)
		ana.Expects("still there? (2)")
		w.Restart()
		w.Advance(2 * time.Hour)
		ana.Expects("shall I keep it? (3)")
		ana.Says("wait") // the state waits anew, and reminds anew
		w.Advance(70 * time.Minute)
		ana.Expects("still there? (4)")

		leo.Says("hi")
		leo.Expects("which one? (1)")
		w.Stop()
		w.Advance(4 * time.Hour)
		w.Start()
		w.Advance(5 * time.Minute)
		leo.Expects("shall I keep it? (2)")
		w.Stop()
		w.Advance(24 * time.Hour)
		w.Start()
		w.Advance(5 * time.Minute)
		leo.Expects("I leave it (3)")
		ana.Expects("shall I keep it? (5)")
	})
}
