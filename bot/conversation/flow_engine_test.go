package conversation_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
)

// counter is a flow around user code that misbehaves: a state that leads to itself, one that leads on, and one that ends it.
func counter(enter func(context.Context, *Turn, *int) error) *conversation.Flow[*Turn, int] {
	return conversation.MustFlow("counter", conversation.Definition[*Turn, int]{
		States: []conversation.FlowState[*Turn, int]{
			{Name: "one", Enter: enter, Timeout: time.Hour},
			{Name: "two", Enter: enter},
			{Name: "end", Final: true},
		},
		Transitions: []conversation.Transition[*Turn, int]{
			{From: "one", On: "again", To: "one"},
			{From: "one", On: "go", To: "two"},
			{From: conversation.Anywhere, On: conversation.TimedOut, To: "end"},
		},
	})
}

func fromOne() conversation.Instance {
	return conversation.Instance{Flow: "counter", State: "one", Version: 1, Data: []byte("0"), Since: noon}
}

// Moving inside a callback of the machine deadlocks it; inside a state's functions it must not.
func TestAStepInsideAStep(t *testing.T) {
	inner := counter(nil)
	var nested *conversation.Flow[*Turn, int]
	depth := 0
	nested = counter(func(ctx context.Context, tn *Turn, _ *int) error {
		if depth++; depth > 3 {
			return nil
		}
		if _, _, err := inner.Fire(ctx, tn, fromOne(), "go", noon); err != nil {
			return err
		}
		_, _, err := nested.Fire(ctx, tn, fromOne(), "go", noon)
		return err
	})
	got, eff, err := nested.Fire(context.Background(), &Turn{}, fromOne(), "go", noon)
	if err != nil || got.State != "two" || eff.Outcome != conversation.Moved || depth != 4 {
		t.Errorf("got %+v, %+v, %v at depth %d", got, eff, err, depth)
	}
}

// A panic inside a callback leaves the machine in transition for good.
func TestAPanicPoisonsNothing(t *testing.T) {
	angry := true
	f := counter(func(context.Context, *Turn, *int) error {
		if angry {
			panic("user code")
		}
		return nil
	})
	for range 10 {
		func() {
			defer func() {
				if r := recover(); r != "user code" {
					t.Errorf("recovered %v, want the user's panic", r)
				}
			}()
			_, _, _ = f.Fire(context.Background(), &Turn{}, fromOne(), "go", noon)
		}()
	}
	angry = false
	if got, _, err := f.Fire(context.Background(), &Turn{}, fromOne(), "go", noon); err != nil || got.State != "two" {
		t.Errorf("after the panics: %+v, %v", got, err)
	}
}

func TestAPoisonedMachineIsThrownAway(t *testing.T) {
	f := counter(nil)
	f.Poison(20)
	for range 50 {
		if got, _, err := f.Fire(context.Background(), &Turn{}, fromOne(), "go", noon); err != nil || got.State != "two" {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
}

// An error set inside a callback does not stop the machine from moving.
func TestAnErrorStopsTheMove(t *testing.T) {
	failure := errors.New("out of stock")
	f := counter(func(_ context.Context, _ *Turn, n *int) error { *n = 7; return failure })
	got, eff, err := f.Fire(context.Background(), &Turn{}, fromOne(), "go", noon)
	if !errors.Is(err, failure) || got.State != "one" || string(got.Data) != "0" || eff != (conversation.Effects{}) {
		t.Errorf("got %+v, %+v, %v; want the given instance and the error", got, eff, err)
	}
}

// A move from a state to itself is reported as an error by the machine.
func TestAMoveToItselfEntersAgain(t *testing.T) {
	f := counter(func(_ context.Context, _ *Turn, n *int) error { *n++; return nil })
	at, later := fromOne(), noon.Add(time.Minute)
	for range 2 {
		var eff conversation.Effects
		var err error
		if at, eff, err = f.Fire(context.Background(), &Turn{}, at, "again", later); err != nil {
			t.Fatal(err)
		}
		if eff.Outcome != conversation.Moved || eff.To != "one" || !eff.SetTimer.Equal(later.Add(time.Hour)) {
			t.Errorf("effects %+v", eff)
		}
	}
	if string(at.Data) != "2" {
		t.Errorf("entered %s times, want 2", at.Data)
	}
}

// The timer goes with the state that declared it.
func TestLeavingAStateWithATimeoutCancelsIt(t *testing.T) {
	_, eff, err := counter(nil).Fire(context.Background(), &Turn{}, fromOne(), "go", noon)
	if err != nil || !eff.CancelTimer || !eff.SetTimer.IsZero() {
		t.Errorf("got %+v, %v, want the timer cancelled", eff, err)
	}
}

// A timer of a state whose timeout has been taken out of the code does nothing.
func TestATimerWithoutATimeout(t *testing.T) {
	at := fromOne()
	at.State = "two"
	got, eff, err := counter(nil).Due(context.Background(), &Turn{}, at, noon.Add(time.Hour))
	if err != nil || got.State != "two" || eff.Outcome != conversation.NotDue || !eff.SetTimer.IsZero() {
		t.Errorf("got %+v, %+v, %v", got, eff, err)
	}
}

func TestStepsInParallel(t *testing.T) {
	f := counter(func(_ context.Context, _ *Turn, n *int) error { *n++; return nil })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			at := fromOne()
			for range 500 {
				next, _, err := f.Fire(context.Background(), &Turn{}, at, "again", noon)
				if err != nil {
					t.Error(err)
					return
				}
				at = next
			}
			if string(at.Data) != "500" {
				t.Errorf("entered %s times, want 500", at.Data)
			}
		})
	}
	all.Wait()
}
