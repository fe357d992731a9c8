package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/spf13/cobra"
)

const summaryHelp = `Summary says what happened since last night: what people wrote and did, what the bot sent
and did, who waits for a person of yours and since when, what was not answered and why,
and what you were called for. It works while the bot runs.`

// summaryOptions say what is to be summed up.
type summaryOptions struct {
	deskFlags
	since time.Duration
	limit int
}

func newSummary(sh shell) *cobra.Command {
	o := summaryOptions{since: 12 * time.Hour, limit: 10}
	cmd := &cobra.Command{
		Use:     "summary",
		Short:   "Say what happened, who waits, and what was not answered",
		Long:    summaryHelp,
		Example: "  nectar summary\n  nectar summary --since 3d",
		GroupID: groupCare,
		Args:    usage(cobra.NoArgs),
		RunE:    sh.atDesk(&o.deskFlags, func(ctx context.Context, d *desk, _ []string) error { return o.print(ctx, d) }),
	}
	o.add(cmd)
	o.privately(cmd)
	cmd.Flags().Var((*span)(&o.since), "since", "what happened within this `time`, like 12h or 3d")
	cmd.Flags().Var((*number)(&o.limit), "limit", "at most this `number` of lines of each kind")
	return cmd
}

// summary is what happened on an account. It is printed as it is for machines.
type summary struct {
	Account    event.Account        `json:"account"`
	Since      time.Time            `json:"since"`
	Until      time.Time            `json:"until"`
	Happened   []record.EventCount  `json:"happened"` // what was seen, by kind
	Done       []record.ActionCount `json:"done"`     // what the bot did, by how it ended
	Decided    map[string]int       `json:"decided"`  // turns, by how they ended
	Waits      []waitsLine          `json:"waits"`    // who waits for a person, the longest first
	Waiting    int                  `json:"waiting"`  // how many
	Unanswered []unansweredLine     `json:"unanswered"`
	Called     []noticeJSON         `json:"called"` // what people were called for, the newest first
	Calls      int                  `json:"calls"`  // how often

	survey  *survey
	called  []noticeRow
	Paused  string `json:"paused,omitempty"`
	Stopped string `json:"stopped,omitempty"`
}

// waitsLine is somebody who waits for a person of ours.
type waitsLine struct {
	Since time.Time `json:"since"`
	Who   string    `json:"who"`
	Why   string    `json:"why"`
	Text  string    `json:"text,omitempty"`
	Do    string    `json:"do"` // the command that deals with it
}

// unansweredLine is something that nobody answered.
type unansweredLine struct {
	At      time.Time `json:"at"`
	ID      string    `json:"id"`
	Who     string    `json:"who"`
	What    string    `json:"what"`
	Outcome string    `json:"outcome"`
	Why     string    `json:"why"`
}

func (o *summaryOptions) print(ctx context.Context, d *desk) error {
	now := time.Now()
	known, err := o.survey(ctx, d, now.Add(-o.since))
	if err != nil {
		return err
	}
	for i, account := range d.accounts {
		s := summary{Account: account, Since: now.Add(-o.since), Until: now, survey: known}
		if err := o.read(ctx, d, &s); err != nil {
			return err
		}
		var err error
		if d.json {
			s.Since, s.Until = s.Since.UTC(), s.Until.UTC()
			err = printLine(d.out, s)
		} else {
			if i > 0 {
				_, _ = fmt.Fprintln(d.out)
			}
			err = o.tell(d, &s)
		}
		if err != nil {
			return err
		}
	}
	if len(d.accounts) == 0 && !d.json {
		_, err := fmt.Fprintln(d.out, "no account has been at work on this database yet")
		return err
	}
	return nil
}

// read reads what happened on an account.
func (o *summaryOptions) read(ctx context.Context, d *desk, s *summary) (err error) {
	if s.Happened, err = d.EventCounts(ctx, s.Account, s.Since); err != nil {
		return err
	}
	if s.Done, err = d.ActionCounts(ctx, s.Account, s.Since); err != nil {
		return err
	}
	tallies, err := d.Tallies(ctx, s.Account, s.Since)
	if err != nil {
		return err
	}
	s.Decided = map[string]int{}
	ended := map[string]bool{}
	for i := range tallies {
		ended[tallies[i].Outcome] = true
		if t := &tallies[i]; t.Rule == "" || t.Outcome != string(rules.Watched) { // those are of actions
			s.Decided[t.Outcome] += t.Count
		}
	}
	if err := o.waits(ctx, d, s); err != nil {
		return err
	}
	if err := o.unanswered(ctx, d, s, ended); err != nil {
		return err
	}
	o.calls(d, s)
	p, err := bot.PausesOf(ctx, s.survey.known, s.Account)
	if err != nil {
		return err
	}
	s.Paused = pausedNow(s.Account, p)
	r, err := bot.RivalryOf(ctx, s.survey.known, s.Account)
	if state, why := standing(s.Account, r, bot.Pauses{}, s.Until); state == stopped {
		s.Stopped = why
	}
	return err
}

