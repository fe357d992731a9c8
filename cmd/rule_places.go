package cmd

import (
	"context"
	"fmt"
	"os"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/spf13/cobra"
)

// reading reads rule files: folders, single files, or what is published in the database, as store:shop.
type reading func(paths ...string) (rules.Sources, error)

// onDisk reads files alone.
var onDisk reading = rules.ReadSources

// readingFrom reads rule files, and what is published in the database of the settings.
func readingFrom(ctx context.Context, cfg config.Config) reading {
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

// reading reads rule files where the settings say that they are, as far as these can be read.
func (sh shell) reading(cmd *cobra.Command) reading {
	cfg, err := sh.settingsWithoutAccounts(cmd)
	if err != nil {
		return onDisk
	}
	return readingFrom(cmd.Context(), cfg)
}

// inForceAs returns a set as it is in force.
func inForceAs(ctx context.Context, cfg config.Config, name string) (record.Set, rules.Sources, error) {
	if !cfg.Store.OnServer() {
		return record.Set{}, nil, fmt.Errorf("%s: %w", record.PlaceOf(name), store.ErrNoSets)
	}
	r, err := store.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
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
			src, err := contentOf(ctx, r, set)
			return set, src, err
		}
	}
	return record.Set{}, nil, notPublished(name, all)
}

// contentOf returns the files of an edition.
func contentOf(ctx context.Context, r *store.Reader, set record.Set) (rules.Sources, error) {
	content, there, err := r.Rules(ctx, set.Hash)
	switch {
	case err != nil:
		return nil, err
	case !there:
		return nil, fmt.Errorf("the content of %s %d is not in the database any more", set.Name, set.Number)
	}
	return rules.DecodeSources(content)
}

// isThere tells whether there is something where rule files are said to be. What is published is looked for when it is read.
func isThere(path string) bool {
	if _, published := record.SetOf(path); published {
		return true
	}
	_, err := os.Stat(path)
	return err == nil
}

// written refuses to change what is published: its files are elsewhere.
func written(path string) error {
	name, published := record.SetOf(path)
	if !published {
		return nil
	}
	return &exitError{exitUsage, fmt.Errorf("%s is published: change its files in the folder that you publish, and publish that: nectar publish FOLDER %[1]s", name)}
}
