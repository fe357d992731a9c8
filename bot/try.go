package bot

import (
	"errors"
	"runtime/debug"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
)

// Permanent says of an error that no other try of the turn would mend it: the event or timer is quarantined at once, and nobody waits for four more
// tries. nil stays nil. A text that is too long, and a state or signal that a flow does not have, are permanent by themselves.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanentError{err}
}

// permanentError is an error that no other try would mend.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

func isPermanent(err error) bool {
	if _, is := errors.AsType[permanentError](err); is {
		return true
	}
	if _, is := errors.AsType[*conversation.SignalError](err); is {
		return true
	}
	_, is := errors.AsType[*conversation.DataError](err)
	return is
}

// Try returns which try of the turn this is, from 1 to 5.
func (t *Turn) Try() int { return t.try }

// LastTry reports whether the event or timer is quarantined when this try fails: middleware may apologise then instead. An error that is Permanent ends
// a turn at any try, and so does a handler that takes longer than two minutes are long with the tries before. A try that fails since something could not be
// read does not count, and another one comes behind the last: leave such errors as they are.
func (t *Turn) LastTry() bool { return t.last }

// isLastTry reports whether no other try comes behind one that begins now and fails at once.
func (j *job) isLastTry(now time.Time) bool {
	switch {
	case j.tries+j.deaths+1 >= maxTries:
		return true
	case j.tries == 0 || j.first.IsZero():
		return false
	}
	return now.Add(tryPauses[j.tries]).Sub(j.first) >= maxTrying
}

// OnCommit calls f once the turn is stored: at most once, and not at all when the process ends before, or the turn does not come about. It is for metrics
// and logs, on a goroutine of its own, in no order with those of other turns, and comes also where nothing of the turn leaves; what has to happen is an
// action, a timer or a value. The bot waits for it when it stops, as long as for handlers.
func (t *Turn) OnCommit(f func()) { t.stored = append(t.stored, f) }

// callStored calls what waits for a turn that is stored.
func (b *Bot) callStored(all []func()) {
	if len(all) == 0 || !b.behind.Begin() {
		return
	}
	go func() {
		defer b.behind.End()
		for _, f := range all {
			b.callSafely(f)
		}
	}()
}

// callSafely calls f. A panic is told, and ends nothing else.
func (b *Bot) callSafely(f func()) {
	defer func() {
		if p := recover(); p != nil {
			b.log.Error("what a turn had to be called after its commit panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	f()
}
