package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/plugins/metrics"
	"github.com/spf13/cobra"
	"go.uber.org/dig"
	"go.uber.org/fx"
)

const runHelp = `Run signs in and runs the bot until it is interrupted. What is under way is then
finished and stored, and the next start goes on where this one stopped.

It answers by your rule files: those in the folder rules, or what NECTAR_RULES
names. They are read again when they change. A file that does not work leaves its
last good version in force, and the log names the line. nectar init writes files
to begin with, nectar check reads them before the bot does. Campaigns in them run, too:
each for the account that it names.

Without rule files it does not begin, unless some were in force before: those stay in
force, and your teams are told. With --starter it runs a starter bot instead, which
tells people who write that a person reads their message, welcomes followers and
thanks who reposts.`

// stopPatience is how long the end of a run may take.
const stopPatience = 4500 * time.Millisecond

func newRun(sh shell) *cobra.Command {
	forget, starter := false, false
	cmd := &cobra.Command{
		Use:     "run",
		Short:   "Run the bot on your platform",
		Long:    runHelp,
		Example: "  nectar run\n  nectar run --env-file shop.env\n  nectar run --starter",
		GroupID: groupBot,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.settings(cmd)
			if err != nil {
				return err
			}
			cfg.ForgetSealed = forget
			gone, err := mayBegin(cmd.Context(), cfg, starter)
			if err != nil {
				return err
			}
			return run(cmd.Context(), cfg, starter, gone, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().BoolVar(&forget, "forget-sealed", false, "delete what is encrypted with a key that is lost, and go on without it")
	cmd.Flags().BoolVar(&starter, "starter", false, "run the starter bot, without rules")
	return cmd
}

// run runs the bot until ctx ends. gone are the folders of rule files that cannot be read.
func run(ctx context.Context, cfg config.Config, starter bool, gone []lacking, stderr io.Writer) error {
	log := cfg.Logger(stderr)
	st, err := cfg.OpenStore(ctx, log)
	if err != nil {
		return notInterrupted(err)
	}
	if err := goesOn(ctx, st, cfg, gone); err != nil {
		_ = st.Close() // nothing was written
		return err
	}
	ctx, halt := context.WithCancel(ctx)
	defer halt()
	app := fx.New(fx.NopLogger, runModules(cfg, log, st, starter, halt))
	if err := app.Err(); err != nil {
		return errors.Join(dig.RootCause(err), st.Close())
	}
	if err := app.Start(context.WithoutCancel(ctx)); err != nil {
		if listen, ok := errors.AsType[*net.OpError](err); ok && listen.Op == "listen" {
			err = fmt.Errorf("NECTAR_METRICS: %w; name another port, or leave it unset", listen)
		}
		return errors.Join(err, st.Close())
	}
	<-ctx.Done()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
	defer cancel()
	err = app.Stop(end)
	if errors.Is(err, context.DeadlineExceeded) { // the store is still in use; what is in it is whole
		log.WarnContext(ctx, "not everything ended in time; the next start takes it up")
		return nil
	}
	return errors.Join(err, st.Close())
}

// notInterrupted returns err, unless it says that a signal came before the bot began.
func notInterrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// runModules wires the bot. halt is called when it cannot go on.
func runModules(cfg config.Config, log *slog.Logger, st store.Store, starter bool, halt func()) fx.Option {
	settings := cfg.Bot(log)
	settings.Observe = newArrivals(settings.Accounts, log).observe
	return fx.Options(
		fx.Supply(settings),
		fx.Provide(func() store.Store { return st }),
		// The application's own one would listen to signals beside main.
		fx.Decorate(func(fx.Shutdowner) fx.Shutdowner { return halting(halt) }),
		bot.Module,
		acts(cfg, log, starter),
		metrics.Module,
		fx.Supply(metrics.Config{Addr: cfg.Metrics, Hosts: cfg.MetricsHosts}),
	)
}

// halting is a function as a fx.Shutdowner.
type halting func()

// Shutdown calls h.
func (h halting) Shutdown(...fx.ShutdownOption) error {
	h()
	return nil
}
