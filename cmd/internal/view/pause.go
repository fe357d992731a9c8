package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/internal/textfile"
	kept "github.com/nectar-bot/nectar/plugins/campaigns"
)

// PauseChoice is what is to be paused, or to go on.
type PauseChoice struct {
	All  bool
	Wait time.Duration
	Wish event.Wish
}

// DecidePause asks for what was chosen.
func (c *PauseChoice) DecidePause(ctx context.Context, d *View, names []string) error {
	stopped, err := StoppedRules(ctx, d.Inspector, d.Meant)
	if err != nil {
		return err
	}
	known, err := c.check(ctx, d, names, stopped)
	if err != nil {
		return err
	}
	if c.Wish == event.WishGoOn {
		if names, err = d.letStopped(ctx, names, stopped); err != nil || names == nil {
			return err
		}
	}
	open, err := d.ReadWaiting(ctx)
	if err != nil {
		return err
	}
	stored, err := d.KnowledgeOfMeant(ctx)
	if err != nil {
		return err
	}
	waits, err := c.waitingAccounts(ctx, d, names)
	if err != nil {
		return err
	}
	var decisions []Decision
	var late []Deed
	for _, account := range d.Meant {
		p, err := bot.PausesOf(ctx, stored, account)
		if err != nil {
			return err
		}
		for _, name := range c.wholeOr(names, account, p, open) {
			if name != "" && len(d.Meant) > 1 && !c.here(name, p, known[account], open.pause(account, name)) {
				continue // on another account
			}
			decisions = append(decisions, Decision{event.Request{Key: event.Key{Account: account}, Wish: c.Wish, Action: name}, pauseAbout(account, name)})
			if c.Wish == event.WishGoOn && waits[account] {
				some, err := d.late(ctx, account, name)
				if err != nil {
					return err
				}
				late = append(late, some...)
			}
		}
	}
	if len(decisions) == 0 {
		return print.SayLine(d.Out, "nothing of that is paused")
	}
	err = errors.Join(d.AskDecisions(ctx, c.Wait, decisions), d.tellLate(ctx, late))
	if c.Wish != event.WishGoOn || len(names) > 0 {
		return err
	}
	return errors.Join(err, d.tellStays(ctx, stopped))
}

// wholeOr returns what is named of an account: the whole of it where nothing is, and to go on, also all of its rules that are paused, or are to be once a
// bot runs.
func (c *PauseChoice) wholeOr(names []string, account event.Account, p bot.Pauses, open Waiting) []string {
	switch {
	case len(names) > 0:
		return names
	case c.Wish == event.WishPause:
		return []string{""}
	}
	paused := map[string]bool{}
	for rule := range p.Rules {
		paused[rule] = true
	}
	for _, q := range open {
		if q.Key == event.Own(account) && q.Action != "" && open.pause(account, q.Action) {
			paused[q.Action] = true
		}
	}
	rules := slices.Sorted(maps.Keys(paused))
	if len(rules) > 0 && p.Account == nil && !open.pause(account, "") {
		return rules
	}
	return append([]string{""}, rules...)
}

// letStopped lets rules go on that are named and have stopped themselves, and returns the other names; nil when these are all.
func (v *View) letStopped(ctx context.Context, names []string, stopped map[event.Account][]event.Entry) ([]string, error) {
	rest := []string{}
	for _, name := range names {
		is := func(e event.Entry) bool { return e.Key == name }
		of := false
		for _, account := range v.Meant {
			of = of || slices.ContainsFunc(stopped[account], is)
		}
		if !of {
			rest = append(rest, name)
			continue
		}
		if err := v.RemoveFromList(ctx, PausedRules, name); err != nil {
			return nil, err
		}
		paused, err := v.pausedByHand(ctx, name)
		if err != nil {
			return nil, err
		}
		if paused {
			rest = append(rest, name)
		}
	}
	if len(names) > 0 && len(rest) == 0 {
		return nil, nil
	}
	return rest, nil
}

