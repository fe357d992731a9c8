package cmd

import (
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/spf13/cobra"
)

// settingsOfRules returns the settings, with the accounts that act by rules as far as those can be had: what is needed to sign in may be missing.
func settingsOfRules(sh cli.Shell, cmd *cobra.Command) (config.Config, error) {
	cfg, err := sh.SettingsWithoutAccounts(cmd)
	if err == nil && cfg.AccountsInStore() {
		if stored, err := sh.SettingsWithStored(cmd); err == nil {
			return stored, nil
		}
	}
	return cfg, err
}

// foldersFrom returns the folders of rule files of the settings.
func foldersFrom(sh cli.Shell, cmd *cobra.Command) ([]config.RuleFolder, config.Config, error) {
	cfg, err := settingsOfRules(sh, cmd)
	if err != nil {
		return nil, cfg, err
	}
	all, err := cfg.RuleFolders()
	if err != nil {
		return nil, cfg, &cli.ExitError{Code: cli.ExitConfig, Err: err}
	}
	return all, cfg, nil
}

// otherFolders returns where all folders of rule files are, as far as the settings can be read.
func otherFolders(sh cli.Shell, cmd *cobra.Command) []string {
	all, _, err := foldersFrom(sh, cmd)
	if err != nil {
		return nil // nectar run says what is wrong
	}
	places := make([]string, len(all))
	for i := range all {
		places[i] = all[i].Path
	}
	return places
}

// aroundPaths returns what rule files are checked for: the accounts that act by them, and the platform that these are on, as far as the
// settings can be read.
func aroundPaths(sh cli.Shell, cmd *cobra.Command, paths []string) []rules.Option {
	all, _, err := foldersFrom(sh, cmd)
	if err != nil {
		return nil // nectar run says what is wrong
	}
	cfg, err := sh.SettingsWithStored(cmd)
	if err != nil {
		cfg.Accounts = nil // what is needed to sign in may be missing
	}
	for _, f := range all {
		if len(paths) == 1 && sources.IsWithin(paths[0], f.Path) {
			return sources.AroundFolder(cfg, f)
		}
	}
	return nil
}

// readingOf reads rule files where the settings say that they are, as far as these can be read.
func readingOf(sh cli.Shell, cmd *cobra.Command) sources.Reading {
	cfg, err := sh.SettingsWithoutAccounts(cmd)
	if err != nil {
		return sources.OnDisk
	}
	return sources.ReadingFrom(cmd.Context(), cfg)
}
