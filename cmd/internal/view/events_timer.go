package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// KindTimer is the kind of timers in lists of events.
const KindTimer event.Kind = "timer"

// occasion is an event, or a timer that is due and has had no turn: what calls for a turn.
type occasion struct {
	event *record.EventRow // nil for a timer
	timer *record.TimerRow
	would string // what would have been done about it; "" for nothing
}

// at returns when it was seen, or due.
func (o *occasion) at() time.Time {
	if o.timer != nil {
		return o.timer.Due
	}
	return o.event.SeenAt
}

// id returns its name.
func (o *occasion) id() string {
	if o.timer != nil {
		return o.timer.ID()
	}
	return o.event.ID.String()
}

// key names its conversation.
func (o *occasion) key() event.Key {
	if o.timer != nil {
		return o.timer.Key
	}
	return o.event.Key()
}

// personName names its person.
func (o *occasion) personName() string {
	if o.timer != nil {
		return print.PersonName(o.timer.User, int64(o.timer.Key.Peer))
	}
	return print.PersonName(o.event.User, int64(o.event.Peer))
}

// columnsOf returns the columns of a list: from what it is on.
func (o *occasion) columnsOf(asked Waiting) []string {
	if t := o.timer; t != nil {
		return []string{"timer " + print.QuotePlain(t.Name, 40), TimerStands(t), "", print.JoinTwo(timerReason(t), asked.askedRetry(t.Key, t.ID()).String())}
	}
	e := o.event
	return []string{HappenedText(e, 40), standsText(e), print.PlainText(e.Record.Rule, 32), print.JoinTwo(print.JoinTwo(eventNote(e), o.would), asked.askedAboutEvent(&e.Event).String())}
}

// TimerStands says where a timer stands, in the words of events.
func TimerStands(t *record.TimerRow) string {
	if t.State == record.TimerWaiting {
		return record.EventPending
	}
	return t.State
}

// timerReason says why a timer stands there.
func timerReason(t *record.TimerRow) string {
	why := print.PlainText(t.Note, 100)
	switch {
	case t.State == record.TimerOrphaned:
		return "the program has no route for it"
	case t.Late:
		return "again: " + why
	}
	return why
}

// timerState returns the state of the timers that are wanted; "" for none.
func (l *EventList) timerState() string {
	switch {
	case l.Rule != "":
	case l.Quarantined:
		return record.TimerQuarantined
	case l.Orphaned:
		return record.TimerOrphaned
	case l.Pending:
		return record.TimerWaiting
	}
	return ""
}

// timers returns the timers of the list, those that were due last first.
func (l *EventList) timers(ctx context.Context, d *View, of record.EventQuery, accounts []event.Account) ([]occasion, error) {
	q := record.TimerQuery{Peer: of.Peer, State: l.timerState(), Since: of.Since, Until: time.Now(), Limit: l.Limit}
	if q.State == "" {
		return nil, nil
	}
	var err error
	switch {
	case q.Peer != 0:
	case q.State == record.TimerWaiting:
		// Nearly all accounts have timers that wait; only those with one of the newest can be on the page.
		accounts, err = d.DueLatest(ctx, accounts, q.Since, q.Until, q.Limit)
	default:
		accounts, err = d.Among(ctx, accounts, record.Having{Thing: record.HasTimersIn, State: q.State})
	}
	if err != nil {
		return nil, err
	}
	var all []occasion
	for _, q.Account = range accounts {
		rows, err := d.Timers(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if l.Outcome == "" || strings.EqualFold(TimerStands(&rows[i]), l.Outcome) {
				all = append(all, occasion{timer: &rows[i]})
			}
		}
	}
	return all, nil
}

// readOccasions returns what the list is about, newest first.
func (l *EventList) readOccasions(ctx context.Context, d *View) (all []occasion, err error) {
	if l.looksAtDecisions() {
		all, err = l.foundOccasions(ctx, d)
	} else {
		all, err = l.readPage(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	return all, d.addWould(ctx, all)
}

// foundOccasions returns what a rule decided, or what ended in some way.
func (l *EventList) foundOccasions(ctx context.Context, d *View) ([]occasion, error) {
	q, of, err := l.query(ctx, d)
	if err != nil {
		return nil, err
	}
	all, err := l.timers(ctx, d, q, of)
	if err != nil || l.Orphaned {
		return all, err
	}
	look := func(account event.Account) ([]record.EventRow, error) {
		q.Account = account
		return l.search(ctx, d, q)
	}
	var events []record.EventRow
	if q.Peer != 0 {
		events, err = look(of[0])
	} else {
		events, err = newestOf(ctx, d, l.headsQuery(q), func(e *record.EventRow) time.Time { return e.SeenAt }, look)
	}
	if err != nil {
		return nil, err
	}
	newestFirst(events)
	for i := range events[:min(len(events), l.Limit)] {
		all = append(all, occasion{event: &events[i]})
	}
	slices.SortStableFunc(all, func(a, b occasion) int { return b.at().Compare(a.at()) })
	return all[:min(len(all), l.Limit)], nil
}

// forMachines returns it in the form of events.
func (o *occasion) forMachines(asked Waiting) eventJSON {
	if o.timer == nil {
		e := eventForMachines(o.event, asked)
		e.Would = o.would
		return e
	}
	t := o.timer
	return eventJSON{
		Account: t.Key.Account, ID: t.ID(), Kind: KindTimer, Peer: t.Key.Peer, User: t.User, Timer: t.Name, SeenAt: t.Due.UTC(), State: TimerStands(t),
		Tries: t.Tries, Late: t.Late, Note: t.Note, Why: t.Why, Asked: asked.askedRetry(t.Key, t.ID()).ForMachines(),
	}
}

// quarantinedTimer returns a timer that has to be quarantined.
func (v *View) quarantinedTimer(ctx context.Context, id event.Timer) (o occasion, err error) {
	those, err := v.AmongMeant(ctx, record.Having{Thing: record.HasTimer, Peer: id.Key.Peer, Text: id.Name})
	if err != nil {
		return o, err
	}
	var of []record.TimerRow
	state := ""
	for _, account := range those {
		row, ok, err := v.Alarm(ctx, event.Key{Account: account, Peer: id.Key.Peer}, id.Name)
		switch {
		case err != nil:
			return o, err
		case !ok || row.Occurrence != id.Occurrence:
		case row.State == record.TimerQuarantined:
			of = append(of, row)
		default:
			state = row.State
		}
	}
	switch {
	case len(of) == 1:
		return occasion{timer: &of[0]}, nil
	case len(of) > 1:
		return o, fmt.Errorf("several accounts have a timer %s: say which one, with --account %s", print.PlainText(id.ID(), 80), of[0].Key.Account)
	case state != "":
		return o, fmt.Errorf("%s is %s, not quarantined; %s", print.PlainText(id.ID(), 80), state, listQuarantined)
	}
	return o, fmt.Errorf("there is no timer %s, or it had its turn; %s", print.PlainText(id.ID(), 80), listQuarantined)
}

// oldestFirst sorts what waits longest to the front.
func oldestFirst(all []occasion) {
	slices.SortStableFunc(all, func(a, b occasion) int {
		c := a.at().Compare(b.at())
		if a.event != nil && b.event != nil {
			c = cmp.Or(c, cmp.Compare(a.event.ID.Number, b.event.ID.Number))
		}
		return c
	})
}
