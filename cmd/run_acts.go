package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// lacking is a folder of rule files that cannot be read.
type lacking struct {
	config.RuleFolder
	why error
}

// mayBegin tells whether a run has something to answer by: rule files, or the starter bot, when it was asked for, or
// rules that were in force before and stay so. For those it returns which folders cannot be read; whether the database
// knows what was in force is known when it is open. An error ends the run before anything is opened or made.
func mayBegin(ctx context.Context, cfg config.Config, starter bool) ([]lacking, error) {
	if cfg.Accounts = cfg.Serving(); len(cfg.Accounts) == 0 {
		return nil, nil // what its accounts act by shows when one of them is let go on
	}
	folders, err := cfg.RuleFolders()
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	var gone []lacking
	for _, f := range folders {
		path := whole(f.Path)
		if set, published := record.SetOf(path); published {
			if starter {
				return nil, &exitError{exitUsage, fmt.Errorf("--starter is for a bot without rules, and the settings name %s, which is published: leave the flag out", set)}
			}
			continue // what is published shows when the database is open
		}
		if starter {
			if _, err := os.Lstat(path); err == nil || !errors.Is(err, os.ErrNotExist) { //mutate:starter-beside
				return nil, &exitError{exitUsage, fmt.Errorf("--starter is for a bot without rules, and there is %s: leave the flag out, or name another place in NECTAR_RULES", path)}
			}
			continue
		}
		if _, err := rules.ReadSources(path); err != nil {
			gone = append(gone, lacking{f, err})
		}
	}
	if len(gone) > 0 && !hasDatabase(ctx, cfg) {
		return nil, gone[0].noRules(len(folders))
	}
	return gone, nil
}

// noRules is the error of a run that has nothing to answer by.
func (l *lacking) noRules(of int) error {
	if of > 1 {
		return &exitError{exitUsage, fmt.Errorf("%w; it is the folder of %s: rules: in the accounts file names another one", l.why, accountNames(l.Accounts))}
	}
	return &exitError{exitUsage, fmt.Errorf("%w; NECTAR_RULES names another place, and nectar run --starter runs without rules", l.why)}
}

// goesOn ends a run without the rule files of accounts, unless the store knows which rules were in force for them.
func goesOn(ctx context.Context, st store.Store, cfg config.Config, gone []lacking) error {
	for i := range gone {
		known := false
		for _, account := range gone[i].Accounts {
			_, ok, err := st.RulesInForce(ctx, account)
			if err != nil {
				return err
			}
			known = known || ok
		}
		if known {
			continue
		}
		folders, err := cfg.RuleFolders()
		if err != nil {
			return err
		}
		return gone[i].noRules(len(folders))
	}
	return nil
}

// whole returns a path from the root on, as far as that is known.
func whole(path string) string {
	if _, published := record.SetOf(path); published {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// lastInForce are the rules that a bot was running with.
type lastInForce struct {
	files  int
	loaded time.Time
}

// wereInForce returns which rules accounts acted by last, as far as the store knows any.
func wereInForce(ctx context.Context, cfg config.Config, accounts []event.Account) (lastInForce, bool) {
	r, err := store.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return lastInForce{}, false
	}
	defer func() { _ = r.Close() }() // it has read all that it wanted
	var last lastInForce
	known := false
	for _, account := range accounts {
		f, ok, err := r.RulesInForce(ctx, account)
		if err != nil || !ok || known && f.Since.Before(last.loaded) {
			continue
		}
		if src, err := rules.DecodeSources(f.Content); err == nil {
			last, known = lastInForce{len(src), f.Since}, true
		}
	}
	return last, known
}
