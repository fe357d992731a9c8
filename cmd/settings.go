package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/spf13/cobra"
)

const envFileFlag = "env-file"

// settings loads what the environment and the file of --env-file say, with the accounts, unless these stand in the database.
func (sh shell) settings(cmd *cobra.Command) (config.Config, error) { return sh.load(cmd, true) }

// settingsWithStored loads the same, with the accounts wherever they stand. Of what is wrong in the database it warns.
func (sh shell) settingsWithStored(cmd *cobra.Command) (config.Config, error) {
	cfg, err := sh.load(cmd, true)
	if err != nil || !cfg.AccountsInStore() {
		return cfg, err
	}
	r, err := store.OpenReader(cmd.Context(), string(cfg.Store), cfg.SecretKey)
	if errors.Is(err, store.ErrNone) {
		return cfg, nil
	}
	if err != nil {
		return cfg, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	defer func() { _ = r.Close() }() // it has read all that it wanted
	rows, err := r.StoredAccounts(cmd.Context(), record.StoredAccountQuery{})
	if err != nil {
		return cfg, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	cfg, wrong := cfg.WithStored(rows)
	if wrong != nil {
		for line := range strings.Lines(wrong.Error()) {
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "nectar: an account of the database: %s\n", plain(line, 0))
		}
	}
	return cfg, nil
}

// settingsWithoutAccounts loads the same for a command that signs in nowhere.
func (sh shell) settingsWithoutAccounts(cmd *cobra.Command) (config.Config, error) {
	return sh.load(cmd, false)
}

func (sh shell) load(cmd *cobra.Command, accounts bool) (config.Config, error) {
	file, err := cmd.Flags().GetString(envFileFlag)
	if err != nil {
		return config.Config{}, err
	}
	cfg, err := config.Load(config.Source{Environ: append([]string{}, sh.environ...), EnvFile: file, Accounts: accounts})
	if err != nil {
		return config.Config{}, &exitError{exitUsage, err}
	}
	return cfg, nil
}
