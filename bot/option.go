package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// Option changes an action.
type Option func(t *Turn, a *record.Action)

// In lets the action wait before it leaves. It waits in the store: a restart changes nothing.
func In(d time.Duration) Option {
	return func(t *Turn, a *record.Action) { a.Due, a.Delay = t.Now.Add(d), d }
}

// As sets the priority of the action; answers go first.
func As(p event.Priority) Option {
	return func(_ *Turn, a *record.Action) { a.Priority = p }
}

// Once allows the action once ever in this conversation, counted by name. What comes later is
// recorded as withdrawn.
func Once(name string) Option { return AtMost(1, 0, name) }

// AtMost allows n such actions within a time in this conversation, counted by name; within 0 means
// ever. The count is exact, also over crashes.
func AtMost(n int, within time.Duration, name string) Option {
	return func(t *Turn, a *record.Action) {
		a.LimitUses = append(a.LimitUses, event.LimitUse{Limit: name, Scope: t.limitScope(), Max: n, Within: within})
	}
}

// OncePerPost allows the action once ever for a post in this conversation, counted by name.
func OncePerPost(name string, post platform.PostID) Option {
	return func(t *Turn, a *record.Action) {
		scope := fmt.Sprintf("%s/post:%d", t.limitScope(), post)
		a.LimitUses = append(a.LimitUses, event.LimitUse{Limit: name, Scope: scope, Max: 1})
	}
}

// AtMostInAll is AtMost over all conversations of the account.
func AtMostInAll(n int, within time.Duration, name string) Option {
	return func(_ *Turn, a *record.Action) {
		a.LimitUses = append(a.LimitUses, event.LimitUse{Limit: name, Max: n, Within: within})
	}
}

// longestKeyed is how many bytes the name of an action may have.
const longestKeyed = 200

// Keyed gives the action a name in the place of its trigger and its number: the store takes one action of a name, for an
// account, whichever turn decides it. A second one is left out; what else its turn decides happens, and its decision record says so. So it is, whatever became of the first one, as long as it is kept: until it has
// ended, and NECTAR_RETENTION after that. What must be once for ever takes a limit, too; see Once. Turn.ActionState tells of
// an action by event.NamedKey.
//
// The name begins with the plugin's, has 1 to 200 bytes and no spaces. It is for actions that are no message: messages are found
// by what they answer. Keyed stands before Awaits among the options, and what has a name waits for its approval alone.
func Keyed(name string) Option {
	return func(t *Turn, a *record.Action) {
		err := unkeyable(name, a)
		key := event.NamedKey(name)
		if err == nil && slices.ContainsFunc(t.actions, func(x record.Action) bool { return x.Key == key }) {
			err = errors.New("the turn has an action of that name already")
		}
		if err != nil {
			if t.failed == nil {
				t.failed = fmt.Errorf("give an action the name %q: %w", name, err)
			}
			return
		}
		a.Key = key
	}
}

// unkeyable says why an action cannot have a name.
func unkeyable(name string, a *record.Action) error {
	switch {
	case a.Verb == event.VerbMessage:
		return errors.New("it is a message")
	case a.Approval != nil:
		return errors.New("the option Keyed stands before Awaits")
	case name == "" || len(name) > longestKeyed:
		return fmt.Errorf("a name has 1 to %d bytes", longestKeyed)
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return errors.New("it has a space in it, or what cannot be seen")
	}
	return nil
}

// leaveOutNamed leaves out the actions whose names there were before. Where another turn decides one at the same time, the
// commit finds out, and this turn runs again.
func (t *Turn) leaveOutNamed(ctx context.Context) error {
	for i := 0; i < len(t.actions); i++ {
		a := &t.actions[i]
		name, named := a.Name()
		if !named || a.Held || a.TakenBack {
			continue
		}
		before, ok, err := t.reader.store.Action(ctx, a.Account, a.Key)
		if err != nil {
			return storeError{err}
		}
		if !ok { //mutate:own-left-out
			continue
		}
		t.Note("%s was decided before, and is %s: it is not done again", name, before.State)
		t.leaveOut(a.Key)
		i--
	}
	return nil
}

