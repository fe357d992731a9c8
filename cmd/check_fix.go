package cmd

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/edit"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/spf13/cobra"
)

// fixed is a file in which texts get ids.
type fixed struct {
	path, name   string
	before, then []byte
	ids          []edit.TextID
}

// fixTexts gives ids to the texts of campaigns that have none: it shows them, asks, and writes.
func (flags *checkFlags) fixTexts(sh cli.Shell, cmd *cobra.Command, sets ...[]string) error {
	var all []fixed
	for _, paths := range sets {
		src, err := readingOf(sh, cmd)(paths...)
		if err != nil {
			return err
		}
		some, err := fixesOf(src, paths)
		if err != nil {
			return &cli.ExitError{Code: cli.ExitFailed, Err: err}
		}
		all = append(all, some...)
	}
	var b bytes.Buffer
	n := 0
	for i := range all {
		fmt.Fprintln(&b, all[i].name)
		for _, id := range all[i].ids {
			n++
			fmt.Fprintf(&b, "  line %-4d id: %s  %s\n", id.Line, id.ID, print.PlainText(id.Words, 60))
		}
	}
	out := cmd.OutOrStdout()
	if n == 0 {
		_, err := fmt.Fprintln(out, "Nothing to do: no text that stands alone behind a dash is without an id.")
		return err
	}
	if _, err := out.Write(b.Bytes()); err != nil {
		return err
	}
	if !flags.yes {
		if err := cli.ConfirmYes(cmd.Context(), out, sh.Stdin, fmt.Sprintf("Write %s?", print.CountText(n, "id", "ids"))); err != nil {
			return err
		}
	}
	for _, f := range all {
		if err := edit.ReplaceFile(f.path, f.before, f.then); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%s written. A text stays the same, in whatever words, as long as its id does.\n", print.CountText(n, "id", "ids"))
	return err
}

// fixesOf returns the files among those of some paths in which texts get ids.
func fixesOf(src rules.Sources, paths []string) (all []fixed, err error) {
	for _, name := range slices.Sorted(maps.Keys(src)) {
		then, ids, err := edit.WithTextIDs(name, src[name])
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			continue
		}
		path, err := pathAmong(paths, name)
		if err != nil {
			return nil, err
		}
		all = append(all, fixed{path, name, src[name], then, ids})
	}
	return all, nil
}

// pathAmong returns where a file of some paths lies: one of them, or in a folder.
func pathAmong(paths []string, name string) (string, error) {
	for _, p := range paths {
		if err := sources.RefusePublished(p); err != nil {
			return "", err
		}
		for _, path := range []string{p, filepath.Join(p, name)} {
			if info, err := os.Stat(path); err == nil && !info.IsDir() && filepath.Base(path) == filepath.Base(name) {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}
