package bot

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/conversation"
)

// asking returns a flow of one question, whose state "old" is called "ask" by now.
func asking(name string) Machine {
	return MustFlow(name, FlowDefinition[struct{}]{
		States: []FlowState[struct{}]{
			{Name: "ask", Handle: func(context.Context, *Turn, *struct{}) (conversation.Signal, error) { return "done", nil }},
			{Name: "end", Final: true},
		},
		Transitions: []FlowTransition[struct{}]{{From: "ask", On: "done", To: "end"}},
		Renamed:     map[string]string{"old": "ask"},
	})
}

func TestFlowsFindTheirInstancesAndOrphans(t *testing.T) {
	t.Parallel()
	flows, err := newFlowSet([]Machine{asking("order"), asking("parcel")})
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := flows.ofTimer("flow/parcel"); !ok || m.Name() != "parcel" || m.Timer() != "flow/parcel" {
		t.Errorf("the timer of parcel leads to %v", m)
	}
	for _, timer := range []string{"flow/survey", "reminder"} {
		if m, ok := flows.ofTimer(timer); ok {
			t.Errorf("timer %q leads to %q", timer, m.Name())
		}
	}
	var got []string
	for _, o := range flows.orphanStates([]conversation.Count{
		{Flow: "survey", State: "q1", Conversations: 3},
		{Flow: "parcel", State: "old", Conversations: 4},
		{Flow: "order", State: "ask", Conversations: 5},
		{Flow: "order", State: "ask-colour", Conversations: 6},
	}) {
		got = append(got, o.String())
	}
	if d := cmp.Diff([]string{
		`6 conversations are in state "ask-colour" of flow "order", which this program does not have: name the state that takes them over in Renamed, or they leave the flow with their next message`,
		`3 conversations are in flow "survey" (state "q1"), which this program does not have: put the flow back, or they leave it with their next message`,
	}, got); d != "" {
		t.Errorf("orphans (-want +got):\n%s", d)
	}
	if _, err := newFlowSet([]Machine{asking("order"), asking("order")}); err == nil {
		t.Error("two flows of one name were accepted")
	}
}
