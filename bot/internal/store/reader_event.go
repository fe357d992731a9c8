package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

const (
	selectStored = `SELECT number, state FROM event
		WHERE shard = $1 AND account = $2 AND source = $3 AND number IN (SELECT value FROM json_each($4))`
	selectWhose = `SELECT number, peer, post FROM event
		WHERE shard = $1 AND account = $2 AND source = $3 AND number IN (SELECT value FROM json_each($4))`
	selectSources = `SELECT source FROM event WHERE shard = $1 AND account = $2 AND peer = $3 AND source <> 5 ORDER BY seen_at DESC LIMIT 500`
)

// They read in the order of the index of events that are not handled. They name the state twice, so that the index fits; without that, the
// planner prefers to read the account's events one by one.
const (
	selectWaiting = `SELECT account, source, number, peer, kind, name, username, text, image, post, subject, seen_at, not_before, said_at, tries, late
		FROM event INDEXED BY event_open WHERE shard = $1 AND account = $2 AND state <> 'handled' AND state = `
	inTheirOrder      = ` ORDER BY peer, source, number LIMIT $3 + 0`
	selectPending     = selectWaiting + `'pending'` + inTheirOrder
	selectPendingOf   = selectWaiting + `'pending' AND peer = $4` + inTheirOrder
	selectQuarantined = selectWaiting + `'quarantined' AND peer = $4` + inTheirOrder
)

// StoredEvents returns which of ids are stored: true for those that have been handled. What retention has deleted
// was.
func (r *Reader) StoredEvents(ctx context.Context, account event.Account, ids []event.ID) (map[event.ID]bool, error) {
	found := map[event.ID]bool{}
	bySource := map[event.Source][]int64{}
	for _, id := range ids {
		bySource[id.Source] = append(bySource[id.Source], id.Number)
	}
	for source, numbers := range bySource {
		err := r.each(ctx, selectStored, func(rows scanner) error {
			var number int64
			var state string
			if err := rows.Scan(&number, &state); err != nil {
				return err
			}
			found[event.ID{Source: source, Number: number}] = state == "handled"
			return nil
		}, account.Shard(), string(account), int64(source), bind.NumbersOf(numbers))
		if err == nil {
			err = r.deleted(ctx, account, source, numbers, found)
		}
		if err != nil {
			return nil, fmt.Errorf("read which events of %s are stored: %w", account, err)
		}
	}
	return found, nil
}

// Whose returns, for events of a source by their numbers, the person and the post they are about; events that are not kept are absent.
func (r *Reader) Whose(ctx context.Context, account event.Account, source event.Source, numbers []int64) (map[int64]event.Event, error) {
	found := map[int64]event.Event{}
	err := r.each(ctx, selectWhose, func(rows scanner) error {
		e := event.Event{Account: account, ID: event.ID{Source: source}}
		err := rows.Scan(&e.ID.Number, &e.Peer, &e.Post)
		found[e.ID.Number] = e
		return err
	}, account.Shard(), string(account), int64(source), bind.NumbersOf(numbers))
	if err != nil {
		return nil, fmt.Errorf("read whom events of %s are about: %w", account, err)
	}
	return found, nil
}

// deleted adds those of a source's numbers to found that retention has deleted.
func (r *Reader) deleted(ctx context.Context, account event.Account, source event.Source, numbers []int64, found map[event.ID]bool) error {
	var lowWater int64
	if _, err := r.queryOne(ctx, selectLowWater, []any{&lowWater}, account.Shard(), string(account), int64(source)); err != nil {
		return err
	}
	for _, n := range numbers {
		if _, stored := found[event.ID{Source: source, Number: n}]; !stored && n <= lowWater {
			found[event.ID{Source: source, Number: n}] = true
		}
	}
	return nil
}

