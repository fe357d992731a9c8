package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
	kept "github.com/nectar-bot/nectar/plugins/campaigns"
)

const (
	nextLook = "campaigns/next" // the timer of the turn that looks at an account's campaigns
	overdue  = 2 * time.Minute  // a bot that runs has looked by then
)

// InForce says of each account which campaigns are in force, what comes next, what waits for people, and how much may be
// published. Accounts that have none have no line.
func (d *Doctor) InForce(ctx context.Context, cfg config.Config, folders []config.RuleFolder, now time.Time) {
	inspector, err := inspect.Open(ctx, string(cfg.Store), cfg.SecretKey)
	if errors.Is(err, record.ErrNone) {
		return
	}
	if err != nil {
		d.NoteFinding(Finding{Check: "campaigns", Status: Odd, Said: err.Error()})
		return
	}
	defer func() { _ = inspector.Close() }() // it has read all that it wanted
	those, err := inspector.Among(ctx, accountsOf(cfg), kept.Having())
	if err != nil {
		d.NoteFinding(Finding{Check: "campaigns", Status: Odd, Said: err.Error()})
		return
	}
	for _, account := range those {
		s, err := kept.Read(ctx, inspector, account)
		if err != nil {
			d.NoteFinding(Finding{string(account), "campaigns", Odd, err.Error()})
			continue
		}
		if len(s.Campaigns) == 0 && s.Waiting == nil {
			continue
		}
		s.AccountFacts.Budget = budgetOf(sources.ReadingFrom(ctx, cfg), folders, account)
		d.NoteFinding(campaignsOf(&s, string(account), now))
		if open := openOf(&s); open != "" {
			d.NoteFinding(Finding{string(account), "campaigns that wait", Odd, open})
		}
		d.NoteFinding(d.publishes(ctx, inspector, account, s.AccountFacts.Budget, now))
		d.overdue(ctx, inspector, account, now)
	}
}

// budgetOf is how much an account publishes, as far as its files can be read.
func budgetOf(read sources.Reading, folders []config.RuleFolder, account event.Account) campaigns.Budget {
	for _, f := range folders {
		if !slices.Contains(f.Accounts, account) {
			continue
		}
		src, err := read(sources.WholePath(f.Path))
		if err != nil {
			break
		}
		if v, _ := rules.Compile(src); v != nil {
			b, _ := v.Budget()
			return b
		}
	}
	return campaigns.DefaultBudget
}

// campaignsOf says which campaigns are in force, and which slot publishes next.
func campaignsOf(s *kept.Stored, account string, now time.Time) Finding {
	names := make([]string, len(s.Campaigns))
	for i, c := range s.Campaigns {
		state := string(c.Status)
		switch m := s.Memories[c.ID]; {
		case m.Ended != nil:
			state = "has ended"
		case m.Paused != nil:
			state = "people have paused it"
		}
		names[i] = fmt.Sprintf("%s (%s)", c.ID, state)
	}
	f := Finding{account, "campaigns", Good, "in force: " + cmp.Or(strings.Join(names, ", "), "none")}
	for v := range campaigns.Plan(&s.Account, now, time.Time{}, now.AddDate(1, 0, 0)) {
		if v.Kind.Publishes() || v.Kind == campaigns.Watched {
			f.Said += fmt.Sprintf("; next: %s, %s", v.Slot.ID, v.At.Format("Mon 2 January 15:04"))
			return f
		}
	}
	f.Said += "; nothing is published any more, for a year"
	return f
}

// openOf says what waits for people; "" for nothing.
func openOf(s *kept.Stored) string {
	var said []string
	if w := s.Waiting; w != nil {
		said = append(said, fmt.Sprintf("an edit, since %s: it %s; nectar plan --diff shows it, nectar campaigns apply puts it in force", print.TimeText(w.Since), w.Says))
	}
	n := 0
	for _, c := range s.Campaigns {
		n += len(s.Memories[c.ID].Book.Asked())
	}
	if n > 0 {
		said = append(said, fmt.Sprintf("slots for approval: %d; nectar outbox lists them", n))
	}
	return strings.Join(said, "; ")
}

// publishes says how much the account may publish, and how much has left of that.
func (d *Doctor) publishes(ctx context.Context, inspector inspect.Inspector, account event.Account, b campaigns.Budget, now time.Time) Finding {
	within := cmp.Or(b.Most.Per, 24*time.Hour)
	all, err := inspector.Published(ctx, account, now.Add(-within))
	if err != nil {
		return Finding{string(account), "publishing", Odd, err.Error()}
	}
	all = slices.DeleteFunc(all, func(p event.Publication) bool {
		return p.State == event.StateDue || p.At.After(now) || now.Sub(p.At) >= within //mutate:doctor-published
	})
	most := "as often as it likes"
	if b.Most.Max > 0 {
		most = fmt.Sprintf("at most %d in %s", b.Most.Max, text.Duration(b.Most.Per))
	}
	return Finding{string(account), "publishing", Good, fmt.Sprintf("%s, %s apart at least; published in the last %s, by campaigns, rules and programs: %d",
		most, text.Duration(b.Apart), text.Duration(within), len(all))}
}

// overdue says when nothing has looked at the campaigns of an account in time.
func (d *Doctor) overdue(ctx context.Context, inspector inspect.Inspector, account event.Account, now time.Time) {
	due, err := inspector.Timer(ctx, event.Own(account), nextLook)
	if err != nil || due.IsZero() || now.Sub(due) < overdue {
		return // the line about timers says what is wrong with them
	}
	said := fmt.Sprintf("nothing has looked at them since %s, when it was due", print.TimeText(due))
	if running, err := inspector.Running(); err == nil && !running {
		said += ": no bot runs"
	}
	d.NoteFinding(Finding{string(account), "campaigns", Odd, said})
}
