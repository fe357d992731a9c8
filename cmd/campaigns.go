package cmd

import (
	"context"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const campaignsHelp = `Campaigns lists the campaigns in force, what became of their slots, and which comes
next; nectar plan shows all of them.

  STATUS   of the file; or paused by a person, ended, gone: it is in no file any more
  NEXT     when the next slot leaves that is not empty, by the clocks of the campaign
  DONE     what it has published; ON WATCH counts what it would have
  SKIPPED  slots that stayed empty, for whatever reason
  WAITS    what is prepared and waits for an approval: nectar outbox --needs-approval

nectar campaigns show ID tells what became of each slot, and how its posts stand. The
others change something: the bot does it, within about a second, or else the next one
that starts. What waits for a bot is named below, and shown as if it were done.`

func newCampaigns(sh cli.Shell) *cobra.Command {
	var f view.Flags
	cmd := &cobra.Command{
		Use:     "campaigns",
		Short:   "List campaigns; pause one, take out a slot, put an edit in force",
		Long:    campaignsHelp,
		Example: "  nectar campaigns\n  nectar campaigns show spring-menu\n  nectar campaigns skip spring-menu@2027-03-16T09:30",
		GroupID: groupCare,
		Args:    cli.UsageArgs(knownCommand),
		RunE: withCampaigns(sh, &f, func(ctx context.Context, p *plan.Planner, all []*plan.Account, _ []string) error {
			return p.ListCampaigns(ctx, all)
		}),
	}
	addViewFlags(&f, cmd)
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newCampaignShow(sh, &f), newCampaignApply(sh, &f))
	for _, c := range plan.CampaignAsks() {
		cmd.AddCommand(newCampaignAsk(c, sh, &f))
	}
	return cmd
}

// withCampaigns makes the body of a command about what is in force: it needs a database.
func withCampaigns(sh cli.Shell, f *view.Flags, do func(ctx context.Context, p *plan.Planner, all []*plan.Account, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		p, err := plannerOf(sh, cmd, f, false)
		if err != nil {
			return err
		}
		defer p.End()
		if p.View == nil {
			d, err := viewOf(sh, cmd, f) // it says which database is not there
			if err != nil {
				return err
			}
			p.View = d
		}
		p.JSON, p.By = f.JSON, view.DeciderName(sh, f.By)
		all, err := p.StandingAccounts(cmd.Context(), nil, f.Account)
		if err != nil {
			return err
		}
		return do(cmd.Context(), p, all, args)
	}
}

// completeCampaigns lets shells complete the id of a campaign.
func completeCampaigns(sh cli.Shell, f *view.Flags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (ids []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list := func(_ context.Context, _ *plan.Planner, all []*plan.Account, _ []string) error {
			for _, a := range all {
				ids = append(ids, a.IDs()...)
			}
			return nil
		}
		if err := withCampaigns(sh, f, list)(cmd, nil); err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
