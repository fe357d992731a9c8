package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/spf13/cobra"
)

const migrateHelp = `Migrate brings the database up to date, and makes it when there is none. The bot
does the same when it starts, and so do doctor and audit when no bot runs; migrate
does nothing else, so that a deployment can do it before it starts the bot. There
is no way back: make a copy first.`

func newMigrate(sh shell) *cobra.Command {
	return &cobra.Command{
		Use:     "migrate",
		Short:   "Bring the database up to date",
		Long:    migrateHelp,
		Example: "  nectar migrate",
		GroupID: groupCare,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.settingsWithoutAccounts(cmd)
			if err != nil {
				return err
			}
			return migrate(cmd.Context(), cfg, cmd.OutOrStdout())
		},
	}
}

// migrate brings the database up to date and says what it did.
func migrate(ctx context.Context, cfg config.Config, out io.Writer) error {
	did := "is up to date"
	if _, err := os.Stat(string(cfg.Store)); err != nil {
		did = "was made"
	}
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
