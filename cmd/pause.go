package cmd

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
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	kept "github.com/nectar-bot/nectar/plugins/campaigns"
	"github.com/spf13/cobra"
)

const pauseHelp = `Pause keeps the bot from acting, at once: a rule or conversation by its id, an account
with --account, or everything with --all. It lasts, over restarts, too, until you
let it go on with nectar resume. Without a word it lists what is paused. A campaign is
paused with nectar campaigns pause.

Nothing of it leaves any more: what is due stays where it is, and what had left
without an answer is still looked up on the platform. What people write meanwhile
is decided as on watch, and not answered: nectar events --outcome paused lists it,
with what would have been said.`

const unpauseHelp = `Resume lets go on what nectar pause has stopped: a rule or conversation by its id, an
account with --account, or everything with --all.

What waited leaves then, but for what has become too late for it (answer_within): that
is withdrawn, and listed. What people wrote meanwhile is not answered any more; nectar
events --outcome paused lists it.`

// pauseChoice is what is to be paused, or to go on.
type pauseChoice struct {
	all  bool
	wait time.Duration
	wish event.Wish
}

func newPause(sh shell) *cobra.Command {
	c := pauseChoice{wish: event.WishPause}
	return c.command(sh, &cobra.Command{
		Use: "pause [RULE…]", Short: "Keep a rule, an account or everything from acting, at once", Long: pauseHelp,
		Example: "  nectar pause prices\n  nectar pause --all\n  nectar pause",
	})
}

func newUnpause(sh shell) *cobra.Command {
	c := pauseChoice{wish: event.WishGoOn}
	return c.command(sh, &cobra.Command{
		Use: "resume [RULE…]", Short: "Let go on what was paused", Long: unpauseHelp, Example: "  nectar resume prices\n  nectar resume --all",
	})
}

func (c *pauseChoice) command(sh shell, cmd *cobra.Command) *cobra.Command {
	var f deskFlags
	cmd.GroupID = groupCare
	cmd.Args = func(cmd *cobra.Command, names []string) error {
		switch {
		case c.all && (len(names) > 0 || f.account != ""):
			return badUsage(cmd, errors.New("--all is everything: name no rule and no account with it"))
		case c.wish == event.WishGoOn && !c.all && len(names) == 0 && f.account == "":
			return badUsage(cmd, errors.New("name rules, --account NAME or --all; nectar pause lists what is paused"))
		}
		return nil
	}
	cmd.RunE = sh.atDesk(&f, func(ctx context.Context, d *desk, names []string) error {
		if !c.all && len(names) == 0 && f.account == "" {
			return printPauses(ctx, d)
		}
		return c.decide(ctx, d, names)
	})
	f.add(cmd)
	cmd.Flags().BoolVar(&c.all, "all", false, "all accounts, with all that they do")
	waitFlag(cmd, &c.wait)
	asFlag(cmd, &f)
	return cmd
}

// decide asks for what was chosen.
func (c *pauseChoice) decide(ctx context.Context, d *desk, names []string) error {
	known, err := c.check(ctx, d, names)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = []string{""}
	}
	open, err := d.waiting(ctx)
	if err != nil {
		return err
	}
	stored, err := d.knowledge(ctx)
	if err != nil {
		return err
	}
	waits, err := c.waits(ctx, d, names)
	if err != nil {
		return err
	}
	var decisions []decision
	var late []deed
	for _, account := range d.accounts {
		p, err := bot.PausesOf(ctx, stored, account)
		if err != nil {
			return err
		}
		for _, name := range names {
			if name != "" && len(d.accounts) > 1 && !c.here(name, p, known[account], open.pause(account, name)) {
				continue // on another account
			}
			decisions = append(decisions, decision{event.Request{Key: event.Key{Account: account}, Wish: c.wish, Action: name}, pauseAbout(account, name)})
			if c.wish == event.WishGoOn && waits[account] {
				some, err := d.late(ctx, account, name)
				if err != nil {
					return err
				}
				late = append(late, some...)
			}
		}
	}
	if len(decisions) == 0 {
		_, err := fmt.Fprintln(d.out, "nothing of that is paused")
		return err
	}
	err = d.decide(ctx, c.wait, decisions)
	return errors.Join(err, d.tellLate(ctx, late))
}

// waits returns the accounts on which something waits that may have become too late, for a resume.
func (c *pauseChoice) waits(ctx context.Context, d *desk, names []string) (map[event.Account]bool, error) {
	if c.wish != event.WishGoOn {
		return nil, nil
	}
	state := event.StateHeld
	if names[0] == "" {
		state = event.StateDue
	}
	those, err := d.among(ctx, record.Having{Thing: record.HasActions, State: string(state)})
	return setOf(those), err
}

// here tells whether a rule is to be paused, or to go on, on an account: known are the rules of that account, asked says that
// somebody has asked for a pause that no bot has taken up yet.
func (c *pauseChoice) here(name string, p bot.Pauses, known map[string]bool, asked bool) bool {
	if _, paused := p.Rules[name]; paused {
		return true
	}
	return asked || c.wish == event.WishPause && known[name] //mutate:pause-here
}

