package conversation_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/conversation"
)

type (
	definition = conversation.Definition[*Turn, Order]
	states     = []conversation.FlowState[*Turn, Order]
	moves      = []conversation.Transition[*Turn, Order]
)

func stay(context.Context, *Turn, *Order) (conversation.Signal, error) { return conversation.Stay, nil }

func TestDefinitionsAreChecked(t *testing.T) {
	ask, done := conversation.FlowState[*Turn, Order]{Name: "ask"}, conversation.FlowState[*Turn, Order]{Name: "done", Final: true}
	end := conversation.Transition[*Turn, Order]{From: "ask", On: "ok", To: "done"}
	for name, c := range map[string]struct {
		flow string
		def  definition
		want []string
	}{
		"no name":           {flow: "my flow", def: definition{States: states{ask, done}, Transitions: moves{end}}, want: []string{`the name must be letters, digits, "-", "_" or "."`}},
		"no states":         {want: []string{`it has no states`}},
		"state name":        {def: definition{States: states{ask, done, {Name: "a/b"}}, Transitions: moves{end}}, want: []string{`state "a/b": a name must be letters, digits, "-", "_" or "."`}},
		"state twice":       {def: definition{States: states{ask, done, ask}, Transitions: moves{end}}, want: []string{`state "ask" is defined twice`}},
		"unknown start":     {def: definition{Start: "aks", States: states{ask, done}, Transitions: moves{end}}, want: []string{`the start: there is no state "aks"; did you mean "ask"?`}},
		"final start":       {def: definition{Start: "done", States: states{ask, done}, Transitions: moves{end}}, want: []string{`it starts in the final state "done"`}},
		"no final state":    {def: definition{States: states{ask}}, want: []string{`no state is final, so a conversation would never leave the flow`}},
		"unknown from":      {def: definition{States: states{ask, done}, Transitions: moves{end, {From: "asked", On: "no", To: "done"}}}, want: []string{`the transition from "asked" on "no": there is no state "asked"; did you mean "ask"?`}},
		"unknown to":        {def: definition{States: states{ask, done}, Transitions: moves{{From: "ask", On: "ok", To: "Done"}}}, want: []string{`the transition from "ask" on "ok" to: there is no state "Done"; did you mean "done"?`}},
		"transition twice":  {def: definition{States: states{ask, done}, Transitions: moves{end, {From: "ask", On: "ok", To: "ask"}}}, want: []string{`the transition from "ask" on "ok" is defined twice`}},
		"bad signal":        {def: definition{States: states{ask, done}, Transitions: moves{end, {From: "ask", On: conversation.Pass, To: "done"}}}, want: []string{`the transition from "ask" on "(pass)": a signal must be letters, digits, "-", "_" or "."`}},
		"leaves final":      {def: definition{States: states{ask, done}, Transitions: moves{end, {From: "done", On: "ok", To: "ask"}}}, want: []string{`the transition from "done" on "ok" leaves a final state`}},
		"final with handle": {def: definition{States: states{ask, {Name: "done", Final: true, Handle: stay}}, Transitions: moves{end}}, want: []string{`state "done" is final, so it handles nothing, reminds of nothing and has no timeout`}},
		"negative timeout":  {def: definition{States: states{{Name: "ask", Timeout: -time.Second}, done}, Transitions: moves{end}}, want: []string{`state "ask": the timeout -1s is negative`}},
		"signal, no timeout": {
			def:  definition{States: states{{Name: "ask", OnTimeout: "ok"}, done}, Transitions: moves{end}},
			want: []string{`state "ask" has an OnTimeout and no Timeout`},
		},
		"timeout to nowhere": {
			def:  definition{States: states{{Name: "ask", Timeout: time.Hour}, done}, Transitions: moves{end}},
			want: []string{`state "ask" times out with "timeout" and has no transition on it`},
		},
		"unreachable": {
			def:  definition{States: states{ask, done, {Name: "attic"}}, Transitions: moves{end, {From: conversation.Anywhere, On: "end", To: "done"}}},
			want: []string{`state "attic" cannot be reached from "ask"`},
		},
		"no way out": {
			def:  definition{States: states{ask, done, {Name: "trap"}, {Name: "cage"}}, Transitions: moves{end, {From: "ask", On: "oh", To: "trap"}, {From: "trap", On: "ok", To: "cage"}, {From: "cage", On: "ok", To: "trap"}}},
			want: []string{`state "trap" has no way to a final state`, `state "cage" has no way to a final state`},
		},
		"reminders": {
			def: definition{States: states{{Name: "ask", Timeout: time.Hour, OnTimeout: "ok", Reminders: []conversation.Reminder[*Turn, Order]{
				{After: time.Minute, Say: say("a")}, {After: time.Minute, Say: say("b")}, {After: 2 * time.Hour, Say: say("c")}, {After: 3 * time.Hour},
			}}, done}, Transitions: moves{end}},
			want: []string{
				`state "ask": reminder 2 comes after 1m0s, and must come after more than 1m0s`,
				`state "ask": reminder 3 comes after 2h0m0s, when the timeout of 1h0m0s is over`,
				`state "ask": reminder 4 has nothing to Say`,
			},
		},
		"negative version": {def: definition{Version: -1, States: states{ask, done}, Transitions: moves{end}}, want: []string{`the version -1 is negative`}},
		"no migration":     {def: definition{Version: 2, States: states{ask, done}, Transitions: moves{end}}, want: []string{`version 2 needs a Migrate for the data of earlier versions`}},
		"renamed": {
			def:  definition{States: states{ask, done}, Transitions: moves{end}, Renamed: map[string]string{"ask": "done", "old": "dome"}},
			want: []string{`renamed state "ask" is still defined`, `renamed state "old": there is no state "dome"; did you mean "done"?`},
		},
		"all of it": {
			def:  definition{States: states{ask, {}}, Transitions: moves{{From: "ask", To: "done"}}, Version: 3},
			want: []string{`state "": a name must be letters, digits, "-", "_" or "."`, `the transition from "ask" on "": a signal must be letters, digits, "-", "_" or "."`, `the transition from "ask" on "" to: there is no state "done"`, `version 3 needs a Migrate for the data of earlier versions`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			flow := c.flow
			if flow == "" {
				flow = "f"
			}
			_, err := conversation.NewFlow(flow, c.def)
			wrong := (*conversation.DefinitionError)(nil)
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v, want a DefinitionError", err)
			}
			if d := cmp.Diff(c.want, wrong.Problems); d != "" {
				t.Errorf("problems (-want +got):\n%s", d)
			}
		})
	}
}

