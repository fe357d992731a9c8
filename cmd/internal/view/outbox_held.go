package view

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// HeldCommand decides about actions that are held.
type HeldCommand struct {
	Name        string
	Wish        event.Wish
	Approval    bool // only about what needs approval; it takes --all
	Short, Long string
}

// HeldChoice is about which of them.
type HeldChoice struct {
	All        bool
	Anyway     bool // also where somebody of ours has written to the person meanwhile
	Rule, Peer string
	Wait       time.Duration
}

// DecideHeld asks for what a person decided about held actions.
func (c HeldCommand) DecideHeld(ctx context.Context, d *View, keys []string, choice *HeldChoice) error {
	chosen, err := c.chosen(ctx, d, keys, choice)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		if d.JSON {
			return nil
		}
		return print.SayLine(d.Out, "nothing waits for approval")
	}
	actions := make([]event.Action, len(chosen))
	for i := range chosen {
		actions[i] = chosen[i].Action
	}
	if err := d.tellSlots(ctx, actions); err != nil {
		return err
	}
	if chosen, err = c.leaveOut(d, chosen, choice); err != nil || len(chosen) == 0 {
		return err
	}
	var decisions []Decision
	known := map[string]bool{}
	for i := range chosen {
		a := &chosen[i].Action
		if p := &chosen[i].Approval; p.Verdict.Ruling == "" && p.Group != "" { // what waits together is decided about once
			of := string(a.Account) + " " + p.Group
			if known[of] {
				continue
			}
			known[of] = true
		}
		wish := c.Wish
		switch {
		case a.State == event.StateDue:
			wish = event.WishWithdraw
		case choice.Anyway:
			wish = event.WishInsist
		}
		decisions = append(decisions, Decision{event.Request{Key: a.Conversation(), Wish: wish, Action: a.Key}, a.Key})
	}
	return d.AskDecisions(ctx, choice.Wait, decisions)
}

