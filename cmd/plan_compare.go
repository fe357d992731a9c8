package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const campaignApplyHelp = `Apply puts in force an edit of campaigns that waits: one that removes or moves slots, or has
something approved again. It shows what that changes, and asks before it does it; --yes does
not ask. What only adds is in force when it is saved, and so is everything where the settings
say apply: at_once.

A text of which a few words or letters are corrected, and no number, stays the same text:
it keeps its turns and its gap, and does not come again at once. --as-new makes it a new
one. Texts with an id are the same as long as that stays.

Without a running bot it is done when one starts.`

func newCampaignApply(sh cli.Shell, f *view.Flags) *cobra.Command {
	var wait time.Duration
	yes, asNew := false, false
	cmd := &cobra.Command{
		Use:     "apply",
		Short:   "Put in force an edit that waits, after a look at what it changes",
		Long:    campaignApplyHelp,
		Example: "  nectar campaigns apply\n  nectar campaigns apply --yes",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.BadUsage(cmd, errors.New("apply puts the whole edit in force that waits, on the account of --account or on all: name nothing else"))
			}
			return nil
		},
		RunE: withCampaigns(sh, f, func(ctx context.Context, p *plan.Planner, all []*plan.Account, _ []string) error {
			var decisions []view.Decision
			for _, a := range all {
				a.TextsAsNew = asNew // what is shown is what is asked for
				wanted, err := p.ShowWaiting(ctx, a)
				if err != nil {
					return err
				}
				if wanted {
					q := event.Request{Key: event.Own(a.Name), Wish: event.WishTell, Subject: "campaigns/apply"}
					if a.Waiting != nil {
						q.Text = a.Waiting.Sum // what was shown, and nothing else
					}
					if asNew {
						q.Text += " as-new"
					}
					decisions = append(decisions, view.Decision{Request: q, About: "account " + string(a.Name)})
				}
			}
			switch {
			case len(decisions) == 0:
				return &cli.ExitError{Code: cli.ExitFailed, Err: errors.New("nothing waits: what is saved is in force")}
			case !yes && p.JSON:
				return errors.New("nothing was changed: --json does not ask, write --yes, too")
			case !yes:
				if err := cli.ConfirmYes(ctx, p.Out, sh.Stdin, "Put it in force?"); err != nil {
					return err
				}
			}
			return p.AskDecisions(ctx, wait, decisions)
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&asNew, "as-new", false, "texts in other words are new ones, and come in their own right")
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}
