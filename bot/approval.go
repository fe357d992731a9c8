package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

// Awaits lets the action wait for a person's approval, like Held, together with others of the turn: those whose
// approvals name the same Group, which is the key of the first of them; "" is the action's own. With the approval they all
// leave, and the effects of the first one happen; with a refusal, or when nobody approves them until they expire, none.
func Awaits(text string, p event.Approval) Option {
	return func(t *Turn, a *record.Action) {
		Held(text)(t, a)
		if a.State != event.StateHeld {
			return
		}
		a.Why = event.Because(reason.NeedsApproval)
		if p.Group == "" {
			p.Group = a.Key
		}
		if p.Group != a.Key && (event.IsNamed(p.Group) || event.IsNamed(a.Key)) && t.failed == nil {
			t.failed = errNamedGroup
		}
		a.Approval = &p
	}
}

// carryOut does what waited for an approval.
func (t *Turn) carryOut(e *event.Effects) error {
	for _, l := range e.Labels {
		t.Label(l)
	}
	for _, l := range e.Unlabels {
		t.Unlabel(l)
	}
	for i := range e.Entries {
		x := &e.Entries[i]
		t.Record(event.Entry{List: x.List, Key: x.Key, Trigger: x.Trigger, Text: x.Text, Data: x.Data})
	}
	for _, n := range e.Notices {
		t.Notify(event.Notice{Who: n.Who, Text: n.Text, Private: n.Private, Kind: n.Kind, Details: n.Details})
	}
	// The flow of a program is not left for what a rule decided: the person may have come to it while somebody of ours made up their mind.
	if e.Leaves != "" && strings.HasPrefix(t.Conversation.Flow.Flow, e.Leaves) {
		engineTurn{t}.EnterFlow(conversation.Instance{})
	}
	t.handOverApproved(e.Handoff)
	for i := range e.Timers {
		if err := t.setHeld(&e.Timers[i]); err != nil {
			return err
		}
	}
	for i := range e.Stamps {
		if err := t.stamp(&e.Stamps[i]); err != nil {
			return err
		}
	}
	return nil
}

// handOverApproved gives the conversation to a team, unless somebody of ours has it by now.
func (t *Turn) handOverApproved(h *event.HeldHandoff) {
	switch {
	case h == nil:
	case t.Conversation.Owner != "":
		t.Note("the conversation stays with %s, who has it already", t.Conversation.Owner)
	case h.For > 0:
		t.HandoffFor(h.To, h.For)
	default:
		t.Handoff(h.To)
	}
}

// setHeld sets a timer that waited for an approval.
func (t *Turn) setHeld(x *event.HeldTimer) error {
	if x.After <= 0 {
		t.setTimer(x.Name, time.Time{}, nil)
		return nil
	}
	data := x.Data
	if x.Stamp != "" {
		var err error
		if data, err = stamped(data, []string{x.Stamp}, t.Now); err != nil {
			return fmt.Errorf("set the timer %s: %w", x.Name, err)
		}
	}
	t.waitFor(x.After, x.Name, data)
	return nil
}

// stamp notes in a value of the conversation when something was approved.
func (t *Turn) stamp(s *event.Stamp) error {
	value := NewValue[json.RawMessage]("", "")
	value.name = s.Value
	kept, _, err := value.Load(t)
	if err != nil {
		return err
	}
	if kept, err = stamped(kept, s.Path, t.Now); err != nil {
		return fmt.Errorf("change the value %s: %w", s.Value, err)
	}
	return value.Save(t, kept)
}

// stamped returns an object, nil for none, with a field of it, or of an object in it, set to a time.
func stamped(object json.RawMessage, path []string, now time.Time) (json.RawMessage, error) {
	if len(path) == 0 {
		return json.Marshal(now)
	}
	fields := map[string]json.RawMessage{}
	if len(object) > 0 {
		if err := json.Unmarshal(object, &fields); err != nil {
			return nil, err
		}
	}
	inner, err := stamped(fields[path[0]], path[1:], now)
	if err != nil {
		return nil, err
	}
	if fields == nil { // it was null
		fields = map[string]json.RawMessage{}
	}
	fields[path[0]] = inner
	return json.Marshal(fields)
}

// What nobody approves in time is withdrawn by a timer of its conversation, unless somebody has approved it in time and
// that is still on its way.