// leaveOut takes those out over which somebody of ours has written to the person, unless they are to be said all the same. Who names one is told that.
func (c HeldCommand) leaveOut(d *View, chosen []Deed, choice *HeldChoice) ([]Deed, error) {
	if c.Wish != event.WishRelease || !c.Approval || choice.Anyway {
		return chosen, nil
	}
	bundles, _ := waitTogether(chosen)
	var rest []Deed
	for _, b := range bundles {
		if !b.isOvertaken() {
			rest = append(rest, b...)
			continue
		}
		left := overtakenError(&b[0])
		if !choice.All {
			return nil, left
		}
		if d.JSON {
			continue
		}
		if _, err := fmt.Fprintln(d.Out, "left out:", left); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// overtakenError is why an answer that waits is not sent by itself.
func overtakenError(x *Deed) error {
	return fmt.Errorf("%[1]s is overtaken: somebody of ours wrote to her %[2]s, after it was prepared. nectar outbox refuse %[1]s takes it back; approve %[1]s --anyway sends it all the same",
		x.shortNumber(), print.TimeText(x.wrote))
}

// chosen returns what is to be decided about, what has waited longest first.
func (c HeldCommand) chosen(ctx context.Context, d *View, keys []string, choice *HeldChoice) ([]Deed, error) {
	var chosen []event.Action
	if choice.All {
		l := ActionList{Approval: true, Rule: choice.Rule, Peer: choice.Peer, Limit: sifted}
		deeds, err := l.read(ctx, d)
		slices.Reverse(deeds)
		return deeds, err
	}
	for _, key := range keys {
		a, err := d.openAction(ctx, key, c.Wish == event.WishDrop && !c.Approval)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, a)
	}
	deeds, err := d.readDeeds(ctx, chosen)
	if err != nil {
		return nil, err
	}
	for i := range deeds {
		if x := &deeds[i]; c.Approval && x.holdReason().For != inspect.HeldForApproval {
			return nil, fmt.Errorf("%s does not wait for approval: %s. Look at the platform, then nectar outbox release or drop it", x.Key, print.PlainText(x.Reason, 160))
		}
	}
	return deeds, nil
}

// variable is what the texts of rule files have in the place of a name or an answer.
var variable = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// CheckVariables refuses a text in which a variable stands, as in rule files: what leaves after an edit leaves as it is written. What stood
// in the text before is somebody's own words.
func CheckVariables(text, before string) error {
	for _, v := range variable.FindAllString(text, -1) {
		if !strings.Contains(before, v) {
			return fmt.Errorf("people would read %s as it stands here: write the words themselves", print.PlainText(v, 60))
		}
	}
	return nil
}

// HeldAction returns an action by its key or its number, which has to be held, and to which somebody may give other words.
func (v *View) HeldAction(ctx context.Context, key string) (event.Action, error) {
	a, err := v.openAction(ctx, key, false)
	if err != nil {
		return a, err
	}
	deeds, err := v.readDeeds(ctx, []event.Action{a})
	if err == nil && deeds[0].holdReason().Overtaken {
		err = overtakenError(&deeds[0])
	}
	return a, err
}

// openAction returns an action by its key or its number, which has to be held, or due when that will do, too.
func (v *View) openAction(ctx context.Context, key string, due bool) (event.Action, error) {
	fits := func(a *event.Action) bool { return a.State == event.StateHeld || due && a.State == event.StateDue }
	those, err := v.AmongMeant(ctx, record.Having{Thing: record.HasAction, Text: key})
	if err != nil {
		return event.Action{}, err
	}
	var held []event.Action
	var ended event.Action
	for _, account := range those {
		a, ok, err := v.Action(ctx, account, key)
		if err != nil {
			return event.Action{}, err
		}
		if ok && fits(&a) {
			held = append(held, a)
		} else if ok {
			ended = a
		}
	}
	if len(held) == 0 && ended.Key == "" {
		var err error
		if held, err = v.NumberedOfMeant(ctx, key); err != nil {
			return event.Action{}, err
		}
		if len(held) == 1 && !fits(&held[0]) { // somebody has decided about it
			held, ended = nil, held[0]
		}
	}
	list := "nectar outbox --held lists what is held"
	if due {
		list = "nectar outbox lists what is held or due"
	}
	switch {
	case len(held) == 1:
		return held[0], nil
	case len(held) > 1 && held[0].Key == held[1].Key:
		return event.Action{}, fmt.Errorf("several accounts have an action %s: say which one, with --account %s", key, held[0].Account)
	case len(held) > 1:
		return event.Action{}, fmt.Errorf("%s is the number of several actions: write the key instead, like %s", key, held[0].Key)
	case ended.Key != "":
		return event.Action{}, v.notHeld(ctx, &ended, list)
	}
	return event.Action{}, fmt.Errorf("there is no action %q; %s", key, list)
}

// notHeld says what has become of an action, and who was first to decide about it.
func (v *View) notHeld(ctx context.Context, a *event.Action, list string) error {
	approvals, err := v.readApprovals(ctx, []event.Action{*a})
	if err != nil {
		return err
	}
	p := approvals[a.Account][a.Key]
	if p.Verdict.Ruling == "" {
		return fmt.Errorf("%s is %s, not held; %s", a.Key, a.State, list)
	}
	return fmt.Errorf("%s is %s, not held: %s; %s", a.Key, a.State, RuledText(&p), list)
}

// numbering returns the accounts that may have an action with a number, in a state.
func (v *View) numbering(ctx context.Context, state event.State, number string) ([]event.Account, error) {
	if state == "" {
		return v.Numbered(ctx, v.Meant, number)
	}
	return v.AmongMeant(ctx, record.Having{Thing: record.HasActions, State: string(state)})
}

// NumberedOfMeant returns the held actions with a number; when there are none, those that were held, as far as they are
// among the last ones.
func (v *View) NumberedOfMeant(ctx context.Context, number string) ([]event.Action, error) {
	for _, state := range []event.State{event.StateHeld, event.StateDue, ""} {
		those, err := v.numbering(ctx, state, number)
		if err != nil {
			return nil, err
		}
		var found []event.Action
		for _, account := range those {
			actions, err := v.Actions(ctx, record.ActionQuery{Account: account, State: state, Limit: sifted})
			if err != nil {
				return nil, err
			}
			found = append(found, slices.DeleteFunc(actions, func(a event.Action) bool { return ShortNumber(&a) != number })...)
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}
