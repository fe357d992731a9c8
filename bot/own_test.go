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
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// shop is a plugin of an account: it posts each day at nine, and is told what to post, and when to stop.
func shop() []bot.Route {
	next := func(t *bot.Turn) {
		day := time.Date(t.Now.Year(), t.Now.Month(), t.Now.Day(), 9, 0, 0, 0, t.Now.Location())
		for !day.After(t.Now) {
			day = day.AddDate(0, 0, 1)
		}
		t.SetTimer("shop/daily", day, nil)
	}
	count := bot.NewAccountValue[int]("shop", "days")
	return []bot.Route{
		bot.On("shop/start", bot.Started("shop/start"), func(_ context.Context, t *bot.Turn, _ event.Nudge) error {
			next(t)
			return nil
		}),
		bot.On("shop/daily", bot.Timer("shop/daily"), func(ctx context.Context, t *bot.Turn, _ event.Timer) error {
			n, _, err := count.Load(ctx, t)
			if err != nil {
				return err
			}
			next(t)
			return errors.Join(count.Save(ctx, t, n+1), t.Publish(fmt.Sprintf("day %d", n+1)))
		}),
		bot.On("shop/say", bot.Asked("shop/say"), func(_ context.Context, t *bot.Turn, a event.Told) error {
			if a.Text == "" {
				t.Conclude(bot.OutcomeObsolete)
				t.Note("say what to post")
				return nil
			}
			t.Note("%s is posted, as %s wished", a.Text, a.By)
			return t.Publish(a.Text)
		}),
		bot.On("shop/reload", bot.Nudged("shop/reload"), func(_ context.Context, t *bot.Turn, n event.Nudge) error {
			return t.Publish("reloaded " + string(n.Data))
		}),
	}
}

// postsOf returns what the first account has published.
func postsOf(w *bottest.World) (texts []string) {
	for _, e := range w.Platform().Ledger().Since(0) {
		if e.Kind == emulator.Published && e.ByAPI {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// An account has turns of its own, begun by a start, a timer, a nudge and what a person asks.
func TestOwnTurns(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: shop(), Bot: bot.Config{PollInterval: 10 * time.Minute}}, func(w *bottest.World) {
				a := w.Account("bot")
				w.Advance(time.Hour)
				meanwhile(w)
				w.Advance(24 * time.Hour)
				a.ExpectsPost("day 1")
				meanwhile(w)
				if err := w.Bot().Nudge("bot", "shop/reload", map[string]int{"files": 3}); err != nil {
					t.Fatal(err)
				}
				a.ExpectsPost(`reloaded {"files":3}`)
				meanwhile(w)
				if got := a.Tell("shop/say", "fresh bread"); got.Outcome != bot.OutcomeHandled || got.Note != "fresh bread is posted, as  wished" {
					t.Errorf("the answer is %+v", got)
				}
				a.ExpectsPost("fresh bread")
				meanwhile(w)
				w.Advance(24 * time.Hour)
				a.ExpectsPost("day 2")
				if got := postsOf(w); len(got) != 4 {
					t.Errorf("published %q", got)
				}
			})
		})
	}
}

// What people ask of the program waits for a bot, is answered once, and is told why when nothing comes of it.
func TestTell(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: shop(), Bot: bot.Config{PollInterval: 10 * time.Minute}}, func(w *bottest.World) {
		a := w.Account("bot")
		w.Stop()
		asked := w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "shop/say", Text: "good morning", By: "mia"})
		w.Advance(time.Hour)
		w.Start()
		a.ExpectsPost("good morning")
		if got := w.Answer(asked[0]); got.Note != "good morning is posted, as mia wished" {
			t.Errorf("the answer is %+v", got)
		}
		w.Crash()
		for subject, want := range map[string]string{"shop/say": "say what to post", "shop/sing": `nothing in this program is asked for "shop/sing"`} {
			if got := a.Tell(subject, ""); got.Outcome != bot.OutcomeObsolete || got.Note != want {
				t.Errorf("the answer to %s is %+v", subject, got)
			}
		}
		q := w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: w.Person("ana").ID()}, Wish: event.WishTell, Subject: "shop/say", Text: "to ana"})
		w.Advance(2 * time.Second)
		if got := w.Answer(q[0]); got.Outcome != bot.OutcomeObsolete || !strings.Contains(got.Note, "asked of the account") {
			t.Errorf("the answer is %+v", got)
		}
		if got := postsOf(w); len(got) != 1 {
			t.Errorf("published %q", got)
		}
	})
}

