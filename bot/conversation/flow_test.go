package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/conversation"
)

var noon = time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)

// in returns an instance of the order flow that was entered at noon.
func in(state, data string) conversation.Instance {
	return conversation.Instance{Flow: "order", State: state, Version: 1, Data: json.RawMessage(data), Since: noon}
}

func TestStep(t *testing.T) {
	const (
		empty = `{"Size":"","Address":""}`
		large = `{"Size":"L","Address":""}`
		full  = `{"Size":"L","Address":"Elm Road 1"}`
	)
	later := noon.Add(time.Hour)
	due := later.Add(3 * time.Hour)
	waits := func(state, data string) conversation.Instance {
		i := in(state, data)
		i.Since = later
		return i
	}
	input := func(tn *Turn, i conversation.Instance) (conversation.Instance, conversation.Effects, error) {
		return orderFlow.Input(context.Background(), tn, i, later)
	}
	fire := func(s conversation.Signal) func(*Turn, conversation.Instance) (conversation.Instance, conversation.Effects, error) {
		return func(tn *Turn, i conversation.Instance) (conversation.Instance, conversation.Effects, error) {
			return orderFlow.Fire(context.Background(), tn, i, s, later)
		}
	}
	timer := func(now time.Time) func(*Turn, conversation.Instance) (conversation.Instance, conversation.Effects, error) {
		return func(tn *Turn, i conversation.Instance) (conversation.Instance, conversation.Effects, error) {
			return orderFlow.Due(context.Background(), tn, i, now)
		}
	}
	for name, c := range map[string]struct {
		step func(*Turn, conversation.Instance) (conversation.Instance, conversation.Effects, error)
		text string
		in   conversation.Instance
		want conversation.Instance
		eff  conversation.Effects
		said []string
	}{
		"an answer moves": {
			step: input, text: "L", in: in("ask-size", empty), want: waits("ask-address", large),
			eff:  conversation.Effects{Outcome: conversation.Moved, Signal: sized, From: "ask-size", To: "ask-address", SetTimer: due},
			said: []string{"Where to?"},
		},
		"a bad answer stays and starts the timeout anew": {
			step: input, text: "huge", in: in("ask-size", empty), want: waits("ask-size", empty),
			eff:  conversation.Effects{Outcome: conversation.Stayed, From: "ask-size", To: "ask-size", SetTimer: due},
			said: []string{"S, M or L, please."},
		},
		"what is not for the flow passes": {
			step: input, text: "/help", in: in("ask-size", empty), want: in("ask-size", empty),
			eff: conversation.Effects{Outcome: conversation.Passed, From: "ask-size", To: "ask-size"},
		},
		"a final state ends the flow": {
			step: input, text: "yes", in: in("confirm", full), want: conversation.Instance{},
			eff:  conversation.Effects{Outcome: conversation.Moved, Signal: yes, From: "confirm", To: "placed", Ended: true, CancelTimer: true},
			said: []string{"It is on its way."},
		},
		"a guard blocks": {
			step: fire(yes), in: in("confirm", large), want: waits("confirm", large),
			eff: conversation.Effects{Outcome: conversation.Blocked, Signal: yes, From: "confirm", To: "confirm", SetTimer: due},
		},
		"a signal from outside moves": {
			step: fire(no), in: in("confirm", full), want: waits("ask-size", full),
			eff:  conversation.Effects{Outcome: conversation.Moved, Signal: no, From: "confirm", To: "ask-size", SetTimer: due},
			said: []string{"Which size? S, M or L"},
		},
		"a signal of another state is not heard": {
			step: fire(yes), in: in("ask-size", empty), want: in("ask-size", empty),
			eff: conversation.Effects{Outcome: conversation.Unheard, Signal: yes, From: "ask-size", To: "ask-size"},
		},
		"silence ends the flow": {
			step: timer(noon.Add(3 * time.Hour)), in: in("ask-size", empty), want: conversation.Instance{},
			eff: conversation.Effects{
				Outcome: conversation.Moved, Signal: conversation.TimedOut, From: "ask-size", To: "gave-up", Ended: true, CancelTimer: true,
			},
			said: []string{"Let us leave it then."},
		},
		"an early timer is set again": {
			step: timer(later), in: in("ask-size", empty), want: in("ask-size", empty),
			eff: conversation.Effects{Outcome: conversation.NotDue, From: "ask-size", To: "ask-size", SetTimer: noon.Add(3 * time.Hour)},
		},
		"an unknown state lets go": {
			step: input, text: "L", in: in("ask-colour", empty), want: conversation.Instance{},
			eff: conversation.Effects{Outcome: conversation.Orphaned, From: "ask-colour", To: "ask-colour", Ended: true, CancelTimer: true},
		},
		"a state that has become final lets go": {
			step: input, text: "L", in: in("placed", empty), want: conversation.Instance{},
			eff: conversation.Effects{Outcome: conversation.Passed, From: "placed", To: "placed", Ended: true, CancelTimer: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			turn := &Turn{Text: c.text}
			got, eff, err := c.step(turn, c.in)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("instance (-want +got):\n%s", d)
			}
			if d := cmp.Diff(c.eff, eff); d != "" {
				t.Errorf("effects (-want +got):\n%s", d)
			}
			if d := cmp.Diff(c.said, turn.Said); d != "" {
				t.Errorf("said (-want +got):\n%s", d)
			}
		})
	}
}

