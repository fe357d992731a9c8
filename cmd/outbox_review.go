package cmd

import (
	"errors"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const reviewHelp = `Review asks about each thing that waits for approval: slots of campaigns in their order,
then those that have waited longest. Answer with a letter:

  a  approve: it leaves
  e  edit: it leaves with another text. On a terminal your editor opens, otherwise the
     next line is the text. Where several texts wait together, add the number of one
  r  refuse: it is taken back
  s  skip: it goes on waiting
  q  quit: all that is left goes on waiting

The answers come from the terminal, from a pipe, or from the file that --script names.`

func newReview(sh cli.Shell, f *view.Flags) *cobra.Command {
	r := view.Review{Sh: sh}
	cmd := &cobra.Command{
		Use:     "review",
		Short:   "Walk through what waits for approval, and decide about each",
		Long:    reviewHelp,
		Example: "  nectar outbox review\n  nectar outbox review --rule welcome-followers --as ines\n  printf 'a\\nr\\n' | nectar outbox review",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return cli.BadUsage(cmd, errors.New("review goes through all that waits: choose with --rule, --campaign or --peer"))
			case f.JSON:
				return cli.BadUsage(cmd, errors.New("review is for people; nectar outbox --needs-approval --json is for machines"))
			}
			return nil
		},
		RunE: withView(sh, f, r.Run),
	}
	cmd.Flags().StringVar(&r.List.Rule, "rule", "", "only what the rule with this `id` decided")
	cmd.Flags().StringVar(&r.List.Rule, "campaign", "", "only slots of the campaign with this `id`")
	cmd.Flags().StringVar(&r.List.Peer, "peer", "", "only about this `person`: @name or number")
	cmd.Flags().StringVar(&r.Script, "script", "", "a `file` with the answers, a line each")
	waitFlag(cmd, &r.Wait)
	asFlag(cmd, f)
	return cmd
}
