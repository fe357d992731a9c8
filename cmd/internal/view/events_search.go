package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
)

// looksAtDecisions reports whether the list is of what a rule decided, or of what ended in some way.
func (l *EventList) looksAtDecisions() bool { return l.Rule != "" || l.Outcome != "" }

// headsQuery returns a query for when accounts had the newest event of the list.
func (l *EventList) headsQuery(q record.EventQuery) record.EventQuery {
	if l.looksAtDecisions() {
		q.Rule, q.Outcome, q.State = l.Rule, l.Outcome, ""
	}
	switch outcome := strings.ToLower(l.Outcome); {
	case wasPrepared(outcome): // it is stored as prepared
		q.Outcome = string(ruledecision.Prepared)
	case outcome == string(ruledecision.Gathering), outcome == string(ruledecision.LeftAlone): // what was gathered may stand so, also when something else is stored
		q.Rule, q.Outcome = "", ""
	}
	return q
}

// search returns the newest events of an account that a rule decided, or that ended in some way, however old. What was
// gathered to be answered together stands as its answer does.
func (l *EventList) search(ctx context.Context, d *View, q record.EventQuery) ([]record.EventRow, error) {
	wanted := q.Limit
	q.Rule, q.Outcome, q.State = l.Rule, l.Outcome, ""
	if wasPrepared(strings.ToLower(l.Outcome)) { // it is stored as prepared, with any end
		q.Outcome, q.Limit = string(ruledecision.Prepared), max(q.Limit, atFirst)
	}
	var found []record.EventRow
	for ; ; q.Limit *= 10 {
		var all bool
		var err error
		if found, all, err = l.ended(ctx, d, q); err != nil {
			return nil, err
		}
		if all || len(found) >= wanted || q.Outcome == l.Outcome {
			break
		}
	}
	unanswered, err := l.unansweredEvents(ctx, d, q, wanted)
	if err != nil {
		return nil, err
	}
	found = append(found, unanswered...)
	newestFirst(found)
	return found[:min(len(found), wanted)], nil
}

// LastDecided returns the newest event of all meant accounts that a rule decided; none when there is none.
func (v *View) LastDecided(ctx context.Context, rule string) (found []record.EventRow, err error) {
	l := EventList{Rule: rule, Limit: 1}
	for _, account := range v.Meant {
		of, err := l.search(ctx, v, record.EventQuery{Account: account, Limit: 1})
		if err != nil {
			return nil, err
		}
		found = append(found, of...)
	}
	newestFirst(found)
	return found[:min(len(found), 1)], nil
}

// atFirst is how many events are looked at first, when no row says which are wanted.
const atFirst = 1000

// ended returns events that the query finds and that ended as is wanted, and whether there are no others.
func (l *EventList) ended(ctx context.Context, d *View, q record.EventQuery) (found []record.EventRow, all bool, err error) {
	direct, err := d.Events(ctx, q)
	if err != nil {
		return nil, false, err
	}
	n := len(direct)
	direct = slices.DeleteFunc(direct, func(e record.EventRow) bool { return IsGathered(&e) })
	if err := d.addPrepared(ctx, direct); err != nil {
		return nil, false, err
	}
	answered, turns, err := l.answeredTogether(ctx, d, q)
	if err != nil {
		return nil, false, err
	}
	found = slices.DeleteFunc(slices.Concat(direct, answered), func(e record.EventRow) bool { return l.Outcome != "" && !endedLike(&e, l.Outcome) })
	return found, n < q.Limit && turns < q.Limit, nil
}

// answeredTogether returns the events that were answered together, as the query wants their answer to be, and how many answers
// those are.
func (l *EventList) answeredTogether(ctx context.Context, d *View, q record.EventQuery) (found []record.EventRow, n int, err error) {
	turns, err := d.Turns(ctx, record.TurnQuery{
		Account: q.Account, Peer: q.Peer, Timer: TimerBurst, Rule: q.Rule, Outcome: q.Outcome, Since: q.Since, Limit: q.Limit,
	})
	if err != nil {
		return nil, 0, err
	}
	for i := range turns {
		if err := d.turnPrepared(ctx, &turns[i]); err != nil {
			return nil, 0, err
		}
		for _, id := range burstEvents(turns[i].Record.Before) {
			e, ok, err := d.Event(ctx, q.Account, id)
			if err != nil {
				return nil, 0, err
			}
			if ok && !e.SeenAt.Before(q.Since) {
				e.Record = turns[i].Record
				d.answeredBy(q.Account, id, turns[i].ID)
				found = append(found, e)
			}
		}
	}
	return found, len(turns), nil
}