func TestStartKeepsWholeMilliseconds(t *testing.T) {
	now := time.Date(2030, 5, 1, 14, 0, 0, 1_999_999, time.FixedZone("", 7200))
	got, eff, err := orderFlow.Start(context.Background(), &Turn{}, Order{Size: "S"}, now)
	if err != nil {
		t.Fatal(err)
	}
	want := in("ask-size", `{"Size":"S","Address":""}`)
	want.Since = noon.Add(time.Millisecond)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("instance (-want +got):\n%s", d)
	}
	if want := noon.Add(3*time.Hour + time.Millisecond); !eff.SetTimer.Equal(want) || eff.From != "" || eff.Outcome != conversation.Moved {
		t.Errorf("effects %+v, want a timer at %v", eff, want)
	}
}

func TestAMisspeltSignalIsAnError(t *testing.T) {
	misspelling := conversation.MustFlow("order", conversation.Definition[*Turn, Order]{
		States: []conversation.FlowState[*Turn, Order]{
			{Name: "ask", Handle: func(context.Context, *Turn, *Order) (conversation.Signal, error) { return "wheighed", nil }},
			{Name: "done", Final: true},
		},
		Transitions: []conversation.Transition[*Turn, Order]{{From: "ask", On: "weighed", To: "done"}},
	})
	_, _, byHandler := misspelling.Input(context.Background(), &Turn{}, in("ask", ""), noon)
	_, _, fromOutside := misspelling.Fire(context.Background(), &Turn{}, in("ask", ""), "weighedd", noon)
	for err, want := range map[error]string{
		byHandler:   `flow "order", state "ask": no transition on "wheighed"; did you mean "weighed"?`,
		fromOutside: `flow "order": no transition on "weighedd"; did you mean "weighed"?`,
	} {
		if wrong := (*conversation.SignalError)(nil); !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestAnInstanceOfAnotherFlowIsAnError(t *testing.T) {
	other := in("ask-size", "")
	other.Flow = "survey"
	got, eff, err := orderFlow.Input(context.Background(), &Turn{Text: "L"}, other, noon)
	if err == nil || !cmp.Equal(got, other) || eff != (conversation.Effects{}) {
		t.Errorf("got %+v, %+v, %v; want the instance and an error", got, eff, err)
	}
	for _, gone := range []conversation.Instance{other, {}} {
		got, eff, err := orderFlow.Due(context.Background(), &Turn{}, gone, noon.Add(24*time.Hour))
		if err != nil || !cmp.Equal(got, gone) || eff != (conversation.Effects{Outcome: conversation.NotDue}) {
			t.Errorf("a timer left behind: %+v, %+v, %v", got, eff, err)
		}
	}
}

// parcel is an order of a later program: its first version counted in a string.
type parcel struct{ Count int }

func parcels(migrate func(int, json.RawMessage) (parcel, error)) *conversation.Flow[*Turn, parcel] {
	return conversation.MustFlow("parcel", conversation.Definition[*Turn, parcel]{
		Version: 2,
		Migrate: migrate,
		States: []conversation.FlowState[*Turn, parcel]{
			{Name: "weigh", Handle: func(_ context.Context, _ *Turn, p *parcel) (conversation.Signal, error) {
				p.Count++
				return conversation.Stay, nil
			}},
			{Name: "done", Final: true},
		},
		Transitions: []conversation.Transition[*Turn, parcel]{{From: "weigh", On: "weighed", To: "done"}},
		Renamed:     map[string]string{"scales": "weigh"},
	})
}

func migrateParcel(version int, data json.RawMessage) (parcel, error) {
	if version != 1 {
		return parcel{}, errors.New("from the future")
	}
	var old struct{ Count string }
	if err := json.Unmarshal(data, &old); err != nil {
		return parcel{}, err
	}
	n, err := strconv.Atoi(old.Count)
	return parcel{Count: n}, err
}

func TestOldDataAndOldNamesGoOn(t *testing.T) {
	old := conversation.Instance{Flow: "parcel", State: "scales", Version: 1, Data: json.RawMessage(`{"Count":"41"}`), Since: noon}
	got, eff, err := parcels(migrateParcel).Input(context.Background(), &Turn{}, old, noon)
	if err != nil {
		t.Fatal(err)
	}
	want := conversation.Instance{Flow: "parcel", State: "weigh", Version: 2, Data: json.RawMessage(`{"Count":42}`), Since: noon}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("instance (-want +got):\n%s", d)
	}
	if eff.From != "scales" || eff.To != "weigh" {
		t.Errorf("effects %+v", eff)
	}
}

func TestUnreadableDataChangeNothing(t *testing.T) {
	for name, old := range map[string]conversation.Instance{
		"migration refuses": {Flow: "parcel", State: "weigh", Version: 3, Data: json.RawMessage(`{"Count":1}`)},
		"migration fails":   {Flow: "parcel", State: "weigh", Version: 1, Data: json.RawMessage(`{"Count":"many"}`)},
		"not the struct":    {Flow: "parcel", State: "weigh", Version: 2, Data: json.RawMessage(`{"Count":"1"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			got, eff, err := parcels(migrateParcel).Input(context.Background(), &Turn{}, old, noon)
			if wrong := (*conversation.DataError)(nil); !errors.As(err, &wrong) || wrong.Version != old.Version || wrong.Want != 2 {
				t.Errorf("error %v, want a DataError", err)
			}
			if !cmp.Equal(got, old) || eff != (conversation.Effects{}) {
				t.Errorf("got %+v, %+v, want what was given", got, eff)
			}
		})
	}
}

func TestAVersionFromTheFutureNeedsAMigration(t *testing.T) {
	future := in("ask-size", "")
	future.Version = 2
	_, err := orderFlow.Data(future)
	if wrong := (*conversation.DataError)(nil); !errors.As(err, &wrong) || wrong.Version != 2 || wrong.Want != 1 {
		t.Errorf("error %v, want a DataError", err)
	}
}

func TestWhatPeopleRead(t *testing.T) {
	var outcomes []string
	for o := conversation.StepResult(0); o <= conversation.Orphaned; o++ {
		outcomes = append(outcomes, o.String())
	}
	if d := cmp.Diff([]string{"none", "moved", "stayed", "passed", "blocked", "unheard", "not due", "reminded", "orphaned"}, outcomes); d != "" {
		t.Errorf("outcomes (-want +got):\n%s", d)
	}
	future := in("ask-size", "")
	future.Version = 2
	_, err := orderFlow.Data(future)
	for got, want := range map[string]string{
		err.Error(): `flow "order": data of version 2 in state "ask-size" cannot be read as version 1: this program does not know that version`,
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestDataThatCannotBeEncodedChangeNothing(t *testing.T) {
	f := conversation.MustFlow("f", conversation.Definition[*Turn, map[string]any]{
		States: []conversation.FlowState[*Turn, map[string]any]{
			{Name: "ask", Handle: func(_ context.Context, _ *Turn, d *map[string]any) (conversation.Signal, error) {
				*d = map[string]any{"f": func() {}}
				return conversation.Stay, nil
			}},
			{Name: "done", Final: true},
		},
		Transitions: []conversation.Transition[*Turn, map[string]any]{{From: "ask", On: "ok", To: "done"}},
	})
	at, _, err := f.Start(context.Background(), &Turn{}, nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	got, eff, err := f.Input(context.Background(), &Turn{}, at, noon)
	if wrong := (*json.UnsupportedTypeError)(nil); !errors.As(err, &wrong) || !cmp.Equal(got, at) || eff != (conversation.Effects{}) {
		t.Errorf("got %+v, %+v, %v; want what was given and an error", got, eff, err)
	}
}

func TestAHandlerThatFailsChangesNothing(t *testing.T) {
	failure := errors.New("no stock list")
	f := conversation.MustFlow("order", definition{
		States: states{
			{Name: "ask", Handle: func(_ context.Context, _ *Turn, o *Order) (conversation.Signal, error) {
				o.Size = "L"
				return "ok", failure
			}},
			{Name: "done", Final: true},
		},
		Transitions: moves{{From: "ask", On: "ok", To: "done"}},
	})
	at := in("ask", `{"Size":"S"}`)
	got, eff, err := f.Input(context.Background(), &Turn{}, at, noon)
	if !errors.Is(err, failure) || !cmp.Equal(got, at) || eff != (conversation.Effects{}) {
		t.Errorf("got %+v, %+v, %v; want what was given and the error", got, eff, err)
	}
}
