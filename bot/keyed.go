package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// longestKeyed is how many bytes the name of an action may have.
const longestKeyed = 200

// Keyed gives the action a name in the place of its trigger and its number: the store takes one action of a name, for an
// account, whichever turn decides it. A second one is left out; what else its turn decides happens, and its decision record says so. So it is, whatever became of the first one, as long as it is kept: until it has
// ended, and NECTAR_RETENTION after that. What must be once for ever takes a limit, too; see Once. Turn.ActionState tells of
// an action by event.NamedKey.
//
// The name begins with the plugin's, has 1 to 200 bytes and no spaces. It is for whatever is no message: messages are found
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
