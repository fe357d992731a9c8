package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Flow leads a conversation through states. It is made by [NewFlow], never changes, and is safe for concurrent use.
// T is the turn that its functions get, D its data.
type Flow[T, D any] struct {
	name    string
	start   string
	version int
	migrate func(int, json.RawMessage) (D, error)
	states  []FlowState[T, D]
	byName  map[string]*FlowState[T, D]
	moves   map[move]*Transition[T, D]
	ordered []Transition[T, D] // as people read them, Anywhere written out
	signals []string
	renamed map[string]string
	engine  *engine
}

type move struct {
	from string
	on   Signal
}

// NewFlow checks def and makes a flow of it. The name is kept with each conversation and should never change. The error
// is a *[DefinitionError] that lists everything that is wrong.
func NewFlow[T, D any](name string, def Definition[T, D]) (*Flow[T, D], error) {
	if def.Version == 0 {
		def.Version = 1
	}
	if def.Start == "" && len(def.States) > 0 {
		def.Start = def.States[0].Name
	}
	if problems := check(name, &def); len(problems) > 0 {
		return nil, &DefinitionError{Flow: name, Problems: problems}
	}
	f := &Flow[T, D]{
		name: name, start: def.Start, version: def.Version, migrate: def.Migrate,
		states: slices.Clone(def.States), ordered: def.expand(),
		byName: map[string]*FlowState[T, D]{}, moves: map[move]*Transition[T, D]{}, renamed: map[string]string{},
	}
	for i := range f.states {
		f.byName[f.states[i].Name] = &f.states[i]
	}
	known := map[Signal]bool{}
	for i := range f.ordered {
		tr := &f.ordered[i]
		f.moves[move{tr.From, tr.On}] = tr
		if !known[tr.On] {
			known[tr.On] = true
			f.signals = append(f.signals, string(tr.On))
		}
	}
	maps.Copy(f.renamed, def.Renamed)
	f.engine = newEngine(f.start, f.ordered)
	return f, nil
}

// MustFlow is NewFlow for a package variable: it panics when the definition is wrong.
func MustFlow[T, D any](name string, def Definition[T, D]) *Flow[T, D] {
	f, err := NewFlow(name, def)
	if err != nil {
		panic(err)
	}
	return f
}

// Name returns the name of the flow.
func (f *Flow[T, D]) Name() string { return f.name }

// Timer returns the name of the timer of the flow. One suffices: a conversation is in one state of it at a time.
func (f *Flow[T, D]) Timer() string { return timerPrefix + f.name }

// Resolve returns the state of today that a kept state stands for, and false for one that nobody knows.
func (f *Flow[T, D]) Resolve(state string) (string, bool) {
	if _, ok := f.byName[state]; ok {
		return state, true
	}
	to, ok := f.renamed[state]
	return to, ok
}

// Start begins the flow with data d: it enters the first state.
func (f *Flow[T, D]) Start(ctx context.Context, t T, d D, now time.Time) (Instance, Effects, error) {
	return f.enter(ctx, t, Instance{}, &d, Effects{To: f.start}, now)
}

// Input lets the state handle what came from the person. When the returned effects say Passed, it is not for the flow.
//
// Input, Fire and Due return the instance to keep, zero when the flow has ended. Their error is that of the state's
// functions, a *[SignalError] or a *[DataError]; then nothing happened and the instance is the given one.
func (f *Flow[T, D]) Input(ctx context.Context, t T, in Instance, now time.Time) (Instance, Effects, error) {
	at, err := f.open(in)
	if err != nil || at.state == nil {
		return at.in, at.eff, err
	}
	if at.state.Handle == nil {
		return at.in, at.as(Passed), nil
	}
	signal, err := at.state.Handle(ctx, t, &at.data)
	switch {
	case err != nil:
		return in, Effects{}, fmt.Errorf("flow %q: handling an answer in state %q: %w", f.name, at.state.Name, err)
	case signal == Pass:
		return at.in, at.as(Passed), nil
	case signal == Stay:
		return f.stay(at, Stayed, now)
	case f.moves[move{at.state.Name, signal}] == nil:
		return in, Effects{}, &SignalError{Flow: f.name, State: at.state.Name, Signal: signal, Known: slices.Clone(f.signals)}
	default:
		return f.follow(ctx, t, at, signal, now)
	}
}

// Fire gives the flow a signal from outside: a person's decision, another part of the program. A signal that the state
// has no transition for is Unheard; one that the whole flow does not have is a *[SignalError].
func (f *Flow[T, D]) Fire(ctx context.Context, t T, in Instance, signal Signal, now time.Time) (Instance, Effects, error) {
	at, err := f.open(in)
	if err != nil || at.state == nil {
		return at.in, at.eff, err
	}
	switch {
	case f.moves[move{at.state.Name, signal}] != nil:
		return f.follow(ctx, t, at, signal, now)
	case slices.Contains(f.signals, string(signal)):
		at.eff.Signal = signal
		return at.in, at.as(Unheard), nil
	default:
		return in, Effects{}, &SignalError{Flow: f.name, Signal: signal, Known: slices.Clone(f.signals)}
	}
}