// waits finds who waits for a person of ours, however long.
func (o *summaryOptions) waits(ctx context.Context, d *desk, s *summary) error {
	for _, x := range []struct {
		among map[event.Account]bool
		find  func(context.Context, *desk, *summary) error
	}{{s.survey.held, heldFor}, {s.survey.owned, ownedFor}, {s.survey.stuck, quarantinedFor}} {
		if !x.among[s.Account] {
			continue
		}
		if err := x.find(ctx, d, s); err != nil {
			return err
		}
	}
	slices.SortStableFunc(s.Waits, func(a, b waitsLine) int { return a.Since.Compare(b.Since) })
	s.Waiting = len(s.Waits)
	s.Waits = s.Waits[:min(len(s.Waits), o.limit)]
	return nil
}

// heldFor finds what is held.
func heldFor(ctx context.Context, d *desk, s *summary) error {
	held, err := d.Actions(ctx, record.ActionQuery{Account: s.Account, State: event.StateHeld, Limit: sifted})
	if err != nil {
		return err
	}
	deeds := make([]deed, len(held))
	for i := range held {
		deeds[i].Action = held[i]
	}
	if err := d.name(ctx, deeds); err != nil {
		return err
	}
	for i := range deeds {
		x := &deeds[i]
		do := "nectar outbox approve " + x.number()
		if rule := pausedIn(x.Reason); rule != "" {
			do = "nectar resume " + rule
		} else if x.Reason != needsApproval {
			do = "nectar outbox --held"
		}
		s.Waits = append(s.Waits, waitsLine{x.since(), who(x.user, int64(x.Peer)), x.Reason, x.does(d.private, 60), do})
	}
	return nil
}

// ownedFor finds the conversations of people of ours in which the other one has the last word.
func ownedFor(ctx context.Context, d *desk, s *summary) error {
	rows, err := d.Owned(ctx, s.Account, "", sifted)
	if err != nil {
		return err
	}
	for i := range rows {
		c := &rows[i]
		events, err := d.Events(ctx, record.EventQuery{Account: s.Account, Peer: c.Key.Peer, Limit: 20})
		if err != nil {
			return err
		}
		events = slices.DeleteFunc(events, func(e record.EventRow) bool { return e.Kind != event.KindMessage || e.SeenAt.Before(c.OwnerWrote) })
		for len(events) > 1 && events[len(events)-2].SeenAt.Before(c.OwnerSince) { // before what it was handed over for
			events = events[:len(events)-1]
		}
		if len(events) == 0 {
			continue
		}
		first, last := events[len(events)-1], events[0]
		s.Waits = append(s.Waits, waitsLine{
			first.SeenAt, who(c.User, int64(c.Key.Peer)), has(c.Owner) + " has the conversation, and has not written since",
			happened(&last, 60), "nectar conversations show " + who(c.User, int64(c.Key.Peer)),
		})
	}
	return nil
}

// quarantinedFor finds what failed too often.
func quarantinedFor(ctx context.Context, d *desk, s *summary) error {
	events, err := d.Events(ctx, record.EventQuery{Account: s.Account, State: record.EventQuarantined, Limit: sifted})
	if err != nil {
		return err
	}
	for i := range events {
		e := &events[i]
		s.Waits = append(s.Waits, waitsLine{e.SeenAt, who(e.User, int64(e.Peer)), "it failed too often: " + e.Trace.Note, happened(e, 60), "nectar events retry " + e.ID.String()})
	}
	return nil
}

// notAnswered are the outcomes of what nobody answered, the worst first.
var notAnswered = []string{
	string(rules.HeldBack), string(rules.OnPause), string(rules.Unmatched), bot.OutcomeLate, string(rules.LeftAlone), string(rules.Watched),
}

// unanswered finds what people said and nobody answered, the newest of each kind. How turns ended is known.
func (o *summaryOptions) unanswered(ctx context.Context, d *desk, s *summary, ended map[string]bool) error {
	for _, outcome := range notAnswered {
		if !ended[outcome] && (outcome != string(rules.LeftAlone) || !s.survey.gathered[s.Account]) {
			continue
		}
		l := eventList{outcome: outcome, limit: o.limit}
		events, err := l.search(ctx, d, record.EventQuery{Account: s.Account, Since: s.Since, Limit: o.limit})
		if err != nil {
			return err
		}
		for i := range events {
			if e := &events[i]; e.Text != "" || e.Image != "" {
				s.Unanswered = append(s.Unanswered, unansweredLine{
					e.SeenAt, e.ID.String(), who(e.User, int64(e.Peer)), happened(e, 60), outcome, plain(e.Trace.Note, 160),
				})
			}
		}
	}
	if !s.survey.listed[s.Account] {
		return nil
	}
	entries, err := (&entryList{since: s.Until.Sub(s.Since), limit: o.limit, each: true}).readOf(ctx, d, unanswered, s.Account)
	if err != nil {
		return err
	}
	for i := range entries {
		r := &entries[i]
		s.Unanswered = append(s.Unanswered, unansweredLine{
			r.At, r.Trigger, who(r.user, int64(r.Peer)), quoted(r.Text, 60), "on the list " + unanswered, "",
		})
	}
	return nil
}

