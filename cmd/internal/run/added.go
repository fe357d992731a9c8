package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"go.uber.org/dig"
	"go.uber.org/fx"
)

// CheckWiring returns why what a program adds cannot be wired beside what is there; nil when it can. Nothing of it runs for that.
func CheckWiring(with []fx.Option, starter bool) error {
	if len(with) == 0 {
		return nil
	}
	r := &Reloader{Starter: starter, With: with}
	r.NewLogger(io.Discard)
	if err := fx.ValidateApp(fx.NopLogger, r.BotModules(r.Began.Bot(r.Log), func() {})); err != nil { //mutate:fits
		return &cli.ExitError{Code: cli.ExitConfig, Err: fmt.Errorf("what this program adds to the bot cannot be wired: %s", misfit(err))}
	}
	return nil
}

// misfit says in a line what does not fit, without the calls through which that was found.
func misfit(err error) string {
	const twice = ": cannot provide "
	if what, _, ok := strings.Cut(err.Error(), ": already provided by "); ok && strings.Contains(what, twice) {
		what, _, _ = strings.Cut(what[strings.LastIndex(what, twice)+len(twice):], " from [")
		return "there is another " + what + " already"
	}
	return strings.Join(strings.Fields(dig.RootCause(err).Error()), " ")
}

// ruleless is a run in which no account has rules.
type ruleless struct {
	why error // there are none
	no  error // what ends the run when the program brings nothing to answer by, either
}

// refuseNothing ends a run that has nothing to answer by. Where no account has rules, what the program adds is asked for routes.
func (r *Reloader) refuseNothing(ctx context.Context, st bot.Store, cfg config.Config, gone []lacking) error {
	r.ruleless = nil
	without, err := withoutRules(ctx, st, gone)
	if err != nil {
		return err
	}
	if len(without) == 0 {
		return r.firstRules(ctx, st, cfg)
	}
	folders, err := cfg.RuleFolders()
	if err != nil {
		return err
	}
	no := without[0].noRules(len(folders))
	if len(r.With) == 0 || len(without) < len(folders) {
		return no
	}
	r.ruleless = &ruleless{without[0].why, no}
	return nil
}

// answering is what a bot answers by.
type answering struct {
	fx.In
	Routes   []bot.Route   `group:"nectar.routes"`
	Flows    []bot.Machine `group:"nectar.flows"`
	Fallback bot.Handler   `optional:"true"`
}

// onlyAdded lets what the program adds be all that the bot answers by.
func (r *Reloader) onlyAdded() fx.Option {
	return fx.Invoke(func(own answering) error {
		if len(own.Routes)+len(own.Flows) == 0 && own.Fallback == nil { //mutate:answers-by-nothing
			return r.ruleless.no
		}
		r.Log.Info("there are no rule files: the bot answers by the routes of this program alone", "problem", r.ruleless.why)
		return nil
	})
}

// stayRuleless returns why settings cannot be taken over by a bot that began without rules.
func (r *Reloader) stayRuleless(next config.Config, gone []lacking) error {
	folders, err := next.RuleFolders()
	if err != nil || r.ruleless == nil || len(gone) == len(folders) {
		return err
	}
	return errors.New("the bot began without rule files, and accounts have some now: that counts from the next start")
}
