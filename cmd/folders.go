package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/spf13/cobra"
)

// folders returns the folders of rule files of the settings.
func (sh shell) folders(cmd *cobra.Command) ([]config.RuleFolder, config.Config, error) {
	cfg, err := sh.settingsWithoutAccounts(cmd)
	if err != nil {
		return nil, cfg, err
	}
	if cfg.AccountsInStore() {
		if stored, err := sh.settingsWithStored(cmd); err == nil { // what is kept there is for others to tell
			cfg = stored
		}
	}
	all, err := cfg.RuleFolders()
	if err != nil {
		return nil, cfg, &exitError{exitUsage, err}
	}
	return all, cfg, nil
}

// otherFolders returns where all folders of rule files are, as far as the settings can be read.
func (sh shell) otherFolders(cmd *cobra.Command) []string {
	all, _, err := sh.folders(cmd)
	if err != nil {
		return nil // nectar run says what is wrong
	}
	places := make([]string, len(all))
	for i := range all {
		places[i] = all[i].Path
	}
	return places
}

// folderOf returns the folder of an account; of "" the only one that there is.
func folderOf(all []config.RuleFolder, account string) (config.RuleFolder, error) {
	var names []string
	for _, f := range all {
		for _, a := range f.Accounts {
			if string(a) == account {
				return f, nil
			}
			names = append(names, string(a))
		}
	}
	switch {
	case account == "" && len(all) == 1:
		return all[0], nil
	case account == "":
		return config.RuleFolder{}, fmt.Errorf("the accounts have folders of their own: name one of %s, or an account with --account", paths(all))
	}
	return config.RuleFolder{}, noAccount(account, names)
}

// around returns what rule files are checked for: the accounts that act by them, and the platform that these are on, as far as the
// settings can be read.
func (sh shell) around(cmd *cobra.Command, paths []string) []rules.Option {
	all, _, err := sh.folders(cmd)
	if err != nil {
		return nil // nectar run says what is wrong
	}
	cfg, err := sh.settingsWithStored(cmd)
	if err != nil {
		cfg.Accounts = nil // what is needed to sign in may be missing
	}
	for _, f := range all {
		if len(paths) == 1 && within(paths[0], f.Path) {
			return aroundFolder(cfg, f)
		}
	}
	return nil
}

// aroundFolder returns what the files of a folder are checked for.
func aroundFolder(cfg config.Config, f config.RuleFolder) []rules.Option {
	known := []rules.Option{rules.ForAccounts(f.Accounts...)}
	address := ""
	for i := range cfg.Accounts {
		a := &cfg.Accounts[i]
		switch {
		case !slices.Contains(f.Accounts, a.Name):
		case address != "" && address != a.BaseURL:
			return known // they are on several platforms
		default:
			address = a.BaseURL
		}
	}
	return append(known, rules.OnPlatform(address))
}

// noAccount says that the settings have no such account, and which one may be meant.
func noAccount(account string, names []string) error {
	problem := fmt.Sprintf("there is no account %q", plain(account, 40))
	if near := text.Nearest(account, names); near != "" {
		problem += fmt.Sprintf("; did you mean %q?", near)
	}
	return errors.New(problem)
}

// paths lists folders.
func paths(all []config.RuleFolder) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Path
	}
	return strings.Join(names, ", ")
}

// within tells whether a file is one of a folder of rules, which may be that one file itself.
func within(file, folder string) bool {
	return rules.SamePlace(file, folder) || rules.SamePlace(filepath.Dir(file), folder)
}

// ofFolder names a folder with its accounts, where there are several; "" otherwise.
func ofFolder(f config.RuleFolder, of int) string {
	if of < 2 {
		return ""
	}
	return fmt.Sprintf("%s (%s)", f.Path, accountNames(f.Accounts))
}

// accountNames lists accounts.
func accountNames(accounts []event.Account) string {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = string(a)
	}
	return strings.Join(names, ", ")
}
