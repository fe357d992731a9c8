package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

const eventsHelp = `Events lists what happened on the platform, newest first, and what the bot made of
it. It works while the bot runs.

  pending      waits for its turn
  quarantined  its handler failed again and again; the conversation went on
               without it, and nectar events retry lets it be tried again
  orphaned     a timer that the program has no route for: it waits for one that
               has, and is tried when that starts

Timers are listed with what is pending, quarantined or orphaned; SEEN is when they
were due.

Others show how their turn ended. By rules: answered, acted, held back (a rule matched, and its limit or its hours kept it
silent), unmatched (no rule is for it), gathering (answered together with what
follows), left alone (the person wants that), watched (rules on watch would have done
something). What a rule on ask prepared is waiting (for an approval), approved (and on
its way), sent or done, refused, expired (nobody approved it in time) or withdrawn, and WHY says
who decided; --outcome prepared finds all of that. Otherwise: handled, unmatched (no route wanted it), late (too old to be
answered), owned (a person has the conversation). RULE is the rule that answered, or
else the first that did something or was held back; nectar why ID tells the rest.`

// eventList is which events are wanted.
type eventList struct {
	deskFlags
	quarantined, pending, orphaned bool

	goOn bool // --follow

	peer, rule, outcome string
	since               time.Duration
	limit               int
}

func newEvents(sh shell) *cobra.Command {
	var l eventList
	cmd := &cobra.Command{
		Use:     "events",
		Short:   "List what happened, and retry what failed",
		Long:    eventsHelp,
		Example: "  nectar events --quarantined\n  nectar events --rule opening-hours --outcome \"held back\"\n  nectar events --peer @ana --since 24h\n  nectar events --follow\n  nectar events retry message:501",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if l.quarantined && l.pending || l.quarantined && l.orphaned || l.pending && l.orphaned {
				return badUsage(cmd, errors.New("--quarantined, --pending and --orphaned do not go together"))
			}
			if l.goOn && (l.quarantined || l.pending || l.orphaned) {
				return badUsage(cmd, errors.New("--follow shows what has had its turn: it does not go with --quarantined, --pending and --orphaned"))
			}
			return usage(knownCommand)(cmd, args)
		},
		RunE: sh.atDesk(&l.deskFlags, l.print),
	}
	l.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&l.quarantined, "quarantined", false, "only what failed too often")
	f.BoolVar(&l.pending, "pending", false, "only what waits for its turn")
	f.BoolVar(&l.orphaned, "orphaned", false, "only timers that the program has no route for")
	f.BoolVarP(&l.goOn, "follow", "f", false, "go on with what comes, until you interrupt it")
	f.StringVar(&l.peer, "peer", "", "only of this `person`: @name or number")
	f.StringVar(&l.rule, "rule", "", "only what the rule with this `id` decided")
	f.StringVar(&l.outcome, "outcome", "", "only what ended like `this`: answered, \"held back\", unmatched …")
	f.Var((*span)(&l.since), "since", "only what was seen within this `time`, like 24h or 7d")
	l.limit = defaultLimit
	f.Var((*number)(&l.limit), "limit", "at most this `number`")
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newRetry(sh, &l.deskFlags))
	return cmd
}

// read returns the events, newest first.
func (l *eventList) read(ctx context.Context, d *desk) ([]record.EventRow, error) {
	key, err := d.peer(ctx, l.peer)
	if err != nil {
		return nil, err
	}
	q := record.EventQuery{Peer: key.Peer, Limit: l.limit}
	if l.since > 0 {
		q.Since = time.Now().Add(-l.since)
	}
	switch {
	case l.quarantined:
		q.State = record.EventQuarantined
	case l.pending:
		q.State = record.EventPending
	}
	look := func(account event.Account) ([]record.EventRow, error) {
		q.Account = account
		if l.looks() {
			return l.search(ctx, d, q)
		}
		return l.newest(ctx, d, q)
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
	return all[:min(len(all), l.limit)], nil
}

// newest returns the newest events of an account.
func (l *eventList) newest(ctx context.Context, d *desk, q record.EventQuery) ([]record.EventRow, error) {
	events, err := d.Events(ctx, q)
	if err == nil {
		err = d.gathered(ctx, events)
	}
	return events, err
}

func (l *eventList) print(ctx context.Context, d *desk, _ []string) error {
	if l.goOn {
		return l.follow(ctx, d)
	}
	all, err := l.occasions(ctx, d)
	if err != nil {
		return err
	}
	asked, err := d.waiting(ctx)
	if err != nil {
		return err
	}
	if d.json {
		for i := range all {
			if err := printLine(d.out, all[i].forMachines(asked)); err != nil {
				return err
			}
		}
		return nil
	}
	t := table{head: []string{"SEEN", "ACCOUNT", "ID", "WHO", "WHAT", "STATE", "RULE", "WHY"}}
	for i := range all {
		o := &all[i]
		t.add(append([]string{when(o.at()), string(o.key().Account), plain(o.id(), 0), o.who()}, o.row(asked)...)...)
	}
	t.squeeze("RULE", "WHY")
	none := "nothing has happened"
	switch {
	case l.rule != "" || l.outcome != "":
		none = "nothing of that has happened"
	case l.quarantined:
		none = "nothing is quarantined"
	case l.orphaned:
		none = "no timer is orphaned"
	case l.pending:
		none = "nothing is pending"
	}
	if err := d.print(&t, none); err != nil {
		return err
	}
	return l.looked(ctx, d, len(all))
}

// endedLike tells whether an event ended in a way; "prepared" is whatever became of what waited for an approval.
func endedLike(e *record.EventRow, outcome string) bool {
	is := stands(e)
	return strings.EqualFold(is, outcome) || strings.EqualFold(outcome, string(rules.Prepared)) && wasPrepared(is)
}

// about says how an event has to do with its post; other kinds are "of" one.
var about = map[event.Kind]string{event.KindReply: "to", event.KindMention: "in"}

// happened says what an event is.
func happened(e *record.EventRow, n int) string {
	what := string(e.Kind)
	if e.Kind == event.KindOther {
		what = plain(string(e.Subject), 20)
	}
	switch {
	case e.Text == private:
		return what + " " + private
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
func stands(e *record.EventRow) string {
	switch {
	case e.State != record.EventHandled:
		return e.State
	case e.Trace.Outcome == bot.OutcomeUnmatched && e.Trace.Route == routeFallback: // which did something about it
		return bot.OutcomeHandled
	}
	return e.Trace.Outcome
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
	why := plain(e.Trace.Note, 100)
	if e.Trace.Route != "" && e.Trace.Route != routeRules && e.Trace.Route != routeTimers {
		why = "by " + plain(e.Trace.Route, 40) + map[bool]string{true: ": "}[why != ""] + why
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
	Asked     *askedJSON      `json:"asked,omitempty"` // what a person decided about it, and the bot has not done yet
}

func eventForMachines(e *record.EventRow, asked waiting) eventJSON {
	return eventJSON{
		e.Account, e.ID.String(), e.Kind, e.Peer, e.User, e.Name, e.Text, e.Post, "", e.SeenAt.UTC(), e.State, e.Tries, e.Late,
		e.HandledAt.UTC(), e.Trace.Outcome, e.Trace.Route, e.Trace.Rule, e.Trace.Note, "", asked.event(&e.Event).forMachines(),
	}
}
