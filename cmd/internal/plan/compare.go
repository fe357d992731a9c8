package plan

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// ShowComparison shows what files change of what is in force, or what waits.
func (f *Flags) ShowComparison(ctx context.Context, w io.Writer, p *Planner, accounts []*Account, files bool) error {
	width := f.Width
	if width == 0 {
		width = print.WidthOf(w)
	}
	changed := false
	for i, a := range accounts {
		d, head, err := p.DiffOf(ctx, a, files)
		if err != nil {
			return err
		}
		changed = changed || !d.IsEmpty()
		if f.JSON {
			if err := d.ForMachines(w); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			_, _ = fmt.Fprintln(w)
		}
		if len(accounts) > 1 {
			head = "account " + string(a.Name) + ": " + head
		}
		if err := d.Print(w, head, width); err != nil {
			return err
		}
	}
	if !f.JSON {
		var b strings.Builder
		p.tellAsked(&b, accounts, "", width)
		last := "Nothing was changed."
		if len(accounts) == 0 {
			last = noCampaigns
		}
		if _, err := fmt.Fprintln(w, b.String()+last); err != nil {
			return err
		}
	}
	if changed && f.Strict {
		return &cli.ExitError{Code: cli.ExitFailed}
	}
	return ctx.Err()
}

// DiffOf returns what changes of an account, and says what is compared.
func (p *Planner) DiffOf(ctx context.Context, a *Account, files bool) (Diff, string, error) {
	d := Diff{account: a}
	switch {
	case files && a.force == nil:
		none := *a
		none.Account = campaigns.Account{AccountFacts: a.AccountFacts}
		d.account, d.next = &none, a.Campaigns
		d.Diff = campaigns.Difference(&none.Account, a.Campaigns, p.Now)
		return d, "nothing is in force: all of it is new", nil
	case files:
		was := *a
		was.Account = *a.force
		d.account, d.next = &was, a.Campaigns
		d.Diff = campaigns.Difference(a.force, a.Campaigns, p.Now)
		return d, "against " + a.inForceSince(), nil
	// What waits is stored, and may be another thing than the files by now: what apply would bring into force is this.
	case a.Waiting != nil:
		next, err := a.Waiting.Campaigns()
		if err != nil {
			return d, "", fmt.Errorf("read the edit that waits: %w", err)
		}
		d.next, d.Diff = next, campaigns.Difference(&a.Account, next, p.Now)
		return d, fmt.Sprintf("an edit waits since %s; nectar campaigns apply puts it in force. Against what is in force:", print.TimeText(a.Waiting.Since)), nil
	}
	next, where, err := p.savedCampaigns(a)
	if err != nil {
		return d, "", err
	}
	d.next, d.Diff = next, campaigns.Difference(&a.Account, next, p.Now)
	if where == "" || d.IsEmpty() {
		return d, "nothing waits: what is saved is in force" + lastEditText(a.Edit), nil
	}
	leaving, err := p.leavingCampaigns(ctx)
	if err != nil {
		return d, "", err
	}
	// A campaign runs in one account at a time. Until the edit there is in force, it would be published by both.
	if from := a.comesFrom(next, leaving); from != "" {
		return d, fmt.Sprintf("comes from the account %s, and begins here when the edit that waits there is in force: nectar campaigns apply. Against %s", from, a.inForceSince()), nil
	}
	return d, "saved in " + where + ", and not looked at by a bot yet, against " + a.inForceSince(), nil
}

// lastEditText says what the last edit that came into force has changed; "" where that is not known.
func lastEditText(e *campaigns.Note) string {
	if e == nil {
		return ""
	}
	by := ""
	if e.By != "" {
		by = ", put in force by " + e.By
	}
	return fmt.Sprintf("; the last edit, of %s%s%s", print.TimeText(e.At), by, print.PrefixText(": it ", e.Why))
}

// inForceSince names what is in force.
func (a *Account) inForceSince() string {
	if a.since.IsZero() {
		return "the rule files of the settings, by which no bot has run yet"
	}
	return "what is in force since " + a.since.Local().Format("2 January 15:04")
}

// savedCampaigns returns the campaigns of the folder that the settings name, and where that is; those in force, and "", where it cannot be read.
func (p *Planner) savedCampaigns(a *Account) ([]*campaigns.Campaign, string, error) {
	for _, f := range p.Folders {
		if !slices.Contains(f.Accounts, a.Name) {
			continue
		}
		v, err := compileFiles(p.Read, f.Path)
		if err != nil {
			return nil, "", fmt.Errorf("what is saved cannot be compared: %w", err)
		}
		next, err := writtenFor(v, a.Name)
		return next, f.Path, err
	}
	return a.Campaigns, "", nil
}

// ShowWaiting shows what waits on an account, and reports whether there is anything to put in force.
func (p *Planner) ShowWaiting(ctx context.Context, a *Account) (bool, error) {
	if a.Waiting == nil && p.isRunning() {
		return false, nil
	}
	d, head, err := p.DiffOf(ctx, a, false)
	if err != nil || a.Waiting == nil && d.IsEmpty() {
		return false, err
	}
	if p.JSON {
		return true, nil
	}
	return true, d.Print(p.Out, head, print.WidthOf(p.Out))
}
