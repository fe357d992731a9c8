package view

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
)

// RuleList is which rules are wanted.
type RuleList struct {
	Flags
	Since time.Duration
	Days  bool
}

// came is what came of a rule, perhaps on one day.
type came struct {
	rule                               string
	day                                time.Time // the day's beginning; zero for all
	answered, asked, heldBack, watched int
	last                               time.Time
}

// add counts a tally.
func (c *came) add(t *record.Tally) {
	switch ruledecision.Outcome(t.Outcome) {
	case ruledecision.Answered, ruledecision.Acted, ruledecision.Ignored:
		c.answered += t.Count
	case ruledecision.Prepared:
		c.asked += t.Count
	case ruledecision.HeldBack, ruledecision.OnPause:
		c.heldBack += t.Count
	case ruledecision.Watched:
		c.watched += t.Count
	default:
		return
	}
	if t.Last.After(c.last) {
		c.last = t.Last
	}
}

// ruleJSON is a rule for machines, of an account, and with --days of a day.
type ruleJSON struct {
	Rule         string              `json:"rule"`
	Accounts     []event.Account     `json:"accounts,omitempty"` // that act by it
	File         string              `json:"file"`
	Line         int                 `json:"line"`
	Status       ruledecision.Status `json:"status"`
	Conversation bool                `json:"conversation,omitempty"`
	Paused       string              `json:"paused,omitempty"`
	Day          string              `json:"day,omitempty"`
	Answered     int                 `json:"answered"`
	Asked        int                 `json:"asked"`
	HeldBack     int                 `json:"held_back"`
	Watched      int                 `json:"watched"`
	Last         time.Time           `json:"last,omitzero"`
}

// Print writes the list of rules in force.
func (l *RuleList) Print(ctx context.Context, d *View, _ []string) error {
	all, err := d.InForce(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return print.SayLine(d.Out, "no rules were ever in force on this database")
	}
	t := d.newTable("RULE", "ACCOUNT", "FILE", "STATUS", "DAY", "ANSWERED", "ASKED", "HELD BACK", "WATCHED", "LAST")
	if len(all) == 1 {
		all[0].accounts = d.Meant // also those that were at work once: what came of them is counted
	}
	for i := range all {
		if err := l.rules(ctx, d, t, &all[i]); err != nil {
			return err
		}
	}
	if len(all) == 1 {
		t.DropColumn("ACCOUNT")
	}
	t.DropEmpty("DAY", "ASKED", "WATCHED")
	return t.Print(d.Out, "the files in force have no rules")
}

// rules adds the rules that accounts act by to a table.
func (l *RuleList) rules(ctx context.Context, d *View, t *print.Table, f *inForce) error {
	counts, err := l.count(ctx, d, f.accounts)
	if err != nil {
		return err
	}
	known, err := d.Knowledge(ctx, f.accounts)
	if err != nil {
		return err
	}
	for _, r := range f.Listed() {
		pause, err := d.pausedRule(ctx, known, r.ID, f.accounts)
		if err != nil {
			return err
		}
		all := counts[r.ID]
		if len(all) == 0 {
			all = []came{{rule: r.ID}}
		}
		for _, c := range all {
			x := ruleJSON{r.ID, f.accounts, r.File, r.Line, r.Status, r.Conversation, pause, "", c.answered, c.asked, c.heldBack, c.watched, c.last.UTC()}
			if !c.day.IsZero() {
				x.Day = c.day.Format(time.DateOnly)
			}
			t.AddRow(x, append([]string{r.ID, sources.AccountNames(f.accounts), r.File + ":" + strconv.Itoa(r.Line), print.JoinTwo(string(r.Status), pause)}, c.columnsOf()...)...)
		}
	}
	return nil
}

// columnsOf returns the columns of what came of a rule.
func (c *came) columnsOf() []string {
	day, last := "", "silent"
	if !c.day.IsZero() {
		day = c.day.Format(time.DateOnly)
	}
	if !c.last.IsZero() {
		last = print.TimeText(c.last)
	}
	counts := []string{day, "", "", "", ""}
	for i, n := range []int{c.answered, c.asked, c.heldBack, c.watched} {
		if n > 0 || i == 0 || i == 2 {
			counts[i+1] = strconv.Itoa(n)
		}
	}
	return append(counts, last)
}

