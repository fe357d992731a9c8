// Package published reads and compares folders of rules that are published in a database.
package published

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
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// Shelf is the view at which sets are published.
type Shelf struct {
	inspect.Inspector
	Cfg       config.Config
	Published []record.Set // as they were in force at the beginning
}

// Done closes the view.
func (s *Shelf) Done() { _ = s.Close() } // all that was asked for is stored

// InForce returns a set as it is in force; with number 0 when nothing is published under its name.
func (s *Shelf) InForce(name string) record.Set {
	for _, set := range s.Published {
		if set.Name == name {
			return set
		}
	}
	return record.Set{Name: name}
}

// SetNamed returns the set that is meant: the one of a name, or the only one that there is.
func (s *Shelf) SetNamed(args []string) (record.Set, error) {
	switch {
	case len(args) == 0 && len(s.Published) == 1:
		return s.Published[0], nil
	case len(args) == 0 && len(s.Published) > 1:
		return record.Set{}, &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("several sets are published: name one of %s", sources.SetNames(s.Published))}
	case len(args) == 0:
		return record.Set{}, errors.New(sources.NothingPublished)
	}
	if set := s.InForce(args[0]); set.Number > 0 {
		return set, nil
	}
	return record.Set{}, sources.NotPublished(args[0], s.Published)
}

// AccountsOf returns those that act by a set, as far as the settings say so.
func (s *Shelf) AccountsOf(name string) []event.Account {
	folders, err := s.Cfg.RuleFolders()
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

// ChangedFiles are the files in which two versions of a folder differ.
type ChangedFiles struct {
	Added   []string `json:"added,omitempty"`
	Changed []string `json:"changed,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// ChangedBetween returns in which files two versions of a folder differ.
func ChangedBetween(before, after rules.Sources) (c ChangedFiles) {
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
func (c ChangedFiles) String() string {
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

// Lines names them, a line each.
func (c ChangedFiles) Lines() string {
	var b strings.Builder
	for _, n := range []struct {
		files []string
		what  string
	}{{c.Added, "added"}, {c.Changed, "changed"}, {c.Removed, "removed"}} {
		for _, name := range n.files {
			_, _ = fmt.Fprintf(&b, "  %-8s  %s\n", n.what, print.PlainText(name, 0)) // it takes everything
		}
	}
	return b.String()
}

// SourcesOf returns what is in an edition; nothing where none is in force.
func (s *Shelf) SourcesOf(ctx context.Context, set record.Set) (rules.Sources, error) {
	if set.Number == 0 {
		return rules.Sources{}, nil
	}
	return sources.ContentOf(ctx, s.Inspector, set)
}
