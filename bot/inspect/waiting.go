package inspect

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Waiting is somebody who waits for a person of ours: neither an answer nor a person of ours has dealt with their last words, for any reason.
// That they wait is stored in the same commit as what it comes from.
type Waiting struct {
	Key    event.Key
	Since  time.Time        // when the first of the words was said that wait
	Said   time.Time        // when the last ones were said
	Why    event.Reason     // record.WaitsUnanswered and so on
	Action *event.Action    // that is held; see HoldOf
	Event  *record.EventRow // that was said last, or is quarantined; nil where it is not kept any more
	// Conversation says who waits, and which person of ours has the conversation; nil for an action, and for an event.
	Conversation *record.ConversationRow
}

// WhoWaits returns the people who wait on some accounts, those first who have waited for longest, at most limit of each account; and how many
// there are of each account.
func WhoWaits(ctx context.Context, i Inspector, limit int, accounts ...event.Account) ([]Waiting, map[event.Account]int, error) {
	now := time.Now()
	those, counts, err := i.Waiting(ctx, accounts, now, limit)
	if err != nil {
		return nil, nil, err
	}
	var all []Waiting
	for _, account := range accounts {
		n := 0
		for n < len(those) && those[n].Key.Account == account {
			n++
		}
		if counts[account] == 0 {
			continue
		}
		some, err := whoWaitsOn(ctx, i, account, those[:n], limit)
		if err != nil {
			return nil, nil, err
		}
		all, those = append(all, some...), those[n:]
	}
	bySince(all)
	return all, counts, nil
}

func bySince(all []Waiting) {
	slices.SortStableFunc(all, func(a, b Waiting) int { return a.Since.Compare(b.Since) })
}

// whoWaitsOn returns who waits on one account: the people in those, and what is held or quarantined.
func whoWaitsOn(ctx context.Context, i Inspector, account event.Account, those []record.Waiting, limit int) ([]Waiting, error) {
	all, err := waitsSaid(ctx, i, account, those)
	if err != nil {
		return nil, err
	}
	held, err := i.Actions(ctx, record.ActionQuery{Account: account, State: event.StateHeld, Limit: mostHeld})
	if err != nil {
		return nil, err
	}
	for n := range held {
		a := &held[n]
		since := HoldOf(a, &event.Approval{}, time.Time{}, a.DecidedAt).Since
		all = append(all, Waiting{Key: a.Conversation(), Since: since, Said: since, Why: event.Because(record.WaitsHeld), Action: a})
	}
	events, err := i.Events(ctx, record.EventQuery{Account: account, State: record.EventQuarantined, Limit: mostHeld})
	if err != nil {
		return nil, err
	}
	for n := range events {
		e := &events[n]
		all = append(all, Waiting{Key: e.Key(), Since: e.SeenAt, Said: e.SeenAt, Why: event.Because(record.WaitsQuarantined), Event: e})
	}
	bySince(all)
	return all[:min(len(all), limit)], nil
}

// mostHeld is of how many of what is held, and of what is quarantined, the oldest are looked for: these lists begin with the newest.
const mostHeld = 10_000

// waitsSaid returns the people in those, with what they said and who they are.
func waitsSaid(ctx context.Context, i Inspector, account event.Account, those []record.Waiting) ([]Waiting, error) {
	if len(those) == 0 {
		return nil, nil
	}
	peers := make([]platform.UserID, len(those))
	for n := range those {
		peers[n] = those[n].Key.Peer
	}
	rows, err := i.Conversations(ctx, account, peers)
	if err != nil {
		return nil, err
	}
	all := make([]Waiting, len(those))
	for n := range those {
		w := &those[n]
		all[n] = Waiting{Key: w.Key, Since: w.Since, Said: w.Said, Why: w.Why}
		if c := slices.IndexFunc(rows, func(c record.ConversationRow) bool { return c.Key.Peer == w.Key.Peer }); c >= 0 {
			all[n].Conversation = &rows[c]
		}
		e, known, err := i.Event(ctx, account, w.Words)
		if err != nil {
			return nil, fmt.Errorf("read what was said last by who waits: %w", err)
		}
		if known {
			all[n].Event = &e
		}
	}
	return all, nil
}