// Due tells the flow that its timer came due. One that is early, since the person answered meanwhile or the timeout is
// longer now than when it was set, is set again; one that a flow left behind in a conversation that has gone on to
// another is NotDue.
func (f *Flow[T, D]) Due(ctx context.Context, t T, in Instance, now time.Time) (Instance, Effects, error) {
	if in.Flow != f.name {
		return in, Effects{Outcome: NotDue}, nil
	}
	at, err := f.open(in)
	if err != nil || at.state == nil {
		return at.in, at.eff, err
	}
	s, next := at.state, at.state.nextDue(in.Reminded)
	switch due := in.Since.Add(next); {
	case next <= 0:
		return at.in, at.as(NotDue), nil
	case now.Before(due):
		at.eff.SetTimer = due
		return at.in, at.as(NotDue), nil
	case s.Timeout > 0 && !now.Before(in.Since.Add(s.Timeout)):
		return f.follow(ctx, t, at, s.timeoutSignal(), now)
	default:
		return f.remind(ctx, t, at, now)
	}
}

// remind says the last of the reminders that are due, of which there is one.
func (f *Flow[T, D]) remind(ctx context.Context, t T, a *at[T, D], now time.Time) (Instance, Effects, error) {
	in, s := a.in, a.state
	for in.Reminded < len(s.Reminders) && !now.Before(in.Since.Add(s.Reminders[in.Reminded].After)) {
		in.Reminded++
	}
	if err := s.Reminders[in.Reminded-1].Say(ctx, t, &a.data); err != nil {
		return a.in, Effects{}, fmt.Errorf("flow %q: reminding in state %q: %w", f.name, s.Name, err)
	}
	var err error
	if in.Data, err = f.encode(s, &a.data); err != nil {
		return a.in, Effects{}, err
	}
	in.State, in.Version = s.Name, f.version
	if next := s.nextDue(in.Reminded); next > 0 { //mutate:reminded
		a.eff.SetTimer = in.Since.Add(next)
	}
	return in, a.as(Reminded), nil
}

// at is where a step stands before it moves.
type at[T, D any] struct {
	in    Instance
	state *FlowState[T, D] // nil: the flow is over
	data  D
	eff   Effects
}

// as returns the effects of a step that changed nothing.
func (a *at[T, D]) as(o StepResult) Effects {
	a.eff.Outcome = o
	return a.eff
}

// open finds the state and the data of in.
func (f *Flow[T, D]) open(in Instance) (*at[T, D], error) {
	a := &at[T, D]{in: in, eff: Effects{From: in.State, To: in.State}}
	if in.Flow != f.name {
		return &at[T, D]{in: in}, fmt.Errorf("flow %q was given an instance of flow %q", f.name, in.Flow)
	}
	name, ok := f.Resolve(in.State)
	if s := f.byName[name]; !ok || s.Final {
		a.in = Instance{}
		a.eff.Ended, a.eff.CancelTimer, a.eff.Outcome = true, true, Orphaned
		if ok {
			a.eff.Outcome = Passed
		}
		return a, nil
	}
	if err := f.decode(in, &a.data); err != nil {
		return &at[T, D]{in: in}, err
	}
	a.state, a.eff.To = f.byName[name], name
	return a, nil
}

// follow makes the move on signal, which exists, if its guard holds.
func (f *Flow[T, D]) follow(ctx context.Context, t T, a *at[T, D], signal Signal, now time.Time) (Instance, Effects, error) {
	a.eff.Signal = signal
	if tr := f.moves[move{a.state.Name, signal}]; tr.Guard != nil && !tr.Guard(ctx, t, &a.data) {
		return f.stay(a, Blocked, now)
	}
	to, err := f.engine.next(a.state.Name, signal) //nolint:contextcheck // it looks into a table: a step that has run out of time fails elsewhere
	if err != nil {
		return a.in, Effects{}, fmt.Errorf("flow %q: %w", f.name, err)
	}
	a.eff.To = to
	return f.enter(ctx, t, a.in, &a.data, a.eff, now)
}

// stay keeps the state and starts its timeout anew.
func (f *Flow[T, D]) stay(a *at[T, D], o StepResult, now time.Time) (Instance, Effects, error) {
	a.eff.Outcome = o
	return f.wait(a.in, a.state, &a.data, a.eff, now)
}

// enter enters the state eff.To.
func (f *Flow[T, D]) enter(ctx context.Context, t T, in Instance, d *D, eff Effects, now time.Time) (Instance, Effects, error) {
	s := f.byName[eff.To]
	if s.Enter != nil {
		if err := s.Enter(ctx, t, d); err != nil {
			return in, Effects{}, fmt.Errorf("flow %q: entering state %q: %w", f.name, s.Name, err)
		}
	}
	eff.Outcome = Moved
	if s.Final {
		eff.Ended, eff.CancelTimer = true, true
		return Instance{}, eff, nil
	}
	return f.wait(in, s, d, eff, now)
}

// wait returns the instance that waits in s from now on, and sets the timer to match.
func (f *Flow[T, D]) wait(in Instance, s *FlowState[T, D], d *D, eff Effects, now time.Time) (Instance, Effects, error) {
	data, err := f.encode(s, d)
	if err != nil {
		return in, Effects{}, err
	}
	// Cut, not rounded: a timer that is kept to the millisecond is never early.
	since := now.UTC().Truncate(time.Millisecond)
	if next := s.nextDue(0); next > 0 {
		eff.SetTimer = since.Add(next)
	} else {
		eff.CancelTimer = in.Flow != ""
	}
	return Instance{Flow: f.name, State: s.Name, Version: f.version, Data: data, Since: since}, eff, nil
}

func (f *Flow[T, D]) encode(s *FlowState[T, D], d *D) (json.RawMessage, error) {
	data, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("flow %q: encoding the data in state %q: %w", f.name, s.Name, err)
	}
	return data, nil
}