// leaveOut takes a new action back that has a name, with the timer of what it waits for.
func (t *Turn) leaveOut(key string) {
	t.actions = slices.DeleteFunc(slices.Clone(t.actions), func(a record.Action) bool { return a.Key == key })
	t.timers = slices.DeleteFunc(slices.Clone(t.timers), func(x event.Timer) bool { return x.Name == expiresTimer+key })
}

// errNamedGroup is why a turn fails that lets an action that has a name wait together with others: they are found by their
// keys.
var errNamedGroup = errors.New("an action that has a name waits for its approval alone: leave Approval.Group empty")

// Before sets the latest departure of the action: a request that has not left by then never does, also when something kept it, and
// the action is withdrawn, also one that is held. What may have left is reconciled, and not sent again. With the zero time it
// may leave at any time.
func Before(until time.Time) Option {
	return func(_ *Turn, a *record.Action) { a.Until = onTheWall(until) }
}

// onTheWall returns a time as the store has it: steady clocks stand still while a machine sleeps.
func onTheWall(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.UnixMicro(t.UnixMicro())
}

// isOver reports whether a latest departure is over at a time.
func isOver(until, now time.Time) bool { return !until.IsZero() && !now.Before(until) }

// firstUntil returns the first latest departure of actions that are decided about together: then the bundle cannot leave
// as a whole any more. Zero when none has one.
func firstUntil(held []record.Held) (first time.Time) {
	for i := range held {
		if u := held[i].Until; !u.IsZero() && (first.IsZero() || u.Before(first)) {
			first = u
		}
	}
	return first
}

// nextExpiry returns when it is to be looked again whether actions wait for an approval in vain. One of them has a time
// for that.
func nextExpiry(held []record.Held) (next time.Time) {
	for i := range held {
		if due := approvalExpiry(&held[i].Action, &held[i].Approval); !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
	}
	return next
}

// End withdraws an action of the conversation that has not begun to leave: one that is due, or one that is held, with all
// that waits for an approval with it. What it used of limits is given back as it is for others that are withdrawn. It is false for what
// is on its way or over, and for what is held since nobody knows whether it left: a person has to look. The error says that
// nobody knows yet: the turn has to be tried again.
func (t *Turn) End(ctx context.Context, key, text string) (ended bool, err error) {
	if slices.ContainsFunc(t.actions, func(a record.Action) bool { return a.Key == key && (a.TakenBack || a.Held && a.State.Final()) }) {
		return false, nil
	}
	a, ok, err := t.ActionState(ctx, key)
	if err != nil || !ok || a.Peer != t.Trigger.Key.Peer || a.State != event.StateHeld && a.State != event.StateDue {
		return false, err
	}
	stored, ok, err := t.reader.store.Action(ctx, t.Trigger.Key.Account, key)
	switch {
	case err != nil:
		return false, storeError{err}
	case !ok || stored.State != a.State: // what decided it is on its way into the store
		return false, waitError{endPause}
	case stored.State == event.StateDue:
		outbox.ChangeState(&stored, event.StateWithdrawn)
		reason.SetText(&stored, reason.Ended, text)
		stored.EndedAt = t.Now
		t.actions = append(t.actions, record.Action{Action: stored, TakenBack: true})
		return true, nil
	}
	held, err := heldWith(ctx, t.reader.store, &stored)
	if err != nil {
		return false, err
	}
	if p := &held[0].Approval; (p.Group == "" || p.Verdict.Ruling != "") && !stored.LeftAt.IsZero() {
		return false, nil
	}
	t.endAll(held, event.Because(reason.Ended), text, event.Verdict{Ruling: event.Dropped, At: t.Now})
	return true, nil
}

// endPause is when a turn looks again that ends what is on its way into the store.
const endPause = 100 * time.Millisecond
