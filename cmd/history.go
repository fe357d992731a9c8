package cmd

import (
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/published"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const historyHelp = `History lists what was published, the newest first: the number of each edition, when, who
and why. The first one of a set is the one in force. RUNS names the workers that act by an
edition at this moment, as far as they say so.

NAME is the set; without it all sets are listed.`

func newHistory(sh cli.Shell) *cobra.Command {
	var f published.HistoryFlags
	cmd := &cobra.Command{
		Use:     "history [NAME]",
		Short:   "List what was published: when, by whom, why, and what is in force",
		Long:    historyHelp,
		Example: "  nectar history\n  nectar history shop --limit 100",
		GroupID: groupRules,
		Args:    cli.UsageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := shelfOf(sh, cmd)
			if err != nil {
				return err
			}
			defer d.Done()
			sets := d.Published
			if len(args) > 0 {
				set, err := d.SetNamed(args)
				if err != nil {
					return err
				}
				sets = []record.Set{set}
			}
			return f.Print(cmd.Context(), cmd.OutOrStdout(), d, sets)
		},
	}
	cmd.Flags().BoolVar(&f.JSON, "json", false, "print one JSON object per line")
	cmd.Flags().IntVar(&f.Limit, "limit", view.DefaultLimit, "at most so `many` editions of each set")
	return cmd
}
