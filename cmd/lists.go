package cmd

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const listsHelp = `Lists shows the lists that rules write to and ask for: leads, people to leave alone,
questions that nobody answered. Without a name it shows which lists there are. It
works while the bot runs.

  unanswered  the same questions are counted together, the most frequent first;
              --each shows them one by one
  paused      rules that stopped themselves, since they fired too often;
              nectar lists remove paused RULE lets one go on

Lists of settings.yaml stand there alone.`

func newLists(sh cli.Shell) *cobra.Command {
	var l view.EntryList
	cmd := &cobra.Command{
		Use:   "lists [NAME]",
		Short: "Show leads, unanswered questions and other lists",
		Long:  listsHelp,
		Example: "  nectar lists\n  nectar lists unanswered --since 7d\n  nectar lists catering --csv --private > leads.csv\n" +
			"  nectar lists add do-not-touch @ana",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if l.CSV && (l.JSON || len(args) == 0) {
				return cli.BadUsage(cmd, errors.New("--csv goes with the name of a list, and not with --json"))
			}
			return cli.UsageArgs(cobra.MaximumNArgs(1))(cmd, args)
		},
		RunE: withView(sh, &l.Flags, func(ctx context.Context, d *view.View, args []string) error {
			if len(args) == 0 {
				return d.PrintLists(ctx)
			}
			return l.Print(ctx, d, args[0])
		}),
	}
	addViewFlags(&l.Flags, cmd)
	addPrivately(&l.Flags, cmd)
	f := cmd.Flags()
	f.BoolVar(&l.CSV, "csv", false, "print it for a spreadsheet")
	f.BoolVar(&l.NoBOM, "no-bom", false, "with --csv, leave out the mark by which spreadsheets know UTF-8")
	f.BoolVar(&l.Each, "each", false, "count nothing together")
	f.Var((*cli.Span)(&l.Since), "since", "only what was added within this `time`, like 24h or 7d")
	f.Var((*cli.Number)(&l.Limit), "limit", "at most this `number` (default all)")
	cmd.AddCommand(newListAdd(sh, &l.Flags), newListRemove(sh, &l.Flags))
	return cmd
}
