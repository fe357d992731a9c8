package view

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

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