// pausedByHand reports whether a person has paused a rule on any account.
func (v *View) pausedByHand(ctx context.Context, rule string) (bool, error) {
	stored, err := v.KnowledgeOfMeant(ctx)
	if err != nil {
		return false, err
	}
	for _, account := range v.Meant {
		p, err := bot.PausesOf(ctx, stored, account)
		if err != nil {
			return false, err
		}
		if _, paused := p.Rules[rule]; paused {
			return true, nil
		}
	}
	return false, nil
}

// waitingAccounts returns the accounts on which something waits that may have become too late, for a resume.
func (c *PauseChoice) waitingAccounts(ctx context.Context, d *View, names []string) (map[event.Account]bool, error) {
	if c.Wish != event.WishGoOn {
		return nil, nil
	}
	having := []record.Having{{Thing: record.HasActions, State: string(event.StateHeld)}}
	if len(names) == 0 {
		having = append(having, record.Having{Thing: record.HasActions, State: string(event.StateDue)})
	}
	those, err := d.AmongMeant(ctx, having...)
	return SetOf(those), err
}

// here reports whether a rule is to be paused, or to go on, on an account: known are the rules of that account, asked says that
// somebody has asked for a pause that no bot has taken up yet.
func (c *PauseChoice) here(name string, p bot.Pauses, known map[string]bool, asked bool) bool {
	if _, paused := p.Rules[name]; paused {
		return true
	}
	return asked || c.Wish == event.WishPause && known[name] //mutate:pause-here
}

// pauseAbout is what a person calls it.
func pauseAbout(account event.Account, rule string) string {
	if rule == "" {
		return string(account)
	}
	return rule
}

