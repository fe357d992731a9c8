package cmd

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/spf13/cobra"
)

const migrateHelp = `Migrate brings the database up to date, and makes it when there is none. The bot
does the same when it starts, and so do doctor and audit when no bot runs; migrate
does nothing else, so that a deployment can do it before it starts the bot. There
is no way back: make a copy first.

With --compact it also writes the file anew, once: what a version before this one
deleted can still stand in its unused parts. That takes as much room again on the
disk as the file has, and some seconds per gigabyte.`

func newMigrate(sh cli.Shell) *cobra.Command {
	compact := false
	cmd := &cobra.Command{
		Use:     "migrate",
		Short:   "Bring the database up to date",
		Long:    migrateHelp,
		Example: "  nectar migrate",
		GroupID: groupCare,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.SettingsWithoutAccounts(cmd)
			if err != nil {
				return err
			}
			if compact && cfg.Store.OnServer() {
				return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("--compact is for files: the server clears %s up by itself (autovacuum), and VACUUM FULL writes its tables anew", cfg.Store)}
			}
			if err := migrateDatabase(cmd.Context(), cfg, cmd.OutOrStdout()); err != nil || !compact {
				return err
			}
			return shrink(cmd.Context(), cfg, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&compact, "compact", false, "write the file anew, without what was deleted; no bot must run")
	return cmd
}

// shrink writes the database anew and says what became of it.
func shrink(ctx context.Context, cfg config.Config, out io.Writer) error {
	file := string(cfg.Store)
	before, err := os.Stat(file)
	if err != nil {
		return err
	}
	if err := admin.Compact(ctx, file); err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	after, err := os.Stat(file)
	if err != nil {
		return err
	}
	return print.SayLine(out, "%s was written anew: %d KB, before %d KB", cfg.Store, after.Size()>>10, before.Size()>>10)
}

// migrateDatabase brings the database up to date and says what it did.
func migrateDatabase(ctx context.Context, cfg config.Config, out io.Writer) error {
	did := "is up to date"
	if !cli.HasDatabase(ctx, cfg) {
		did = "was made"
	}
	cfg.NoBot = true
	st, err := cfg.OpenStore(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if err := st.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, cfg.Store, did)
	return err
}
