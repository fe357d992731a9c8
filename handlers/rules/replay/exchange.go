package replay

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/platform"
)

// Change says how an exchange ends by other rules.
type Change string

// The changes, the worst one first.
const (
	Gone    Change = "gone"    // something was done, and nothing is done now
	Changed Change = "changed" // something else is done
	New     Change = "new"     // nothing was done, and something is done now
	Unseen  Change = "private" // a text was not kept: it is not compared
	Same    Change = "same"
)

// Exchange is what somebody said or did in a row, with what was done about it and what would be done now. One
// without events is what comes of silence after the exchange before.
type Exchange struct {
	At     time.Time
	Peer   platform.UserID
	User   string
	Name   string
	Events []event.Event // as the turn saw them
	Change Change
	Then   []Said // what was done
	Now    []Said // what these rules do

	RuleThen, RuleNow     string // that decided; "" for none
	ReasonThen, ReasonNow string // why nothing was done

	last    time.Time // when something happened last
	waits   bool      // the recorded answer is still to come
	private bool
}

func newExchange(t *aheadTurn, now time.Time) *Exchange {
	return &Exchange{At: now, Peer: t.Event.Peer, User: t.Event.User, Name: t.Event.Name}
}

// add adds an event, and what was done at once.
func (x *Exchange) add(t *aheadTurn, e event.Event, edited map[string]bool) {
	x.Events = append(x.Events, e)
	x.addTurn(t, edited)
}

// addTurn adds what a recorded turn did. edited are the keys of actions with a text that a person has changed.
func (x *Exchange) addTurn(t *aheadTurn, edited map[string]bool) {
	rec := recordIn(&t.Recorded)
	said := saidByTurn(t.Actions)
	for i := range said {
		said[i].edited, said[i].asks = edited[said[i].key], rec.Outcome == string(decision.Prepared)
	}
	x.Then = append(x.Then, onlySeen(said)...)
	x.RuleThen, x.ReasonThen = rec.Rule, rec.Note
}

// now adds what these rules do.
func (x *Exchange) now(trigger event.Trigger, d *decision.Decision) {
	said := saidByDecision(d)
	for i := range said {
		if d.Actions[i].Status == decision.Ask {
			said[i].key = engine.ActionKey(trigger, i)
		}
	}
	x.Now = append(x.Now, onlySeen(said)...)
	x.RuleNow, x.ReasonNow = d.Rule, d.Reason
	if x.RuleNow == "" && len(d.Actions) > 0 {
		x.RuleNow = d.Actions[0].Rule
	}
}

// compare says how the exchange ends.
func (x *Exchange) compare() {
	switch {
	case x.private:
		x.Change = Unseen
	case equalSaid(x.Then, x.Now):
		x.Change = Same
	case len(x.Now) == 0:
		x.Change = Gone
	case len(x.Then) == 0:
		x.Change = New
	default:
		x.Change = Changed
	}
}
