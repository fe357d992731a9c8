package view

import (
	"context"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/internal/reason"
)

// What a rule on ask prepared has an outcome of its own once a person has decided about it.

// The words for what became of it. They stand in the place of "prepared" where events are shown.
const (
	BecameWaiting   = "waiting"   // for an approval
	becameApproved  = "approved"  // and not all of it has left yet
	BecameSent      = "sent"      // approved, and all of it is done: something was said
	BecameDone      = "done"      // the same, and nothing was said
	becameRefused   = "refused"   // by a person of ours
	BecameExpired   = "expired"   // nobody approved it in time
	BecameWithdrawn = "withdrawn" // it came to nothing otherwise
)

// wasPrepared reports whether an outcome, as it is shown, is one of what waited for an approval.
func wasPrepared(outcome string) bool {
	switch outcome {
	case BecameWaiting, becameApproved, BecameSent, BecameDone, becameRefused, BecameExpired, BecameWithdrawn, string(ruledecision.Prepared):
		return true
	}
	return false
}

// BecameText says what became of actions that a turn prepared, and who decided; "" when nothing is kept of them.
func (v *View) BecameText(ctx context.Context, account event.Account, actions []event.Action) (word, why string, err error) {
	keys := make([]string, len(actions))
	for i := range actions {
		keys[i] = actions[i].Key
	}
	approvals, err := v.Approvals(ctx, account, keys)
	if err != nil {
		return "", "", err
	}
	// Several bundles may have ended in different ways: what a person has to know of first counts.
	rank := map[string]int{BecameWaiting: 7, becameApproved: 6, BecameSent: 5, BecameDone: 4, becameRefused: 3, BecameExpired: 2, BecameWithdrawn: 1}
	for i := range actions {
		a := &actions[i]
		p, asked := approvals[a.Key]
		if len(approvals) > 0 && !asked { // it was for another rule, which needs none
			continue
		}
		now := stateBecame(a, &p)
		if rank[now] > rank[word] {
			word, why = now, RuledText(&p)
		}
	}
	return word, why, nil
}

// stateBecame says what became of one action; "" when it never waited for an approval, as far as is known.
func stateBecame(a *event.Action, p *event.Approval) string {
	switch {
	case inspect.HoldOf(a, p, time.Time{}, time.Time{}).For == inspect.HeldForApproval:
		return BecameWaiting
	case p.Verdict.Ruling == event.Dropped, p.Group == "" && a.State == event.StateWithdrawn && reason.OfAction(a).Code() == reason.Dropped:
		return becameRefused
	case p.Verdict.Ruling == event.Expired:
		return BecameExpired
	case reason.IsWatched(a):
		return ""
	case a.State == event.StateDone && a.Verb.Makes():
		return BecameSent
	case a.State == event.StateDone:
		return BecameDone
	case a.State.Final():
		return BecameWithdrawn
	}
	return becameApproved
}

// sinceApproved puts into a decision record what became of what its turn prepared.
func (v *View) sinceApproved(ctx context.Context, account event.Account, rec *event.DecisionRecord, actions []event.Action) error {
	word, why, err := v.BecameText(ctx, account, actions)
	if err != nil || word == "" {
		return err
	}
	rec.Outcome = word
	if why != "" {
		rec.Note = print.JoinTwo(why, rec.Note)
	}
	return nil
}

// addPrepared puts into events what became of what their turns prepared.
func (v *View) addPrepared(ctx context.Context, events []record.EventRow) error {
	for i := range events {
		e := &events[i]
		if e.State != record.EventHandled || e.Record.Outcome != string(ruledecision.Prepared) {
			continue
		}
		actions, err := v.ActionsOf(ctx, e.Account, e.ID.String())
		if err == nil {
			err = v.sinceApproved(ctx, e.Account, &e.Record, actions)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// turnPrepared puts into the decision record of a turn what became of what it prepared.
func (v *View) turnPrepared(ctx context.Context, t *record.TurnRow) error {
	if t.Record.Outcome != string(ruledecision.Prepared) {
		return nil
	}
	actions, err := v.ActionsOf(ctx, t.Account, t.ID)
	if err != nil {
		return err
	}
	return v.sinceApproved(ctx, t.Account, &t.Record, actions)
}

// addWould says what would have been said and done about events whose rules are on watch, or paused.
func (v *View) addWould(ctx context.Context, all []occasion) error {
	for i := range all {
		e := all[i].event
		if e == nil || e.Record.Version == "" { // no rules looked at it
			continue
		}
		actions, err := v.ActionsOf(ctx, e.Account, v.triggerOf(e))
		if err != nil {
			return err
		}
		var deeds []string
		for n := range actions {
			if x := (&Deed{Action: actions[n]}); reason.IsRecorded(&x.Action) {
				deeds = append(deeds, x.DoesText(v.Private, 80))
			}
		}
		if len(deeds) > 0 {
			all[i].would = "it would have done: " + strings.Join(deeds, ", ")
		}
	}
	return nil
}
