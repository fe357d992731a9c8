package store

import (
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

// What a failed try recorded is stored, also where no row counts the try, since it waits for the platform. The trigger
// then goes into a list of its account, so that the next incarnation knows where to look, as a fact of a trigger that stands
// for all that were tried. It leaves the list when its turn is stored, which then has the facts. Timers are always listed:
// one that is cancelled or set anew takes its facts along.

// Tried is the id of a trigger that does not exist: its facts list the triggers of an account that still wait, and of which a try has recorded
// something that no row of an event counts. No turn has this id.
const Tried = "tried"

// tried are the triggers that are listed, as far as they have been read: their ids, by account, then by what
// stays the same when a timer is set anew. Few are at a time: the way of a turn costs no statement for them.
type tried map[event.Account]map[string]string

// storeTimerTry stores a try of a timer's turn, unless the timer is gone.
func (a *applier) storeTimerTry(t *Attempt) error {
	x, waits := t.Timer, false
	if t.Tries > 0 {
		state := record.TimerWaiting
		if t.Quarantined {
			state = record.TimerQuarantined
		}
		n, err := a.tryTimer.str(state).int(int64(t.Tries)).at(t.At).addSecret(seal.TimerNote.OfTimer(x.Key, x.Name), t.Record.Note).str(string(t.Record.Why)).addOccurrence(x).runUsual()
		if err != nil || n == 0 {
			return err
		}
	} else if _, err := a.isSet.addOccurrence(x).each(func() { waits = true }); err != nil || !waits {
		return err
	}
	if t.Quarantined {
		if err := a.untryDied(x); err != nil {
			return err
		}
	}
	return a.keepTry(x.Key.Account, x.ID(), t) //mutate:timer-try-facts
}

// keepRequestTry stores what a try of a request's turn recorded, unless the request had its turn.
func (a *applier) keepRequestTry(t *Attempt) error {
	q, waits := t.Request, false
	if _, err := a.isAsked.key(q.Key.Account).int(q.Number).each(func() { waits = true }); err != nil || !waits {
		return err
	}
	return a.keepTry(q.Key.Account, q.Trigger().ID(), t)
}

// keepTry stores what a try recorded, and lists its trigger.
func (a *applier) keepTry(account event.Account, id string, t *Attempt) error {
	if len(t.Facts) == 0 {
		return nil
	}
	list, err := a.triedOf(account)
	if err != nil {
		return err
	}
	list[occurrencePlace(id)] = id
	if err := a.fact.key(account).str(Tried).str(id).str("true").at(t.At).do(); err != nil {
		return err
	}
	return a.storeFacts(account, id, t.Facts)
}

// removeTried takes a trigger that has had its turn from the list.
func (a *applier) removeTried(t *event.Trigger) error {
	list, err := a.triedOf(t.Key.Account)
	if err != nil || len(list) == 0 {
		return err
	}
	id := t.ID()
	if list[occurrencePlace(id)] != id {
		return nil
	}
	return a.unlist(t.Key.Account, id)
}

// untryDied forgets how often the process has died of a timer that is quarantined: a person may let it be tried again. What was recorded stays.
func (a *applier) untryDied(t *event.Timer) error {
	list, err := a.triedOf(t.Key.Account)
	if err != nil || list[occurrencePlace(t.ID())] != t.ID() {
		return err
	}
	return a.know.key(t.Key.Account).str(Tried).str(t.ID()).str("true").at(time.Time{}).do()
}

// untryTimer takes a timer that is cancelled or set anew from the list, with what was recorded.
func (a *applier) untryTimer(t *event.Timer) error {
	list, err := a.triedOf(t.Key.Account)
	if err != nil || len(list) == 0 {
		return err
	}
	id, ok := list[occurrencePlace(t.ID())]
	if !ok {
		return nil
	}
	if err := a.dropFacts.key(t.Key.Account).str(id).do(); err != nil {
		return err
	}
	return a.unlist(t.Key.Account, id)
}

func (a *applier) unlist(account event.Account, id string) error {
	delete(a.tried[account], occurrencePlace(id))
	return a.listed.key(account).str(id).do()
}

func (a *applier) triedOf(account event.Account) (map[string]string, error) {
	if list, ok := a.tried[account]; ok {
		return list, nil
	}
	list, st := map[string]string{}, &a.list
	_, err := st.key(account).each(func() {
		id := st.columnWord(0)
		list[occurrencePlace(id)] = id
	})
	if err == nil {
		a.tried[account] = list
	}
	return list, err
}

// occurrencePlace is an id without the part that changes when a timer is set anew.
func occurrencePlace(id string) string {
	if strings.HasPrefix(id, "timer:") {
		return id[:strings.LastIndexByte(id, '/')]
	}
	return id
}

// storeAttempt stores a try of a turn that failed.
func (a *applier) storeAttempt(t *Attempt) error {
	switch {
	case t == nil:
		return nil
	case t.Timer != nil:
		return a.storeTimerTry(t)
	case t.Request != nil:
		return a.keepRequestTry(t)
	case t.Tries == 0:
		return a.keepTry(t.Event.Account, t.Event.ID.String(), t)
	}
	state := "pending"
	if t.Quarantined {
		state = "quarantined"
	}
	if a.isBelowLowWater(&t.Event) {
		if stored, err := a.finishOld(&t.Event, state, t.Tries, 0, &t.Record); err != nil || !stored {
			return err
		}
	} else if err := a.attempt.addEvent(&t.Event).str(state).int(int64(t.Tries)).eventRecord(&t.Event, &t.Record).at(t.Event.SaidAt).do(); err != nil {
		return err
	}
	if err := a.storeFacts(t.Event.Account, t.Event.ID.String(), t.Facts); err != nil || !t.Quarantined {
		return err
	}
	return a.removeTried(&event.Trigger{Kind: event.ByEvent, Key: t.Event.Key(), Event: t.Event})
}
