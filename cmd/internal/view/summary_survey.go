package view

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// survey is what a summary knows of all accounts, before it looks at one after the other: most of them have nothing open.
type survey struct {
	held, owned, stuck map[event.Account]bool // somebody waits
	gathered           map[event.Account]bool // something was gathered, and may never have been answered
	listed             map[event.Account]bool // something stands on the list of what was not answered
	known              record.Knowledge
	called             map[event.Account][]noticeRow // the newest first; of "" for the whole bot
}

func (o *SummaryOptions) survey(ctx context.Context, d *View, since time.Time) (*survey, error) {
	s := &survey{called: map[event.Account][]noticeRow{}}
	for _, x := range []struct {
		into  *map[event.Account]bool
		thing record.Having
	}{{&s.held, record.Having{Thing: record.HasActions, State: string(event.StateHeld)}}, {&s.owned, record.Having{Thing: record.HasOwned, Text: ""}}, {&s.listed, record.Having{Thing: record.HasEntriesOn, List: unanswered}}} {
		those, err := d.AmongMeant(ctx, x.thing)
		if err != nil {
			return nil, err
		}
		*x.into = SetOf(those)
	}
	for _, x := range []struct {
		into *map[event.Account]bool
		q    record.EventQuery
	}{{&s.stuck, record.EventQuery{State: record.EventQuarantined}}, {&s.gathered, record.EventQuery{Outcome: string(ruledecision.Gathering), Since: since}}} {
		heads, err := d.Heads(ctx, d.Meant, x.q)
		if err != nil {
			return nil, err
		}
		*x.into = map[event.Account]bool{}
		for _, h := range heads {
			(*x.into)[h.Account] = true
		}
	}
	notices, err := d.Notices(ctx, record.NoticeQuery{Since: since, Limit: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	for i := range notices {
		n := &notices[i]
		s.called[n.Account] = append(s.called[n.Account], noticeRow{*n, autoresponder.Fates(n)})
	}
	s.known, err = d.KnowledgeOfMeant(ctx)
	return s, err
}

// calls returns what people were called for about an account, and about the whole bot.
func (s *survey) calls(account event.Account) []noticeRow {
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
