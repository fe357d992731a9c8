package bot_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"github.com/nectar-bot/nectar/platform/session"
	"go.uber.org/fx"
)

func TestModuleIsComplete(t *testing.T) {
	t.Parallel()
	none := fx.Provide(func() bot.Config { return bot.Config{} }, func() bot.Store { return nil })
	fallback := fx.Provide(func() bot.Handler { return bot.HandlerFunc(func(context.Context, *bot.Turn) error { return nil }) })
	for name, options := range map[string]fx.Option{
		"nothing to do": fx.Options(),
		"routes":        fx.Options(bot.Routes(echo()), bot.ProvideRoutes(func(bot.Config) ([]bot.Route, error) { return nil, nil })),
		"flows":         bot.Flows(greetingFlow(t)),
		"wraps":         bot.Wraps(bot.Wrap{Name: "none"}),
		"fallback":      fallback,
	} {
		if err := fx.ValidateApp(bot.Module, none, options); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// application is an fx application with a bot on p, and what else is given.
func application(t *testing.T, p *emulator.Platform, polled chan<- struct{}, options ...fx.Option) (*fx.App, store.Store) {
	t.Helper()
	p.AddAccount(emulator.Person{Username: "bot"}, "bot@example.com", "secret")
	pipe := emulator.NewPipe(p)
	t.Cleanup(func() { _ = pipe.Close() })
	st, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "nectar.db"), Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	cfg := bot.Config{
		Accounts: []bot.Account{{
			Name: "main", BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: "bot@example.com", Password: "secret"},
		}},
		Transport: pipe.Transport(), PollInterval: 10 * time.Millisecond,
		Observe: func(_ event.Account, _ event.PollResult, err error) {
			if err == nil {
				select {
				case polled <- struct{}{}:
				default:
				}
			}
		},
	}
	provide := fx.Provide(func() bot.Config { return cfg }, func() bot.Store { return st })
	return fx.New(fx.NopLogger, bot.Module, provide, fx.Options(options...)), st
}

// The module runs a bot from what others contribute: middleware in its order, whatever order fx has.
func TestModuleRuns(t *testing.T) {
	t.Parallel()
	around := func(name string, order int) bot.Wrap {
		return bot.Wrap{Name: name, Order: order, Middleware: func(next bot.Handler) bot.Handler {
			return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
				t.Conversation.Name += name
				return next.Handle(ctx, t)
			})
		}}
	}
	p, polled := emulator.New(emulator.Config{}), make(chan struct{}, 1)
	app, _ := application(t, p, polled,
		bot.Wraps(around("c", 2), around("b", 1)), bot.Wraps(around("a", 1), around("d", 3)),
		bot.Routes(bot.On("hi", saying("hi"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			return t.Reply(t.Conversation.Name)
		})),
		bot.ProvideRoutes(func(c bot.Config) ([]bot.Route, error) {
			return []bot.Route{bot.On("bye", saying("bye"), says[event.Message]("bye, says "+string(c.Accounts[0].Name)))}, nil
		}),
		bot.Flows(greetingFlow(t)),
	)
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-polled
	ana := script.Actor("ana")
	err := script.Play(t.Context(), p, script.Script{Account: p.UserID("bot"), Steps: []script.Step{
		ana.Says("hi"), ana.Expects("Anaabcd"), ana.Says("bye"), ana.Expects("bye, says main"),
	}})
	if err != nil {
		t.Error(err)
	}
	if err := app.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestModuleEndsTheApplication(t *testing.T) {
	t.Parallel()
	app, st := application(t, emulator.New(emulator.Config{}), nil)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if signal := <-app.Wait(); signal.ExitCode != 1 {
		t.Errorf("the application ends with %v", signal)
	}
	if err := app.Stop(t.Context()); err == nil {
		t.Error("a bot that could not run stopped without an error")
	}
}

func TestModuleRefusesTwins(t *testing.T) {
	t.Parallel()
	app, _ := application(t, emulator.New(emulator.Config{}), nil, bot.Routes(echo()), bot.Routes(echo()))
	if err := app.Err(); err == nil {
		t.Error("two routes of one name were taken")
	}
}

// Middleware goes by order and name, so two of one name, or none, are refused in one line.
func TestModuleRefusesWraps(t *testing.T) {
	t.Parallel()
	same := func(next bot.Handler) bot.Handler { return next }
	for want, wraps := range map[string][]bot.Wrap{
		`two bot.Wraps are named "log": name them apart, or give only one of them`:        {{Name: "log", Middleware: same}, {Name: "log", Order: 2, Middleware: same}},
		"a bot.Wrap has no name: give it one, since middleware of one order goes by name": {{Middleware: same}},
		`the bot.Wrap "log" has no Middleware`:                                            {{Name: "log"}},
	} {
		app, _ := application(t, emulator.New(emulator.Config{}), nil, bot.Wraps(wraps...))
		if err := app.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "nectar.db"), Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	router, err := bot.NewRouter(bot.RouterConfig{})
	if err != nil {
		t.Fatal(err)
	}
	main := bot.Account{Name: "main", BaseURL: "https://social.example/mobile_api", Credentials: session.Credentials{Email: "a@b.c"}}
	nameless, nobody, plain, other := main, main, main, main
	other.Name, other.BaseURL, other.Email = "other", "https://SOCIAL.example:443/mobile_api/", "A@b.c"
	nameless.Name, nobody.Email, plain.BaseURL = "", "", "http://social.example/mobile_api"
	for name, cfg := range map[string]bot.Config{
		"no account": {Store: st, Router: router},
		"no store":   {Accounts: []bot.Account{main}, Router: router},
		"no router":  {Accounts: []bot.Account{main}, Store: st},
		"no name":    {Accounts: []bot.Account{nameless}, Store: st, Router: router},
		"twins":      {Accounts: []bot.Account{main, main}, Store: st, Router: router},
		"one person": {Accounts: []bot.Account{main, other}, Store: st, Router: router},
		"no sign-in": {Accounts: []bot.Account{nobody}, Store: st, Router: router},
		"plain http": {Accounts: []bot.Account{plain}, Store: st, Router: router},
	} {
		if _, err := bot.New(cfg); err == nil || len(fmt.Sprint(err)) < 20 {
			t.Errorf("%s: New returned %v", name, err)
		}
	}
	if _, err := bot.New(bot.Config{Accounts: []bot.Account{main}, Store: st, Router: router}); err != nil {
		t.Error(err)
	}
}
