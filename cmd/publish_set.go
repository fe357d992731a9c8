package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/spf13/cobra"
)

// setDesk is the desk at which sets are published.
type setDesk struct {
	*store.Desk
	cfg  config.Config
	sets []record.Set // as they were in force at the beginning
}

// setDesk opens the database of the settings.
func (sh shell) setDesk(cmd *cobra.Command) (*setDesk, error) {
	cfg, err := sh.settingsWithoutAccounts(cmd)
	if err != nil {
		return nil, err
	}
	if !cfg.Store.OnServer() {
		return nil, &exitError{exitUsage, fmt.Errorf("NECTAR_STORE: %s is a file: the bot that runs on it reads its folder itself, and takes over what you change there; "+
			"to publish is for a database of PostgreSQL", cfg.Store)}
	}
	if cfg.AccountsInStore() {
		if stored, err := sh.settingsWithStored(cmd); err == nil { // as with an accounts file, what is needed to sign in may be missing
			cfg = stored
		}
	}
	desk, err := store.OpenDesk(cmd.Context(), string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return nil, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	d := &setDesk{Desk: desk, cfg: cfg}
	if d.sets, err = desk.Sets(cmd.Context()); err != nil {
		return nil, errors.Join(err, desk.Close())
	}
	return d, nil
}

func (d *setDesk) close() { _ = d.Close() } // all that was asked for is stored

// inForce returns a set as it is in force; with number 0 when nothing is published under its name.
func (d *setDesk) inForce(name string) record.Set {
	for _, set := range d.sets {
		if set.Name == name {
			return set
		}
	}
	return record.Set{Name: name}
}

// named returns the set that is meant: the one of a name, or the only one that there is.
func (d *setDesk) named(args []string) (record.Set, error) {
	switch {
	case len(args) == 0 && len(d.sets) == 1:
		return d.sets[0], nil
	case len(args) == 0 && len(d.sets) > 1:
		return record.Set{}, &exitError{exitUsage, fmt.Errorf("several sets are published: name one of %s", setNames(d.sets))}
	case len(args) == 0:
		return record.Set{}, errors.New(nothingPublished)
	}
	if set := d.inForce(args[0]); set.Number > 0 {
		return set, nil
	}
	return record.Set{}, notPublished(args[0], d.sets)
}

const nothingPublished = "nothing is published in this database: nectar publish FOLDER publishes a folder of rules"

// notPublished says that there is no such set, and which there are.
func notPublished(name string, all []record.Set) error {
	switch near := text.Nearest(name, setList(all)); {
	case len(all) == 0:
		return errors.New(nothingPublished)
	case near != "":
		return fmt.Errorf("nothing is published as %s; did you mean %q?", plain(name, 40), near)
	default:
		return fmt.Errorf("nothing is published as %s; there %s", plain(name, 40), map[bool]string{true: "is ", false: "are "}[len(all) == 1]+setNames(all))
	}
}

func setList(all []record.Set) []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names
}

func setNames(all []record.Set) string { return strings.Join(setList(all), ", ") }

// accounts returns those that act by a set, as far as the settings say so.
func (d *setDesk) accounts(name string) []event.Account {
	folders, err := d.cfg.RuleFolders()
	if err != nil {
		return nil // nectar run says what is wrong
	}
	for _, f := range folders {
		if f.Path == record.PlaceOf(name) {
			return f.Accounts
		}
	}
	return nil
}

// around returns what a set is checked for.
func (sh shell) aroundSet(cmd *cobra.Command, d *setDesk, name string) []rules.Option {
	accounts := d.accounts(name)
	if len(accounts) == 0 {
		return nil
	}
	cfg, err := sh.settingsWithStored(cmd)
	if err != nil {
		cfg.Accounts = nil // what is needed to sign in may be missing
	}
	return aroundFolder(cfg, config.RuleFolder{Path: record.PlaceOf(name), Accounts: accounts})
}

// changedFiles are the files in which two versions of a folder differ.
type changedFiles struct {
	Added   []string `json:"added,omitempty"`
	Changed []string `json:"changed,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

func changedBetween(before, after rules.Sources) (c changedFiles) {
	for _, name := range after.Names() {
		switch was, there := before[name]; {
		case !there:
			c.Added = append(c.Added, name)
		case !bytes.Equal(was, after[name]):
			c.Changed = append(c.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if after[name] == nil {
			c.Removed = append(c.Removed, name)
		}
	}
	return c
}

// String counts them: "1 added, 2 changed".
func (c changedFiles) String() string {
	var said []string
	for _, n := range []struct {
		files []string
		what  string
	}{{c.Added, "added"}, {c.Changed, "changed"}, {c.Removed, "removed"}} {
		if len(n.files) > 0 {
			said = append(said, fmt.Sprintf("%d %s", len(n.files), n.what))
		}
	}
	return cmp.Or(strings.Join(said, ", "), "the same files")
}

// lines names them, a line each.
func (c changedFiles) lines() string {
	var b strings.Builder
	for _, n := range []struct {
		files []string
		what  string
	}{{c.Added, "added"}, {c.Changed, "changed"}, {c.Removed, "removed"}} {
		for _, name := range n.files {
			_, _ = fmt.Fprintf(&b, "  %-8s  %s\n", n.what, plain(name, 0)) // it takes everything
		}
	}
	return b.String()
}

// sourcesOf returns what is in an edition; nothing where none is in force.
func (d *setDesk) sourcesOf(ctx context.Context, set record.Set) (rules.Sources, error) {
	if set.Number == 0 {
		return rules.Sources{}, nil
	}
	return contentOf(ctx, d.Reader, set)
}
