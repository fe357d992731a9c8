package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/spf13/cobra"
)

const outboxHelp = `Outbox lists what the bot is to do on the platform and has not done yet: what waits
for a person first, then what nobody knows about, what is on its way, and what is
due. With --peer alone it lists all that was done with one person, newest first.
It works while the bot runs.

  held     waits for a person. "needs approval": a rule on ask prepared it, so
           approve, edit or refuse it. Otherwise nobody knows whether it was
           done: look at the platform, then release or drop it
  unsure   left, and no answer came; the bot finds out by reading the platform
  sending  on its way
  due      waits for its time or its place

What is held has a number, which stands for its key in all of these commands. What
waits for approval is shown first, each below the question that it answers, with what
else happens when it is approved. All that one rule prepared is one: approve or refuse
one of its numbers, and all of it leaves, or nothing does. Nobody may approve it any
more when answer_within of the rule is over: then it is withdrawn.

What campaigns have prepared is for a slot: it is shown with what the post said when it
was read. What was planned for a time leaves at that time, also when it is approved before. What
has a latest departure never leaves after it: it is withdrawn, whoever has approved it.`

// actionList is which actions are wanted.
type actionList struct {
	deskFlags
	held, unsure, due, approval bool
	peer, rule                  string
	campaign                    string // as a rule: its slots are decided under its id
	limit                       int
}

func newOutbox(sh shell) *cobra.Command {
	var l actionList
	cmd := &cobra.Command{
		Use:     "outbox",
		Short:   "List what is to be done; approve, edit or refuse what waits for you",
		Long:    outboxHelp,
		Example: "  nectar outbox --needs-approval\n  nectar outbox approve 482913\n  nectar outbox --peer @ana",
		GroupID: groupCare,
		Args:    usage(knownCommand),
		RunE:    sh.atDesk(&l.deskFlags, l.print),
	}
	l.add(cmd)
	l.privately(cmd)
	f := cmd.Flags()
	f.BoolVar(&l.held, "held", false, "what waits for a person")
	f.BoolVar(&l.approval, "needs-approval", false, "what a rule on ask prepared, and a person approves")
	f.BoolVar(&l.unsure, "unsure", false, "what left without an answer")
	f.BoolVar(&l.due, "due", false, "what waits for its time or its place")
	f.StringVar(&l.peer, "peer", "", "only of this `person`: @name or number")
	f.StringVar(&l.rule, "rule", "", "only what the rule with this `id` decided")
	f.StringVar(&l.campaign, "campaign", "", "only slots of the campaign with this `id`")
	l.limit = defaultLimit
	f.Var((*number)(&l.limit), "limit", "at most this `number` of each state")
	cmd.SuggestionsMinimumDistance = 2
	for _, c := range heldCommands() {
		cmd.AddCommand(c.command(sh, &l.deskFlags))
	}
	cmd.AddCommand(newEdit(sh, &l.deskFlags), newReview(sh, &l.deskFlags))
	return cmd
}

// states returns the states that are wanted, in the order that matters; none for any.
func (l *actionList) states() []event.State {
	var states []event.State
	for _, s := range []struct {
		on    bool
		state event.State
	}{{l.held || l.approval, event.StateHeld}, {l.unsure, event.StateUnsure}, {l.due, event.StateDue}} {
		if s.on {
			states = append(states, s.state)
		}
	}
	if len(states) == 0 && l.peer == "" {
		return []event.State{event.StateHeld, event.StateUnsure, event.StateSending, event.StateDue}
	}
	return states
}

// sifted is how many actions are looked at for those that are wanted.
const sifted = 10_000

