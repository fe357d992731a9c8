package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/session"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"github.com/nectar-bot/nectar/plugins/campaigns"
	"go.uber.org/fx"
)

// Reloader reads the settings of a run again when it is asked to, and lets accounts come and go.
type Reloader struct {
	Load    func() (config.Config, error)
	Calls   <-chan os.Signal // each asks for the settings to be read again
	Starter bool
	With    []fx.Option // what the program adds to each bot
	Halt    func()

	Began  config.Config // as they were at the start
	wanted config.Config // as they were read last
	have   map[event.Account]config.Account
	failed time.Duration // the pause before what could not be taken up is tried again; 0: there is nothing

	level     slog.LevelVar
	variables atomic.Pointer[config.Config] // with variables for what is secret of addresses
	Log       *slog.Logger
	store     bot.Store
	working   *bot.Working                // of a worker, otherwise nil
	loaded    atomic.Pointer[bot.Working] // the same, for who asks beside everything else
	shared    shared
	stored    storedAccounts // where the settings say that accounts stand in the database
	arrivals  *arrivals
	ruled     chan struct{} // rules have come into force
	entrance  *session.Entrance
	ruleless  *ruleless // nil when an account has rules, or has had some
	bot       *bot.Bot
	answers   *autoresponder.Plugin                // nil for a bot without rules, as the next one
	answering atomic.Pointer[autoresponder.Plugin] // the same, for who asks beside everything else
	campaigns *campaigns.Plugin
}

const (
	takeUpPause        = 10 * time.Second
	longestTakeUpPause = 2 * time.Minute
)

// NewLogger makes the log.
func (r *Reloader) NewLogger(w io.Writer) *slog.Logger {
	r.wanted, r.ruled = r.Began, make(chan struct{}, 1)
	r.level.Set(r.Began.LogLevel)
	r.variables.Store(&r.Began)
	r.Log = r.Began.Logger(w, &r.level)
	r.have = map[event.Account]config.Account{}
	for _, a := range r.Began.Serving() {
		r.have[a.Name] = a
	}
	if !r.Began.AccountsInStore() {
		r.tellIdle()
	}
	return r.Log
}

// tellIdle says when nobody is answered, since all accounts are paused.
func (r *Reloader) tellIdle() {
	switch {
	case len(r.wanted.Serving()) > 0:
	case r.Began.AccountsInStore():
		r.Log.Warn("no account of the database is on: nothing is polled, and nobody is answered, until one is; nectar accounts lists them")
	default:
		r.Log.Warn("all accounts are paused in the settings: nothing is polled, and nobody is answered, until one says state: on")
	}
}

// lookup returns a variable that is none of nectar's own.
func (r *Reloader) lookup(name string) (string, bool) { return r.variables.Load().Lookup(name) }

// wired are the parts of the application that accounts come to and go from.
type wired struct {
	fx.In
	Bot       *bot.Bot
	Answers   *autoresponder.Plugin `optional:"true"`
	Campaigns *campaigns.Plugin     `optional:"true"`
}

func (r *Reloader) takeWired(w wired) {
	r.bot, r.answers, r.campaigns = w.Bot, w.Answers, w.Campaigns
	r.answering.Store(w.Answers)
}

// listen reads the settings again each time that it is asked to, until ctx ends.
func (r *Reloader) listen(ctx context.Context) {
	select {
	// Until the bot has begun with the accounts that it was given, none can be taken from it.
	case <-r.bot.Ready():
	case <-ctx.Done():
		return
	}
	var look <-chan time.Time
	if r.Began.AccountsInStore() {
		t := time.NewTicker(storedLook)
		defer t.Stop()
		look = t.C
	}
	for {
		var again <-chan time.Time
		if r.failed > 0 {
			again = time.After(r.failed)
		}
		select {
		case <-ctx.Done():
			return
		case <-r.Calls:
			r.reload(ctx)
		case <-r.ruled:
			r.rulesCame(ctx)
		case <-look:
			r.lookStored(ctx)
		case <-again:
			r.apply(ctx)
		}
	}
}

// reload reads the settings again, and takes them over.
func (r *Reloader) reload(ctx context.Context) {
	next, err := r.Load()
	if err == nil {
		next, err = r.withStored(ctx, next)
	}
	if err == nil {
		err = r.findObstacles(ctx, next)
	}
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			r.Log.ErrorContext(ctx, "the settings were read again, and nothing is taken over", "problem", strings.TrimRight(line, "\n"))
		}
		return
	}
	// Against what the run began with, not against what was read last: what counts from the next start is said each time, until then.
	if later := r.Began.CountsLater(next); len(later) > 0 {
		r.Log.WarnContext(ctx, countsLater(later)) //nolint:sloglint // it names variables, and reads as a sentence
	}
	r.level.Set(next.LogLevel)
	known := *r.variables.Load()
	// Before accounts come and go: rules that come into force with them ask for addresses.
	r.variables.Store(&next)
	if r.answers != nil && !sameVariables(known, next) {
		r.answers.LookUp()
	}
	r.wanted = next
	d := r.apply(ctx)
	if ctx.Err() == nil {
		r.Log.InfoContext(ctx, "settings were read again: "+d.String(), d.logAttrs()...) //nolint:sloglint // it reads as a sentence
		r.tellIdle()
	}
}

// sameVariables reports whether the variables are the same that are none of nectar's own.
func sameVariables(a, b config.Config) bool {
	if len(a.Variables) != len(b.Variables) {
		return false
	}
	for name, value := range a.Variables {
		if other, ok := b.Variables[name]; !ok || other != value {
			return false
		}
	}
	return true
}

// countsLater says which settings count from the next start.
func countsLater(names []string) string {
	if len(names) == 1 {
		return names[0] + " has changed: it counts from the next start"
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " have changed: they count from the next start"
}

// findObstacles returns why settings cannot be taken over; nil when they can.
func (r *Reloader) findObstacles(ctx context.Context, next config.Config) error {
	d := r.compare(next)
	affected := next
	affected.Accounts = slices.Concat(d.Came, d.Changed)
	gone, err := MayBegin(ctx, affected, r.Starter, r.ruleless != nil)
	if err == nil {
		err = r.stayRuleless(affected, gone)
	}
	if err != nil || r.answers == nil {
		return err
	}
	if err := goesOn(ctx, r.store, next, gone); err != nil {
		return err
	}
	names, own := actingAccounts(next)
	wrong, err := r.answers.Obstacles(names, own)
	if err != nil {
		return err
	}
	problems := make([]error, len(wrong))
	for i := range wrong {
		problems[i] = fmt.Errorf("with these accounts a file of rules would not work any more: %s", wrong[i])
	}
	return errors.Join(problems...)
}
