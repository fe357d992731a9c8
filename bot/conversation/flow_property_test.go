package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/conversation"
	"pgregory.net/rapid"
)

// trail is the data of drawn flows: the states entered, in order.
type trail []string

// tape is the turn of drawn flows: the signal that the state's handler returns.
type tape struct{ next conversation.Signal }

type edge struct {
	from string
	on   conversation.Signal
}

// model is a drawn definition in its simplest form.
type model struct {
	def      conversation.Definition[*tape, trail]
	to       map[edge]string
	closed   map[edge]bool // guarded, and the guard does not hold
	timeouts map[string]time.Duration
	final    string
}

var drawnSignals = []conversation.Signal{"a", "b", "c", "timeout", "end"}

// drawModel draws a flow that is well formed: a chain from the first state to the final one, and any other moves.
func drawModel(t *rapid.T) *model {
	n := rapid.IntRange(2, 7).Draw(t, "states")
	m := &model{to: map[edge]string{}, closed: map[edge]bool{}, timeouts: map[string]time.Duration{}, final: fmt.Sprint("s", n-1)}
	for i := range n {
		name := fmt.Sprint("s", i)
		s := conversation.FlowState[*tape, trail]{
			Name:  name,
			Final: i == n-1,
			Enter: func(_ context.Context, _ *tape, d *trail) error { *d = append(*d, name); return nil },
		}
		if !s.Final {
			s.Handle = func(_ context.Context, t *tape, _ *trail) (conversation.Signal, error) { return t.next, nil }
			m.add(t, edge{name, "end"}, fmt.Sprint("s", i+1), false)
			if rapid.Bool().Draw(t, "timeout") {
				s.Timeout = time.Duration(rapid.IntRange(1, 100).Draw(t, "minutes")) * time.Minute
				m.timeouts[name] = s.Timeout
				m.add(t, edge{name, "timeout"}, fmt.Sprint("s", rapid.IntRange(0, n-1).Draw(t, "to")), true)
			}
		}
		m.def.States = append(m.def.States, s)
	}
	for range rapid.IntRange(0, 12).Draw(t, "moves") {
		e := edge{fmt.Sprint("s", rapid.IntRange(0, n-2).Draw(t, "from")), rapid.SampledFrom(drawnSignals).Draw(t, "on")}
		m.add(t, e, fmt.Sprint("s", rapid.IntRange(0, n-1).Draw(t, "to")), true)
	}
	return m
}

func (m *model) add(t *rapid.T, e edge, to string, guarded bool) {
	if _, taken := m.to[e]; taken {
		return
	}
	tr := conversation.Transition[*tape, trail]{From: e.from, On: e.on, To: to}
	if guarded && rapid.IntRange(0, 4).Draw(t, "guard") == 0 {
		tr.Guard = func(context.Context, *tape, *trail) bool { return false }
		m.closed[e] = true
	}
	m.to[e] = to
	m.def.Transitions = append(m.def.Transitions, tr)
}

// place is where the model stands.
type place struct {
	state string
	since time.Time
	trail trail
	ended bool
}

// move is what a signal does in the model.
func (m *model) move(p place, s conversation.Signal, now time.Time) (place, conversation.StepResult) {
	e := edge{p.state, s}
	to, ok := m.to[e]
	if !ok {
		return p, conversation.Unheard
	}
	p.since = now
	if m.closed[e] {
		return p, conversation.Blocked
	}
	p.state, p.trail, p.ended = to, append(p.trail, to), to == m.final
	return p, conversation.Moved
}

func (m *model) step(p place, kind string, s conversation.Signal, now time.Time) (place, conversation.StepResult, bool) {
	timeout, timed := m.timeouts[p.state]
	switch {
	case kind == "input" && s == conversation.Stay:
		p.since = now
		return p, conversation.Stayed, true
	case kind == "input" && s == conversation.Pass:
		return p, conversation.Passed, true
	case kind == "due" && (!timed || now.Before(p.since.Add(timeout))):
		return p, conversation.NotDue, true
	case kind == "due":
		s = conversation.TimedOut
	}
	next, outcome := m.move(p, s, now)
	return next, outcome, kind != "input" || outcome != conversation.Unheard
}

func TestFlowsDoWhatTheirTableSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		f, err := conversation.NewFlow("drawn", m.def)
		if err != nil {
			t.Fatalf("a well-formed definition was refused: %v", err)
		}
		now := noon
		at, _, err := f.Start(context.Background(), &tape{}, nil, now)
		if err != nil {
			t.Fatal(err)
		}
		want := place{state: "s0", since: now, trail: trail{"s0"}}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "pause")) * time.Minute)
			kind := rapid.SampledFrom([]string{"input", "fire", "due"}).Draw(t, "kind")
			signal := rapid.SampledFrom(append([]conversation.Signal{conversation.Stay, conversation.Pass}, drawnSignals...)).Draw(t, "signal")
			if kind == "fire" && (signal == conversation.Stay || signal == conversation.Pass) {
				continue
			}
			next, eff, err := stepped(f, at, kind, signal, now)
			var outcome conversation.StepResult
			var sound bool
			want, outcome, sound = m.step(want, kind, signal, now)
			compare(t, at, next, eff, err, outcome, sound)
			if want.ended {
				if !eff.Ended || next.Active() {
					t.Fatalf("the flow should have ended: %+v, %+v", next, eff)
				}
				return
			}
			at = overDisk(t, next)
			comparePlace(t, f, at, want, m.timeouts[want.state], eff)
		}
	})
}

func stepped(f *conversation.Flow[*tape, trail], at conversation.Instance, kind string, s conversation.Signal, now time.Time) (conversation.Instance, conversation.Effects, error) {
	turn := &tape{next: s}
	switch kind {
	case "input":
		return f.Input(context.Background(), turn, at, now)
	case "fire":
		return f.Fire(context.Background(), turn, at, s, now)
	default:
		return f.Due(context.Background(), turn, at, now)
	}
}

func compare(t *rapid.T, before, after conversation.Instance, eff conversation.Effects, err error, outcome conversation.StepResult, sound bool) {
	t.Helper()
	wrong := (*conversation.SignalError)(nil)
	switch {
	case err == nil && eff.Outcome == outcome:
	case errors.As(err, &wrong) && outcome == conversation.Unheard:
		if !cmp.Equal(before, after) {
			t.Fatalf("a failed step changed %+v to %+v", before, after)
		}
	default:
		t.Fatalf("got %v and %v, want %v", eff.Outcome, err, outcome)
	}
	if !sound && err == nil {
		t.Fatal("a handler's signal without a transition was accepted")
	}
}

func overDisk(t *rapid.T, at conversation.Instance) conversation.Instance {
	t.Helper()
	raw, err := json.Marshal(at)
	if err != nil {
		t.Fatal(err)
	}
	var back conversation.Instance
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

func comparePlace(t *rapid.T, f *conversation.Flow[*tape, trail], at conversation.Instance, want place, timeout time.Duration, eff conversation.Effects) {
	t.Helper()
	data, err := f.Data(at)
	if err != nil {
		t.Fatal(err)
	}
	if at.State != want.state || !at.Since.Equal(want.since) || !cmp.Equal(data, want.trail) {
		t.Fatalf("stands at %+v with %v, want %+v", at, data, want)
	}
	if !eff.SetTimer.IsZero() && !eff.SetTimer.Equal(want.since.Add(timeout)) {
		t.Fatalf("timer set to %v, want %v after %v", eff.SetTimer, timeout, want.since)
	}
	if entered := eff.Outcome == conversation.Moved || eff.Outcome == conversation.Stayed; entered && eff.SetTimer.IsZero() != (timeout == 0) {
		t.Fatalf("timeout %v and timer %v", timeout, eff.SetTimer)
	}
}

// Any definition at all is either refused with reasons or makes a flow that can be started and drawn.
func TestAnyDefinitionIsRefusedOrWorks(t *testing.T) {
	names := []string{"s0", "s1", "s2", "S1", "", "a b", conversation.Anywhere}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names)
		def := conversation.Definition[*tape, trail]{Start: name.Draw(t, "start"), Version: rapid.IntRange(-1, 2).Draw(t, "version")}
		for range rapid.IntRange(0, 4).Draw(t, "states") {
			def.States = append(def.States, conversation.FlowState[*tape, trail]{
				Name: name.Draw(t, "name"), Final: rapid.Bool().Draw(t, "final"), Timeout: time.Duration(rapid.IntRange(-1, 1).Draw(t, "timeout")),
			})
		}
		for range rapid.IntRange(0, 6).Draw(t, "moves") {
			on := rapid.SampledFrom([]conversation.Signal{"a", conversation.TimedOut, conversation.Pass}).Draw(t, "on")
			def.Transitions = append(def.Transitions, conversation.Transition[*tape, trail]{From: name.Draw(t, "from"), On: on, To: name.Draw(t, "to")})
		}
		f, err := conversation.NewFlow("drawn", def)
		if wrong := (*conversation.DefinitionError)(nil); err != nil && (!errors.As(err, &wrong) || len(wrong.Problems) == 0) {
			t.Fatalf("refused with %v", err)
		}
		if err != nil {
			return
		}
		if at, _, err := f.Start(context.Background(), &tape{}, nil, noon); err != nil || !at.Active() || f.Mermaid() == "" {
			t.Fatalf("started at %+v, %v", at, err)
		}
	})
}
