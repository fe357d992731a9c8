package outbox_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// What has ended stays as it is: whoever takes it to another state is stopped before it leaves once more.
func TestWhatHasEndedStays(t *testing.T) {
	t.Parallel()
	all := map[event.State]bool{}
	for _, tr := range outbox.Transitions {
		all[tr.From], all[tr.To] = true, true
	}
	for from := range all {
		for to := range all {
			if a := (event.Action{Key: "t/0", State: from}); enters(&a, to) != outbox.MayBecome(from, to) {
				t.Errorf("%q becomes %q: %v", from, to, !outbox.MayBecome(from, to))
			}
			if from.Final() && to != from && outbox.MayBecome(from, to) {
				t.Errorf("%q is final, and may become %q", from, to)
			}
		}
	}
}

// Without tests around it, only what has ended is stopped: a bot that ends again and again over a line that the table lacks helps nobody.
func TestWhatHasEndedStaysWithoutStrictness(t *testing.T) { //nolint:paralleltest // it changes what holds for all
	outbox.Strict = false
	defer func() { outbox.Strict = true }()
	for _, c := range []struct {
		from, to event.State
		may      bool
	}{
		{event.StateDue, event.StateInDoubt, true},
		{event.StateDone, event.StateSending, false},
		{event.StateWithdrawn, event.StateDue, false},
	} {
		if a := (event.Action{Key: "t/0", State: c.from}); enters(&a, c.to) != c.may {
			t.Errorf("%q becomes %q: %v", c.from, c.to, !c.may)
		}
	}
}

// enters reports whether an action could go to a state.
func enters(a *event.Action, to event.State) (could bool) {
	defer func() { could = recover() == nil && a.State == to }()
	outbox.ChangeState(a, to)
	return false
}
