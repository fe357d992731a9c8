// Package run runs bots for the accounts of the settings, follows what changes there, and shares them with other
// workers.
//
// Where the database is a file, a run has one bot; on PostgreSQL it has one for each lease that it gets:
//
//	MayBegin ─► file:    OpenStore ─► begins ─► serve ─────────────────────────► Close
//	            server:  bot.RunWorker ─► beWorker: begins ─► serve ─► (lease lost: once more)
//
//	serve:  fx application ─► listen: SIGHUP, accounts of the database, rules that come ─► apply
//
// Read run.go, then acts.go and added.go (is there anything to answer by?), reload.go and reload_accounts.go (what changes while it runs),
// worker.go, and stored.go for accounts that stand in the database. arrivals.go is only for the log.
//
// What holds:
//
//   - What is wrong ends a run before anything is opened, made or signed in: settings, rule files, what a program adds (Fits, MayBegin). A bot
//     that began without its rules would handle what people write, and answer nothing.
//   - Settings that are read again are checked as a whole, and change nothing when something is wrong. Half of them would be a state that stands
//     in no file.
//   - An account that has gone is given up before others are taken up, as another name may sign in as the same person: two terms of one person
//     would both answer. What an account acts by is in force before it comes.
//   - An account that acts by what is published is served once there is something: what people write until then waits on the platform.
//   - A stop waits for a few seconds. What has not ended by then still uses the store, which is left open: it is whole, and the next start takes
//     the rest up.
//
// The command nectar run makes a [Reloader] and calls its Run.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/plugins/metrics"
	"go.uber.org/dig"
	"go.uber.org/fx"
)

// stopPatience is how long the end of a run may take.
const stopPatience = 4500 * time.Millisecond

// Run runs the bot until ctx ends. gone are the folders of rule files that cannot be read.
func (r *Reloader) Run(ctx context.Context, gone []lacking, stderr io.Writer) error {
	log := r.NewLogger(stderr)
	if r.Began.Store.OnServer() {
		return r.runWorker(ctx, gone)
	}
	st, err := r.Began.OpenStore(ctx, log)
	if err != nil {
		return notInterrupted(err)
	}
	if err := r.refuseNothing(ctx, st, r.Began, gone); err != nil {
		_ = st.Close() // nothing was written
		return err
	}
	late, err := r.serve(ctx, st, r.Began.Bot(log))
	if said := words.OthersText(err, &r.Began); said != "" {
		// A service manager must not start it again by itself: each start is a sign-in.
		err = &cli.ExitError{Code: cli.ExitConfig, Err: errors.New(said)}
	}
	if late { // the store is still in use; what is in it is whole
		return err
	}
	return errors.Join(err, st.Close())
}

// serve runs a bot on a store until ctx ends, or the bot by itself; late reports whether it has not ended in time, and still uses the
// store.
func (r *Reloader) serve(ctx context.Context, st bot.Store, settings bot.Config, more ...fx.Option) (late bool, err error) {
	r.store = st
	serving, end := context.WithCancel(ctx)
	defer end()
	app := fx.New(fx.NopLogger, r.BotModules(settings, end), fx.Options(more...))
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
	go func() { defer close(over); r.listen(serving) }()
	<-serving.Done()
	byItself := ctx.Err() == nil
	late, err = r.stop(ctx, app)
	switch {
	case late && !byItself:
		return true, nil
	case byItself && err == nil:
		r.Halt() // what is added to the program wants it to end, and no bot has failed
	}
	<-over // without the bot, no account comes or goes
	return late, err
}

// stop ends what is wired. The error is what the bot has ended with, or that of ending, late or not.
func (r *Reloader) stop(ctx context.Context, app *fx.App) (late bool, err error) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
	defer cancel()
	err = app.Stop(end)
	// The bot itself may have ended with such an error, as when its database did not answer in time.
	if errors.Is(err, context.DeadlineExceeded) && end.Err() != nil {
		r.Log.WarnContext(ctx, "not everything ended in time; the next start takes it up")
		return true, err
	}
	return false, err
}

// notInterrupted returns err, unless it says that a signal came before the bot began.
func notInterrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// BotModules wires the bot. halt is called when the bot, or what is added to it, ends by itself.
func (r *Reloader) BotModules(settings bot.Config, halt func()) fx.Option {
	r.arrivals, r.entrance = NewArrivals(settings.Accounts, r.Log), settings.Entrance
	settings.Observe, settings.Troubles = r.arrivals.NotePoll, r.troubles
	return fx.Options(
		fx.Supply(settings, r.wanted, r.Log), // as config.Module has them
		fx.Provide(func() bot.Store { return r.store }),
		// The application's own one would listen to signals beside main.
		fx.Decorate(func(fx.Shutdowner) fx.Shutdowner { return halting(halt) }),
		bot.Module,
		r.actingModules(),
		fx.Options(r.With...),
		metrics.Module,
		fx.Supply(metrics.Config{Addr: r.Began.Metrics, Hosts: r.Began.MetricsHosts, Ready: r.ready}),
		fx.Decorate(r.wakeOnRules),
		fx.Invoke(r.takeWired),
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

// troubles returns what is not well with the process beside what the bot knows itself.
func (r *Reloader) troubles() (all []record.Trouble) {
	if p := r.answering.Load(); p != nil {
		if n := p.Broken(); n > 0 {
			all = append(all, record.Trouble{
				Why: event.Because(record.TroubleRules, "files", strconv.Itoa(n)), Says: fmt.Sprintf("%d rule files do not load; what worked last stays in force", n), Do: "nectar check says what is wrong",
			})
		}
	}
	if of, ok := r.Log.Handler().(interface{ Lost() int64 }); ok && of.Lost() > 0 {
		all = append(all, record.Trouble{
			Why: event.Because(record.TroubleLines), Says: "lines of the log cannot be written, or could not be", Do: "let something read standard error, and start the bot again",
		})
	}
	return all
}

// halting is a function as a fx.Shutdowner.
type halting func()

// Shutdown calls h.
func (h halting) Shutdown(...fx.ShutdownOption) error {
	h()
	return nil
}
