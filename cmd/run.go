package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
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
thanks who reposts.

On SIGHUP it reads .env and the accounts file again: accounts that are new are taken
up, those that are gone, or say state: paused, are given up, and those of which
something has changed go on with that. The others are not touched. Settings that are
wrong change nothing; the log says what is wrong, and which settings count from the
next start only. Windows has no SIGHUP: start it again there.

On a database of PostgreSQL it is a worker: any number of them, on any machines, share
the accounts. NECTAR_WORKER names it, otherwise the machine does. When one ends, the
others go on with its accounts, within a moment, and within 10 s when it dies.`

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
			ctx, halt := context.WithCancel(cmd.Context())
			defer halt()
			calls, quiet := sh.hangups(halt)
			defer quiet()
			cfg, err := sh.settings(cmd)
			if err != nil {
				return err
			}
			cfg.ForgetSealed = forget
			gone, err := mayBegin(ctx, cfg, starter)
			if err != nil {
				return err
			}
			r := &reloader{load: func() (config.Config, error) { return sh.settings(cmd) }, calls: calls, starter: starter, began: cfg, halt: halt}
			return r.run(ctx, gone, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().BoolVar(&forget, "forget-sealed", false, "delete what is encrypted with a key that is lost, and go on without it")
	cmd.Flags().BoolVar(&starter, "starter", false, "run the starter bot, without rules")
	return cmd
}

// run runs the bot until ctx ends. gone are the folders of rule files that cannot be read.
func (r *reloader) run(ctx context.Context, gone []lacking, stderr io.Writer) error {
	log := r.logger(stderr)
	if r.began.Store.OnServer() {
		return r.work(ctx, gone)
	}
	st, err := r.began.OpenStore(ctx, log)
	if err != nil {
		return notInterrupted(err)
	}
	if err := goesOn(ctx, st, r.began, gone); err != nil {
		_ = st.Close() // nothing was written
		return err
	}
	late, err := r.serve(ctx, st, r.began.Bot(log))
	if late { // the store is still in use; what is in it is whole
		return err
	}
	return errors.Join(err, st.Close())
}

// serve runs a bot on a store until ctx ends; late tells whether it has not ended in time, and still uses the store.
func (r *reloader) serve(ctx context.Context, st *store.Database, settings bot.Config, more ...fx.Option) (late bool, err error) {
	r.store = st
	app := fx.New(fx.NopLogger, r.modules(settings), fx.Options(more...))
	if err := app.Err(); err != nil {
		return false, dig.RootCause(err)
	}
	if err := app.Start(context.WithoutCancel(ctx)); err != nil {
		if listen, ok := errors.AsType[*net.OpError](err); ok && listen.Op == "listen" {
			err = fmt.Errorf("NECTAR_METRICS: %w; name another port, or leave it unset", listen)
		}
		return false, err
	}
	over := make(chan struct{})
	go func() { defer close(over); r.listen(ctx) }()
	<-ctx.Done()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
	defer cancel()
	if err := app.Stop(end); errors.Is(err, context.DeadlineExceeded) {
		r.log.WarnContext(ctx, "not everything ended in time; the next start takes it up")
		return true, nil
	} else if err != nil {
		return false, err
	}
	<-over // without the bot, no account comes or goes
	return false, nil
}

// notInterrupted returns err, unless it says that a signal came before the bot began.
func notInterrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// modules wires the bot.
func (r *reloader) modules(settings bot.Config) fx.Option {
	r.arrivals, r.entrance = newArrivals(settings.Accounts, r.log), settings.Entrance
	settings.Observe = r.arrivals.observe
	return fx.Options(
		fx.Supply(settings),
		fx.Provide(func() store.Store { return r.store }),
		// The application's own one would listen to signals beside main.
		fx.Decorate(func(fx.Shutdowner) fx.Shutdowner { return halting(r.halt) }),
		bot.Module,
		acts(r.wanted, r.log, r.starter, r.lookup),
		metrics.Module,
		fx.Supply(metrics.Config{Addr: r.began.Metrics, Hosts: r.began.MetricsHosts, Ready: r.ready}),
		fx.Decorate(r.wakes),
		fx.Invoke(r.take),
	)
}

// ready tells why the bot is not at work at the moment; nil when it is.
func (r *reloader) ready() error {
	if r.working != nil {
		if err := r.working.Ready(); err != nil {
			return err
		}
	}
	if since := r.store.Faulty(); !since.IsZero() {
		return fmt.Errorf("the store cannot write since %s", since.UTC().Format(time.RFC3339))
	}
	return nil
}

// halting is a function as a fx.Shutdowner.
type halting func()

// Shutdown calls h.
func (h halting) Shutdown(...fx.ShutdownOption) error {
	h()
	return nil
}
