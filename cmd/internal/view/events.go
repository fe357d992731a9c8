package view

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/platform"
)

// EventList is which events are wanted.
type EventList struct {
	Flags
	Quarantined, Pending, Orphaned bool

	GoOn bool // --follow

	Peer, Rule, Outcome string
	Since               time.Duration
	Limit               int

	Cursor inspect.Cursor // where it goes on; "" is its beginning
	next   inspect.Cursor // where it goes on behind what was read; "" for nowhere, or where that has no cursor
}

// HasCursors reports whether the list may have them: each row of it is then as it is stored.
func (l *EventList) HasCursors() bool { return !l.looksAtDecisions() && !l.GoOn }

// query returns what is wanted, with the accounts that are asked.
func (l *EventList) query(ctx context.Context, d *View) (record.EventQuery, []event.Account, error) {
	key, err := d.peerKey(ctx, l.Peer)
	if err != nil {
		return record.EventQuery{}, nil, err
	}
	q := record.EventQuery{Peer: key.Peer, Limit: l.Limit}
	if l.Since > 0 {
		q.Since = time.Now().Add(-l.Since)
	}
	switch {
	case l.Quarantined:
		q.State = record.EventQuarantined
	case l.Pending:
		q.State = record.EventPending
	case l.Orphaned:
		q.State = record.TimerOrphaned
	}
	if key.Peer != 0 {
		return q, []event.Account{key.Account}, nil
	}
	return q, d.Meant, nil
}

// readPage returns the events and timers behind the cursor.
func (l *EventList) readPage(ctx context.Context, d *View) ([]occasion, error) {
	q, of, err := l.query(ctx, d)
	if err != nil || len(of) == 0 {
		return nil, err
	}
	if len(of) == 1 {
		q.Account, of = of[0], nil
	}
	page, err := inspect.Occasions(ctx, d.Inspector, q, l.Cursor, of...)
	if err != nil {
		return nil, badCursor(err)
	}
	l.next = page.Next
	all := make([]occasion, len(page.Rows))
	var events []record.EventRow
	var at []int
	for i, o := range page.Rows {
		if all[i].timer = o.Timer; o.Event != nil {
			events, at = append(events, *o.Event), append(at, i)
		}
	}
	err = d.addGathered(ctx, events)
	for n, i := range at {
		all[i].event = &events[n]
	}
	return all, err
}

// Print writes the list of events.
func (l *EventList) Print(ctx context.Context, d *View, _ []string) error {
	if l.GoOn {
		return l.followEvents(ctx, d)
	}
	all, err := l.readOccasions(ctx, d)
	if err != nil {
		return err
	}
	asked, err := d.ReadWaiting(ctx)
	if err != nil {
		return err
	}
	if d.JSON {
		return print.WriteLines(d.Out, all, func(o *occasion) any {
			line := o.forMachines(asked)
			if o == &all[len(all)-1] {
				line.Next = l.next
			}
			return line
		})
	}
	t := print.Table{Head: []string{"SEEN", "ACCOUNT", "ID", "WHO", "WHAT", "STATE", "RULE", "WHY"}}
	for i := range all {
		o := &all[i]
		t.Add(append([]string{print.TimeText(o.at()), string(o.key().Account), print.PlainText(o.id(), 0), o.personName()}, o.columnsOf(asked)...)...)
	}
	t.DropEmpty("RULE", "WHY")
	none := "nothing has happened"
	switch {
	case l.Rule != "" || l.Outcome != "":
		none = "nothing of that has happened"
	case l.Quarantined:
		none = "nothing is quarantined"
	case l.Orphaned:
		none = "no timer is orphaned"
	case l.Pending:
		none = "nothing is pending"
	}
	if err := d.print(&t, none); err != nil {
		return err
	}
	if l.Cursor != "" {
		return d.tellNext(l.next)
	}
	return l.tellLooked(ctx, d, len(all))
}

// endedLike reports whether an event ended in a way; "prepared" is all that waited for an approval, with any end.
func endedLike(e *record.EventRow, outcome string) bool {
	is := standsText(e)
	return strings.EqualFold(is, outcome) || strings.EqualFold(outcome, string(ruledecision.Prepared)) && wasPrepared(is)
}