// count counts what came of rules, by their ids: in all, or for each day, the last one first.
func (l *RuleList) count(ctx context.Context, d *View, accounts []event.Account) (map[string][]came, error) {
	counts := map[string][]came{}
	tallies, err := d.TalliesOf(ctx, accounts, time.Now().Add(-l.Since))
	if err != nil {
		return nil, err
	}
	for i := range tallies {
		t := &tallies[i]
		day := time.Time{}
		if l.Days {
			y, m, n := t.Hour.Local().Date()
			day = time.Date(y, m, n, 0, 0, 0, 0, time.Local)
		}
		of := counts[t.Rule]
		at := slices.IndexFunc(of, func(c came) bool { return c.day.Equal(day) })
		if at < 0 {
			at, of = len(of), append(of, came{rule: t.Rule, day: day})
		}
		of[at].add(t)
		counts[t.Rule] = of
	}
	for id, of := range counts {
		counts[id] = slices.DeleteFunc(of, func(c came) bool { return c.last.IsZero() })
		slices.SortFunc(counts[id], func(a, b came) int { return b.day.Compare(a.day) })
	}
	return counts, nil
}

// pausedRule says that a rule is paused by a person, or has stopped itself; "" otherwise.
func (v *View) pausedRule(ctx context.Context, known record.Knowledge, rule string, accounts []event.Account) (string, error) {
	those, err := v.Among(ctx, accounts, record.Having{Thing: record.HasEntry, List: PausedRules, Text: rule})
	if err != nil {
		return "", err
	}
	stops := map[event.Account]bool{}
	for _, account := range those {
		stops[account] = true
	}
	for _, account := range accounts {
		if len(known[account]) == 0 && !stops[account] {
			continue
		}
		p, err := bot.PausesOf(ctx, known, account)
		if err != nil {
			return "", err
		}
		if _, paused := p.Rules[rule]; paused || p.Account != nil {
			return "paused by hand" + onAccount(v, account), nil
		}
		stopped, err := v.HasEntry(ctx, account, PausedRules, rule)
		if err != nil {
			return "", err
		}
		if stopped {
			return "has stopped itself" + onAccount(v, account), nil
		}
	}
	return "", nil
}

// onAccount names an account where there are several.
func onAccount(d *View, account event.Account) string {
	if len(d.Meant) < 2 {
		return ""
	}
	return " on " + string(account)
}

// inForce are rules in force, or that were last, with the accounts that act by them.
type inForce struct {
	*rules.Version
	hash     string
	accounts []event.Account
}

// InForce returns the rules of the accounts, each version once; none when there were never any. Accounts that the settings
// do not have any more are left out, unless there are no others.
func (v *View) InForce(ctx context.Context) ([]inForce, error) {
	configured := map[event.Account]bool{}
	for _, a := range v.Configured {
		configured[a] = true
	}
	accounts := slices.DeleteFunc(slices.Clone(v.Meant), func(a event.Account) bool { return !configured[a] })
	if len(accounts) == 0 {
		accounts = v.Meant
	}
	if len(accounts) == 0 {
		return v.inForceLast(ctx) // none has been at work yet
	}
	stored, err := v.RulesOf(ctx, accounts)
	if err != nil {
		return nil, err
	}
	var all []inForce
	places := map[string]int{} // by hash
	for _, account := range accounts {
		f, ok := stored[account]
		if !ok {
			continue
		}
		at, known := places[f.Hash]
		if !known {
			v, err := versionOf(&f)
			if err != nil {
				return nil, err
			}
			at = len(all)
			places[f.Hash], all = at, append(all, inForce{Version: v, hash: f.Hash})
		}
		all[at].accounts = append(all[at].accounts, account)
	}
	return slices.DeleteFunc(all, func(f inForce) bool { return f.Version == nil }), nil
}

// inForceLast returns the rules that were in force last, for any account.
func (v *View) inForceLast(ctx context.Context) ([]inForce, error) {
	f, ok, err := v.RulesInForce(ctx, "")
	if err != nil || !ok {
		return nil, err
	}
	version, err := versionOf(&f)
	if err != nil || version == nil {
		return nil, err
	}
	return []inForce{{version, f.Hash, []event.Account{""}}}, nil
}

// versionOf compiles rules that are stored; nil when this program does not take them.
func versionOf(f *record.InForce) (*rules.Version, error) {
	src, err := rules.DecodeSources(f.Content)
	if err != nil {
		return nil, fmt.Errorf("read the rules in force: %w", err)
	}
	v, _ := rules.Compile(src)
	return v, nil
}

// KeepOnly leaves out all other accounts.
func (v *View) KeepOnly(accounts []event.Account) {
	v.Meant = slices.DeleteFunc(slices.Clone(v.Meant), func(a event.Account) bool { return !slices.Contains(accounts, a) })
}

// VersionsOf returns the rules in force by their accounts.
func VersionsOf(all []inForce) map[event.Account]*rules.Version {
	by := map[event.Account]*rules.Version{}
	for _, f := range all {
		for _, a := range f.accounts {
			by[a] = f.Version
		}
	}
	return by
}
