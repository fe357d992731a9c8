package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

const eventsHelp = `Events lists what happened on the platform, newest first, and what the bot made of
it. It works while the bot runs.

  pending      waits for its turn
  quarantined  its handler failed again and again; the conversation went on
               without it, and nectar events retry lets it be tried again

Others show how their turn ended: handled, unmatched (no route wanted it), late
(too old to be answered), owned (a person has the conversation).`

const retryHelp = `Retry lets quarantined events have their turn again, once what made them fail is
put right: in the order in which they happened, behind what the conversation is
doing now, however old they are, and with all tries before them. Handlers can see
that they are late. One that fails again is quarantined again.

Without a running bot it is done when one starts.`

// eventList is which events are wanted.
type eventList struct {
	deskFlags
	quarantined, pending bool
	peer                 string
	since                time.Duration
	limit                int
}

func newEvents(sh shell) *cobra.Command {
	var l eventList
	cmd := &cobra.Command{
		Use:     "events",
		Short:   "List what happened, and retry what failed",
		Long:    eventsHelp,
		Example: "  nectar events --quarantined\n  nectar events --peer @ana --since 24h\n  nectar events retry message:501",
		GroupID: groupCare,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if l.quarantined && l.pending {
				return badUsage(cmd, errors.New("--quarantined and --pending do not go together"))
			}
			d, err := sh.desk(cmd, &l.deskFlags)
			if err != nil {
				return err
			}
			defer d.close()
			return l.print(cmd.Context(), d)
		},
	}
	l.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&l.quarantined, "quarantined", false, "only what failed too often")
	f.BoolVar(&l.pending, "pending", false, "only what waits for its turn")
	f.StringVar(&l.peer, "peer", "", "only of this `person`: @name or number")
	f.Var((*span)(&l.since), "since", "only what was seen within this `time`, like 24h or 7d")
	l.limit = defaultLimit
	f.Var((*number)(&l.limit), "limit", "at most this `number`")
	cmd.AddCommand(newRetry(sh, &l.deskFlags))
	return cmd
}

