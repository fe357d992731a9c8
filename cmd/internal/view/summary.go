package view

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// SummaryOptions say what is to be summed up.
type SummaryOptions struct {
	Flags
	Since time.Duration
	Limit int
}

// Summary is what happened on an account. It is printed as it is for machines.
type Summary struct {
	Account    event.Account        `json:"account"`
	Since      time.Time            `json:"since"`
	Until      time.Time            `json:"until"`
	Happened   []record.EventCount  `json:"happened"` // what was seen, by kind
	Done       []record.ActionCount `json:"done"`     // what the bot did, by how it ended
	Decided    map[string]int       `json:"decided"`  // turns, by how they ended
	Waits      []waitsLine          `json:"waits"`    // who waits for a person, the longest first
	Waiting    int                  `json:"waiting"`  // how many
	Unanswered []UnansweredLine     `json:"unanswered"`
	Listed     int                  `json:"listed"` // what stands on the list of what was not answered
	Called     []noticeJSON         `json:"called"` // what people were called for, the newest first
	Calls      int                  `json:"calls"`  // how often

	survey *survey
	called []noticeRow
	unwell []record.Trouble
	Paused string `json:"paused,omitempty"`
	// StoppedRules are rules that have stopped themselves.
	StoppedRules string `json:"stopped_rules,omitempty"`
	Stopped      string `json:"stopped,omitempty"`
	Unwell       string `json:"unwell,omitempty"` // what is not well now, as nectar status says it
}

// UnansweredLine is something that nobody answered.
type UnansweredLine struct {
	At      time.Time `json:"at"`
	ID      string    `json:"id"`
	Who     string    `json:"who"`
	What    string    `json:"what"`
	Outcome string    `json:"outcome"`
	Why     string    `json:"why"`
}

// Print writes the summary of each account.
func (o *SummaryOptions) Print(ctx context.Context, d *View) error {
	now := time.Now()
	known, err := o.makeSurvey(ctx, d, now.Add(-o.Since))
	if err != nil {
		return err
	}
	for i, account := range d.Meant {
		s := Summary{Account: account, Since: now.Add(-o.Since), Until: now, survey: known}
		if err := o.read(ctx, d, &s); err != nil {
			return err
		}
		var err error
		if d.JSON {
			s.Since, s.Until = s.Since.UTC(), s.Until.UTC()
			err = print.WriteLine(d.Out, s)
		} else {
			if i > 0 {
				_, _ = fmt.Fprintln(d.Out)
			}
			err = o.printSummary(d, &s)
		}
		if err != nil {
			return err
		}
	}
	if len(d.Meant) > 0 || d.JSON {
		return nil
	}
	none := []string{"no account has been at work on this database yet"}
	for _, account := range known.judged.Names() {
		none = append(none, string(account)+": not well: "+TroublesSaid(known.judged.Of(account)))
	}
	return print.SayLine(d.Out, "%s", strings.Join(none, "\n"))
}

// read reads what happened on an account.
func (o *SummaryOptions) read(ctx context.Context, d *View, s *Summary) (err error) {
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
		if t := &tallies[i]; t.Rule == "" || t.Outcome != string(ruledecision.Watched) { // those are of actions
			s.Decided[t.Outcome] += t.Count
		}
	}
	if err := o.addWaiting(ctx, d, s); err != nil {
		return err
	}
	if err := o.addUnanswered(ctx, d, s, ended); err != nil {
		return err
	}
	o.calls(d, s)
	standing, err := inspect.StandingOf(ctx, s.survey.known, s.Account)
	s.Paused = PausedNow(s.Account, standing.Pauses)
	s.StoppedRules = StoppedNow(s.survey.stopped[s.Account])
	s.unwell = s.survey.judged.Of(s.Account)
	s.Unwell = TroublesSaid(s.unwell)
	if standing.State == inspect.Stopped {
		s.Stopped = OtherBot(s.Account, standing, s.Until)
	}
	return err
}

// addWaiting tells who waits for a person of ours, however long.
func (o *SummaryOptions) addWaiting(ctx context.Context, d *View, s *Summary) (err error) {
	those := s.survey.waits[s.Account]
	s.Waiting = s.survey.waiting[s.Account]
	s.Waits, err = d.waitLines(ctx, those[:min(len(those), o.Limit)])
	return err
}

// notAnswered are the outcomes of what nobody answered, the worst first.
var notAnswered = []string{
	string(ruledecision.HeldBack), string(ruledecision.OnPause), string(ruledecision.Unmatched), bot.OutcomeLate, string(ruledecision.Watched),
}

