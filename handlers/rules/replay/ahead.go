package replay

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/platform"
)

const (
	// aheadFor is how far a replay looks ahead, for what was read for bursts: they are answered later
	// than their messages, and a replay may answer them sooner.
	aheadFor = 2 * time.Minute
	// aheadMost is how many turns it looks ahead at most.
	aheadMost = 4096
)

// aheadTurn is a recorded turn, with what it had read.
type aheadTurn struct {
	record.Recorded
	facts decision.Facts
}

// aheadTurns are the recorded turns that come next, in their order.
type aheadTurns struct {
	turns  []*aheadTurn
	people map[platform.UserID][]*aheadTurn
}

func (a *aheadTurns) add(recorded record.Recorded) error {
	t := &aheadTurn{Recorded: recorded}
	var err error
	if t.facts, err = engine.FactsOf(recorded.Facts); err != nil {
		return err
	}
	t.Facts = nil
	a.turns = append(a.turns, t)
	if len(t.facts) > 0 {
		peer := t.turnPeer()
		a.people[peer] = append(a.people[peer], t)
	}
	return nil
}

func (t *aheadTurn) turnPeer() platform.UserID { return peerOf(&t.Recorded) }

// peerOf returns whom a stored turn is about.
func peerOf(t *record.Recorded) platform.UserID {
	if t.Event != nil {
		return t.Event.Peer
	}
	return t.Turn.Peer
}

func (a *aheadTurns) len() int { return len(a.turns) }

// isFull reports whether enough turns are there to go on with the first one.
func (a *aheadTurns) isFull() bool {
	n := len(a.turns)
	return n > aheadMost || n > 1 && handledAt(&a.turns[n-1].Recorded).Sub(handledAt(&a.turns[0].Recorded)) > aheadFor
}

func (a *aheadTurns) firstTurn() *aheadTurn { return a.turns[0] }

// dropFirst takes the first turn out.
func (a *aheadTurns) dropFirst() {
	t := a.turns[0]
	a.turns[0] = nil
	if a.turns = a.turns[1:]; len(t.facts) == 0 {
		return
	}
	peer := t.turnPeer()
	if rest := a.people[peer][1:]; len(rest) > 0 {
		a.people[peer] = rest
	} else {
		delete(a.people, peer)
	}
}

// factNow returns a fact that was recorded for a person about now; false when it was not.
func (a *aheadTurns) factNow(peer platform.UserID, name string) (json.RawMessage, bool) {
	for _, t := range a.people[peer] {
		if raw, ok := t.facts[name]; ok {
			return raw, true
		}
	}
	return nil, false
}

// privateFacts returns how private texts were read, which are not kept themselves; nil for none.
func (a *aheadTurns) privateFacts(peer platform.UserID) decision.Facts {
	var private decision.Facts
	for _, t := range a.people[peer] {
		for name, raw := range t.facts {
			if strings.HasPrefix(name, privatePrefix) {
				if private == nil {
					private = decision.Facts{}
				}
				private[name] = raw
			}
		}
	}
	return private
}

// privatePrefix begins the names of facts that say how a private text was read.
const privatePrefix = "private:"
