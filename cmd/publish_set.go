package cmd

import (
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/published"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/spf13/cobra"
)

// shelfOf opens the database of the settings.
func shelfOf(sh cli.Shell, cmd *cobra.Command) (*published.Shelf, error) {
	cfg, err := settingsOfRules(sh, cmd)
	if err != nil {
		return nil, err
	}
	if !cfg.Store.OnServer() {
		return nil, &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("NECTAR_STORE: %s is a file: the bot that runs on it reads its folder itself, and takes over what you change there; "+
			"to publish is for a database of PostgreSQL", cfg.Store)}
	}
	inspector, err := inspect.Open(cmd.Context(), string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return nil, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	d := &published.Shelf{Inspector: inspector, Cfg: cfg}
	if d.Published, err = inspector.Sets(cmd.Context()); err != nil {
		return nil, errors.Join(err, inspector.Close())
	}
	return d, nil
}

// around returns what a set is checked for.
func aroundSet(sh cli.Shell, cmd *cobra.Command, d *published.Shelf, name string) []rules.Option {
	accounts := d.AccountsOf(name)
	if len(accounts) == 0 {
		return nil
	}
	cfg, err := sh.SettingsWithStored(cmd)
	if err != nil {
		cfg.Accounts = nil // what is needed to sign in may be missing
	}
	return sources.AroundFolder(cfg, config.RuleFolder{Path: record.PlaceOf(name), Accounts: accounts})
}