// expiresTimer begins the names of those timers; the key of the first action of the group follows.
const expiresTimer = ownTimers + "expires/"

// expiryGrace is how long after its time something expires: by then an approval that was given in time is stored.
const expiryGrace = 10 * time.Second

// expiryPause is when it is looked again whether an approval that was given in time has come.
const expiryPause = time.Minute

// approvalExpiry returns when it is to be looked whether what waits for an approval waits in vain: when nobody may approve it any
// more, or when it must not leave any more; zero for never.
func approvalExpiry(a *event.Action, p *event.Approval) (due time.Time) {
	if p.Group == a.Key && !p.Expires.IsZero() { //mutate:ask-expires
		due = p.Expires.Add(expiryGrace)
	}
	if !a.Until.IsZero() && (due.IsZero() || a.Until.Before(due)) { //mutate:until-awaits
		due = a.Until
	}
	return due
}

// willExpire sets the timer of an action that waits for an approval.
func (t *Turn) willExpire(a *record.Action) {
	if a.State != event.StateHeld || a.Approval == nil {
		return
	}
	if due := approvalExpiry(&a.Action, a.Approval); !due.IsZero() {
		t.setTimer(expiresTimer+a.Key, due, nil)
	}
}

// expiresNoMore takes back the timers of what was decided about.
func (t *Turn) expiresNoMore(held []record.Held) {
	for i := range held {
		x := &held[i]
		if name := expiresTimer + x.Key; x.Verdict.Ruling == "" && t.Trigger.Timer.Name != name && !approvalExpiry(&x.Action, &x.Approval).IsZero() {
			t.setTimer(name, time.Time{}, nil)
		}
	}
}

// withdrawExpired withdraws what nobody has approved in time; false when the turn is none of that.
func (b *Bot) withdrawExpired(ctx context.Context, t *Turn) (bool, error) {
	leader, ok := strings.CutPrefix(t.Trigger.Timer.Name, expiresTimer)
	if !ok || t.Trigger.Kind != event.ByTimer {
		return false, nil
	}
	a, ok, err := b.store.Action(ctx, t.Trigger.Key.Account, leader)
	if err != nil {
		return true, storeError{err}
	}
	if !ok || a.State != event.StateHeld {
		t.Note("%s does not wait any more", leader)
		return true, nil
	}
	held, err := b.heldWith(ctx, &a)
	if err != nil {
		return true, err
	}
	asks, until := &held[0].Approval, firstUntil(held)
	switch {
	case asks.Verdict.Ruling != "" || asks.Expires.IsZero() && until.IsZero():
		t.Note("%s does not wait for an approval any more", leader)
		return true, nil
	case !isOver(until, t.Now) && !asks.Expired(t.Now): // the clock was set back
		t.setTimer(t.Trigger.Timer.Name, nextExpiry(held), nil)
		return true, nil
	}
	given, err := b.approvedInTime(ctx, t.Trigger.Key, held)
	switch {
	case err != nil:
		return true, storeError{err}
	case given: //mutate:ask-in-time
		t.Note("%s was decided about in time", leader)
		t.waitFor(expiryPause, t.Trigger.Timer.Name, nil)
	case !asks.Expired(t.Now):
		t.expire(leader, held, reason.TooLate(until))
	default:
		t.expire(leader, held, reason.ExpiredApproval(asks))
	}
	return true, nil
}

// expire withdraws what nobody has approved in time.
func (t *Turn) expire(key string, held []record.Held, why event.Reason) {
	t.endAllFor(held, why, event.Verdict{Ruling: event.Expired, At: t.Now})
	t.Note("%s is withdrawn: %s", key, reason.SentenceOf(why))
}

// approvedInTime reports whether somebody asked in time to release one of these, and the bot has not got to that yet.
func (b *Bot) approvedInTime(ctx context.Context, key event.Key, held []record.Held) (bool, error) {
	after := event.Request{}
	for {
		some, err := b.store.Requests(ctx, after, requestBatch)
		if err != nil {
			return false, err
		}
		for i := range some {
			q := &some[i]
			if q.Key == key && isApproval(q) && !held[0].Expired(q.AskedAt) &&
				slices.ContainsFunc(held, func(h record.Held) bool { return h.Key == q.Action }) {
				return true, nil
			}
		}
		if len(some) < requestBatch {
			return false, nil
		}
		after = some[len(some)-1]
	}
}
