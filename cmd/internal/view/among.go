package view

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// Most accounts have nothing of what somebody asks for: which have is asked once for all of them, and then those few are read
// as one account is.

// AmongMeant returns those of the accounts that have one of some things.
func (v *View) AmongMeant(ctx context.Context, things ...record.Having) ([]event.Account, error) {
	return v.Among(ctx, v.Meant, things...)
}

// KnowledgeOfMeant reads how all accounts stand: what is paused on them, and whether another bot was seen.
func (v *View) KnowledgeOfMeant(ctx context.Context) (record.Knowledge, error) {
	return v.Knowledge(ctx, v.Meant)
}

// FewAccounts are looked at one after the other, whatever they have.
const FewAccounts = 32

// farOff is later than anything that has happened.
var farOff = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// newestOf returns what look finds of the accounts, in their order, as far as some of it may be among so many of the newest of all
// of them. The query says what is looked for, at when something was.
func newestOf[R any](ctx context.Context, d *View, q record.EventQuery, at func(*R) time.Time, look func(event.Account) ([]R, error)) ([]R, error) {
	heads := make([]record.Head, len(d.Meant))
	for i, a := range d.Meant {
		heads[i] = record.Head{Account: a, Newest: farOff}
	}
	if len(heads) > FewAccounts {
		var err error
		if heads, err = d.Heads(ctx, d.Meant, q); err != nil {
			return nil, err
		}
	}
	found := map[event.Account][]R{}
	var latest []time.Time // of what was found, the newest first
	for _, h := range heads {
		if len(latest) >= q.Limit && latest[q.Limit-1].After(h.Newest) {
			break
		}
		rows, err := look(h.Account)
		if err != nil {
			return nil, err
		}
		found[h.Account] = rows
		for i := range rows {
			latest = append(latest, at(&rows[i]))
		}
		slices.SortFunc(latest, func(a, b time.Time) int { return b.Compare(a) })
		latest = latest[:min(len(latest), q.Limit)]
	}
	var all []R
	for _, a := range d.Meant {
		all = append(all, found[a]...)
	}
	return all, nil
}
