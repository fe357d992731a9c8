package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const restoredHelp = `Restored says that the database is a copy from before: a backup that was put back, a
snapshot of its disk. Stop the bot, put the copy back, say this, and start the bot.

The next start is careful then. It reads what the account has said since the copy;
nothing is answered twice, nobody is answered over a person of yours, and who has
written since is answered. On the machine where the bot ran it finds out by itself
that a file was put back; on another one somebody has to say so.

On a server this also lets workers begin that have found another server under the
database: a copy on another machine, a clone, a new version by pg_upgrade. Make sure
that nobody works on the original any more. With --nothing-lost they go on as if
nothing had happened: only where nothing was done on the original since the copy.`

func newRestored(sh cli.Shell) *cobra.Command {
	var f view.Flags
	whole := false
	cmd := &cobra.Command{
		Use:     "restored",
		Short:   "Say that a copy of the database was put back",
		Long:    restoredHelp,
		Example: "  nectar restored\n  nectar restored --nothing-lost --as ines",
		GroupID: groupCare,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.SettingsWithoutAccounts(cmd)
			if err != nil {
				return err
			}
			if !cli.HasDatabase(cmd.Context(), cfg) {
				return &cli.ExitError{Code: cli.ExitConfig, Err: fmt.Errorf("NECTAR_STORE: there is no database at %s", cfg.Store)}
			}
			r := record.Restored{At: time.Now(), Sign: record.CarefulSaid, By: view.DeciderName(sh, f.By)}
			says := "noted: the next start of the bot is careful; nectar doctor tells what it finds\n"
			if whole {
				r.Sign, says = record.CarefulNothing, "noted: nothing was lost, and the bot goes on where it was\n"
			}
			if err := noteRestored(cmd.Context(), &cfg, r); err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), says)
			return err
		},
	}
	asFlag(cmd, &f)
	cmd.Flags().BoolVar(&whole, "nothing-lost", false, "nothing was done since the copy: go on as if it was the original")
	return cmd
}

// noteRestored notes in the database that it has gone back, and lets bots begin on it that has come to another server.
func noteRestored(ctx context.Context, cfg *config.Config, r record.Restored) error {
	log := slog.New(slog.DiscardHandler)
	st, err := cfg.OpenStore(ctx, log)
	if errors.Is(err, record.ErrOtherServer) {
		o := cfg.StoreOptions(log)
		o.Restored = &r
		if st, err = bot.OpenStore(ctx, o); err != nil {
			err = fmt.Errorf("NECTAR_STORE: %w", err)
		}
	}
	if errors.Is(err, record.ErrInUse) {
		return inUse(cfg)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(st.NoteRestored(ctx, r), st.Close()); err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	return nil
}
