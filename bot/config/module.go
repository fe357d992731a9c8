package config

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"
)

// Module gives an fx application what bot.Module needs, as the environment and .env say: a
// bot.Config, and a bot.Store that is closed after the bot has stopped. It also provides the Config
// itself and its *slog.Logger, which writes to standard error.
//
// The application itself is silent. When it cannot start, standard error says why, a line for each
// problem.
var Module = fx.Options(
	fx.WithLogger(func() fxevent.Logger { return failures{os.Stderr} }),
	fx.Module("config", fx.Provide(
		func() (Config, error) { return Load(Source{Accounts: true}) },
		func(c Config) *slog.Logger { return c.Logger(os.Stderr, c.LogLevel) },
		Config.Bot,
		provideStore,
	)),
)

func provideStore(lc fx.Lifecycle, c Config, log *slog.Logger) (bot.Store, error) {
	st, err := c.OpenStore(context.Background(), log)
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StopHook(st.Close))
	return st, nil
}

// failures is the log of an fx application that says nothing but why it did not start, or stop.
type failures struct{ w io.Writer }

// LogEvent implements fxevent.Logger.
func (f failures) LogEvent(e fxevent.Event) {
	var err error
	switch e := e.(type) {
	case *fxevent.Started:
		err = e.Err
	case *fxevent.Stopped:
		err = e.Err
	}
	if err == nil {
		return
	}
	wrong, ours := errors.AsType[Problems](err)
	text := wrong.Error() // repeats no secrets, and has examples of them
	if !ours {
		text = Scrub(dig.RootCause(err).Error())
	}
	for line := range strings.Lines(text) {
		_, _ = fmt.Fprintln(f.w, strings.TrimRight(line, "\n"))
	}
}
