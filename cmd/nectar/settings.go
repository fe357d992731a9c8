package main

import (
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/spf13/cobra"
)

const envFileFlag = "env-file"

// settings loads what the environment and the file of --env-file say, with the accounts.
func (sh shell) settings(cmd *cobra.Command) (config.Config, error) { return sh.load(cmd, true) }

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