// read returns the events, newest first.
func (l *eventList) read(ctx context.Context, d *desk) ([]store.EventRow, error) {
	key, err := d.peer(ctx, l.peer)
	if err != nil {
		return nil, err
	}
	q := store.EventQuery{Peer: key.Peer, Limit: l.limit}
	if l.since > 0 {
		q.Since = time.Now().Add(-l.since)
	}
	switch {
	case l.quarantined:
		q.State = store.EventQuarantined
	case l.pending:
		q.State = store.EventPending
	}
	var all []store.EventRow
	for _, q.Account = range d.accounts {
		if key.Peer != 0 && q.Account != key.Account {
			continue
		}
		events, err := d.Events(ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
	}
	slices.SortStableFunc(all, func(a, b store.EventRow) int { return b.SeenAt.Compare(a.SeenAt) })
	return all[:min(len(all), l.limit)], nil
}

func (l *eventList) print(ctx context.Context, d *desk) error {
	events, err := l.read(ctx, d)
	if err != nil {
		return err
	}
	if d.json {
		for i := range events {
			if err := printLine(d.out, eventForMachines(&events[i])); err != nil {
				return err
			}
		}
		return nil
	}
	asked, err := d.waiting(ctx)
	if err != nil {
		return err
	}
	t := table{head: []string{"SEEN", "ACCOUNT", "ID", "WHO", "WHAT", "STATE", "WHY"}}
	for i := range events {
		e := &events[i]
		t.add(when(e.SeenAt), string(e.Account), e.ID.String(), who(e.User, int64(e.Peer)), happened(e, 40), stands(e),
			and(reason(e), asked.event(&e.Event)))
	}
	none := "nothing has happened"
	switch {
	case l.quarantined:
		none = "nothing is quarantined"
	case l.pending:
		none = "nothing is pending"
	}
	return d.print(&t, none)
}

// about says how an event has to do with its post; other kinds are "of" one.
var about = map[event.Kind]string{event.KindReply: "to", event.KindMention: "in"}

// happened says what an event is.
func happened(e *store.EventRow, n int) string {
	what := string(e.Kind)
	if e.Kind == event.KindOther {
		what = plain(string(e.Subject), 20)
	}
	switch {
	case e.Text != "":
		return what + " " + quoted(e.Text, n)
	case e.Image != "":
		return what + " (a picture)"
	case e.Post != 0:
		return fmt.Sprintf("%s %s post %d", what, cmp.Or(about[e.Kind], "of"), e.Post)
	}
	return what
}

// stands says where an event stands.
func stands(e *store.EventRow) string {
	if e.State == store.EventHandled {
		return e.Trace.Outcome
	}
	return e.State
}

// reason says why an event stands there.
func reason(e *store.EventRow) string {
	why := plain(e.Trace.Note, 100)
	if e.Trace.Route != "" {
		why = "by " + plain(e.Trace.Route, 40) + map[bool]string{true: ": "}[why != ""] + why
	}
	if e.State != store.EventHandled && e.Late {
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
	SeenAt    time.Time       `json:"seen_at"`
	State     string          `json:"state"`
	Tries     int             `json:"tries,omitempty"`
	Late      bool            `json:"late,omitempty"`
	HandledAt time.Time       `json:"handled_at,omitzero"`
	Outcome   string          `json:"outcome,omitempty"`
	Route     string          `json:"route,omitempty"`
	Note      string          `json:"note,omitempty"`
}

func eventForMachines(e *store.EventRow) eventJSON {
	return eventJSON{
		e.Account, e.ID.String(), e.Kind, e.Peer, e.User, e.Name, e.Text, e.Post, e.SeenAt.UTC(), e.State, e.Tries, e.Late,
		e.HandledAt.UTC(), e.Trace.Outcome, e.Trace.Route, e.Trace.Note,
	}
}

// maxRetry is how many quarantined events --all takes at a time.
const maxRetry = 10_000

func newRetry(sh shell, f *deskFlags) *cobra.Command {
	var all bool
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "retry ID… | --all",
		Short:   "Let quarantined events be tried again",
		Long:    retryHelp,
		Example: "  nectar events retry message:501 message:507\n  nectar events retry --all --account shop",
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return badUsage(cmd, errors.New("name events like message:501, or all of them with --all"))
			}
			ids := make([]event.ID, len(args))
			for i, arg := range args {
				var err error
				if ids[i], err = event.ParseID(arg); err != nil {
					return badUsage(cmd, err)
				}
			}
			d, err := sh.desk(cmd, f)
			if err != nil {
				return err
			}
			defer d.close()
			return d.retry(cmd.Context(), ids, wait)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all that is quarantined")
	waitFlag(cmd, &wait)
	return cmd
}

// retry asks for another try of events; of all that are quarantined when ids is empty.
func (d *desk) retry(ctx context.Context, ids []event.ID, wait time.Duration) error {
	var events []store.EventRow
	var err error
	if len(ids) > 0 {
		events, err = d.quarantined(ctx, ids)
	} else {
		l := eventList{quarantined: true, limit: maxRetry}
		events, err = l.read(ctx, d)
	}
	if err != nil {
		return err
	}
	if len(events) == 0 && d.json {
		return nil
	}
	if len(events) == 0 {
		_, err := fmt.Fprintln(d.out, "nothing is quarantined: there is nothing to retry")
		return err
	}
	var decisions []decision
	places := map[event.Key]int{}
	slices.Reverse(events) // those that have waited longest first
	for i := range events {
		e := &events[i]
		place, ok := places[e.Key()]
		if !ok {
			place = len(decisions)
			places[e.Key()] = place
			q := event.Request{Key: e.Key(), Wish: event.WishRetry}
			decisions = append(decisions, decision{q, who(e.User, int64(e.Peer))})
		}
		decisions[place].Events = append(decisions[place].Events, e.ID)
	}
	return d.decide(ctx, wait, decisions)
}

// quarantined returns events that have to be quarantined, the newest first.
func (d *desk) quarantined(ctx context.Context, ids []event.ID) ([]store.EventRow, error) {
	var found []store.EventRow
	for _, id := range ids {
		var of []store.EventRow
		state := ""
		for _, account := range d.accounts {
			e, ok, err := d.Event(ctx, account, id)
			if err != nil {
				return nil, err
			}
			if ok && e.State == store.EventQuarantined {
				of = append(of, e)
			} else if ok {
				state = e.State
			}
		}
		const list = "nectar events --quarantined lists what is quarantined"
		switch {
		case len(of) == 1:
			found = append(found, of[0])
		case len(of) > 1:
			return nil, fmt.Errorf("several accounts have an event %s: say which one, with --account %s", id, of[0].Account)
		case state != "":
			return nil, fmt.Errorf("%s is %s, not quarantined; %s", id, state, list)
		default:
			return nil, fmt.Errorf("there is no event %s; %s", id, list)
		}
	}
	slices.SortStableFunc(found, func(a, b store.EventRow) int {
		return cmp.Or(b.SeenAt.Compare(a.SeenAt), cmp.Compare(b.ID.Number, a.ID.Number))
	})
	return found, nil
}
