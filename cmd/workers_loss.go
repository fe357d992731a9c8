package cmd

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const acceptLossHelp = `Accept-loss lets workers begin again after the database has lost what it had
confirmed: an old copy was put back while workers ran. The worker that finds that stops
all others, since they would send again what was sent already, and nothing of the
store says so any more.

Look first: nectar audit compares what the platform has with what the database knows.
The next start is careful: see nectar restored.
Who accepts it, when and why, is kept.`

func newAcceptLoss(sh cli.Shell) *cobra.Command {
	var f view.Flags
	why := ""
	cmd := &cobra.Command{
		Use:     "accept-loss",
		Short:   "Let workers begin again after the database has lost something",
		Long:    acceptLossHelp,
		Example: `  nectar workers accept-loss --why "audit: three answers of bot-2 were lost, nothing is open"`,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onBoard(sh, cmd, func(ctx context.Context, b *admin.Board, database string) error {
				l, err := b.AcceptLoss(ctx, view.DeciderName(sh, f.By), why)
				switch {
				case err != nil:
					return fmt.Errorf("NECTAR_STORE: %w", err)
				case l == nil:
					return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("no worker has found that %s has lost anything", database)}
				}
				return print.SayLine(cmd.OutOrStdout(), "accepted: workers may begin again; start those that have ended")
			})
		},
	}
	asFlag(cmd, &f)
	cmd.Flags().StringVar(&why, "why", "", "`reason`, kept with the decision")
	return cmd
}