// What needs a person the account's own turns cannot do, and say so in one line; the rest they can.
func TestOwnTurnsHaveNoPerson(t *testing.T) {
	t.Parallel()
	flow := greetingFlow(t)
	for name, do := range map[string]func(ctx context.Context, t *bot.Turn) error{
		"message":  func(_ context.Context, t *bot.Turn) error { return t.Message("hello") },
		"reply":    func(_ context.Context, t *bot.Turn) error { return t.Reply("hello") },
		"profile":  func(ctx context.Context, t *bot.Turn) error { _, err := t.Profile(ctx); return err },
		"follower": func(ctx context.Context, t *bot.Turn) error { _, err := t.Follower(ctx); return err },
		"listed":   func(ctx context.Context, t *bot.Turn) error { _, err := t.Listed(ctx, "vip"); return err },
		"follow":   func(_ context.Context, t *bot.Turn) error { t.Follow(); return nil },
		"unfollow": func(_ context.Context, t *bot.Turn) error { t.Unfollow(); return nil },
		"delete":   func(_ context.Context, t *bot.Turn) error { t.DeleteMessage(7); return nil },
		"handoff":  func(_ context.Context, t *bot.Turn) error { t.Handoff("team"); return nil },
		"handover": func(_ context.Context, t *bot.Turn) error { t.HandoffFor("team", time.Hour); return nil },
		"label":    func(_ context.Context, t *bot.Turn) error { t.Label("vip"); return nil },
		"flow":     func(ctx context.Context, t *bot.Turn) error { return bot.StartFlow(ctx, t, flow, greeting{}) },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var got error
			bottest.Run(t, bottest.Config{Routes: []bot.Route{
				bot.On("try", bot.Asked("try"), func(ctx context.Context, t *bot.Turn, _ event.Told) error { return do(ctx, t) }).
					With(func(next bot.Handler) bot.Handler {
						return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
							got = next.Handle(ctx, t)
							return got
						})
					}),
			}}, func(w *bottest.World) {
				a := w.Account("bot")
				w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "try"})
				w.Advance(3 * time.Minute)
				decisions := a.OwnDecisions()
				if len(decisions) != 1 || decisions[0].Outcome != "quarantined" || !strings.HasSuffix(decisions[0].Note, bot.ErrNoPerson.Error()) {
					t.Errorf("it ended as %v", decisions)
				}
				if got != nil && !errors.Is(got, bot.ErrNoPerson) {
					t.Errorf("the error is %v", got)
				}
				if n := strings.Count(w.Log(), bot.ErrNoPerson.Error()); n != 2 { // when it begins, and when it is given up
					t.Errorf("the log says it %d times:\n%s", n, w.Log())
				}
			})
		})
	}
}

// The ceiling is for people, and so are the commands that are about one.
func TestOwnTurnsAreNoPersons(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Routes: shop(), Bot: bot.Config{Ceiling: bot.Ceiling{Max: 2, Within: time.Hour}},
	}, func(w *bottest.World) {
		a := w.Account("bot")
		for i := range 4 {
			a.Tell("shop/say", fmt.Sprintf("post %d", i))
			a.ExpectsPost(fmt.Sprintf("post %d", i))
		}
		for _, wish := range []event.Wish{event.WishTakeOver, event.WishForget} {
			q := w.Ask(event.Request{Key: event.Own("bot"), Wish: wish, Owner: "team"})
			w.Advance(2 * time.Second)
			if got := w.Answer(q[0]); got.Outcome != bot.OutcomeObsolete || got.Note != bot.ErrNoPerson.Error() {
				t.Errorf("to %s the answer is %+v", wish, got)
			}
		}
		a.Tell("shop/say", "still here")
		a.ExpectsPost("still here")
	})
}

// A limit of the account's own conversation counts by itself.
func TestOwnLimits(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("say", bot.Asked("say"), func(_ context.Context, t *bot.Turn, a event.Told) error {
			return t.Publish(a.Text, bot.AtMost(1, time.Hour, "say"))
		}),
	}}, func(w *bottest.World) {
		a := w.Account("bot")
		a.Tell("say", "one")
		a.Tell("say", "two")
		w.Advance(time.Hour)
		a.Tell("say", "three")
		w.Advance(time.Minute)
		if diff := cmp.Diff([]string{"one", "three"}, postsOf(w)); diff != "" {
			t.Error(diff)
		}
	})
}

