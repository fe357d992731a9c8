package sources

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/internal/textfile"
	"github.com/nectar-bot/nectar/platform"
)

// NamesOfRows names accounts.
func NamesOfRows(rows []record.StoredAccount) string {
	names := make([]string, 0, MostAccounts)
	for i := range rows[:min(len(rows), MostAccounts)] {
		names = append(names, string(rows[i].Account))
	}
	if n := len(rows) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// MostAccounts is how many accounts are named in a line.
const MostAccounts = 20

// AccountStrings returns the names as strings.
func AccountStrings(accounts []event.Account) []string {
	all := make([]string, len(accounts))
	for i, a := range accounts {
		all[i] = string(a)
	}
	return all
}

// NothingPublished is what is said where nothing is published.
const NothingPublished = "nothing is published in this database: nectar publish FOLDER publishes a folder of rules"

// NotPublished says that there is no such set, and which there are.
func NotPublished(name string, all []record.Set) error {
	switch near := textfile.NearestWord(name, SetList(all)); {
	case len(all) == 0:
		return errors.New(NothingPublished)
	case near != "":
		return fmt.Errorf("nothing is published as %s; did you mean %q?", print.PlainText(name, 40), near)
	default:
		return fmt.Errorf("nothing is published as %s; there %s", print.PlainText(name, 40), map[bool]string{true: "is ", false: "are "}[len(all) == 1]+SetNames(all))
	}
}

// SetList returns the names of sets.
func SetList(all []record.Set) []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names
}

// SetNames names sets in a line.
func SetNames(all []record.Set) string { return strings.Join(SetList(all), ", ") }

// Reading reads rule files: folders, single files, or what is published in the database, as store:shop.
type Reading func(paths ...string) (rules.Sources, error)

// OnDisk reads files alone.
var OnDisk Reading = rules.ReadSources

// ReadingFrom reads rule files, and what is published in the database of the settings.
func ReadingFrom(ctx context.Context, cfg config.Config) Reading {
	return func(paths ...string) (rules.Sources, error) {
		for _, path := range paths {
			name, published := record.SetOf(path)
			switch {
			case !published:
			case len(paths) > 1:
				return nil, fmt.Errorf("%s is published as a whole: leave out the other paths", path)
			default:
				_, src, err := inForceAs(ctx, cfg, name)
				return src, err
			}
		}
		return rules.ReadSources(paths...)
	}
}

// inForceAs returns a set as it is in force.
func inForceAs(ctx context.Context, cfg config.Config, name string) (record.Set, rules.Sources, error) {
	if !cfg.Store.OnServer() {
		return record.Set{}, nil, fmt.Errorf("%s: %w", record.PlaceOf(name), record.ErrNoSets)
	}
	r, err := inspect.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return record.Set{}, nil, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	defer func() { _ = r.Close() }() // it has read all that it wanted
	all, err := r.Sets(ctx)
	if err != nil {
		return record.Set{}, nil, err
	}
	for _, set := range all {
		if set.Name == name {
			src, err := ContentOf(ctx, r, set)
			return set, src, err
		}
	}
	return record.Set{}, nil, NotPublished(name, all)
}

// ContentOf returns the files of an edition.
func ContentOf(ctx context.Context, r inspect.Reader, set record.Set) (rules.Sources, error) {
	content, there, err := r.Rules(ctx, set.Hash)
	switch {
	case err != nil:
		return nil, err
	case !there:
		return nil, fmt.Errorf("the content of %s %d is not in the database any more", set.Name, set.Number)
	}
	return rules.DecodeSources(content)
}

// IsThere reports whether there is something where rule files are said to be. What is published is looked for when it is read.
func IsThere(path string) bool {
	if _, published := record.SetOf(path); published {
		return true
	}
	_, err := os.Stat(path)
	return err == nil
}

// RefusePublished refuses to change what is published: its files are elsewhere.
func RefusePublished(path string) error {
	name, published := record.SetOf(path)
	if !published {
		return nil
	}
	return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("%s is published: change its files in the folder that you publish, and publish that: nectar publish FOLDER %[1]s", name)}
}

// WholePath returns a path from the root on, as far as that is known.
func WholePath(path string) string {
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
	Files  int
	Loaded time.Time
}

// WereInForce returns which rules accounts acted by last, as far as the store knows any.
func WereInForce(ctx context.Context, cfg config.Config, accounts []event.Account) (lastInForce, bool) {
	r, err := inspect.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return lastInForce{}, false
	}
	defer func() { _ = r.Close() }() // it has read all that it wanted
	var last lastInForce
	known := false
	for _, account := range accounts {
		f, ok, err := r.RulesInForce(ctx, account)
		if err != nil || !ok || known && f.Since.Before(last.Loaded) {
			continue
		}
		if src, err := rules.DecodeSources(f.Content); err == nil {
			last, known = lastInForce{len(src), f.Since}, true
		}
	}
	return last, known
}

// PostNumber returns the number of a post, from its number or its address.
func PostNumber(arg string) (platform.PostID, error) {
	id, err := strconv.ParseInt(arg[strings.LastIndexByte(arg, '/')+1:], 10, 64) // the address of a post ends with its number
	if err != nil || id < 1 {
		return 0, errors.New("write the number of the post, like 48121")
	}
	return platform.PostID(id), nil
}