// addUnanswered finds what people said and nobody answered, the newest first. How turns ended is known.
func (o *SummaryOptions) addUnanswered(ctx context.Context, d *View, s *Summary, ended map[string]bool) error {
	for _, outcome := range notAnswered {
		if !ended[outcome] {
			continue
		}
		l := EventList{Outcome: outcome, Limit: o.Limit}
		events, err := l.search(ctx, d, record.EventQuery{Account: s.Account, Since: s.Since, Limit: o.Limit})
		if err != nil {
			return err
		}
		for i := range events {
			if e := &events[i]; e.Text != "" || e.Image != "" {
				s.Unanswered = append(s.Unanswered, UnansweredLine{
					e.SeenAt, e.ID.String(), print.PersonName(e.User, int64(e.Peer)), HappenedText(e, 60), outcome, print.PlainText(e.Record.Note, 160),
				})
			}
		}
	}
	var entries []row
	if s.survey.listed[s.Account] {
		var err error
		if entries, err = (&EntryList{Since: s.Until.Sub(s.Since), Each: true}).readOf(ctx, d, unanswered, s.Account); err != nil {
			return err
		}
	}
	s.Listed = len(entries)
	for i := range entries[:min(len(entries), o.Limit)] {
		r := &entries[i]
		s.Unanswered = append(s.Unanswered, UnansweredLine{
			r.At, r.Trigger, print.PersonName(r.user, int64(r.Peer)), print.QuotePlain(r.Text, 60), onListUnanswered, "",
		})
	}
	slices.SortStableFunc(s.Unanswered, func(a, b UnansweredLine) int { return b.At.Compare(a.At) })
	s.Unanswered = s.Unanswered[:min(len(s.Unanswered), o.Limit)]
	return nil
}

const onListUnanswered = "on the list " + unanswered

// calls finds what people were called for.
func (o *SummaryOptions) calls(d *View, s *Summary) {
	rows := s.survey.callsAbout(s.Account)
	s.Calls = len(rows)
	s.called = rows[:min(len(rows), o.Limit)]
	s.Called = []noticeJSON{}
	for i := range s.called {
		s.Called = append(s.Called, s.called[i].forMachines(d.Private))
	}
}

// printSummary prints a summary to people.
func (o *SummaryOptions) printSummary(d *View, s *Summary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "account %s, since %s\n", s.Account, print.TimeText(s.Since))
	for i := range s.unwell {
		fmt.Fprintf(&b, "not well: %s\n", TroubleAdvised(&s.unwell[i]))
	}
	for _, line := range []string{s.Stopped, s.Paused, s.StoppedRules} {
		if line != "" {
			fmt.Fprintf(&b, "%s\n", line)
		}
	}
	var seen, done []string
	for _, c := range s.Happened {
		seen = append(seen, fmt.Sprintf("%s of %s", print.CountText(c.Events, string(c.Kind), string(c.Kind)+"s"), print.CountText(c.People, "person", "people")))
	}
	for _, c := range s.Done {
		line := print.CountText(c.Actions, string(c.Verb), string(c.Verb)+"s") + " " + c.State.String()
		if c.Why != "" {
			line += " (" + reason.SentenceOf(c.Why) + ")"
		}
		done = append(done, line)
	}
	fmt.Fprintf(&b, "seen: %s\ndone: %s\n", cmp.Or(strings.Join(seen, ", "), "nothing"), cmp.Or(strings.Join(done, ", "), "nothing"))
	if _, err := fmt.Fprint(d.Out, b.String()); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(d.Out); err != nil {
		return err
	}
	if err := d.tellWaits(s.Waits, s.Waiting, false); err != nil {
		return err
	}
	if err := o.tellUnanswered(d, s); err != nil {
		return err
	}
	return o.tellCalls(d, s)
}

func (o *SummaryOptions) tellUnanswered(d *View, s *Summary) error {
	counts, all := s.unansweredCounts()
	ignored := ""
	if n := s.Decided[string(ruledecision.Ignored)]; n > 0 {
		ignored = fmt.Sprintf(" (besides %d that rules ignore)", n)
	}
	if _, err := fmt.Fprintf(d.Out, "\nnot answered: %s%s\n", cmp.Or(counts, "nothing"), ignored); err != nil || len(s.Unanswered) == 0 {
		return err
	}
	t := print.Table{Head: []string{"SEEN", "ID", "WHO", "WHAT", "STATE", "WHY"}}
	for _, u := range s.Unanswered {
		t.Add(print.TimeText(u.At), u.ID, u.Who, u.What, u.Outcome, u.Why)
	}
	t.DropEmpty("WHY")
	if err := t.Print(d.Out, ""); err != nil {
		return err
	}
	return moreThan(d, all-len(s.Unanswered))
}