// calls finds what people were called for.
func (o *summaryOptions) calls(d *desk, s *summary) {
	rows := s.survey.calls(s.Account)
	s.Calls = len(rows)
	s.called = rows[:min(len(rows), o.limit)]
	s.Called = []noticeJSON{}
	for i := range s.called {
		s.Called = append(s.Called, s.called[i].forMachines(d.private))
	}
}

// tell prints a summary to people.
func (o *summaryOptions) tell(d *desk, s *summary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "account %s, since %s\n", s.Account, when(s.Since))
	for _, line := range []string{s.Stopped, s.Paused} {
		if line != "" {
			fmt.Fprintf(&b, "%s\n", line)
		}
	}
	var seen, done []string
	for _, c := range s.Happened {
		seen = append(seen, fmt.Sprintf("%s of %s", several(c.Events, string(c.Kind), string(c.Kind)+"s"), several(c.People, "person", "people")))
	}
	for _, c := range s.Done {
		done = append(done, several(c.Actions, string(c.Verb), string(c.Verb)+"s")+" "+string(c.State))
	}
	fmt.Fprintf(&b, "seen: %s\ndone: %s\n", cmp.Or(strings.Join(seen, ", "), "nothing"), cmp.Or(strings.Join(done, ", "), "nothing"))
	if _, err := fmt.Fprint(d.out, b.String()); err != nil {
		return err
	}
	if err := o.tellWaits(d, s); err != nil {
		return err
	}
	if err := o.tellUnanswered(d, s); err != nil {
		return err
	}
	return o.tellCalls(d, s)
}

func (o *summaryOptions) tellWaits(d *desk, s *summary) error {
	if _, err := fmt.Fprintf(d.out, "\nwho waits for you: %d\n", s.Waiting); err != nil || s.Waiting == 0 {
		return err
	}
	t := table{head: []string{"SINCE", "WHO", "WHY", "WHAT", "DO"}}
	for _, w := range s.Waits {
		t.add(when(w.Since), w.Who, plain(w.Why, 100), w.Text, w.Do)
	}
	if err := t.print(d.out, ""); err != nil {
		return err
	}
	return moreThan(d, s.Waiting-len(s.Waits))
}

func (o *summaryOptions) tellUnanswered(d *desk, s *summary) error {
	if _, err := fmt.Fprintf(d.out, "\nnot answered: %s\n", cmp.Or(s.unansweredCounts(), "nothing")); err != nil || len(s.Unanswered) == 0 {
		return err
	}
	t := table{head: []string{"SEEN", "ID", "WHO", "WHAT", "STATE", "WHY"}}
	for _, u := range s.Unanswered {
		t.add(when(u.At), u.ID, u.Who, u.What, u.Outcome, u.Why)
	}
	t.squeeze("WHY")
	return t.print(d.out, "")
}

func (o *summaryOptions) tellCalls(d *desk, s *summary) error {
	if _, err := fmt.Fprintf(d.out, "\nyou were called: %s\n", several(s.Calls, "time", "times")); err != nil || s.Calls == 0 {
		return err
	}
	t := table{head: []string{"AT", "TEAM", "ABOUT", "TEXT", "STATE", "ERROR"}}
	for i := range s.called {
		r := &s.called[i]
		t.add(when(r.At), plain(r.Who, 24), plain(r.Kind, 24), plain(r.says(d.private), 80), r.state(), plain(r.trouble(), 100))
	}
	t.squeeze("ABOUT", "ERROR")
	if err := t.print(d.out, ""); err != nil {
		return err
	}
	return moreThan(d, s.Calls-len(s.called))
}

// unansweredCounts says how many turns ended without an answer, by how.
func (s *summary) unansweredCounts() string {
	var all []string
	for _, outcome := range notAnswered {
		if n := s.Decided[outcome]; n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	return strings.Join(all, ", ")
}

func moreThan(d *desk, n int) error {
	if n <= 0 {
		return nil
	}
	_, err := fmt.Fprintf(d.out, "and %d more; --limit shows more\n", n)
	return err
}