func TestDefinitionErrorHasALinePerProblem(t *testing.T) {
	err := &conversation.DefinitionError{Flow: "order", Problems: []string{"one", "two"}}
	if got, want := err.Error(), "flow \"order\": one\nflow \"order\": two"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMustFlowPanicsOnAWrongDefinition(t *testing.T) {
	defer func() {
		if wrong, ok := recover().(*conversation.DefinitionError); !ok || wrong.Flow != "order" {
			t.Errorf("recovered %v, want the DefinitionError", wrong)
		}
	}()
	conversation.MustFlow("order", definition{})
}

func TestAStateOfItsOwnBeatsAnywhere(t *testing.T) {
	f := conversation.MustFlow("f", definition{
		States: states{{Name: "ask"}, {Name: "sure"}, {Name: "done", Final: true}},
		Transitions: moves{
			{From: conversation.Anywhere, On: "stop", To: "sure"},
			{From: "sure", On: "stop", To: "done"},
		},
	})
	at, _, err := f.Start(context.Background(), &Turn{}, Order{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	var way []string
	for range 2 {
		var eff conversation.Effects
		if at, eff, err = f.Fire(context.Background(), &Turn{}, at, "stop", noon); err != nil {
			t.Fatal(err)
		}
		way = append(way, eff.To)
	}
	if d := cmp.Diff([]string{"sure", "done"}, way); d != "" {
		t.Errorf("way (-want +got):\n%s", d)
	}
}
