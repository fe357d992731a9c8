package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
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

// HasCursors reports whether the list may have them: it is then of events alone, each as it is stored.
func (l *EventList) HasCursors() bool { return !l.looks() && l.state() == "" && !l.GoOn }

var errManyAccounts = errors.New("--cursor goes on with the list of one account: say which one, with --account")

// read returns the events, newest first.
func (l *EventList) read(ctx context.Context, d *View) ([]record.EventRow, error) {
	key, err := d.peer(ctx, l.Peer)
	if err != nil {
		return nil, err
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
	}
	look := func(account event.Account) ([]record.EventRow, error) {
		q.Account = account
		if l.looks() {
			return l.search(ctx, d, q)
		}
		return l.newest(ctx, d, q)
	}
	of := d.Meant
	if key.Peer != 0 {
		of = []event.Account{key.Account}
	}
	switch one := len(of) == 1; {
	case l.HasCursors() && one:
		q.Account = of[0]
		return l.page(ctx, d, q)
	case l.Cursor != "" && !one:
		return nil, &cli.ExitError{Code: cli.ExitUsage, Err: errManyAccounts}
	}
	var all []record.EventRow
	if key.Peer != 0 {
		all, err = look(key.Account)
	} else {
		all, err = newestOf(ctx, d, l.heads(q), func(e *record.EventRow) time.Time { return e.SeenAt }, look)
	}
	if err != nil {
		return nil, err
	}
	newestFirst(all)
	return all[:min(len(all), l.Limit)], nil
}

// page returns the events of an account behind the cursor.
func (l *EventList) page(ctx context.Context, d *View, q record.EventQuery) ([]record.EventRow, error) {
	page, err := inspect.Events(ctx, d.Inspector, q, l.Cursor)
	if err != nil {
		return nil, badCursor(err)
	}
	l.next = page.Next
	return page.Rows, d.gathered(ctx, page.Rows)
}

// newest returns the newest events of an account.
func (l *EventList) newest(ctx context.Context, d *View, q record.EventQuery) ([]record.EventRow, error) {
	events, err := d.Events(ctx, q)
	if err == nil {
		err = d.gathered(ctx, events)
	}
	return events, err
}

// Print writes the list of events.
func (l *EventList) Print(ctx context.Context, d *View, _ []string) error {
	if l.GoOn {
		return l.follow(ctx, d)
	}
	all, err := l.occasions(ctx, d)
	if err != nil {
		return err
	}
	asked, err := d.Waiting(ctx)
	if err != nil {
		return err
	}
	if d.JSON {
		for i := range all {
			line := all[i].forMachines(asked)
			if i == len(all)-1 {
				line.Next = l.next
			}
			if err := print.Line(d.Out, line); err != nil {
				return err
			}
		}
		return nil
	}
	t := print.Table{Head: []string{"SEEN", "ACCOUNT", "ID", "WHO", "WHAT", "STATE", "RULE", "WHY"}}
	for i := range all {
		o := &all[i]
		t.Add(append([]string{print.When(o.at()), string(o.key().Account), print.Plain(o.id(), 0), o.who()}, o.row(asked)...)...)
	}
	t.Squeeze("RULE", "WHY")
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
	return l.looked(ctx, d, len(all))
}

// endedLike reports whether an event ended in a way; "prepared" is whatever became of what waited for an approval.
func endedLike(e *record.EventRow, outcome string) bool {
	is := stands(e)
	return strings.EqualFold(is, outcome) || strings.EqualFold(outcome, string(ruledecision.Prepared)) && wasPrepared(is)
}

// about says how an event has to do with its post; other kinds are "of" one.
var about = map[event.Kind]string{event.KindReply: "to", event.KindMention: "in"}

// Happened says what an event is.
func Happened(e *record.EventRow, n int) string {
	what := string(e.Kind)
	if e.Kind == event.KindOther {
		what = print.Plain(string(e.Subject), 20)
	}
	switch {
	case e.Text == words.Private:
		return what + " " + words.Private
	case e.Text != "":
		return what + " " + print.Quoted(e.Text, n)
	case e.Image != "":
		return what + " (a picture)"
	case e.Post != 0:
		return fmt.Sprintf("%s %s post %d", what, cmp.Or(about[e.Kind], "of"), e.Post)
	}
	return what
}

// stands says where an event stands.
func stands(e *record.EventRow) string {
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

// reason says why an event stands there.
func reason(e *record.EventRow) string {
	why := print.Plain(e.Record.Note, 100)
	if e.Record.Route != "" && e.Record.Route != routeRules && e.Record.Route != routeTimers {
		why = "by " + print.Plain(e.Record.Route, 40) + map[bool]string{true: ": "}[why != ""] + why
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
	Would     string          `json:"would,omitempty"` // what would have been done, if nothing was since it was on watch or paused
	Asked     *AskedJSON      `json:"asked,omitempty"` // what a person decided about it, and the bot has not done yet
	Next      inspect.Cursor  `json:"next,omitempty"`  // of the last one, where the list goes on
}

func eventForMachines(e *record.EventRow, asked Waiting) eventJSON {
	return eventJSON{
		e.Account, e.ID.String(), e.Kind, e.Peer, e.User, e.Name, e.Text, e.Post, "", e.SeenAt.UTC(), e.State, e.Tries, e.Late,
		e.HandledAt.UTC(), e.Record.Outcome, e.Record.Route, e.Record.Rule, e.Record.Note, "", asked.event(&e.Event).ForMachines(), "",
	}
}
