package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// ActionList is which actions are wanted.
type ActionList struct {
	Flags
	Held, InDoubt, Due, Approval bool
	Peer, Rule                   string
	Campaign                     string // as a rule: its slots are decided under its id
	Limit                        int

	Cursor inspect.Cursor // where it goes on; "" is its beginning
	next   inspect.Cursor // where it goes on behind what was read; "" for nowhere, or where that has no cursor
}

// HasCursors reports whether the list may have them: it is then of one state, or of all with a person.
func (l *ActionList) HasCursors() bool { return len(l.states()) < 2 && (!l.Due || l.Peer == "") }

// states returns the states that are wanted, in the order that matters; none for any.
func (l *ActionList) states() []event.State {
	var states []event.State
	for _, s := range []struct {
		on    bool
		state event.State
	}{{l.Held || l.Approval, event.StateHeld}, {l.InDoubt, event.StateInDoubt}, {l.Due, event.StateDue}} {
		if s.on {
			states = append(states, s.state)
		}
	}
	if len(states) == 0 && l.Peer == "" {
		return []event.State{event.StateHeld, event.StateInDoubt, event.StateSending, event.StateDue}
	}
	return states
}

// sifted is how many actions are looked at where all are meant.
const sifted = 10_000

// read returns the actions, with their rules.
func (l *ActionList) read(ctx context.Context, d *View) ([]Deed, error) {
	key, err := d.peerKey(ctx, l.Peer)
	if err != nil {
		return nil, err
	}
	l.Rule = cmp.Or(l.Rule, l.Campaign)
	var all []Deed
	states := l.states()
	if len(states) == 0 {
		states = []event.State{""}
	}
	of := d.Meant
	if key.Peer != 0 {
		of = []event.Account{key.Account}
	}
	if l.HasCursors() {
		return l.readPage(ctx, d, record.ActionQuery{Peer: key.Peer, State: states[0], Limit: l.Limit}, of)
	}
	for _, state := range states {
		those := []event.Account{key.Account}
		if key.Peer == 0 {
			if those, err = d.AmongMeant(ctx, record.Having{Thing: record.HasActions, State: string(state)}); err != nil {
				return nil, err
			}
		}
		for _, account := range those {
			page, err := inspect.Actions(ctx, d.Inspector, record.ActionQuery{Account: account, Peer: key.Peer, State: state, Limit: l.Limit}, l.wanted(d, state), "")
			if err != nil {
				return nil, err
			}
			some, err := d.readDeeds(ctx, page.Rows)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

// readPage returns the actions of a query behind the cursor.
func (l *ActionList) readPage(ctx context.Context, d *View, q record.ActionQuery, of []event.Account) ([]Deed, error) {
	if len(of) == 1 {
		q.Account, of = of[0], nil
	} else if len(of) == 0 {
		return nil, nil
	}
	page, err := inspect.Actions(ctx, d.Inspector, q, l.wanted(d, q.State), l.Cursor, of...)
	if err != nil {
		return nil, badCursor(err)
	}
	l.next = page.Next
	return d.readDeeds(ctx, page.Rows)
}

// wanted returns what takes the actions of the list out of those of a state; nil when it is of all.
func (l *ActionList) wanted(d *View, state event.State) func(context.Context, []event.Action) ([]event.Action, error) {
	approvals := l.Approval && !l.Held && state == event.StateHeld
	if l.Rule == "" && !approvals {
		return nil
	}
	return func(ctx context.Context, rows []event.Action) ([]event.Action, error) {
		deeds, err := d.readDeeds(ctx, rows)
		if err != nil {
			return nil, err
		}
		some := rows[:0]
		for i := range deeds {
			x := &deeds[i]
			if (l.Rule == "" || x.isOfRule(l.Rule)) && (!approvals || x.holdReason().For == inspect.HeldForApproval) {
				some = append(some, rows[i])
			}
		}
		return some, nil
	}
}

// isOfRule reports whether a rule decided an action, perhaps with others.
func (d *Deed) isOfRule(rule string) bool { return slices.Contains(strings.Split(d.Rule, ", "), rule) }

// Print writes the list of actions.
func (l *ActionList) Print(ctx context.Context, d *View, _ []string) error {
	deeds, err := l.read(ctx, d)
	if err != nil {
		return err
	}
	if err := d.name(ctx, deeds); err != nil {
		return err
	}
	if err := d.addQuestions(ctx, deeds); err != nil {
		return err
	}
	asked, err := d.ReadWaiting(ctx)
	if err != nil {
		return err
	}
	if d.JSON {
		return l.lines(d, deeds, asked)
	}
	// What waits for a person comes first, and together: it is decided as one, and runs out of time.
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
	t := print.Table{Head: []string{"STATE", "SINCE", "DUE", "BEFORE", "ACCOUNT", "WHO", "NAME", "RULE", "WHAT", "NUMBER", "KEY", "WHY"}}
	for i := range deeds {
		x := &deeds[i]
		t.Add(x.State.String(), print.TimeText(x.standsSince()), x.dueAt(), x.before(), string(x.Account), print.PersonName(x.user, int64(x.Peer)), print.PlainText(x.name, 24), print.PlainText(x.Rule, 32),
			x.DoesText(d.Private, 60)+forSlot(&x.Action), x.shortNumber(), print.PlainText(x.Key, 0), print.JoinTwo(print.JoinTwo(print.PlainText(x.Reason, 160), RuledText(&x.Approval)), asked.AskedAboutAction(&x.Action).String()))
	}
	t.DropEmpty("DUE", "BEFORE", "NAME", "RULE", "NUMBER", "WHY")
	switch {
	case len(bundles) > 0 && len(t.Rows) == 0:
		return d.tellStopped(ctx)
	case len(bundles) > 0:
		if _, err := fmt.Fprintln(d.Out); err != nil {
			return err
		}
	}
	if err := d.print(&t, l.noneText()); err != nil {
		return err
	}
	if err := d.next(deeds, asked); err != nil {
		return err
	}
	if l.Cursor != "" {
		return d.tellNext(l.next)
	}
	return d.tellStopped(ctx)
}

// lines prints the actions for machines; the last one says where the list goes on.
func (l *ActionList) lines(d *View, deeds []Deed, asked Waiting) error {
	return print.WriteLines(d.Out, deeds, func(x *Deed) any {
		line := d.DeedForMachines(x, asked)
		if x == &deeds[len(deeds)-1] {
			line.Next = l.next
		}
		return line
	})
}

// noneText is what is said when nothing is listed.
func (l *ActionList) noneText() string {
	switch {
	case l.Campaign != "":
		return "nothing of the campaign " + print.QuotePlain(l.Campaign, 0)
	case l.Rule != "":
		return "nothing of the rule " + print.QuotePlain(l.Rule, 0)
	case l.Approval && !l.Held && !l.InDoubt && !l.Due:
		return "nothing waits for approval"
	case l.Held && !l.InDoubt && !l.Due:
		return "nothing is held"
	case l.Peer != "" && len(l.states()) == 0:
		return "nothing was done"
	}
	return "nothing is to be done"
}

// next says what to write next, about the first of those that wait for a person and for nothing else.
func (v *View) next(deeds []Deed, asked Waiting) error {
	for i := range deeds {
		x := &deeds[i]
		if x.State != event.StateHeld || asked.AskedAboutAction(&x.Action) != nil {
			continue
		}
		if h := x.holdReason(); h.For == inspect.HeldForResume {
			return print.SayLine(v.Out, "\nnectar resume %s lets it leave; nectar outbox drop %s takes it back", print.PlainText(h.Rule, 40), x.shortNumber())
		}
		return print.SayLine(v.Out, "\nif it is not on the platform: nectar outbox release %[1]s; if it is: nectar outbox drop %[1]s", x.shortNumber())
	}
	return nil
}

// standsSince returns when an action came to stand where it does, as far as that is known.
func (d *Deed) standsSince() time.Time {
	return cmp.Or(d.holdReason().Since, d.DecidedAt)
}

// holdReason returns what it waits for.
func (d *Deed) holdReason() inspect.Hold {
	return inspect.HoldOf(&d.Action, &d.Approval, d.wrote, time.Now())
}

// dueAt says when an action is due that waits for its time.
func (d *Deed) dueAt() string {
	switch {
	case d.State == event.StateDue:
		return print.TimeText(cmp.Or(d.Due, d.DecidedAt))
	case d.State == event.StateHeld && d.Due.After(time.Now()):
		return print.TimeText(d.Due)
	}
	return ""
}

// before says until when an action may leave that has not come to its end; "" for ever.
func (d *Deed) before() string {
	if d.Until.IsZero() || d.State.Final() {
		return ""
	}
	return print.TimeText(d.Until)
}