// Sources returns the sources of the last events of a conversation, some hundred, each once.
func (r *Reader) Sources(ctx context.Context, key event.Key) ([]event.Source, error) {
	var sources []event.Source
	err := r.each(ctx, selectSources, func(rows scanner) error {
		var s event.Source
		if err := rows.Scan(&s); err != nil {
			return err
		}
		if !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
		return nil
	}, key.Account.Shard(), string(key.Account), int64(key.Peer))
	if err != nil {
		return nil, fmt.Errorf("read which sources the conversation of %s with %d has used: %w", key.Account, key.Peer, err)
	}
	return sources, nil
}

// PendingEvents returns events that wait for their turn, in the order of their conversations.
func (r *Reader) PendingEvents(ctx context.Context, account event.Account, peer int64, limit int) ([]PendingEvent, error) {
	query, args := selectPending, []any{account.Shard(), string(account), limit}
	if peer != 0 {
		query, args = selectPendingOf, append(args, peer)
	}
	events, err := r.readWaiting(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the pending events of %s: %w", account, err)
	}
	return events, nil
}

// maxQuarantined is how many quarantined events of a conversation are read: more than anybody has.
const maxQuarantined = 1 << 20

// QuarantinedEvents returns the quarantined events of a conversation, in the order in which they would have
// been handled.
func (r *Reader) QuarantinedEvents(ctx context.Context, key event.Key) ([]PendingEvent, error) {
	events, err := r.readWaiting(ctx, selectQuarantined, key.Account.Shard(), string(key.Account), maxQuarantined, int64(key.Peer))
	if err != nil {
		return nil, fmt.Errorf("read the quarantined events of %s with %d: %w", key.Account, key.Peer, err)
	}
	return events, nil
}

// readWaiting reads events that wait, in the order in which they have to be handled.
func (r *Reader) readWaiting(ctx context.Context, text string, args ...any) ([]PendingEvent, error) {
	events, err := rowsOf(ctx, r, text, func(rows scanner) (p PendingEvent, err error) {
		e := &p.Event
		var seenAt, notBefore, saidAt int64
		var said saying
		if err = rows.Scan(&e.Account, &e.ID.Source, &e.ID.Number, &e.Peer, &e.Kind, &e.Name, &e.User, &said.text, &said.image,
			&e.Post, &e.Subject, &seenAt, &notBefore, &saidAt, &p.Tries, &p.Late); err == nil {
			err = said.decodeInto(r.vault, e)
		}
		e.SeenAt, e.NotBefore, e.SaidAt = bind.FromMicros(seenAt), bind.FromMicros(notBefore), bind.FromMicros(saidAt)
		return p, err
	}, args...)
	return inOrder(events), err
}

// saying is the text and the picture of an event, as they are stored.
type saying struct{ text, image seal.Value }

func (s *saying) decodeInto(v *seal.Vault, e *event.Event) (err error) {
	if e.Text, err = s.text.TextFrom(v, seal.EventText.OfEvent(e.Account, e.ID)); err == nil {
		e.Image, err = s.image.TextFrom(v, seal.EventImage.OfEvent(e.Account, e.ID))
	}
	return err
}

// inOrder puts events that are sorted by peer, source and number in the order in which they have to be
// handled: between the sources of a conversation as they were seen, within a source by number, even if
// the times say otherwise, unless its numbers have no order.
func inOrder(events []PendingEvent) []PendingEvent {
	type place struct {
		seen time.Time
		PendingEvent
	}
	places := make([]place, len(events))
	for i, e := range events {
		places[i] = place{e.SeenAt, e}
		if i > 0 && e.ID.Source.HasOrder() && events[i-1].Peer == e.Peer && events[i-1].ID.Source == e.ID.Source && places[i-1].seen.After(e.SeenAt) {
			places[i].seen = places[i-1].seen
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.Peer, b.Peer), a.seen.Compare(b.seen))
	})
	for i := range places {
		events[i] = places[i].PendingEvent
	}
	return events
}
