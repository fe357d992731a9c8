package bot_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform"
)

// press publishes what it is told: "name text", or "name text in 1h", with options.
func press(options ...bot.Option) []bot.Route {
	return []bot.Route{
		bot.On("press", bot.Asked("press"), func(_ context.Context, t *bot.Turn, a event.Told) error {
			name, what, _ := strings.Cut(a.Text, " ")
			what, in, timed := strings.Cut(what, " in ")
			all := append([]bot.Option{bot.Keyed("press/" + name)}, options...)
			if d, err := time.ParseDuration(in); timed && err == nil {
				all = append(all, bot.In(d))
			}
			return t.Publish(what, all...)
		}),
		bot.On("undo", bot.Asked("undo"), func(_ context.Context, t *bot.Turn, a event.Told) error {
			t.Unrepost(1)
			t.Like(1)
			return t.Publish("late", bot.Before(t.Now.Add(-time.Second)))
		}),
		bot.On("thanks", saying("thanks"), func(_ context.Context, t *bot.Turn, m event.Message) error {
			t.Repost(platform.PostID(1))
			return t.Reply("you are welcome")
		}),
		bot.On("again", bot.Asked("again"), func(_ context.Context, t *bot.Turn, a event.Told) error {
			id, err := strconv.ParseInt(a.Text, 10, 64)
			t.Repost(platform.PostID(id))
			return err
		}),
		bot.On("list", bot.Asked("list"), func(ctx context.Context, t *bot.Turn, _ event.Told) error {
			all, err := t.Published(ctx, t.Now.Add(-48*time.Hour))
			for _, p := range all {
				t.Note("%s %s %s %v", p.At.Sub(t.Now).Round(time.Minute), p.By, p.Verb, p.State)
			}
			return err
		}),
	}
}

// pressed runs a test of what an account publishes, with a limit.
func pressed(t *testing.T, limit *bot.Publishing, options []bot.Option, test func(w *bottest.World, says func(texts ...string))) {
	t.Helper()
	cfg := bottest.Config{Routes: press(options...), Bot: bot.Config{PollInterval: time.Minute, Publishing: limit, Pace: fast()}}
	bottest.Run(t, cfg, func(w *bottest.World) {
		test(w, func(texts ...string) {
			for _, text := range texts {
				if a := w.Account("bot").Tell("press", text); a.Outcome != bot.OutcomeHandled {
					t.Fatalf("%s: %+v", text, a)
				}
			}
		})
	})
}

// became returns what became of what was published by name.
func became(w *bottest.World, name string) (is string) {
	w.Inspect(func(d inspect.Inspector) {
		a, _, err := d.Action(context.Background(), "bot", event.NamedKey("press/"+name))
		is = fmt.Sprint(a.State, " ", a.Reason)
		if err != nil {
			is = err.Error()
		}
	})
	return is
}

// Uses count around the time at which an action is to leave: what is to come takes the place of what would come too soon before it,
// and nothing else; what does not come about counts no more; over crashes, too.
func TestPublishingCountsWhenItLeaves(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			pressed(t, &bot.Publishing{Most: 2, Within: time.Hour}, nil, func(w *bottest.World, says func(...string)) {
				says("a first in 3h", "b second in 3h30m", "now news")
				meanwhile(w)
				says("c third in 3h45m", "d third in 2h45m", "e much later in 5h", "f before in 1h")
				want := map[string]string{
					"a": "due ", "b": "due ", "now": "done ", "e": "due ", "f": "due ",
					"c": "withdrawn the limit nectar/publishing is used up", "d": "withdrawn the limit nectar/publishing is used up",
				}
				w.Advance(time.Minute)
				got := map[string]string{}
				for name := range want {
					got[name] = became(w, name)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishWithdraw, Action: event.NamedKey("press/a")})
				w.Advance(time.Minute)
				says("g in its place in 3h5m")
				w.Advance(6 * time.Hour)
				if got := became(w, "g"); got != "done " {
					t.Errorf("it is %s", got)
				}
			})
		})
	}
}

// Replies, likes, what is taken back and what is withdrawn already have no part in it.
func TestWhatIsNotPublished(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	pressed(t, &bot.Publishing{Most: 1, Within: 24 * time.Hour}, nil, func(w *bottest.World, says func(...string)) {
		w.Account("bot").Tell("undo", "")
		says("a news")
		w.Advance(time.Minute)
		if got := became(w, "a"); got != "done " {
			t.Errorf("it is %s", got)
		}
		ana := w.Person("ana")
		post := w.Platform().Post(ana.ID(), "dinner")
		w.Platform().Repost(w.Account("bot").ID(), post)
		w.Advance(25 * time.Hour)
		w.Account("bot").Tell("again", fmt.Sprint(post)) // it is so already: nothing is published, and the use is given back
		w.Advance(time.Minute)
		says("b more news")
		w.Advance(time.Minute)
		if got := became(w, "b"); got != "done " {
			t.Errorf("it is %s", got)
		}
		ana.Says("thanks")
		ana.Expects("you are welcome")
		answer := w.Account("bot").Tell("list", "")
		if !strings.Contains(answer.Note, "press/a post done") || strings.Contains(answer.Note, "repost") {
			t.Errorf("published was: %s", answer.Note)
		}
	})
}

