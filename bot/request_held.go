package bot

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

// What waits for an approval together is decided about together: all of it is released in one commit, with what waits
// beside it, or comes to nothing.

// decideHeld releases, edits or drops an action that is held, and what waits with it; or takes one back that is due.
func (b *Bot) decideHeld(ctx context.Context, t *Turn, q *event.Request) error {
	a, ok, err := b.store.Action(ctx, q.Key.Account, q.Action)
	switch {
	case err != nil:
		return storeError{err}
	case !ok || a.Peer != q.Key.Peer:
		t.noteObsolete("there is no action %s any more", q.Action)
		return nil
	// What has become of it meanwhile decides, not what it was when somebody asked; and the commit looks once more.
	case q.Wish == event.WishWithdraw && a.State != event.StateDue:
		t.noteObsolete("%s is not due any more, it is %s", a.Key, a.State)
		return nil
	case q.Wish == event.WishWithdraw:
		outbox.ChangeState(&a, event.StateWithdrawn)
		reason.Set(&a, event.Because(reason.Dropped))
		a.EndedAt = t.Now
		t.actions = append(t.actions, record.Action{Action: a, TakenBack: true})
		t.Note("dropped %s", a.Key)
		return nil
	case a.State != event.StateHeld:
		return b.decidedBefore(ctx, t, &a)
	case isApproval(q) && t.Conversation.OwnerWrote.After(q.AskedAt): //mutate:release-words
		t.noteObsolete("%s is still held: somebody of ours wrote in the conversation about when this was asked for, and nobody knows what came first; "+
			"ask again if it is to be said all the same", a.Key)
		return nil
	}
	// All that wait with it, whichever of them was named: half of an answer must not leave.
	held, err := b.heldWith(ctx, &a)
	if err != nil {
		return err
	}
	switch asks := &held[0].Approval; {
	case q.Wish == event.WishDrop:
		t.endAllFor(held, event.Because(reason.Dropped), event.Verdict{Ruling: event.Dropped, By: q.By, At: q.AskedAt})
		t.Note("dropped %s", a.Key)
		return nil
	case asks.Verdict.Ruling == "" && asks.Expired(q.AskedAt): //mutate:ask-expired
		t.endAllFor(held, reason.ExpiredApproval(asks), event.Verdict{Ruling: event.Expired, At: t.Now})
		t.noteObsolete("%s is withdrawn: %s, and the decision came too late", a.Key, reason.SentenceOf(reason.ExpiredApproval(asks)))
		return nil
	case isApproval(q) && q.Wish != event.WishInsist && t.hesitates(a.Key, held):
		return nil
	}
	return b.release(ctx, t, q, held)
}

// hesitates reports whether what is held stays so although it is approved, since somebody has said something that it does not know of.
func (t *Turn) hesitates(key string, held []record.Held) bool {
	why := reason.SentenceOf(event.Because(reason.Silent))
	switch {
	case t.overtaken(held):
		t.rec.Why = event.Because(whyOvertaken, "wrote", t.Conversation.OwnerWrote.UTC().Format(time.RFC3339))
		why = "somebody of ours has written to her since it was prepared"
	case t.isUnwanted(held): //mutate:silent-approved
		t.rec.Why = t.whySilent()
	default:
		return false
	}
	t.noteObsolete("%s is still held: %s; to say it all the same, insist", key, why)
	return true
}

// whyOvertaken is why what was approved is still held: somebody of ours wrote to the person after it was prepared, at the time "wrote".
const whyOvertaken event.ReasonCode = "approval.overtaken"

// overtaken reports whether somebody of ours has said something to the person after the bot had prepared its words.
func (t *Turn) overtaken(held []record.Held) bool {
	return held[0].Group != "" && slices.ContainsFunc(held, func(h record.Held) bool { return store.IsOvertaken(&h.Action, t.Conversation.OwnerWrote) })
}

// decidedBefore says what has become of an action about which somebody else was first.
func (b *Bot) decidedBefore(ctx context.Context, t *Turn, a *event.Action) error {
	p, _, err := b.store.Approval(ctx, a.Account, a.Key)
	if err != nil {
		return storeError{err}
	}
	v := p.Verdict
	switch {
	case v.Ruling == "":
		t.noteObsolete("%s is not held any more, it is %s", a.Key, a.State)
	case v.By == "":
		t.noteObsolete("%s was %s before, %s; it is %s", a.Key, v.Ruling, v.At.UTC().Format(time.RFC3339), a.State)
	default:
		t.noteObsolete("%s was %s before, by %s, %s; it is %s", a.Key, v.Ruling, v.By, v.At.UTC().Format(time.RFC3339), a.State)
	}
	return nil
}

// heldWith returns the actions that wait with one that is held, in their order: that one alone when it does not wait for
// an approval any more, or never did.
func (b *Bot) heldWith(ctx context.Context, a *event.Action) ([]record.Held, error) {
	return heldWith(ctx, b.store, a)
}

func heldWith(ctx context.Context, st store.Store, a *event.Action) ([]record.Held, error) {
	p, ok, err := st.Approval(ctx, a.Account, a.Key)
	switch {
	case err != nil:
		return nil, storeError{err}
	case !ok || p.Verdict.Ruling != "": //mutate:ask-together
		p.Effects = event.Effects{}
		return []record.Held{{Action: *a, Approval: p}}, nil
	}
	all, err := st.HeldGroup(ctx, a.Account, p.Group)
	if err != nil {
		return nil, storeError{err}
	}
	held := all[:0]
	for i := range all {
		if x := &all[i]; x.State == event.StateHeld && x.Verdict.Ruling == "" {
			held = append(held, *x)
		}
	}
	return held, nil
}