// unansweredEvents returns events that were gathered and have no answer: those that wait for one, and those that will have
// none. No row says which they are, so more and more are looked at.
func (l *EventList) unansweredEvents(ctx context.Context, d *View, q record.EventQuery, wanted int) ([]record.EventRow, error) {
	if l.Rule != "" || !strings.EqualFold(l.Outcome, string(ruledecision.Gathering)) && !strings.EqualFold(l.Outcome, string(ruledecision.LeftAlone)) {
		return nil, nil
	}
	q.Outcome = string(ruledecision.Gathering)
	for q.Limit = max(wanted, atFirst); ; q.Limit *= 10 {
		rows, err := d.Events(ctx, q)
		if err != nil {
			return nil, err
		}
		if err := d.addGathered(ctx, rows); err != nil {
			return nil, err
		}
		all := len(rows) < q.Limit
		rows = slices.DeleteFunc(rows, func(e record.EventRow) bool { return !strings.EqualFold(standsText(&e), l.Outcome) || isAnswer(&e) })
		if all || len(rows) >= wanted {
			return rows[:min(len(rows), wanted)], nil
		}
	}
}

// isAnswer reports whether an event stands as the answer to a burst does; those are found by it.
func isAnswer(e *record.EventRow) bool { return e.Record.Route == routeTimers }

// tellLooked says how far a list has looked that is not full: to the beginning of what is kept.
func (l *EventList) tellLooked(ctx context.Context, d *View, n int) error {
	if !l.looksAtDecisions() || n >= l.Limit || d.JSON {
		return nil
	}
	first := time.Time{}
	if l.Since > 0 {
		first = time.Now().Add(-l.Since)
	}
	oldest, err := d.OldestOf(ctx, d.Meant)
	if err != nil || oldest.IsZero() {
		return err
	}
	if oldest.After(first) {
		first = oldest
	}
	return print.SayLine(d.Out, "\nlooked at all that is kept since %s", print.TimeText(first))
}

// newestFirst sorts events.
func newestFirst(all []record.EventRow) {
	slices.SortStableFunc(all, func(a, b record.EventRow) int { return b.SeenAt.Compare(a.SeenAt) })
}

const (
	followPause = time.Second
	followAtOne = 200 // events are looked at at a time
)

// followEvents prints what has happened, the oldest first, and goes on with what comes, each once it has had its turn.
func (l *EventList) followEvents(ctx context.Context, d *View) error {
	told := map[string]bool{}
	show := l.Limit
	tick := time.NewTicker(followPause)
	defer tick.Stop()
	for {
		l.Limit = max(followAtOne, show)
		all, err := l.readOccasions(ctx, d)
		if err != nil {
			return err
		}
		fresh := slices.DeleteFunc(all, func(o occasion) bool { return o.isOpen() || told[o.named()] })
		if len(told) == 0 {
			for i := range fresh {
				told[fresh[i].named()] = true
			}
			fresh = fresh[:min(len(fresh), show)]
		}
		for i := range slices.Backward(fresh) {
			o := &fresh[i]
			told[o.named()] = true
			if err := l.printOccasion(d, o); err != nil {
				return err
			}
		}
		told[""] = true // it has begun
		if len(told) > 100*followAtOne {
			l.forgetTold(told, all)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// forgetTold keeps of what was told what is still looked at.
func (l *EventList) forgetTold(told map[string]bool, all []occasion) {
	clear(told)
	told[""] = true
	for i := range all {
		told[all[i].named()] = true
	}
}

// named names an occasion: one that is quarantined is another one once it was tried again.
func (o *occasion) named() string {
	name := string(o.key().Account) + " " + o.id()
	if o.event != nil && o.event.State == record.EventQuarantined {
		name += " " + o.event.State
	}
	return name
}

// isOpen reports whether it has not had its turn, or is gathered to be answered with what follows.
func (o *occasion) isOpen() bool {
	return o.timer != nil && o.timer.State == record.TimerWaiting || o.event != nil && (o.event.State == record.EventPending || IsGathered(o.event))
}

// printOccasion prints an occasion in a line.
func (l *EventList) printOccasion(d *View, o *occasion) error {
	if d.JSON {
		return print.WriteLine(d.Out, o.forMachines(nil))
	}
	account := ""
	if len(d.Meant) > 1 {
		account = string(o.key().Account) + "  "
	}
	cells := o.columnsOf(nil)
	line := fmt.Sprintf("%s  %s%s  %s  →  %s", print.TimeText(o.at()), account, o.personName(), cells[0], cells[1])
	line += print.PrefixText(" by ", cells[2]) + print.PrefixText(": ", cells[3])
	return print.SayLine(d.Out, "%s", strings.TrimRight(print.PlainText(line, 0), " "))
}