// What waits for an approval counts when it is let go, each action for itself.
func TestApprovedPublications(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	pressed(t, &bot.Publishing{Most: 1, Within: time.Hour}, []bot.Option{bot.Held("needs approval")}, func(w *bottest.World, says func(...string)) {
		says("a one", "b two")
		w.Advance(time.Minute)
		for _, name := range []string{"a", "b"} {
			w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishRelease, Action: event.NamedKey("press/" + name)})
		}
		w.Advance(time.Minute)
		if a, b := became(w, "a"), became(w, "b"); a != "done " || b != "withdrawn the limit nectar/publishing is used up" {
			t.Errorf("they are %s; %s", a, b)
		}
		says("c three")
		w.Advance(2 * time.Hour)
		w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishRelease, Action: event.NamedKey("press/c")})
		w.Advance(time.Minute)
		if c := became(w, "c"); c != "done " {
			t.Errorf("it is %s", c)
		}
	})
}

// A limit is put in force, changed and taken away while the bot runs, and what it says is what people are told. Without one
// nothing is kept.
func TestLimitPublishing(t *testing.T) {
	t.Parallel()
	pressed(t, nil, nil, func(w *bottest.World, says func(...string)) {
		says("a one", "b two")
		limits := func(p *bot.Publishing) {
			if err := w.Bot().LimitPublishing("bot", p); err != nil {
				t.Fatal(err)
			}
		}
		limits(&bot.Publishing{Apart: 2 * time.Minute}) // it counts what was there before
		says("c three")
		w.Advance(time.Minute)
		if got := became(w, "c"); !strings.HasPrefix(got, "due waits: 2 minutes between publications, until 2025-03-03 09:0") {
			t.Errorf("it is %s", got)
		}
		limits(&bot.Publishing{Apart: 90 * time.Minute})
		w.Advance(30 * time.Minute)
		if got := became(w, "c"); !strings.HasPrefix(got, "due waits: 90 minutes between publications, until 2025-03-03 10:3") {
			t.Errorf("it is %s", got)
		}
		limits(nil)
		w.Advance(time.Minute)
		if got := became(w, "c"); got != "done " {
			t.Errorf("it is %s", got)
		}
		for p, want := range map[*bot.Publishing]string{
			{Most: 3}:                    "limit what bot publishes: 3 of what time? Publishing.Within is missing",
			{Most: -1, Within: 1}:        "limit what bot publishes: -1 in 1ns, 0s apart: nothing of it may be below 0",
			{Most: 1, Within: time.Hour}: `limit what "nobody" publishes: this bot does not serve the account`,
		} {
			account := event.Account("bot")
			if p.Within == time.Hour {
				account = "nobody"
			}
			if err := w.Bot().LimitPublishing(account, p); err == nil || err.Error() != want {
				t.Errorf("the error is %v", err)
			}
		}
	})
}

// Some actions come first, by their names: all others leave them room, when they are decided, when they are let go, and once more when they leave.
func TestSomeComeFirst(t *testing.T) {
	t.Parallel()
	const lost = "withdrawn slots of campaigns have what is left of what the account may publish"
	ahead := func(w *bottest.World, minutes ...int) {
		t.Helper()
		p := &bot.Publishing{Most: 3, Within: time.Hour, For: "slots/"}
		for _, m := range minutes {
			p.Ahead = append(p.Ahead, time.Now().Add(time.Duration(m)*time.Minute))
		}
		if err := w.Bot().LimitPublishing("bot", p); err != nil {
			t.Fatal(err)
		}
	}
	is := func(w *bottest.World, want ...string) {
		t.Helper()
		w.Advance(10 * time.Second)
		for i, name := range []string{"a", "b", "c"}[:len(want)] {
			if got := became(w, name); !strings.HasPrefix(got, want[i]) {
				t.Errorf("%s is %s, and not %s", name, got, want[i])
			}
		}
	}
	pressed(t, nil, nil, func(w *bottest.World, says func(...string)) {
		ahead(w, 30, 40)
		says("a one", "b two", "c three in 101m")
		is(w, "done", lost, "due") // after the last one, an hour is free again
	})
	pressed(t, nil, nil, func(w *bottest.World, says func(...string)) {
		ahead(w)
		says("a one in 10m")
		ahead(w, 20, 25, 30)
		w.Advance(11 * time.Minute)
		is(w, "due waits: 3 publications in 1 hour, until 2025-03-03 09:20")
		w.Advance(10 * time.Minute)
		is(w, "done")
	})
	pressed(t, nil, []bot.Option{bot.Held("needs approval")}, func(w *bottest.World, says func(...string)) {
		ahead(w)
		says("a one")
		ahead(w, 20, 25, 30)
		w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishRelease, Action: event.NamedKey("press/a")})
		is(w, lost)
	})
	pressed(t, nil, nil, func(w *bottest.World, says func(...string)) {
		one := 1
		if err := w.Bot().LimitPublishing("bot", &bot.Publishing{Most: 3, Within: time.Hour, For: "slots/", Others: &one}); err != nil {
			t.Fatal(err)
		}
		says("a one", "b two")
		is(w, "done", lost)
		if err := w.Bot().LimitPublishing("bot", &bot.Publishing{Most: 3, Within: time.Hour, For: "press/", Others: &one}); err != nil {
			t.Fatal(err)
		}
		says("c three")
		is(w, "done", lost, "done")
	})
}
