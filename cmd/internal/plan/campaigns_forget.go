package plan

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// askForget finds a campaign of which nothing comes any more.
func askForget(_ context.Context, p *Planner, all []*Account, args []string) (*Account, string, error) {
	id := args[0]
	a, err := CampaignIn(all, id)
	if err != nil {
		return nil, "", err
	}
	saved, _, err := p.savedCampaigns(a)
	inForce, inFile := a.CampaignByID(id) != nil, campaigns.ByID(saved, id) != nil
	switch {
	case inForce && err != nil: // files that no bot takes either: so it stays in force
		return nil, "", err
	case inFile:
		return nil, "", fmt.Errorf("%s is in a file: take it out of there, then nectar campaigns apply, then forget it", id)
	case inForce:
		return nil, "", fmt.Errorf("%s is in force until the edit is that takes it out: nectar campaigns apply, then forget it", id)
	}
	return a, id, nil
}

// showForgotten says how much goes with a campaign.
func showForgotten(ctx context.Context, p *Planner, a *Account, id string) error {
	var n campaignCounts
	if err := p.EachBooked(ctx, a.Name, id, n.add); err != nil {
		return err
	}
	m, say := a.Memories[id], print.SayTo(p.Out)
	say("%s, account %s: it is in no file any more. With it go", id, a.Name)
	t := print.Table{Head: []string{"WHAT", "HOW MANY"}}
	for _, k := range []struct {
		what string
		many int
	}{
		{"slots in the book that were published", n.done},
		{"slots in the book that stayed empty, or were not done", n.failed + n.skipped + n.watched + n.going},
		{"posts and texts, with how often each came", len(m.Items)},
		{"publications that whole_campaign counts", m.Whole},
	} {
		t.Add(k.what, strconv.Itoa(k.many))
	}
	if err := t.Print(p.Out, ""); err != nil {
		return err
	}
	return print.SayLine(p.Out, "When its posts came last is still known, for the gaps of other campaigns and for the budget.")
}
