package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/spf13/cobra"
)

// compare shows what files change of what is in force, or what waits.
func (f *planFlags) compare(ctx context.Context, w io.Writer, p *planner, accounts []*planAccount, files bool) error {
	width := f.width
	if width == 0 {
		width = widthOf(w)
	}
	changed := false
	for i, a := range accounts {
		d, head, err := p.difference(ctx, a, files)
		if err != nil {
			return err
		}
		changed = changed || !d.none()
		if f.json {
			if err := d.forMachines(w); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			_, _ = fmt.Fprintln(w)
		}
		if len(accounts) > 1 {
			head = "account " + string(a.name) + ": " + head
		}
		if err := d.print(w, head, width); err != nil {
			return err
		}
	}
	if !f.json {
		if err := p.tellAsked(w, accounts, "", width); err != nil {
			return err
		}
		last := "Nothing was changed."
		if len(accounts) == 0 {
			last = noCampaigns
		}
		if _, err := fmt.Fprintln(w, last); err != nil {
			return err
		}
	}
	if changed && f.strict {
		return &exitError{Code: exitFailed}
	}
	return ctx.Err()
}

// difference returns what changes of an account, and says what is compared.
func (p *planner) difference(ctx context.Context, a *planAccount, files bool) (planDiff, string, error) {
	d := planDiff{account: a}
	switch {
	case files && a.force == nil:
		none := *a
		none.Account = campaigns.Account{World: a.World}
		d.account, d.next = &none, a.Campaigns
		d.Diff = campaigns.Difference(&none.Account, a.Campaigns, p.now)
		return d, "nothing is in force: all of it is new", nil
	case files:
		was := *a
		was.Account = *a.force
		d.account, d.next = &was, a.Campaigns
		d.Diff = campaigns.Difference(a.force, a.Campaigns, p.now)
		return d, "against " + a.inForceSince(), nil
	case a.waiting != nil:
		next, err := a.waiting.Campaigns()
		if err != nil {
			return d, "", fmt.Errorf("read the edit that waits: %w", err)
		}
		d.next, d.Diff = next, campaigns.Difference(&a.Account, next, p.now)
		return d, fmt.Sprintf("an edit waits since %s; nectar campaigns apply puts it in force. Against what is in force:", when(a.waiting.Since)), nil
	}
	next, where, err := p.saved(a)
	if err != nil {
		return d, "", err
	}
	d.next, d.Diff = next, campaigns.Difference(&a.Account, next, p.now)
	if where == "" || d.none() {
		return d, "nothing waits: what is saved is in force", nil
	}
	leaving, err := p.leaves(ctx)
	if err != nil {
		return d, "", err
	}
	if from := a.comesFrom(next, leaving); from != "" {
		return d, fmt.Sprintf("comes from the account %s, and begins here when the edit that waits there is in force: nectar campaigns apply. Against %s", from, a.inForceSince()), nil
	}
	return d, "saved in " + where + ", and not looked at by a bot yet, against " + a.inForceSince(), nil
}

// inForceSince names what is in force.
func (a *planAccount) inForceSince() string {
	if a.since.IsZero() {
		return "the rule files of the settings, by which no bot has run yet"
	}
	return "what is in force since " + a.since.Local().Format("2 January 15:04")
}

// saved returns the campaigns of the folder that the settings name, and where that is; those in force, and "", where it cannot be read.
func (p *planner) saved(a *planAccount) ([]*campaigns.Campaign, string, error) {
	for _, f := range p.folders {
		if !slices.Contains(f.Accounts, a.name) {
			continue
		}
		v, err := compiled(p.read, f.Path)
		if err != nil {
			return nil, "", fmt.Errorf("what is saved cannot be compared: %w", err)
		}
		next, err := writtenFor(v, a.name)
		return next, f.Path, err
	}
	return a.Campaigns, "", nil
}

const campaignApplyHelp = `Apply puts in force an edit of campaigns that waits: one that removes or moves slots, or has
something approved again. It shows what that changes, and asks before it does it; --yes does
not ask. What only adds is in force when it is saved, and so is everything where the settings
say apply: at_once.

Without a running bot it is done when one starts.`

func newCampaignApply(sh shell, f *deskFlags) *cobra.Command {
	var wait time.Duration
	yes := false
	cmd := &cobra.Command{
		Use:     "apply",
		Short:   "Put in force an edit that waits, after a look at what it changes",
		Long:    campaignApplyHelp,
		Example: "  nectar campaigns apply\n  nectar campaigns apply --yes",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return badUsage(cmd, errors.New("apply puts the whole edit in force that waits, on the account of --account or on all: name nothing else"))
			}
			return nil
		},
		RunE: sh.withCampaigns(f, func(ctx context.Context, p *planner, all []*planAccount, _ []string) error {
			var decisions []decision
			for _, a := range all {
				wanted, err := p.applies(ctx, a)
				if err != nil {
					return err
				}
				if wanted {
					q := event.Request{Key: event.Own(a.name), Wish: event.WishTell, Subject: "campaigns/apply"}
					if a.waiting != nil {
						q.Text = a.waiting.Sum // what was shown, and nothing else
					}
					decisions = append(decisions, decision{q, "account " + string(a.name)})
				}
			}
			switch {
			case len(decisions) == 0:
				return &exitError{exitFailed, errors.New("nothing waits: what is saved is in force")}
			case !yes && p.json:
				return errors.New("nothing was changed: --json does not ask, write --yes, too")
			case !yes:
				if err := confirm(p.out, sh.stdin, "Put it in force?"); err != nil {
					return err
				}
			}
			return p.decide(ctx, wait, decisions)
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}

// applies shows what waits on an account, and tells whether there is anything to put in force.
func (p *planner) applies(ctx context.Context, a *planAccount) (bool, error) {
	if a.waiting == nil && p.running() {
		return false, nil
	}
	d, head, err := p.difference(ctx, a, false)
	if err != nil || a.waiting == nil && d.none() {
		return false, err
	}
	if p.json {
		return true, nil
	}
	return true, d.print(p.out, head, widthOf(p.out))
}
