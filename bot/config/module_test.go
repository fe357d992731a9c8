package config_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"
)

// echo is a bot.
func echo() fx.Option {
	return fx.Options(config.Module, bot.Module, bot.Routes(
		bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply(m.Text)
		}),
	))
}

func TestModuleIsWired(t *testing.T) {
	if err := fx.ValidateApp(echo()); err != nil {
		t.Error(err)
	}
}

func TestModuleRunsABot(t *testing.T) {
	p := emulator.New(emulator.Config{})
	account := p.AddAccount(emulator.Person{Username: "bot"}, "bot@social.example", hunter2)
	server, err := emulator.Serve(t.Context(), "127.0.0.1:0", p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}()
	t.Chdir(t.TempDir())
	for _, setting := range append([]string{"NECTAR_POLL_INTERVAL=50ms", "NECTAR_LOG_LEVEL=error"}, signIn...) {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
	t.Setenv("NECTAR_BASE_URL", server.BaseURL())

	var cfg config.Config
	polled := make(chan struct{}, 1)
	observe := fx.Decorate(func(c bot.Config) bot.Config {
		c.Observe = func(event.Account, event.PollResult, error) {
			select {
			case polled <- struct{}{}:
			default:
			}
		}
		return c
	})
	app := fx.New(echo(), observe, fx.Populate(&cfg))
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-polled // what was there before is skipped
	ana := script.Actor("ana")
	if err := script.Play(t.Context(), p, script.Script{Account: account, Steps: []script.Step{ana.Says("hi"), ana.Expects("hi")}}); err != nil {
		t.Error(err)
	}
	log, _ := warnings()
	if _, err := cfg.OpenStore(t.Context(), log); !errors.Is(err, record.ErrInUse) {
		t.Errorf("while the bot runs, opening its store says: %v", err)
	}
	if err := app.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	st, err := cfg.OpenStore(t.Context(), log)
	if err != nil {
		t.Fatalf("the bot has left its store open: %v", err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

func TestModuleWithWrongSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	app := fx.New(fx.NopLogger, echo())
	wrong, ok := errors.AsType[config.Problems](app.Err())
	if !ok || len(wrong) != 3 {
		t.Errorf("got %v", app.Err())
	}
}

func TestTheApplicationSaysOnlyWhyItFails(t *testing.T) {
	var out bytes.Buffer
	log := config.Failures(&out)
	for _, e := range []fxevent.Event{
		&fxevent.Provided{}, &fxevent.Invoked{Err: errors.New("said once more at the end")}, &fxevent.Started{}, &fxevent.Stopped{},
		&fxevent.Started{Err: fmt.Errorf("build the bot: %w", config.Problems{"one (example: NECTAR_PASSWORD='correct horse')", "two"})},
		&fxevent.Stopped{Err: errors.New("GET /profile?session_id=hunter2 took too long")},
	} {
		log.LogEvent(e)
	}
	want := "one (example: NECTAR_PASSWORD='correct horse')\ntwo\nGET /profile?session_id=[redacted] took too long\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