func (o *SummaryOptions) tellCalls(d *View, s *Summary) error {
	if _, err := fmt.Fprintf(d.Out, "\nyou were called: %s\n", print.CountText(s.Calls, "time", "times")); err != nil || s.Calls == 0 {
		return err
	}
	t := print.Table{Head: []string{"AT", "TEAM", "ABOUT", "TEXT", "STATE", "ERROR"}}
	for i := range s.called {
		r := &s.called[i]
		t.Add(print.TimeText(r.At), print.PlainText(r.Who, 24), print.PlainText(r.Kind, 24), print.PlainText(r.lineText(d.Private), 80), r.stateText(), print.PlainText(r.troubleText(), 100))
	}
	t.DropEmpty("ABOUT", "ERROR")
	if err := t.Print(d.Out, ""); err != nil {
		return err
	}
	return moreThan(d, s.Calls-len(s.called))
}

// unansweredCounts says how many turns ended without an answer, by how, and how many there are in all.
func (s *Summary) unansweredCounts() (said string, all int) {
	var some []string
	count := func(n int, how string) {
		if all += n; n > 0 {
			some = append(some, fmt.Sprintf("%d %s", n, how))
		}
	}
	for _, outcome := range notAnswered {
		count(s.Decided[outcome], outcome)
	}
	count(s.Listed, onListUnanswered)
	return strings.Join(some, ", "), all
}

func moreThan(d *View, n int) error {
	if n <= 0 {
		return nil
	}
	return print.SayLine(d.Out, "and %d more; --limit shows more", n)
}

// survey is what a summary knows of all accounts, before it looks at one after the other: most of them have nothing open.
type survey struct {
	waits   map[event.Account][]inspect.Waiting // who has waited longest comes first
	waiting map[event.Account]int               // how many wait
	listed  map[event.Account]bool              // something stands on the list of what was not answered
	known   record.Knowledge
	stopped map[event.Account][]event.Entry // rules that have stopped themselves
	judged  record.Judgement
	called  map[event.Account][]noticeRow // the newest first; of "" for the whole bot
}

func (o *SummaryOptions) makeSurvey(ctx context.Context, d *View, since time.Time) (*survey, error) {
	s := &survey{waits: map[event.Account][]inspect.Waiting{}, called: map[event.Account][]noticeRow{}}
	waits, waiting, err := inspect.WhoWaits(ctx, d.Inspector, o.Limit, d.Meant...)
	if err != nil {
		return nil, err
	}
	s.waiting = waiting
	for _, w := range waits {
		s.waits[w.Key.Account] = append(s.waits[w.Key.Account], w)
	}
	those, err := d.AmongMeant(ctx, record.Having{Thing: record.HasEntriesOn, List: unanswered})
	if err != nil {
		return nil, err
	}
	s.listed = SetOf(those)
	// For all accounts at a time, as everything here: with thousands of them, a query for each is what takes long.
	notices, err := d.Notices(ctx, record.NoticeQuery{Since: since, Limit: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	for i := range notices {
		n := &notices[i]
		s.called[n.Account] = append(s.called[n.Account], noticeRow{*n, autoresponder.Fates(n)})
	}
	if s.judged, err = d.Judgement(ctx); err != nil {
		return nil, err
	}
	if s.stopped, err = StoppedRules(ctx, d.Inspector, d.Meant); err != nil {
		return nil, err
	}
	s.known, err = d.KnowledgeOfMeant(ctx)
	return s, err
}

// callsAbout returns what people were called for about an account, and about the whole bot.
func (s *survey) callsAbout(account event.Account) []noticeRow {
	rows := slices.Concat(s.called[account], s.called[""])
	slices.SortStableFunc(rows, func(a, b noticeRow) int { return b.At.Compare(a.At) })
	return rows[:min(len(rows), sifted)]
}

// SetOf returns the accounts as a set.
func SetOf(accounts []event.Account) map[event.Account]bool {
	set := make(map[event.Account]bool, len(accounts))
	for _, a := range accounts {
		set[a] = true
	}
	return set
}
