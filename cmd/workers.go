package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/cmd/internal/workers"
	"github.com/spf13/cobra"
)

const workersHelp = `Workers lists the processes that share a database of PostgreSQL: who is there, since
when it was not heard of, and how many shards of the accounts are its. There are 1,024
shards; an account is always in the same one, and is served by whoever has that.

Where NECTAR_HOST_RATE says how many requests a second a host of the platform gets,
REQUESTS says how many of them each worker may make.

STATE is up, entering, leaving or gone. One that is silent is taken over from within
some seconds. Those that have gone are listed with --all, for a week.`

const drainHelp = `Drain asks a worker to give all its accounts to others, one after another; what is
under way is finished first. It goes on running, without accounts, and may be stopped
then. That holds until --undo lets it have accounts again, also when it is started
anew; its log says so. Where there is no other worker that could take them it keeps
them. nectar workers shows who asked for it, when, and why.

To stop a worker it need not be drained before: it gives its accounts away by itself,
with SIGTERM or Ctrl-C.`

func newWorkers(sh cli.Shell) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:     "workers",
		Short:   "List the workers that share a database; drain one",
		Long:    workersHelp,
		Example: "  nectar workers\n  nectar workers drain bot-1",
		GroupID: groupCare,
		Args:    cli.UsageArgs(knownCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onBoard(sh, cmd, func(ctx context.Context, b *admin.Board, _ string) error {
				there, err := b.Workers(ctx, all)
				if err != nil {
					return fmt.Errorf("NECTAR_STORE: %w", err)
				}
				if err := workers.PrintLoss(ctx, cmd.OutOrStdout(), b, all, asJSON); err != nil {
					return err
				}
				if err := workers.PrintElsewhere(cmd.OutOrStdout(), there, asJSON); err != nil {
					return err
				}
				return workers.PrintWorkers(cmd.OutOrStdout(), there, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per line")
	cmd.Flags().BoolVar(&all, "all", false, "those that have gone, too")
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newDrain(sh), newAcceptLoss(sh))
	return cmd
}

func newDrain(sh cli.Shell) *cobra.Command {
	undo, why, f := false, "", &view.Flags{}
	cmd := &cobra.Command{
		Use:     "drain WORKER",
		Short:   "Let a worker give its accounts to others",
		Long:    drainHelp,
		Example: "  nectar workers drain bot-1 --why 'new disk'\n  nectar workers drain bot-1 --undo",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.BadUsage(cmd, errors.New("name one worker; nectar workers lists them"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return onBoard(sh, cmd, func(ctx context.Context, b *admin.Board, database string) error {
				there, err := b.Drain(ctx, args[0], !undo, record.Decision{By: view.DeciderName(sh, f.By), Why: strings.TrimSpace(why)})
				switch {
				case err != nil:
					return fmt.Errorf("NECTAR_STORE: %w", err)
				case !there:
					return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("no worker %q runs on %s; nectar workers lists them", args[0], database)}
				}
				says := "%s gives its accounts away; nectar workers shows how many shards it still has\n"
				if undo {
					says = "%s may have accounts again\n"
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), says, args[0])
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "let it have accounts again")
	cmd.Flags().StringVar(&why, "why", "", "why, in a `text` for others who look after the workers")
	asFlag(cmd, f)
	return cmd
}

// onBoard does something with the board of the workers, in the database of the settings.
func onBoard(sh cli.Shell, cmd *cobra.Command, do func(ctx context.Context, b *admin.Board, database string) error) error {
	cfg, err := sh.SettingsWithoutAccounts(cmd)
	if err != nil {
		return err
	}
	if !cfg.Store.OnServer() {
		return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("workers share a database of PostgreSQL, and NECTAR_STORE is %s: one process runs on it", cfg.Store)}
	}
	b, err := admin.OpenBoard(cmd.Context(), string(cfg.Store))
	if err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	err = do(cmd.Context(), b, cfg.Store.String())
	return errors.Join(err, b.Close())
}
