package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

func TestRoutesAreAskedByOrderThenName(t *testing.T) {
	t.Parallel()
	routes := []bot.Route{
		bot.On("b", saying("x"), says[event.Message]("b")),
		bot.On("c", bot.AnyMessage(), says[event.Message]("c")).Ordered(1),
		bot.On("a", saying("x"), says[event.Message]("a")),
		bot.On("first", saying("y"), says[event.Message]("first")).Ordered(-1),
		bot.On("a0", saying("y"), says[event.Message]("a0")),
	}
	bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("x", "y", "z")
		ana.Expects("a", "first", "c")
	})
}

func TestRouterRefuses(t *testing.T) {
	t.Parallel()
	flow := greetingFlow(t)
	for name, c := range map[string]struct {
		cfg  bot.RouterConfig
		want string
	}{
		"twins":      {bot.RouterConfig{Routes: []bot.Route{echo(), echo()}}, `two routes are named "echo"`},
		"no name":    {bot.RouterConfig{Routes: []bot.Route{bot.On("", bot.AnyMessage(), says[event.Message](""))}}, "a route has no name"},
		"no matcher": {bot.RouterConfig{Routes: []bot.Route{{Name: "x"}}}, `route "x" has no matcher`},
		"twin flows": {bot.RouterConfig{Flows: []bot.Machine{flow, flow}}, `two flows are named "greeting"`},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			if _, err := bot.NewRouter(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("NewRouter returned %v, want %q", err, c.want)
			}
		})
	}
}

// Each kind of event reaches the handler as its own type.
func TestMatchersNarrow(t *testing.T) {
	t.Parallel()
	var menu string
	routes := []bot.Route{
		bot.On("message", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Message("message " + m.Text + " of " + m.From.Name)
		}),
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			return t.Message("mention " + m.Text)
		}),
		bot.On("reply", bot.AnyReply(), func(_ context.Context, t *bot.Turn, r event.Reply) error {
			return t.Message("reply " + r.Text)
		}),
		bot.On("like", bot.AnyLike(), func(ctx context.Context, t *bot.Turn, l event.Like) error {
			p, err := t.Post(ctx, l.Post)
			if err != nil {
				return err
			}
			menu = p.Text
			return t.Message("like of " + p.Text)
		}),
		bot.On("repost", bot.AnyRepost(), func(_ context.Context, t *bot.Turn, r event.Repost) error {
			return t.Message("repost by " + r.From.User)
		}),
		bot.On("follow", bot.AnyFollow(), func(ctx context.Context, t *bot.Turn, f event.Follow) error {
			p, err := t.Profile(ctx)
			if err != nil {
				return err
			}
			return t.Message("follow by " + p.Username)
		}),
		bot.On("other", bot.AnyOther(), func(_ context.Context, t *bot.Turn, o event.Other) error {
			return t.Message("other " + string(o.Kind))
		}),
	}
	bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		ana, post := w.Person("ana"), w.Posts("spring menu")
		for _, step := range []struct {
			do   func()
			want string
		}{
			{func() { ana.Says("hi") }, "message hi of Ana"},
			{func() { ana.Mentions("look") }, "mention @bot look"},
			{func() { ana.Replies(post, "tasty") }, "reply tasty"},
			{func() { ana.Likes(post) }, "like of spring menu"},
			{func() { ana.Reposts(post) }, "repost by ana"},
			{func() { ana.Follows() }, "follow by ana"},
			{func() { w.Platform().Visit(ana.ID(), w.Account("bot").ID()) }, "other visit"},
		} {
			step.do()
			ana.Expects(step.want)
		}
		ana.ExpectsNothing(time.Hour)
		if menu != "spring menu" {
			t.Errorf("the liked post says %q", menu)
		}
	})
}

func TestAnyEventAndFollowRequests(t *testing.T) {
	t.Parallel()
	routes := []bot.Route{
		bot.On("asks", bot.AnyFollowRequest(), func(_ context.Context, t *bot.Turn, f event.FollowRequest) error {
			return t.Message("patience, " + f.From.User)
		}),
		bot.On("all", bot.AnyEvent(), func(_ context.Context, t *bot.Turn, e event.Event) error {
			return t.Message(string(e.Kind))
		}).Ordered(1),
	}
	bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		w.Platform().SetPrivacy(w.Account("bot").ID(), true, false)
		ana.Follows()
		ana.Expects("patience, ana")
		w.Platform().SetPrivacy(w.Account("bot").ID(), false, false)
		leo.Likes(w.Posts("spring menu"))
		leo.Expects("like")
		leo.Follows()
		leo.Expects("follow")
	})
}