// endAllFor is endAll for a reason that has a sentence of its own.
func (t *Turn) endAllFor(held []record.Held, why event.Reason, v event.Verdict) {
	t.endAll(held, why, reason.SentenceOf(why), v)
}

// endAll withdraws actions that are held, and with them what waits beside them.
func (t *Turn) endAll(held []record.Held, why event.Reason, text string, v event.Verdict) {
	for i := range held {
		a := held[i].Action
		outbox.ChangeState(&a, event.StateWithdrawn)
		a.Why, a.Reason, a.EndedAt = why, text, t.Now
		t.decidedAbout(a, v)
	}
	t.endedFor(held, v)
	t.expiresNoMore(held)
}

// decidedAbout collects an action that was held, with what a person decided about it.
func (t *Turn) decidedAbout(a event.Action, v event.Verdict) {
	t.actions = append(t.actions, record.Action{Action: a, Held: true, Approval: &event.Approval{Verdict: v}})
}

// release lets actions leave that are held, one of them with another text when a person wants that, and does what waits
// beside them. The uses that they need are those of its turn.
func (b *Bot) release(ctx context.Context, t *Turn, q *event.Request, held []record.Held) error {
	// Looked at before anything is collected: a text that nobody can send would be refused by the platform, and the rest of the bundle be gone.
	if q.Wish == event.WishEdit {
		for i := range held {
			if problem := textProblem(held[i].Verb, q.Text); held[i].Key == q.Action && problem != "" {
				t.noteObsolete("%s is still held: %s", q.Action, problem)
				return nil
			}
		}
	}
	verdict := event.Verdict{Ruling: event.Released, By: q.By, At: q.AskedAt}
	if until := firstUntil(held); isOver(until, t.Now) { //mutate:until-release
		// Who said yes in time is not said to have been late: the bot was, or a pause.
		if isOver(until, q.AskedAt) {
			verdict.Ruling, verdict.By, verdict.At = event.Expired, "", t.Now
		}
		t.endAllFor(held, reason.TooLate(until), verdict)
		t.noteObsolete("%s is withdrawn: %s", q.Action, reason.SentenceOf(reason.TooLate(until)))
		return nil
	}
	for i := range held {
		limitUses, err := b.store.WantedUses(ctx, q.Key.Account, held[i].Key)
		if err != nil {
			return storeError{err}
		}
		for _, c := range limitUses {
			if by, is := t.isDenied(c.Limit); is {
				denied := reason.UsedUp(by)
				// The uses of those before it in the bundle, too: nothing of it leaves, so none of its limits is used up.
				t.limitUses = nil
				t.endAllFor(held, denied, verdict)
				t.noteObsolete("%s is withdrawn: %s", q.Action, reason.SentenceOf(denied))
				return nil
			}
		}
		t.limitUses = append(t.limitUses, ofPublication(limitUses, held[i].Key)...) //mutate:approval-limit-uses
	}
	// All limits are granted by now. From here on the bundle leaves as a whole, in the order in which it was decided.
	behind := t.releaseDelay(held)
	for i := range held {
		t.letGo(held[i].Action, behind, q, verdict)
	}
	t.limitUses = t.publishingLimit().releasedUses(t.limitUses, t.Now, t.actions)
	for i := range held {
		if err := t.carryOut(&held[i].Effects); err != nil { //mutate:ask-effects
			return err
		}
	}
	t.approvedFor(held)
	t.expiresNoMore(held)
	if q.Wish == event.WishEdit {
		t.rec.Why = event.Because(reason.Edited, "action", q.Action)
		t.Note("released %s with another text", q.Action)
	} else {
		t.Note("released %s", q.Action)
	}
	return nil
}

// wished returns when an action was to leave, before it was held.
func wished(a *event.Action) time.Time { return cmp.Or(a.Due, a.DecidedAt) }

// releaseDelay returns by how much actions that are released leave later than they were to leave: the first one leaves now, or at
// its time if that lies ahead, and the others follow it as they would have.
func (t *Turn) releaseDelay(held []record.Held) time.Duration {
	first := wished(&held[0].Action)
	for i := range held {
		if due := wished(&held[i].Action); due.Before(first) {
			first = due
		}
	}
	return max(0, t.Now.Sub(first))
}

// letGo releases an action, which leaves later than it was to leave, by so much. One that has a latest departure keeps its time
// if that lies ahead.
func (t *Turn) letGo(a event.Action, behind time.Duration, q *event.Request, v event.Verdict) {
	if q.Wish == event.WishEdit && a.Key == q.Action {
		a.Text, v.Ruling = q.Text, event.Edited //mutate:edited-text
	}
	due := wished(&a)
	if a.Until.IsZero() || due.Before(t.Now) {
		due = due.Add(behind)
	}
	// Nothing is known of what may have left before: it is as if it had just been decided.
	a.Reason, a.Why, a.Due = "", "", due //mutate:until-keeps
	if a.Verb != event.VerbRenew {       // a repost that was taken back stays so
		a.ReconcileFrom = 0
	}
	a.Result, a.LeftAt, a.EndedAt = 0, time.Time{}, time.Time{}
	if a.Verb == event.VerbBooks {
		outbox.ChangeState(&a, event.StateDone)
		a.EndedAt = t.Now
	} else {
		outbox.ChangeState(&a, event.StateDue)
	}
	t.decidedAbout(a, v)
}

// isApproval reports whether somebody lets something leave that is held.
func isApproval(q *event.Request) bool {
	return q.Wish == event.WishRelease || q.Wish == event.WishInsist || q.Wish == event.WishEdit
}
