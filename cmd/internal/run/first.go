package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
)

// firstRules ends the first start of a bot with rule files that do not work: there is no version of them that could stay in force, and a bot without one of them
// does what nobody has written – without its settings.yaml, at any hour, as often as it likes. Once rules have been in force for any account, a file that does not
// work stays out alone.
func (r *Reloader) firstRules(ctx context.Context, st bot.Store, cfg config.Config) error {
	cfg.Accounts = cfg.Serving()
	if r.Starter || len(cfg.Accounts) == 0 {
		return nil
	}
	folders, err := cfg.RuleFolders()
	if err != nil {
		return &cli.ExitError{Code: cli.ExitConfig, Err: err}
	}
	var all []event.Account
	for _, f := range folders {
		all = append(all, f.Accounts...)
	}
	if known, err := inspect.Of(st).RulesOf(ctx, all); err != nil || len(known) > 0 { //mutate:rules-known
		return err
	}
	var wrong []error
	for _, f := range folders {
		path := sources.WholePath(f.Path)
		if _, published := record.SetOf(path); published {
			continue
		}
		src, err := rules.ReadSources(path)
		if err != nil {
			continue // it is known which folders cannot be read
		}
		v, report := check.Check(src, rules.ForAccounts(f.Accounts...))
		for _, p := range report.Problems.Errors() {
			p.File = filepath.Join(path, p.File)
			wrong = append(wrong, errors.New(p.String()))
		}
		if v != nil && v.Calling().Needed {
			wrong = append(wrong, uncalled(v, cfg, path)...)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	wrong = append(wrong, errors.New("the bot has not started: no version of this has worked yet that could stay in force. Change it, and start it again; nectar check says whether it works"))
	return &cli.ExitError{Code: cli.ExitConfig, Err: errors.Join(wrong...)}
}

// uncalled returns why nobody gets what the rules of a folder tell people of ours; nothing when one address can be used. Where rules give conversations to a team and
// nobody hears of it, customers wait for an answer that they were promised.
func uncalled(v *rules.Version, cfg config.Config, path string) []error {
	c := v.Calling()
	client := sources.NewCaller(&c, cfg)
	defer client.Close()
	var why []string
	for i := range c.Teams {
		for j := range c.Teams[i].Addresses {
			a := &c.Teams[i].Addresses[j]
			err := client.Check(&a.Address)
			if err == nil {
				return nil
			}
			why = append(why, fmt.Sprintf("%s: %v", a.String(), err))
		}
	}
	if len(why) == 0 {
		why = append(why, `no team has an address. Write one, for example who: { team: ["ntfy://ntfy.sh/TOPIC"] }, or let the rules watch: status: watch`)
	}
	wrong := make([]error, len(why))
	for i := range why {
		wrong[i] = fmt.Errorf("%s: nobody can be called: %s", filepath.Join(path, rules.SettingsFile), why[i])
	}
	return wrong
}