// read returns the actions, with their rules.
func (l *actionList) read(ctx context.Context, d *desk) ([]deed, error) {
	key, err := d.peer(ctx, l.peer)
	if err != nil {
		return nil, err
	}
	l.rule = cmp.Or(l.rule, l.campaign)
	var all []deed
	states := l.states()
	if len(states) == 0 {
		states = []event.State{""}
	}
	for _, state := range states {
		those := []event.Account{key.Account}
		if key.Peer == 0 {
			if those, err = d.among(ctx, record.Having{Thing: record.HasActions, State: string(state)}); err != nil {
				return nil, err
			}
		}
		for _, account := range those {
			some, err := l.some(ctx, d, record.ActionQuery{Account: account, Peer: key.Peer, State: state})
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

// some returns those of a query's actions that are wanted: it looks at more and more, until there are enough.
func (l *actionList) some(ctx context.Context, d *desk, q record.ActionQuery) ([]deed, error) {
	approvals := l.approval && !l.held && q.State == event.StateHeld
	q.Limit = l.limit
	if l.rule != "" || approvals {
		q.Limit = max(l.limit, sifted)
	}
	for ; ; q.Limit *= 10 {
		actions, err := d.Actions(ctx, q)
		if err != nil {
			return nil, err
		}
		all := len(actions) < q.Limit
		if approvals {
			actions = slices.DeleteFunc(actions, func(a event.Action) bool { return a.Reason != needsApproval })
		}
		if l.rule == "" {
			actions = actions[:min(len(actions), l.limit)]
		}
		deeds, err := d.deeds(ctx, actions)
		if err != nil {
			return nil, err
		}
		if l.rule != "" {
			deeds = slices.DeleteFunc(deeds, func(x deed) bool { return !x.of(l.rule) })
		}
		if all || len(deeds) >= l.limit || l.rule == "" && !approvals {
			return deeds[:min(len(deeds), l.limit)], nil
		}
	}
}

// of tells whether a rule decided an action, perhaps with others.
func (x *deed) of(rule string) bool { return slices.Contains(strings.Split(x.rule, ", "), rule) }

func (l *actionList) print(ctx context.Context, d *desk, _ []string) error {
	deeds, err := l.read(ctx, d)
	if err != nil {
		return err
	}
	if err := d.name(ctx, deeds); err != nil {
		return err
	}
	if err := d.questions(ctx, deeds); err != nil {
		return err
	}
	asked, err := d.waiting(ctx)
	if err != nil {
		return err
	}
	if d.json {
		for i := range deeds {
			if err := printLine(d.out, d.deedForMachines(&deeds[i], asked)); err != nil {
				return err
			}
		}
		return nil
	}
	bundles, deeds := waitTogether(deeds)
	for i := range bundles {
		if err := d.printWaiting(&bundles[i], asked); err != nil {
			return err
		}
	}
	if len(bundles) > 0 {
		if err := d.nextApproval(bundles, asked); err != nil {
			return err
		}
	}
	t := table{head: []string{"STATE", "SINCE", "DUE", "BEFORE", "ACCOUNT", "WHO", "NAME", "RULE", "WHAT", "NUMBER", "KEY", "WHY"}}
	for i := range deeds {
		x := &deeds[i]
		t.add(string(x.State), when(x.since()), x.dueAt(), x.before(), string(x.Account), who(x.user, int64(x.Peer)), plain(x.name, 24), plain(x.rule, 32),
			x.does(d.private, 60)+forSlot(&x.Action), x.number(), plain(x.Key, 0), and(and(plain(x.Reason, 160), ruled(&x.Approval)), asked.action(&x.Action).String()))
	}
	t.squeeze("DUE", "BEFORE", "NAME", "RULE", "NUMBER", "WHY")
	switch {
	case len(bundles) > 0 && len(t.rows) == 0:
		return d.tellStopped(ctx)
	case len(bundles) > 0:
		if _, err := fmt.Fprintln(d.out); err != nil {
			return err
		}
	}
	if err := d.print(&t, l.none()); err != nil {
		return err
	}
	if err := d.next(deeds, asked); err != nil {
		return err
	}
	return d.tellStopped(ctx)
}

// none is what is said when nothing is listed.
func (l *actionList) none() string {
	switch {
	case l.campaign != "":
		return "nothing of the campaign " + quoted(l.campaign, 0)
	case l.rule != "":
		return "nothing of the rule " + quoted(l.rule, 0)
	case l.approval && !l.held && !l.unsure && !l.due:
		return "nothing waits for approval"
	case l.held && !l.unsure && !l.due:
		return "nothing is held"
	case l.peer != "" && len(l.states()) == 0:
		return "nothing was done"
	}
	return "nothing is to be done"
}

// next says what to write next, about the first of those that wait for a person and for nothing else.
func (d *desk) next(deeds []deed, asked waiting) error {
	for i := range deeds {
		x := &deeds[i]
		if x.State != event.StateHeld || asked.action(&x.Action) != nil {
			continue
		}
		if rule := pausedIn(x.Reason); rule != "" {
			_, err := fmt.Fprintf(d.out, "\nnectar resume %s lets it leave; nectar outbox drop %s takes it back\n", plain(rule, 40), x.number())
			return err
		}
		_, err := fmt.Fprintf(d.out, "\nif it is not on the platform: nectar outbox release %[1]s; if it is: nectar outbox drop %[1]s\n", x.number())
		return err
	}
	return nil
}

// since returns when an action came to stand where it does, as far as that is known.
func (x *deed) since() time.Time {
	if x.State == event.StateHeld && !x.EndedAt.IsZero() {
		return x.EndedAt
	}
	return x.DecidedAt
}

// dueAt says when an action is due that waits for its time.
func (x *deed) dueAt() string {
	switch {
	case x.State == event.StateDue:
		return when(cmp.Or(x.Due, x.DecidedAt))
	case x.State == event.StateHeld && x.Due.After(time.Now()):
		return when(x.Due)
	}
	return ""
}

// before says until when an action may leave that has not come to its end; "" for ever.
func (x *deed) before() string {
	if x.Until.IsZero() || x.State.Final() {
		return ""
	}
	return when(x.Until)
}
