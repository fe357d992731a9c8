package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const restoreHelp = `Restore puts COPY, a backup of the database, in the place of the database file, while no
bot runs. COPY stays as it is. What was there is kept beside it, under a name with the
time; nothing is deleted. A copy that is damaged, of another program, of a newer version
or encrypted with another key changes nothing.

The next start of the bot is careful, as nectar restored says. On a server it is
pg_restore that puts a copy back.`

func newRestore(sh cli.Shell) *cobra.Command {
	var f view.Flags
	dry := false
	cmd := &cobra.Command{
		Use:     "restore COPY",
		Short:   "Put a copy of the database back",
		Long:    restoreHelp,
		Example: "  nectar restore backup/nectar.db --dry-run\n  nectar restore backup/nectar.db --as ines",
		GroupID: groupCare,
		Args:    cli.UsageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := sh.SettingsWithoutAccounts(cmd)
			if err != nil {
				return err
			}
			if cfg.Store.OnServer() {
				return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("restore is for files: put a copy back into %s with pg_restore, and then say nectar restored", cfg.Store)}
			}
			at := time.Now()
			file := string(cfg.Store)
			if behind, err := filepath.EvalSymlinks(file); err == nil { // or it would be moved out of its folder
				file = behind
			}
			r := record.Restored{At: at, Sign: record.CarefulSaid, By: view.DeciderName(sh, f.By), Aside: file + ".before-" + at.UTC().Format("20060102T150405")}
			says := "%s is in the place of %s now; %s\nthe next start of the bot is careful; nectar doctor tells what it finds\n"
			does := putBack
			if dry {
				says = "%s can take the place of %s; %s then\nnothing was changed\n"
				does = couldPutBack
			}
			aside := "what was there is " + r.Aside
			if !cli.HasDatabase(cmd.Context(), cfg) {
				aside = "nothing is there"
			}
			if err := does(cmd.Context(), &cfg, args[0], r); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), says, args[0], string(cfg.Store), aside)
			return err
		},
	}
	asFlag(cmd, &f)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "look whether that can be done, and change nothing")
	return cmd
}

// putBack puts a copy in the place of the database.
func putBack(ctx context.Context, cfg *config.Config, from string, r record.Restored) error {
	o := cfg.StoreOptions(slog.New(slog.DiscardHandler))
	o.Copy, o.Restored = from, &r
	st, err := bot.OpenStore(ctx, o)
	if errors.Is(err, record.ErrInUse) {
		return inUse(cfg)
	}
	if err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	if err := errors.Join(st.NoteRestored(ctx, r), st.Close()); err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	return nil
}

// inUse is the error of a database on which a bot runs.
func inUse(cfg *config.Config) error {
	return fmt.Errorf("a bot runs on %s: stop it first, since it has begun with what is there", cfg.Store)
}

// couldPutBack does the same in a folder that it takes away.
func couldPutBack(ctx context.Context, cfg *config.Config, from string, r record.Restored) (err error) {
	if i, err := inspect.Open(ctx, string(cfg.Store), cfg.SecretKey); err == nil { // one that cannot be read is to be replaced
		running, err := i.Running()
		if err = errors.Join(err, i.Close()); err != nil {
			return fmt.Errorf("NECTAR_STORE: %w", err)
		}
		if running {
			return inUse(cfg)
		}
	}
	folder, err := os.MkdirTemp(filepath.Dir(string(cfg.Store)), ".nectar-restore-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	there := *cfg
	there.Store = config.StoreFile(filepath.Join(folder, filepath.Base(string(cfg.Store))))
	return putBack(ctx, &there, from, r)
}
