package welcome_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/plugins/welcome"
	"go.uber.org/fx"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hosts is a bot with the plugin.
func hosts(t *testing.T, cfg welcome.Config) bottest.Config {
	t.Helper()
	p, err := welcome.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return bottest.Config{Routes: p.Routes()}
}

// guest returns what the plugin remembers of a person.
func guest(t *testing.T, w *bottest.World, p *bottest.Person) welcome.Guest {
	t.Helper()
	var g welcome.Guest
	if err := json.Unmarshal(w.Conversation(p).Values["welcome/guest"], &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestFollowersAreGreetedOnceEver(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, hosts(t, welcome.Config{}), func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.AddPerson(emulator.Person{Username: "leo"})
		ana.Follows()
		ana.Expects("Welcome, Ana!")
		since := guest(t, w, ana).Since
		w.Advance(time.Hour)
		ana.Unfollows()
		w.Advance(time.Hour)
		ana.Follows()
		ana.ExpectsNothing(time.Hour)
		w.Restart()
		ana.Unfollows()
		ana.Follows()
		ana.ExpectsNothing(24 * time.Hour)
		leo.Follows()
		leo.Expects("Welcome, friend!")
		if got := guest(t, w, ana).Since; since.IsZero() || !got.Equal(since) {
			t.Errorf("ana is a guest since %v, and was since %v", got, since)
		}
	})
}

func TestRepostersAreThankedOncePerPost(t *testing.T) {
	t.Parallel()
	cfg := welcome.Config{Thanks: "Thanks, {{first_name|friend}}", ThanksAgain: "You again, {{first_name|friend}}!"}
	bottest.Run(t, hosts(t, cfg), func(w *bottest.World) {
		ana, leo, spring, summer := w.Person("ana"), w.Person("leo"), w.Posts("spring menu"), w.Posts("summer menu")
		ana.Reposts(spring)
		leo.Reposts(spring)
		ana.Expects("Thanks, Ana")
		leo.Expects("Thanks, Leo")
		w.Advance(time.Hour)
		ana.Unreposts(spring)
		ana.Reposts(spring)
		ana.ExpectsNothing(time.Hour)
		ana.Reposts(summer)
		ana.Expects("You again, Ana!")
		ana.ExpectsNothing(time.Hour)
		if n := guest(t, w, ana).Reposts; n != 3 {
			t.Errorf("ana is remembered with %d reposts", n)
		}
	})
}

func TestFollowBackAndDelay(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	cfg := hosts(t, welcome.Config{FollowBack: true, Delay: 2 * time.Hour})
	cfg.Patience = 3 * time.Hour
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana, mia := w.Person("ana"), w.AddPerson(emulator.Person{Username: "mia", FirstName: "Mia", Private: true})
		ana.Follows()
		mia.Follows()
		ana.ExpectsFollow()
		mia.ExpectsFollow()
		w.Crash()
		ana.ExpectsNothing(time.Hour)
		ana.Expects("Welcome, Ana!")
		mia.Expects("Welcome, Mia!")
		ana.ExpectsNothing(3 * time.Hour)
	})
}

// Wherever a crash comes, everybody is greeted and thanked once.
func TestCrashes(t *testing.T) {
	t.Parallel()
	step := 23 * time.Millisecond
	if effort.Few() {
		step *= 4
	}
	for after := time.Duration(0); after < 400*time.Millisecond; after += step {
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			cfg := hosts(t, welcome.Config{FollowBack: true})
			cfg.Bot.PollInterval = 100 * time.Millisecond
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana, leo, menu := w.Person("ana"), w.Person("leo"), w.Posts("spring menu")
				ana.Follows()
				leo.Reposts(menu)
				w.Advance(after)
				w.Crash()
				w.Advance(after)
				w.Crash()
				ana.ExpectsFollow()
				ana.Expects("Welcome, Ana!")
				leo.Expects("Thank you for passing it on, Leo!")
				ana.ExpectsNothing(time.Minute)
				leo.ExpectsNothing(0)
			})
		})
	}
}

// On a platform that fails one call in five nobody is left out, and nobody is greeted twice.
func TestFaults(t *testing.T) {
	t.Parallel()
	bottest.Run(t, hosts(t, welcome.Config{FollowBack: true}), func(w *bottest.World) {
		menu, people := w.Posts("spring menu"), []string{"ana", "leo", "mia", "tom", "zoe", "max", "ida", "ben"}
		w.Faults(emulator.Hostile())
		for _, name := range people {
			w.Person(name).Follows()
			w.Person(name).Reposts(menu)
		}
		w.Advance(time.Minute)
		w.Crash()
		for _, name := range people {
			p := w.Person(name)
			p.ExpectsFollow()
			p.ExpectsPart("Welcome, ")
			p.ExpectsPart("Thank you")
		}
		w.Faults(emulator.Faults{})
		for _, name := range people {
			w.Person(name).ExpectsNothing(time.Minute)
		}
	})
}

// The plugin leaves to others what is theirs.
func TestBesideOtherRoutes(t *testing.T) {
	t.Parallel()
	cfg := hosts(t, welcome.Config{})
	p, err := welcome.New(welcome.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Routes = append(cfg.Routes, bot.On("who", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		g, known, err := p.Guest(t)
		if err != nil {
			return err
		}
		if known && !g.Since.IsZero() {
			return t.Reply("a guest")
		}
		return t.Reply("a stranger")
	}))
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("who am I?")
		ana.Expects("a stranger")
		ana.Follows()
		ana.Expects("Welcome, Ana!")
		ana.Says("and now?")
		ana.Expects("a guest")
	})
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]welcome.Config{
		"welcome.Config.Greeting: ":        {Greeting: "Hi {{first_name}}"},
		"welcome.Config.Thanks: ":          {Thanks: "Thanks {{who|you}}"},
		"welcome.Config.ThanksAgain: ":     {ThanksAgain: "{{"},
		"welcome.Config.Delay is -1s: ":    {Delay: -time.Second},
		"welcome.Config.Delay is 25h0m0s:": {Delay: 25 * time.Hour},
	} {
		if _, err := welcome.New(cfg); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("New returned %v, want %s…", err, want)
		}
	}
}

func TestModule(t *testing.T) {
	t.Parallel()
	app := fx.Options(bot.Module, welcome.Module, fx.Provide(
		func() bot.Config { return bot.Config{} },
		func() bot.Store { return nil },
	))
	if err := fx.ValidateApp(app); err != nil {
		t.Error(err)
	}
	if err := fx.ValidateApp(app, fx.Supply(welcome.Config{FollowBack: true})); err != nil {
		t.Error(err)
	}
	var got []string
	list := fx.Invoke(fx.Annotate(func(routes []bot.Route) {
		for _, r := range routes {
			got = append(got, r.Name)
		}
	}, fx.ParamTags(`group:"nectar.routes"`)))
	if err := fx.New(fx.NopLogger, welcome.Module, list).Err(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"welcome/follow", "welcome/repost"}, slices.Sorted(slices.Values(got))); diff != "" {
		t.Error(diff)
	}
	if err := fx.New(fx.NopLogger, welcome.Module, fx.Supply(welcome.Config{Delay: -1}), list).Err(); err == nil {
		t.Error("a wrong configuration was taken")
	}
}