// check refuses a rule that nobody has heard of, and returns which rules each account knows.
func (c *PauseChoice) check(ctx context.Context, d *View, names []string, stopped map[event.Account][]event.Entry) (map[event.Account]map[string]bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	force, err := d.InForce(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := d.KnowledgeOfMeant(ctx)
	if err != nil {
		return nil, err
	}
	by := VersionsOf(force)
	of, all := map[event.Account]map[string]bool{}, map[string]bool{}
	for _, account := range d.Meant {
		p, err := bot.PausesOf(ctx, stored, account)
		if err != nil {
			return nil, err
		}
		of[account] = map[string]bool{}
		// Also rules that are paused and in force no more: there has to be a way to let them go on.
		for rule := range p.Rules {
			of[account][rule] = true
		}
		for _, e := range stopped[account] {
			of[account][e.Key] = true
		}
		if v := by[account]; v != nil {
			for _, r := range v.Listed() {
				of[account][r.ID] = true
			}
		}
		maps.Copy(all, of[account])
	}
	for _, name := range names {
		if all[name] {
			continue
		}
		if is, err := d.isCampaign(ctx, name); err != nil {
			return nil, err
		} else if is {
			verb := map[event.Wish]string{event.WishPause: "pause", event.WishGoOn: "resume"}[c.Wish]
			return nil, &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("%s is a campaign: write nectar campaigns %s %[1]s", print.PlainText(name, 40), verb)}
		}
		problem := fmt.Sprintf("there is no rule or conversation %q in force", print.PlainText(name, 40))
		if near := textfile.NearestWord(name, slices.Sorted(maps.Keys(all))); near != "" {
			problem += fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, &cli.ExitError{Code: cli.ExitUsage, Err: errors.New(problem + "; nectar rules lists them")}
	}
	return of, nil
}

// isCampaign reports whether an account has, or had, a campaign with an id. Its slots are paused otherwise: the plan knows of that.
func (v *View) isCampaign(ctx context.Context, id string) (bool, error) {
	those, err := v.AmongMeant(ctx, kept.Having())
	if err != nil {
		return false, err
	}
	for _, account := range those {
		s, err := kept.Read(ctx, v.Inspector, account)
		if err != nil {
			return false, err
		}
		_, is := s.Memories[id]
		if is || slices.ContainsFunc(s.Campaigns, func(c *campaigns.Campaign) bool { return c.ID == id }) {
			return true, nil
		}
	}
	return false, nil
}

// late returns what a resume withdraws, since it has become too late for it.
func (v *View) late(ctx context.Context, account event.Account, rule string) ([]Deed, error) {
	state := event.StateDue
	if rule != "" {
		state = event.StateHeld
	}
	waits, err := v.Actions(ctx, record.ActionQuery{Account: account, State: state, Limit: sifted})
	if err != nil {
		return nil, err
	}
	now := time.Now()
	waits = slices.DeleteFunc(waits, func(a event.Action) bool {
		return a.Stale.IsZero() || !a.Stale.Before(now) || rule != "" && reason.OfAction(&a) != reason.PausedBy(rule)
	})
	return v.readDeeds(ctx, waits)
}

// tellLate lists what has become too late.
func (v *View) tellLate(ctx context.Context, late []Deed) error {
	if len(late) == 0 || v.JSON {
		return nil
	}
	if err := v.name(ctx, late); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(v.Out, "\n%s too late by now, and left out:\n", wasText(len(late))); err != nil {
		return err
	}
	t := print.Table{Head: []string{"DECIDED", "ACCOUNT", "WHO", "NAME", "RULE", "WHAT"}}
	for i := range late {
		x := &late[i]
		t.Add(print.TimeText(x.DecidedAt), string(x.Account), print.PersonName(x.user, int64(x.Peer)), print.PlainText(x.name, 24), print.PlainText(x.Rule, 32), x.DoesText(v.Private, 60))
	}
	t.DropEmpty("NAME", "RULE")
	return v.print(&t, "")
}

func wasText(n int) string {
	if n == 1 {
		return "1 answer was"
	}
	return fmt.Sprintf("%d answers were", n)
}

// pauseJSON is something that is paused, for machines.
type pauseJSON struct {
	Account event.Account `json:"account"`
	Rule    string        `json:"rule,omitempty"` // "": the whole account
	Since   time.Time     `json:"since"`
	By      string        `json:"by,omitempty"`
	Itself  bool          `json:"by_itself,omitempty"` // it has stopped itself, since it fired too often
}

// PrintPauses lists what is paused.
func PrintPauses(ctx context.Context, d *View) error {
	stored, err := d.KnowledgeOfMeant(ctx)
	if err != nil {
		return err
	}
	stopped, err := StoppedRules(ctx, d.Inspector, d.Meant)
	if err != nil {
		return err
	}
	t := d.newTable("PAUSED", "ACCOUNT", "SINCE", "BY")
	for _, account := range d.Meant {
		p, err := bot.PausesOf(ctx, stored, account)
		if err != nil {
			return err
		}
		var all []pauseJSON
		if p.Account != nil {
			all = append(all, pauseJSON{account, "", p.Account.Since.UTC(), p.Account.By, false})
		}
		for _, rule := range slices.Sorted(maps.Keys(p.Rules)) {
			all = append(all, pauseJSON{account, rule, p.Rules[rule].Since.UTC(), p.Rules[rule].By, false})
		}
		for _, e := range stopped[account] {
			all = append(all, pauseJSON{account, e.Key, e.At.UTC(), "itself", true})
		}
		for _, x := range all {
			t.AddRow(x, cmp.Or(print.PlainText(x.Rule, 0), "everything"), string(account), print.TimeText(x.Since), print.PlainText(x.By, 24))
		}
	}
	t.DropEmpty("BY")
	return t.Print(d.Out, "nothing is paused")
}

// PausedNow says what is paused on an account, with what to do; "" when nothing is.
func PausedNow(account event.Account, p bot.Pauses) string {
	if p.Account != nil {
		return fmt.Sprintf("the account is paused since %s; nectar resume --account %s lets it go on", print.TimeText(p.Account.Since), account)
	}
	if len(p.Rules) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(p.Rules))
	return fmt.Sprintf("paused: %s; nectar resume %s lets it go on", print.PlainText(strings.Join(names, ", "), 120), print.PlainText(names[0], 40))
}
