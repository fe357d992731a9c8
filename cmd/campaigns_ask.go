package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

func newCampaignAsk(c plan.CampaignAsk, sh cli.Shell, f *view.Flags) *cobra.Command {
	var wait time.Duration
	until, yes, clock := "", false, false
	cmd := &cobra.Command{
		Use: c.Name + " " + c.Args, Short: c.Short, Long: c.Long + "\n\nWithout a running bot it is done when one starts.",
		Example: "  nectar campaigns " + c.Name + " " + c.Example,
		Args: func(cmd *cobra.Command, args []string) error {
			if clock {
				return cli.UsageArgs(cobra.NoArgs)(cmd, args)
			}
			if len(args) != len(strings.Fields(c.Args)) {
				lists := "nectar campaigns"
				if strings.HasPrefix(c.Args, "SLOT") {
					lists = "nectar plan"
				}
				return cli.BadUsage(cmd, fmt.Errorf("name %s; %s lists them", c.Wants, lists))
			}
			return nil
		},
	}
	if strings.HasPrefix(c.Args, "ID") {
		cmd.ValidArgsFunction = completeCampaigns(sh, f)
	}
	cmd.RunE = withCampaigns(sh, f, func(ctx context.Context, p *plan.Planner, all []*plan.Account, args []string) error {
		if clock {
			asks, err := plan.AskClock(all)
			if err != nil {
				return &cli.ExitError{Code: cli.ExitUsage, Err: err}
			}
			return p.AskDecisions(ctx, wait, asks)
		}
		if until != "" {
			args = append(args, until)
		}
		account, said, err := c.Check(ctx, p, all, args)
		if err != nil {
			return &cli.ExitError{Code: cli.ExitUsage, Err: err}
		}
		if c.Shows != nil {
			if err := confirmForget(ctx, p, func() error { return c.Shows(ctx, p, account, said) }, yes, sh); err != nil {
				return err
			}
		}
		q := event.Request{Key: event.Own(account.Name), Wish: event.WishTell, Subject: "campaigns/" + c.Name, Text: said}
		about := strings.Fields(said)[:len(strings.Fields(c.Args))]
		if c.Args != "ID POST" { // the answer names the slot, and its new time
			about = about[:1]
		}
		return p.AskDecisions(ctx, wait, []view.Decision{{Request: q, About: strings.Join(about, " ")}})
	})
	if c.Until {
		cmd.Flags().StringVar(&until, "until", "", "until then: a `time` like 2027-03-20, 2027-03-20T09:00 or 3d")
	}
	if c.Shows != nil {
		cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	}
	if c.Clock {
		cmd.Flags().BoolVar(&clock, "clock", false, "let slots go by the machine's clock, although the platform's differs")
	}
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}

// confirmForget shows what is lost, and asks whether that is wanted.
func confirmForget(ctx context.Context, p *plan.Planner, show func() error, yes bool, sh cli.Shell) error {
	switch {
	case yes && p.JSON:
		return nil
	case p.JSON:
		return errors.New("nothing was changed: --json does not ask, write --yes, too")
	}
	if err := show(); err != nil || yes {
		return err
	}
	return cli.ConfirmYes(ctx, p.Out, sh.Stdin, "Forget all of it? It cannot be brought back.")
}