// pauseAbout is what a person calls it.
func pauseAbout(account event.Account, rule string) string {
	if rule == "" {
		return string(account)
	}
	return rule
}

// check refuses a rule that nobody has heard of, and returns which rules each account knows.
func (c *pauseChoice) check(ctx context.Context, d *desk, names []string) (map[event.Account]map[string]bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	force, err := d.inForce(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := d.knowledge(ctx)
	if err != nil {
		return nil, err
	}
	by := versions(force)
	of, all := map[event.Account]map[string]bool{}, map[string]bool{}
	for _, account := range d.accounts {
		p, err := bot.PausesOf(ctx, stored, account)
		if err != nil {
			return nil, err
		}
		of[account] = map[string]bool{}
		for rule := range p.Rules {
			of[account][rule] = true
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
			verb := map[event.Wish]string{event.WishPause: "pause", event.WishGoOn: "resume"}[c.wish]
			return nil, &exitError{exitUsage, fmt.Errorf("%s is a campaign: write nectar campaigns %s %[1]s", plain(name, 40), verb)}
		}
		problem := fmt.Sprintf("there is no rule or conversation %q in force", plain(name, 40))
		if near := text.Nearest(name, slices.Sorted(maps.Keys(all))); near != "" {
			problem += fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, &exitError{exitUsage, errors.New(problem + "; nectar rules lists them")}
	}
	return of, nil
}

// isCampaign tells whether an account has, or had, a campaign with an id. Its slots are paused otherwise: the plan knows of that.
func (d *desk) isCampaign(ctx context.Context, id string) (bool, error) {
	those, err := d.among(ctx, kept.Having())
	if err != nil {
		return false, err
	}
	for _, account := range those {
		s, err := kept.Read(ctx, d.Reader, account)
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
func (d *desk) late(ctx context.Context, account event.Account, rule string) ([]deed, error) {
	state := event.StateDue
	if rule != "" {
		state = event.StateHeld
	}
	waits, err := d.Actions(ctx, record.ActionQuery{Account: account, State: state, Limit: sifted})
	if err != nil {
		return nil, err
	}
	now := time.Now()
	waits = slices.DeleteFunc(waits, func(a event.Action) bool {
		return a.Stale.IsZero() || !a.Stale.Before(now) || rule != "" && a.Reason != bot.PausedReason(rule)
	})
	return d.deeds(ctx, waits)
}

// tellLate lists what has become too late.
func (d *desk) tellLate(ctx context.Context, late []deed) error {
	if len(late) == 0 || d.json {
		return nil
	}
	if err := d.name(ctx, late); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(d.out, "\n%s too late by now, and left out:\n", was(len(late))); err != nil {
		return err
	}
	t := table{head: []string{"DECIDED", "ACCOUNT", "WHO", "NAME", "RULE", "WHAT"}}
	for i := range late {
		x := &late[i]
		t.add(when(x.DecidedAt), string(x.Account), who(x.user, int64(x.Peer)), plain(x.name, 24), plain(cmp.Or(x.Rule, x.rule), 32), x.does(d.private, 60))
	}
	t.squeeze("NAME", "RULE")
	return d.print(&t, "")
}

func was(n int) string {
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
}

// printPauses lists what is paused.
func printPauses(ctx context.Context, d *desk) error {
	stored, err := d.knowledge(ctx)
	if err != nil {
		return err
	}
	t := table{head: []string{"PAUSED", "ACCOUNT", "SINCE", "BY"}}
	for _, account := range d.accounts {
		p, err := bot.PausesOf(ctx, stored, account)
		if err != nil {
			return err
		}
		var all []pauseJSON
		if p.Account != nil {
			all = append(all, pauseJSON{account, "", p.Account.Since.UTC(), p.Account.By})
		}
		for _, rule := range slices.Sorted(maps.Keys(p.Rules)) {
			all = append(all, pauseJSON{account, rule, p.Rules[rule].Since.UTC(), p.Rules[rule].By})
		}
		for _, x := range all {
			if d.json {
				if err := printLine(d.out, x); err != nil {
					return err
				}
				continue
			}
			t.add(cmp.Or(plain(x.Rule, 0), "everything"), string(account), when(x.Since), plain(x.By, 24))
		}
	}
	if d.json {
		return nil
	}
	t.squeeze("BY")
	return t.print(d.out, "nothing is paused")
}

// pausedNow says what is paused on an account, with what to do; "" when nothing is.
func pausedNow(account event.Account, p bot.Pauses) string {
	if p.Account != nil {
		return fmt.Sprintf("the account is paused since %s; nectar resume --account %s lets it go on", when(p.Account.Since), account)
	}
	if len(p.Rules) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(p.Rules))
	return fmt.Sprintf("paused: %s; nectar resume %s lets it go on", plain(strings.Join(names, ", "), 120), plain(names[0], 40))
}

// pausedIn returns the rule for whose pause something waits; "" when it does not.
func pausedIn(reason string) string {
	before, behind, _ := strings.Cut(bot.PausedReason("\x00"), "\x00")
	rule, ok := strings.CutPrefix(reason, before)
	if !ok {
		return ""
	}
	if rule, ok = strings.CutSuffix(rule, behind); !ok {
		return ""
	}
	return rule
}
