package cmd

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const campaignShowHelp = `Show tells what became of the slots of a campaign, the last ones last, and how its posts
stand: how often each has come, when it came last, and whether it is out, and why. What
comes is for nectar plan --campaign ID; nectar why SLOT tells all about one slot.

It shows the last slots, as many as --limit says. --before goes back from there.`

func newCampaignShow(sh cli.Shell, f *view.Flags) *cobra.Command {
	limit, before := view.DefaultLimit, ""
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Tell what became of a campaign's slots, and how its posts stand",
		Long:    campaignShowHelp,
		Example: "  nectar campaigns show spring-menu\n  nectar campaigns show spring-menu --before 2027-03-16 --limit 50",
		Args:    oneCampaign,
		RunE: withCampaigns(sh, f, func(ctx context.Context, p *plan.Planner, all []*plan.Account, args []string) error {
			a, err := plan.CampaignIn(all, args[0])
			if err != nil {
				return err
			}
			return p.ShowCampaign(ctx, a, args[0], before, limit)
		}),
	}
	cmd.ValidArgsFunction = completeCampaigns(sh, f)
	cmd.Flags().Var((*cli.Number)(&limit), "limit", "at most this `number` of slots")
	cmd.Flags().StringVar(&before, "before", "", "only slots before this `day` or slot")
	return cmd
}

// oneCampaign wants the id of a campaign.
func oneCampaign(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return cli.BadUsage(cmd, errors.New("name one campaign; nectar campaigns lists them"))
	}
	return nil
}
