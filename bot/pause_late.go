package bot

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/internal/reason"
)

// The end of a rule's pause lets go on what is held because of it by then. The dispatcher may hold something while that end is on
// its way into the store, and that is stored behind it: it has to go on by itself, after a crash as well.

// isOver reports whether a rule is not paused any more.
func (a *account) isOver(rule string) bool {
	p := a.currentPauses()
	if p == nil {
		return true
	}
	_, paused := p.Rules[rule]
	return !paused
}

// heldTooLate lets an action go on that was held for a pause that was over when that was stored.
func (a *account) heldTooLate(x *event.Action) {
	if x.State != event.StateHeld {
		return
	}
	if rule := reason.PausedRule(x); rule != "" && a.isOver(rule) { //mutate:held-too-late
		a.letGoOn(rule)
	}
}

// letGoOn lets what is held for a rule's pause go on, if the rule is not paused again. What the store refuses is tried again.
func (a *account) letGoOn(rule string) {
	if !a.isOver(rule) || a.term.Err() != nil {
		return
	}
	a.bot.store.Commit(store.Write{Turn: a.goesOn(rule), Done: func(r store.Receipt) {
		if r.Err != nil {
			time.AfterFunc(time.Second, func() { a.letGoOn(rule) })
			return
		}
		a.outbox.TakeUpReleased(a.term)
	}})
}

// goesOn is a turn that lets go on what is held for a rule's pause.
func (a *account) goesOn(rule string) *store.Turn {
	now := time.Now()
	return &store.Turn{
		Trigger: event.Trigger{
			Kind: event.ByRequest, Key: event.Key{Account: a.name}, Choice: fmt.Sprintf("gone-on/%s/%d/%d", rule, now.UnixMicro(), a.pauses.late.Add(1)),
		},
		Record: event.DecisionRecord{Outcome: OutcomeHandled, Note: "the rule " + rule + " goes on: what was held as its pause ended"},
		Resume: &store.Resume{Rule: rule}, At: now,
	}
}

// restoreLate lets go on what an earlier incarnation held too late.
func (a *account) restoreLate(ctx context.Context) error {
	held, err := a.bot.store.HeldBefore(ctx, a.name, time.Now().AddDate(100, 0, 0), maxPending)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range held {
		rule := reason.PausedRule(&held[i])
		if rule == "" || seen[rule] || !a.isOver(rule) {
			continue
		}
		seen[rule] = true
		a.letGoOn(rule)
	}
	return nil
}
