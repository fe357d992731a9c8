package event_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
)

// A state is shown as it is stored, but for one, which has a better word by now.
func TestStatesAreShown(t *testing.T) {
	for state, want := range map[event.State]string{
		event.StateDue: "due", event.StateSending: "sending", event.StateInDoubt: "in_doubt", event.StateDone: "done",
		event.StateRefused: "refused", event.StateHeld: "held", event.StateWithdrawn: "withdrawn", event.StateDead: "dead",
	} {
		if got := state.String(); got != want {
			t.Errorf("%q is shown as %q, want %q", string(state), got, want)
		}
	}
	if event.StateInDoubt != "unsure" {
		t.Error("what is in doubt is stored as another word than before")
	}
}
