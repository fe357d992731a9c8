// Package run runs bots for the accounts of the settings, follows what changes there, and shares them with other
// workers.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/plugins/metrics"
	"go.uber.org/dig"
	"go.uber.org/fx"
)

// stopPatience is how long the end of a run may take.
const stopPatience = 4500 * time.Millisecond

// Run runs the bot until ctx ends. gone are the folders of rule files that cannot be read.
func (r *Reloader) Run(ctx context.Context, gone []lacking, stderr io.Writer) error {
	log := r.Logger(stderr)
	if r.Began.Store.OnServer() {
		return r.work(ctx, gone)
	}
	st, err := r.Began.OpenStore(ctx, log)
	if err != nil {
		return notInterrupted(err)
	}
	if err := r.begins(ctx, st, r.Began, gone); err != nil {
		_ = st.Close() // nothing was written
		return err
	}
	late, err := r.serve(ctx, st, r.Began.Bot(log))
	if late { // the store is still in use; what is in it is whole
		return err
	}
	return errors.Join(err, st.Close())
}

// serve runs a bot on a store until ctx ends; late reports whether it has not ended in time, and still uses the store.
func (r *Reloader) serve(ctx context.Context, st bot.Store, settings bot.Config, more ...fx.Option) (late bool, err error) {
	r.store = st
	app := fx.New(fx.NopLogger, r.Modules(settings), fx.Options(more...))
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
		r.Log.WarnContext(ctx, "not everything ended in time; the next start takes it up")
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

// Modules wires the bot.
func (r *Reloader) Modules(settings bot.Config) fx.Option {
	r.arrivals, r.entrance = NewArrivals(settings.Accounts, r.Log), settings.Entrance
	settings.Observe = r.arrivals.Observe
	return fx.Options(
		fx.Supply(settings, r.wanted, r.Log), // as config.Module has them
		fx.Provide(func() bot.Store { return r.store }),
		// The application's own one would listen to signals beside main.
		fx.Decorate(func(fx.Shutdowner) fx.Shutdowner { return halting(r.Halt) }),
		bot.Module,
		r.acts(),
		fx.Options(r.With...),
		metrics.Module,
		fx.Supply(metrics.Config{Addr: r.Began.Metrics, Hosts: r.Began.MetricsHosts, Ready: r.ready}),
		fx.Decorate(r.wakes),
		fx.Invoke(r.take),
	)
}

// ready tells why the bot is not at work at the moment; nil when it is.
func (r *Reloader) ready() error {
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
