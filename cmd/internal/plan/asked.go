package plan

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// What people have asked for while no bot ran is in the plan as the next start does it.

// waitingRequests returns what waits for a bot, read once.
func (p *Planner) waitingRequests(ctx context.Context) (view.Waiting, error) {
	if p.asked != nil {
		return p.asked, nil
	}
	all, err := p.ReadWaiting(ctx)
	if err == nil {
		p.asked = append(view.Waiting{}, all...)
	}
	return p.asked, err
}

// applyRequests takes over what people have asked of an account's campaigns, and of the account itself.
func (p *Planner) applyRequests(a *Account, kept plugin.Stored) error {
	all := p.stored.asked[a.Name]
	if q := all.Find(event.Key{Account: a.Name}, func(q *event.Request) bool {
		return q.Action == "" && (q.Wish == event.WishPause || q.Wish == event.WishGoOn)
	}); q != nil {
		kept.AccountFacts.Paused = nil
		if q.Wish == event.WishPause { //mutate:plan-asked-pause
			kept.AccountFacts.Paused = &campaigns.Note{By: cmp.Or(q.By, "a person"), At: q.AskedAt}
		}
	}
	if kept.Waiting == nil && slices.ContainsFunc(all, func(q event.Request) bool { return q.Key == event.Own(a.Name) && q.Subject == "campaigns/apply" }) {
		var err error
		if kept.Waiting, err = p.unseen(a.Name, kept.Campaigns); err != nil {
			return err
		}
	}
	kept, a.asked = plugin.Foresee(kept, a.Name, all, p.Now)
	a.Account, a.Waiting, a.Edit = kept.Account, kept.Waiting, kept.Edit
	return nil
}

// unseen returns an edit that was saved while no bot ran, as the next one finds it; nil for none. Files that cannot be used are none:
// the bot does not take them either.
func (p *Planner) unseen(account event.Account, force []*campaigns.Campaign) (*plugin.Waiting, error) {
	next, _, err := p.savedCampaigns(&Account{Name: account, Account: campaigns.Account{Campaigns: force}})
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // see above
	}
	files, err := campaigns.EncodeAll(next)
	if err != nil {
		return nil, fmt.Errorf("read the campaigns that are saved: %w", err)
	}
	return &plugin.Waiting{Since: p.Now, Files: files}, nil
}

// rulingIn returns what a person has decided about an action, and no bot has done yet.
func rulingIn(w view.Waiting, a *event.Action) event.Verdict {
	q := w.AskedAboutAction(a)
	if q == nil {
		return event.Verdict{}
	}
	v := event.Verdict{By: cmp.Or(q.By, "a person"), At: q.AskedAt}
	switch q.Wish {
	case event.WishRelease, event.WishInsist:
		v.Ruling = event.Released
	case event.WishEdit:
		v.Ruling = event.Edited
	case event.WishDrop:
		v.Ruling = event.Dropped
	default: // it decides nothing
	}
	return v
}

// concernsCampaign reports whether something that people have asked for concerns a campaign.
func concernsCampaign(f *plugin.Foreseen, id string) bool {
	word, _, _ := strings.Cut(f.Text, " ")
	slot, err := campaigns.ParseSlotID(word)
	return word == id || err == nil && slot.Campaign == id || f.Subject == "campaigns/apply" || f.Subject == "campaigns/clock" || f.Subject == "campaigns/lifts"
}

// tellAsked says that slots wait for the clock, and what people have asked of the campaigns of accounts, and no bot has done yet; only is a campaign, or "" for all.
func (p *Planner) tellAsked(b *strings.Builder, all []*Account, only string, width int) {
	tellClock(b, all, width)
	first := true
	for _, a := range all {
		for i := range a.asked {
			f := &a.asked[i]
			if only != "" && !concernsCampaign(f, only) {
				continue
			}
			if first {
				b.WriteByte('\n')
			}
			first = false
			b.WriteString(linesOf(p.asksSaid(f), width, "  "))
		}
	}
}

// printAsked prints it behind something else.
func (p *Planner) printAsked(all []*Account, only string) error {
	var b strings.Builder
	p.tellAsked(&b, all, only, print.WidthOf(p.Out))
	_, err := io.WriteString(p.Out, b.String())
	return err
}

// asksSaid says what somebody has asked for.
func (p *Planner) asksSaid(f *plugin.Foreseen) string {
	waits, counted := "waits for a bot to start", "the plan has it already"
	if p.isRunning() {
		waits = "waits for the bot"
	}
	if !f.Counted {
		counted = "the plan does not have it"
	}
	return fmt.Sprintf("%s: %s (asked for by %s, %s; %s)", waits, print.PlainText(f.Says, 0), print.PlainText(cmp.Or(f.By, "somebody"), 40), print.TimeText(f.AskedAt), counted)
}

// foreseenJSON is what somebody has asked for, and no bot has done yet, for machines.
type foreseenJSON struct {
	Asked   string    `json:"asked"` // pause, resume, skip, unskip, undo, allow, clock, apply or lifts
	Of      string    `json:"of,omitempty"`
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at"`
	Says    string    `json:"says"`
	Planned bool      `json:"planned"` // the plan has it already
}

// askedOf returns what people have asked of a campaign, for machines.
func (a *Account) askedOf(id string) (all []foreseenJSON) {
	for i := range a.asked {
		if f := &a.asked[i]; concernsCampaign(f, id) {
			all = append(all, foreseenJSON{strings.TrimPrefix(f.Subject, "campaigns/"), f.Text, f.By, f.AskedAt.UTC(), f.Says, f.Counted})
		}
	}
	return all
}
