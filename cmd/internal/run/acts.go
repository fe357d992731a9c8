package run

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// lacking is a folder of rule files that cannot be read.
type lacking struct {
	config.RuleFolder
	why error
}

// MayBegin reports whether a run has something to answer by: rule files, or the starter bot, when it was asked for, or
// rules that were in force before and stay so. For those it returns which folders cannot be read; whether the database
// knows what was in force is known when it is open. Where the program brings routes of its own they may do, when no folder can be
// read. An error ends the run before anything is opened or made.
func MayBegin(ctx context.Context, cfg config.Config, starter, own bool) ([]lacking, error) {
	if cfg.Accounts = cfg.Serving(); len(cfg.Accounts) == 0 {
		return nil, nil // what its accounts act by shows when one of them is let go on
	}
	folders, err := cfg.RuleFolders()
	if err != nil {
		return nil, &cli.ExitError{Code: cli.ExitConfig, Err: err}
	}
	var gone []lacking
	for _, f := range folders {
		path := sources.WholePath(f.Path)
		if set, published := record.SetOf(path); published {
			if starter {
				return nil, &cli.ExitError{Code: cli.ExitConfig, Err: fmt.Errorf("--starter is for a bot without rules, and the settings name %s, which is published: leave the flag out", set)}
			}
			continue // what is published shows when the database is open
		}
		if starter {
			if _, err := os.Lstat(path); err == nil || !errors.Is(err, os.ErrNotExist) { //mutate:starter-beside
				return nil, &cli.ExitError{Code: cli.ExitConfig, Err: fmt.Errorf("--starter is for a bot without rules, and there is %s: leave the flag out, or name another place in NECTAR_RULES", path)}
			}
			continue
		}
		if _, err := rules.ReadSources(path); err != nil {
			gone = append(gone, lacking{f, err})
		}
	}
	if own && len(gone) == len(folders) {
		return gone, nil // what the program brings shows when it is wired
	}
	if len(gone) > 0 && !cli.HasDatabase(ctx, cfg) {
		return nil, gone[0].noRules(len(folders))
	}
	return gone, nil
}

// noRules is the error of a run that has nothing to answer by.
func (l *lacking) noRules(of int) error {
	if of > 1 {
		return &cli.ExitError{Code: cli.ExitConfig, Err: fmt.Errorf("%w; it is the folder of %s: rules: in the accounts file names another one", l.why, sources.AccountNames(l.Accounts))}
	}
	return &cli.ExitError{Code: cli.ExitConfig, Err: fmt.Errorf("%w; NECTAR_RULES names another place, and nectar run --starter runs without rules", l.why)}
}

// goesOn ends a run without the rule files of accounts, unless the store knows which rules were in force for them.
func goesOn(ctx context.Context, st bot.Store, cfg config.Config, gone []lacking) error {
	without, err := withoutRules(ctx, st, gone)
	if err != nil || len(without) == 0 {
		return err
	}
	folders, err := cfg.RuleFolders()
	if err != nil {
		return err
	}
	return without[0].noRules(len(folders))
}

// withoutRules returns those of the folders for whose accounts the store does not know, either, which rules were in force.
func withoutRules(ctx context.Context, st bot.Store, gone []lacking) (without []lacking, err error) {
	for i := range gone {
		known := false
		for _, account := range gone[i].Accounts {
			_, ok, err := st.RulesInForce(ctx, account)
			if err != nil {
				return nil, err
			}
			known = known || ok
		}
		if !known {
			without = append(without, gone[i])
		}
	}
	return without, nil
}