func TestConditions(t *testing.T) {
	t.Parallel()
	ana := func(_ context.Context, t *bot.Turn) bool { return t.Peer().User == "ana" }
	short := func(m event.Message) bool { return len(m.Text) < 4 }
	routes := []bot.Route{
		bot.On("both", bot.AnyMessage().If(ana).Where(short), says[event.Message]("short, ana")),
		bot.On("one", bot.AnyMessage().If(ana), says[event.Message]("ana")).Ordered(1),
	}
	bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		w.Person("ana").Says("hi", "hello")
		w.Person("ana").Expects("short, ana", "ana")
		w.Person("leo").Says("hi")
		w.Person("leo").ExpectsNothing(time.Minute)
		if got := w.Decisions(w.Person("leo")); len(got) != 1 || got[0].Outcome != bot.OutcomeUnmatched {
			t.Errorf("the traces of leo are %v", got)
		}
	})
}

// The zero matcher matches nothing, and a route of it harms nobody.
func TestZeroMatcher(t *testing.T) {
	t.Parallel()
	routes := []bot.Route{bot.On("never", bot.Matcher[event.Message]{}, says[event.Message]("never")), echo()}
	bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		w.Person("ana").Says("hi")
		w.Person("ana").Expects("hi")
	})
	cond := func(context.Context, *bot.Turn) bool { return true }
	routes = []bot.Route{bot.On("never", bot.Matcher[event.Message]{}.If(cond).Where(func(event.Message) bool { return true }),
		says[event.Message]("never")), echo()}
	bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		w.Person("ana").Says("hi")
		w.Person("ana").Expects("hi")
	})
}

func TestFallback(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Routes:   []bot.Route{on("hi", func(_ context.Context, t *bot.Turn) error { return t.Reply("hello") })},
		Fallback: bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error { return t.Reply("what is " + t.Text() + "?") }),
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi", "xyz")
		ana.Expects("hello", "what is xyz?")
		if got := w.Decisions(ana)[1]; got.Route != "fallback" || got.Outcome != bot.OutcomeUnmatched {
			t.Errorf("the trace is %v", got)
		}
	})
}

// Middleware sees every turn before and after its handler: that of the bot outermost, then that of
// groups, then that of routes.
func TestMiddlewareBothWays(t *testing.T) {
	t.Parallel()
	var seen []string
	around := func(name string) bot.Middleware {
		return func(next bot.Handler) bot.Handler {
			return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
				seen = append(seen, name)
				if name == t.Text() {
					return t.Reply("stopped by " + name)
				}
				err := next.Handle(ctx, t)
				seen = append(seen, "/"+name)
				return err
			})
		}
	}
	routes := bot.Group("shop", []bot.Middleware{around("group"), around("group2")},
		echo().With(around("route"), around("route2")).With(around("route0")))
	bottest.Run(t, bottest.Config{Routes: routes, Middleware: []bot.Middleware{around("bot"), around("bot2")}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
		want := []string{
			"bot", "bot2", "group", "group2", "route0", "route", "route2", "/route2", "/route", "/route0", "/group2", "/group", "/bot2", "/bot",
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Error(diff)
		}
		ana.Says("group2")
		ana.Expects("stopped by group2")
		if got := w.Decisions(ana)[1]; got.Route != "shop/echo" {
			t.Errorf("the trace is %v", got)
		}
	})
}

func TestMaxAge(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	routes := []bot.Route{
		bot.On("patient", saying("patient"), says[event.Message]("at last")).Within(24 * time.Hour),
		bot.On("eternal", saying("eternal"), says[event.Message]("no hurry")).Within(-1),
		echo().Ordered(1),
	}
	bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		w.Stop()
		w.Advance(time.Hour)
		ana.Says("hello?", "patient", "eternal")
		w.Advance(7 * time.Hour)
		leo.Says("just now") // as the platform tells it; by what was read it could be as old as the last poll
		w.Start()
		ana.Expects("at last", "no hurry")
		leo.Expects("just now")
		ana.ExpectsNothing(time.Hour)
		if got := w.Decisions(ana)[0]; got.Outcome != bot.OutcomeLate || got.Route != "echo" {
			t.Errorf("the trace is %v", got)
		}
		w.Stop()
		ana.Says("again", "patient")
		w.Advance(25 * time.Hour)
		ana.Says("eternal")
		w.Start()
		ana.Expects("no hurry")
		ana.ExpectsNothing(time.Hour)
	})
}