// While the account is paused its nudges wait, and one of a name replaces the other; what people ask for is refused.
func TestOwnTurnsOfAPausedAccount(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Routes: shop(), Bot: bot.Config{PollInterval: 10 * time.Minute}}, func(w *bottest.World) {
		a := w.Account("bot")
		decides(t, w, aboutRule(event.WishPause, ""), bot.OutcomeHandled, "the account is paused")
		for i := range 3 {
			if err := w.Bot().Nudge("bot", "shop/reload", i); err != nil {
				t.Fatal(err)
			}
			w.Advance(time.Minute)
		}
		if got := a.Tell("shop/say", "hello"); got.Outcome != bot.OutcomeObsolete || !strings.Contains(got.Note, "the account is paused") {
			t.Errorf("the answer is %+v", got)
		}
		w.Advance(24 * time.Hour)
		if got := postsOf(w); len(got) > 0 {
			t.Errorf("published %q", got)
		}
		decides(t, w, aboutRule(event.WishGoOn, ""), bot.OutcomeHandled, "goes on")
		w.Advance(time.Minute)
		got := postsOf(w)
		slices.Sort(got)
		if diff := cmp.Diff([]string{"day 1", "reloaded 2"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Under its own id an account has no turns, and whoever tries is told.
func TestTurnsWithItself(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: shop()}, func(w *bottest.World) {
		self := event.Key{Account: "bot", Peer: w.Account("bot").ID()}
		w.Stop()
		s, err := store.Open(context.Background(), store.Options{Path: w.Database()})
		if err != nil {
			t.Fatal(err)
		}
		s.Commit(store.Write{Turn: &store.Turn{
			Trigger: event.Trigger{Kind: event.ByNudge, Key: self, Nudge: &event.Nudge{Name: "test"}}, At: time.Now(),
			Timers: []event.Timer{{Key: self, Name: "shop/daily", Occurrence: 1, Due: time.Now()}},
		}})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		w.Start()
		w.Advance(5 * time.Minute)
		if got := postsOf(w); len(got) > 0 {
			t.Errorf("published %q", got)
		}
		const why = "a conversation with the account itself has no turns"
		w.Inspect(func(d inspect.Inspector) {
			timers, err := d.QuarantinedTimers(context.Background(), self)
			if err != nil || len(timers) != 1 {
				t.Errorf("quarantined are %v, %v", timers, err)
			}
		})
		if !strings.Contains(w.Log(), why) {
			t.Errorf("nobody says why:\n%s", w.Log())
		}
	})
}

// A nudge that can come to nothing is refused at once.
func TestNudgeRefuses(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: shop()}, func(w *bottest.World) {
		for want, err := range map[string]error{
			"does not serve the account": w.Bot().Nudge("nobody", "shop/reload", nil),
			"no route is for it":         w.Bot().Nudge("bot", "shop/close", nil),
			"unsupported type":           w.Bot().Nudge("bot", "shop/reload", func() {}),
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %q", err, want)
			}
		}
	})
}

// What an account does by itself is one turn after another, whatever begins them, and each sees what the one before decided.
func TestOwnTurnsAreOneLane(t *testing.T) {
	t.Parallel()
	const each = 20
	kept := bot.NewValue[int]("test", "n") // of the conversation
	do := func(ctx context.Context, t *bot.Turn) error {
		n, _, err := kept.Load(t)
		select {
		case <-time.After(time.Duration(n%5) * 10 * time.Millisecond):
		case <-ctx.Done():
		}
		return errors.Join(err, kept.Save(t, n+1), t.Publish(fmt.Sprint("post ", n+1)))
	}
	bottest.Run(t, bottest.Config{Bot: bot.Config{Pace: &event.Pace{}}, Routes: []bot.Route{
		bot.On("told", bot.Asked("told"), func(ctx context.Context, t *bot.Turn, _ event.Told) error { return do(ctx, t) }),
		bot.On("nudged", bot.Nudged("nudged"), func(ctx context.Context, t *bot.Turn, _ event.Nudge) error {
			for i := range each {
				t.SetTimer(fmt.Sprintf("due/%d", i), t.Now.Add(time.Second), nil)
			}
			return do(ctx, t)
		}),
		bot.On("due", bot.Timers("due/"), func(ctx context.Context, t *bot.Turn, _ event.Timer) error { return do(ctx, t) }),
	}}, func(w *bottest.World) {
		if err := w.Bot().Nudge("bot", "nudged", nil); err != nil {
			t.Fatal(err)
		}
		for range each {
			w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "told"})
		}
		w.Advance(time.Minute)
		var want []string
		for i := range 2*each + 1 {
			want = append(want, fmt.Sprint("post ", i+1))
		}
		if diff := cmp.Diff(want, postsOf(w)); diff != "" {
			t.Error(diff)
		}
	})
}
