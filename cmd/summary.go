package cmd

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const summaryHelp = `Summary says what happened since last night: what people wrote and did, what the bot sent
and did, who waits for a person of yours and since when, what was not answered and why,
and what you were called for. It works while the bot runs.`

func newSummary(sh cli.Shell) *cobra.Command {
	o := view.SummaryOptions{Since: 12 * time.Hour, Limit: 10}
	cmd := &cobra.Command{
		Use:     "summary",
		Short:   "Say what happened, who waits, and what was not answered",
		Long:    summaryHelp,
		Example: "  nectar summary\n  nectar summary --since 3d",
		GroupID: groupCare,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE:    withView(sh, &o.Flags, func(ctx context.Context, d *view.View, _ []string) error { return o.Print(ctx, d) }),
	}
	addViewFlags(&o.Flags, cmd)
	addPrivately(&o.Flags, cmd)
	cmd.Flags().Var((*cli.Span)(&o.Since), "since", "what happened within this `time`, like 12h or 3d")
	cmd.Flags().Var((*cli.Number)(&o.Limit), "limit", "at most this `number` of lines of each kind")
	return cmd
}
