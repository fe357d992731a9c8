package cmd

import (
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/replay"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/spf13/cobra"
)

const rulesHelp = `Rules lists the rules and conversations in force, in the order in which they are tried,
and what came of each in the last 7 days, or since --since.

  ANSWERED   it said something, or did something and said nothing
  ASKED      it prepared an answer for a person to approve
  HELD BACK  it matched, and a limit, its hours or a pause kept it silent
  WATCHED    it is on watch, and would have done something
  LAST       when it was the last time; "silent" when it was not within that time

A turn counts for the rule that answered, or else for the first that did something or was
held back. --days shows a line for each day.

nectar rules live FILE moves a rule file up the ladder, and so do ask and watch.`

func newRules(sh cli.Shell) *cobra.Command {
	l := view.RuleList{Since: replay.Since}
	cmd := &cobra.Command{
		Use:     "rules",
		Short:   "List the rules in force and what came of them; move files up the ladder",
		Long:    rulesHelp,
		Example: "  nectar rules\n  nectar rules --since 24h\n  nectar rules live 10-faq.yaml",
		GroupID: groupRules,
		Args:    cli.UsageArgs(knownCommand),
		RunE:    withView(sh, &l.Flags, l.Print),
	}
	addViewFlags(&l.Flags, cmd)
	cmd.Flags().Var((*cli.Span)(&l.Since), "since", "what came of them within this `time`, like 24h or 30d")
	cmd.Flags().BoolVar(&l.Days, "days", false, "a line for each day")
	cmd.SuggestionsMinimumDistance = 2
	for _, status := range []ruledecision.Status{ruledecision.Live, ruledecision.Ask, ruledecision.Watch} {
		cmd.AddCommand(newLadder(sh, status))
	}
	return cmd
}
