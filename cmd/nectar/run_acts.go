package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// mayBegin tells whether a run has something to answer by: rule files, or the starter bot, when it was asked for, or
// rules that were in force before and stay so. For those missing says which files cannot be read; whether the database
// knows what was in force is known when it is open. An error ends the run before anything is opened or made.
func mayBegin(cfg config.Config, starter bool) (missing, err error) {
	path := whole(cfg.Rules)
	if starter {
		if _, err := os.Lstat(path); err == nil || !errors.Is(err, os.ErrNotExist) { //mutate:starter-beside
			return nil, &exitError{exitUsage, fmt.Errorf("--starter is for a bot without rules, and there is %s: leave the flag out, or name another place in NECTAR_RULES", path)}
		}
		return nil, nil
	}
	_, missing = rules.ReadSources(path)
	if missing == nil {
		return nil, nil
	}
	if _, err := os.Stat(string(cfg.Store)); errors.Is(err, os.ErrNotExist) {
		return nil, noRules(missing)
	}
	return missing, nil
}

// noRules is the error of a run that has nothing to answer by.
func noRules(missing error) error {
	return &exitError{exitUsage, fmt.Errorf("%w; NECTAR_RULES names another place, and nectar run --starter runs without rules", missing)}
}

// goesOn ends a run without rule files, unless the store knows which rules were in force.
func goesOn(ctx context.Context, st store.Store, missing error) error {
	if missing == nil {
		return nil
	}
	if _, known, err := st.LatestRules(ctx); err != nil || known {
		return err
	}
	return noRules(missing)
}

// whole returns a path from the root on, as far as that is known.
func whole(path string) string {
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

// inForce returns which rules were in force last, as far as the store knows any.
func inForce(ctx context.Context, cfg config.Config) (lastInForce, bool) {
	r, err := store.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return lastInForce{}, false
	}
	defer func() { _ = r.Close() }() // it has read all that it wanted
	content, ok, err := r.LatestRules(ctx)
	if err != nil || !ok {
		return lastInForce{}, false
	}
	src, err := rules.DecodeSources(content)
	if err != nil {
		return lastInForce{}, false
	}
	at, _, err := r.RulesLoaded(ctx, src.Hash())
	return lastInForce{len(src), at}, err == nil
}
