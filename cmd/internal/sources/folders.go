// Package sources knows where rules are read from: the folders of the settings, and the sets that are published.
package sources

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// FolderOf returns the folder of an account; of "" the only one that there is.
func FolderOf(all []config.RuleFolder, account string) (config.RuleFolder, error) {
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
		return config.RuleFolder{}, fmt.Errorf("the accounts have folders of their own: name one of %s, or an account with --account", pathsText(all))
	}
	return config.RuleFolder{}, NoAccount(account, names)
}

// AroundFolder returns what the files of a folder are checked for.
func AroundFolder(cfg config.Config, f config.RuleFolder) []rules.Option {
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

// NoAccount says that the settings have no such account, and which one may be meant.
func NoAccount(account string, names []string) error {
	problem := fmt.Sprintf("there is no account %q", print.PlainText(account, 40))
	if near := textfile.NearestWord(account, names); near != "" {
		problem += fmt.Sprintf("; did you mean %q?", near)
	}
	return errors.New(problem)
}

// pathsText lists folders.
func pathsText(all []config.RuleFolder) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Path
	}
	return strings.Join(names, ", ")
}

// IsWithin reports whether a file is one of a folder of rules, which may be that one file itself.
func IsWithin(file, folder string) bool {
	return textfile.SamePlace(file, folder) || textfile.SamePlace(filepath.Dir(file), folder)
}

// OfFolder names a folder with its accounts, where there are several; "" otherwise.
func OfFolder(f config.RuleFolder, of int) string {
	if of < 2 {
		return ""
	}
	return fmt.Sprintf("%s (%s)", f.Path, AccountNames(f.Accounts))
}

// AccountNames lists accounts.
func AccountNames(accounts []event.Account) string {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = string(a)
	}
	return strings.Join(names, ", ")
}
