package cmd

import (
	"context"
	"errors"
	"math"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const campaignShowHelp = `Show tells what became of the slots of a campaign, the last ones last, and how its posts
stand: how often each has come, when it came last, and whether it is out, and why. What
comes is for nectar plan --campaign ID; nectar why SLOT tells all about one slot.

  LEFT         when it was published, as the platform says, by the clocks of the campaign
  POST/WORDS   the number of somebody's post, or how a text of yours begins, as it left:
               edited when it was approved, whatever the file says by now
  ADDRESS      where people open it
  APPROVED BY  who has approved it, and when
  –            it is not known: a version before 30 November 2026 has written it

It shows the last slots, as many as --limit says. --before goes back from there. --csv
FILE writes all of them into a table, with the whole words; a table of a campaign that
is there is written anew. A - in the place of FILE is standard output.

All of that is kept until nectar campaigns forget ID.`

func newCampaignShow(sh cli.Shell, f *view.Flags) *cobra.Command {
	limit, before := view.DefaultLimit, ""
	var files plan.Flags
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Tell what became of a campaign's slots, and how its posts stand",
		Long:    campaignShowHelp,
		Example: "  nectar campaigns show spring-menu\n  nectar campaigns show spring-menu --before 2027-03-16 --limit 50\n  nectar campaigns show spring-menu --csv spring.csv",
		Args:    oneCampaign,
		RunE: withCampaigns(sh, f, func(ctx context.Context, p *plan.Planner, all []*plan.Account, args []string) error {
			a, err := plan.CampaignIn(all, args[0])
			if err != nil {
				return err
			}
			return p.ShowCampaign(ctx, a, args[0], before, limit, &files)
		}),
	}
	show := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case files.CSV != "" && f.JSON:
			return cli.BadUsage(cmd, errors.New("--json and --csv are two forms of the same: write one"))
		case files.CSV != "" && !cmd.Flags().Changed("limit"):
			limit = math.MaxInt
		}
		return show(cmd, args)
	}
	cmd.ValidArgsFunction = completeCampaigns(sh, f)
	cmd.Flags().StringVar(&files.CSV, "csv", "", "write a table for spreadsheets into this `file`")
	cmd.Flags().BoolVar(&files.NoBOM, "no-bom", false, "with --csv, leave out the mark by which spreadsheets know UTF-8")
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