// about says how an event has to do with its post; other kinds are "of" one.
var about = map[event.Kind]string{event.KindReply: "to", event.KindMention: "in"}

// HappenedText says what an event is.
func HappenedText(e *record.EventRow, n int) string {
	what := string(e.Kind)
	if e.Kind == event.KindOther {
		what = print.PlainText(string(e.Subject), 20)
	}
	d, delivered := e.Delivery()
	switch {
	case delivered:
		data, _ := d.Data.(json.RawMessage)
		return print.PlainText(fmt.Sprintf("%s %s %s", d.Name, d.ID, data), n)
	case e.Text == words.Private:
		return what + " " + words.Private
	case e.Text != "":
		return what + " " + print.QuotePlain(e.Text, n)
	case e.Image != "":
		return what + " (a picture)"
	case e.Post != 0:
		return fmt.Sprintf("%s %s post %d", what, cmp.Or(about[e.Kind], "of"), e.Post)
	}
	return what
}

// standsText says where an event stands.
func standsText(e *record.EventRow) string {
	switch {
	case e.State != record.EventHandled:
		return e.State
	case e.Record.Outcome == bot.OutcomeUnmatched && e.Record.Route == routeFallback: // which did something about it
		return bot.OutcomeHandled
	}
	return e.Record.Outcome
}

// The routes that need not be named: of rules, of which the one that decided is, and of what is done when
// no route matches.
const (
	routeRules    = "rules"
	routeTimers   = "rules/timers"
	routeFallback = "fallback"
)

// eventNote says why an event stands there.
func eventNote(e *record.EventRow) string {
	why := print.PlainText(e.Record.Note, 100)
	if e.Record.Route != "" && e.Record.Route != routeRules && e.Record.Route != routeTimers {
		why = "by " + print.PlainText(e.Record.Route, 40) + map[bool]string{true: ": "}[why != ""] + why
	}
	if e.State != record.EventHandled && e.Late {
		why = "again: " + why
	}
	return why
}

// eventJSON is an event for machines.
type eventJSON struct {
	Account   event.Account   `json:"account"`
	ID        string          `json:"id"`
	Kind      event.Kind      `json:"kind"`
	Peer      platform.UserID `json:"peer"`
	User      string          `json:"user,omitempty"`
	Name      string          `json:"name,omitempty"`
	Text      string          `json:"text,omitempty"`
	Post      platform.PostID `json:"post,omitempty"`
	Timer     string          `json:"timer,omitempty"` // the name of a timer
	SeenAt    time.Time       `json:"seen_at"`         // when a timer was due
	State     string          `json:"state"`
	Tries     int             `json:"tries,omitempty"`
	Late      bool            `json:"late,omitempty"`
	HandledAt time.Time       `json:"handled_at,omitzero"`
	Outcome   string          `json:"outcome,omitempty"`
	Route     string          `json:"route,omitempty"`
	Rule      string          `json:"rule,omitempty"`
	Note      string          `json:"note,omitempty"`
	Why       event.Reason    `json:"why,omitempty"`   // what Note says, as a code
	Would     string          `json:"would,omitempty"` // what would have been done, if nothing was since it was on watch or paused
	Asked     *AskedJSON      `json:"asked,omitempty"` // what a person decided about it, and the bot has not done yet
	Next      inspect.Cursor  `json:"next,omitempty"`  // of the last one, where the list goes on
}

func eventForMachines(e *record.EventRow, asked Waiting) eventJSON {
	return eventJSON{
		e.Account, e.ID.String(), e.Kind, e.Peer, e.User, e.Name, e.Text, e.Post, "", e.SeenAt.UTC(), e.State, e.Tries, e.Late,
		e.HandledAt.UTC(), e.Record.Outcome, e.Record.Route, e.Record.Rule, e.Record.Note, e.Record.Why, "", asked.askedAboutEvent(&e.Event).ForMachines(), "",
	}
}
