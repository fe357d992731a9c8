package cmd

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/cmd/internal/why"
	"github.com/spf13/cobra"
)

const whyHelp = `Why tells why the bot answered something, or did not: what happened, which rules
were tried and what decided about each, what was done and what became of it, how
the conversation stood before and after.

ID is an event (message:501), what came of a timer or of a person's decision
(timer:90/rules/burst/17), or an action by its key (message:501/rules/0), as
nectar events, nectar outbox and nectar conversations show print them. What is held
may be named by its number, too. ID may be a slot of a campaign
(spring-menu@2027-03-16T09:30), also by the minute that the plan shows, or by its day:
what became of it, or will, which other posts might have come, and why not. @ana is
the last thing that she did, and the name of a rule the last thing it decided.

What rules decided is decided again, with what the bot knew then and the very
version of the rule files that it had. Should the second decision be another one,
why says so. Private answers are never shown.

Exit status 1 when there is nothing of that id.`

func newWhy(sh cli.Shell) *cobra.Command {
	var f view.Flags
	var all bool
	cmd := &cobra.Command{
		Use:     "why ID|@PERSON|RULE",
		Short:   "Tell why something was answered, or was not",
		Long:    whyHelp,
		Example: "  nectar why message:501\n  nectar why @ana\n  nectar why prices\n  nectar why message:501/rules/0 --account shop --json\n  nectar why spring-menu@2027-03-16T09:30",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.BadUsage(cmd, errors.New("name one event, action, person or rule, like message:501 or @ana; nectar events lists them"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if plan.IsSlot(args[0]) {
				return whySlot(sh, cmd, &f, args[0])
			}
			id, err := why.ParseWhyID(args[0])
			if err != nil && !why.IsLast(args[0]) {
				return cli.BadUsage(cmd, err)
			}
			d, lost := viewOf(sh, cmd, &f)
			if lost != nil {
				return lost
			}
			defer d.Done()
			if err != nil {
				if id, err = why.FindLast(cmd.Context(), d, args[0]); err != nil {
					return err
				}
			}
			return why.TellWhy(cmd.Context(), d, id, all)
		},
	}
	addViewFlags(&f, cmd)
	cmd.Flags().BoolVar(&all, "all", false, "show the rules, too, that did not match and came not near")
	return cmd
}

// whySlot tells about a slot: what became of it, or what the plan says.
func whySlot(sh cli.Shell, cmd *cobra.Command, f *view.Flags, written string) error {
	return withCampaigns(sh, f, func(ctx context.Context, p *plan.Planner, all []*plan.Account, args []string) error {
		s, err := p.FindSlot(ctx, all, args[0])
		if err != nil {
			return err
		}
		t, err := why.SlotTurn(ctx, p, &s)
		if err != nil {
			return err
		}
		if p.JSON {
			return print.WriteLine(p.Out, why.SlotForMachines(p, &s, t))
		}
		w := &why.Told{Out: p.Out, Many: len(p.Meant) > 1}
		w.TellSlot(&s, t, p.Now)
		w.TellActions(t.WithoutReplaced())
		if t.Turn.ID != "" {
			w.TellRead(t)
			w.WriteSection("decided")
			w.WriteLine("  %s, in the turn %s", print.TimeText(t.Turn.HandledAt), t.Turn.ID)
		}
		w.SlotLimits(&s)
		return w.Err
	})(cmd, []string{written})
}
