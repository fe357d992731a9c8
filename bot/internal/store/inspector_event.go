package store

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	selectEvent = `SELECT account, source, number, peer, kind, name, username, text, image, post, subject, seen_at, not_before, said_at,
		state, tries, late, handled_at, route, outcome, note, rule, rules_version, before, why FROM event `
	newestFirst    = ` ORDER BY seen_at DESC, source DESC, number DESC LIMIT `
	selectEventsOf = selectEvent + `INDEXED BY event_peer WHERE shard = $1 AND account = $2 AND peer = $3 AND seen_at >= $4
		AND seen_at <= $5 AND (seen_at < $5 OR source < $6 OR source = $6 AND number < $7)` + newestFirst + `$8 + 0`
	selectEventsIn = selectEvent + `INDEXED BY event_waiting WHERE state <> 'handled' AND shard = $1 AND account = $2 AND state = $3
		AND seen_at >= $4 AND (peer = $8 OR $8 = 0)
		AND seen_at <= $5 AND (seen_at < $5 OR source < $6 OR source = $6 AND number < $7)` + newestFirst + `$9 + 0`
	// Within a source, later events have higher numbers; in that order the key finds them.
	selectNewest     = selectEvent + `WHERE shard = $1 AND account = $2 AND source = $3 AND number <= $4 ORDER BY number DESC LIMIT $5 + 0`
	selectSnapshots  = selectEvent + `INDEXED BY event_snapshot WHERE source = 4` + seenUntil
	selectDeliveries = selectEvent + `INDEXED BY event_delivery WHERE source = 5` + seenUntil
	seenUntil        = ` AND shard = $1 AND account = $2 AND seen_at <= $3 AND (seen_at < $3 OR number < $4)` + newestFirst + `$5 + 0`
)

// eventPlace is where a list goes on: behind the event that was seen then, of that source and number.
type eventPlace struct{ seen, source, number int64 }

// afterOf returns behind what the list of a query begins.
func afterOf(q *record.EventQuery) eventPlace {
	if q.After == (event.ID{}) {
		return eventPlace{math.MaxInt64, 0, math.MaxInt64}
	}
	return eventPlace{bind.ToMicros(q.AfterSeen), int64(q.After.Source), q.After.Number}
}

// Events returns events, newest first.
func (in *Inspector) Events(ctx context.Context, q record.EventQuery) ([]record.EventRow, error) {
	events, err := in.readEvents(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read events of %s: %w", q.Account, err)
	}
	return events, nil
}

func (in *Inspector) readEvents(ctx context.Context, q record.EventQuery) ([]record.EventRow, error) {
	shard, account, since, after := q.Account.Shard(), string(q.Account), bind.ToMicros(q.Since), afterOf(&q)
	switch {
	case q.Rule != "" || q.Outcome != "":
		return in.search(ctx, q)
	case q.State != "":
		return in.eventRows(ctx, selectEventsIn, shard, account, q.State, since, after.seen, after.source, after.number, int64(q.Peer), q.Limit)
	case q.Peer != 0:
		return in.eventRows(ctx, selectEventsOf, shard, account, int64(q.Peer), since, after.seen, after.source, after.number, q.Limit)
	}
	var events []record.EventRow
	for _, source := range sourcesOf(&q) {
		some, err := in.eventsFrom(ctx, q.Account, source, after, q.Limit)
		if err != nil {
			return nil, err
		}
		events = append(events, some...)
	}
	events = slices.DeleteFunc(events, func(e record.EventRow) bool { return e.SeenAt.Before(q.Since) })
	if q.Source != 0 {
		return events, nil // in the order of its numbers
	}
	return newestRows(events, q.Limit), nil
}

// sourcesOf returns the sources of the events that a query wants.
func sourcesOf(q *record.EventQuery) []event.Source {
	if q.Source != 0 {
		return []event.Source{q.Source}
	}
	return []event.Source{event.Messages, event.Notifs, event.Mentions, event.Snapshots, event.Deliveries}
}

// eventsFrom returns events of a source, in the order of its numbers, and of one whose numbers have none in that in which they were seen.
func (in *Inspector) eventsFrom(ctx context.Context, account event.Account, source event.Source, after eventPlace, limit int) ([]record.EventRow, error) {
	switch source {
	case event.Snapshots:
		return in.eventRows(ctx, selectSnapshots, account.Shard(), string(account), after.seen, after.number, limit)
	case event.Deliveries:
		return in.eventRows(ctx, selectDeliveries, account.Shard(), string(account), after.seen, after.number, limit)
	default:
	}
	return in.eventRows(ctx, selectNewest, account.Shard(), string(account), int64(source), after.highestBehind(), limit)
}

// highestBehind returns the highest number of those behind.
func (p eventPlace) highestBehind() int64 {
	if p.source == 0 { // from the first one on
		return p.number
	}
	return p.number - 1
}

// Event returns an event by its id; false when there is none.
func (in *Inspector) Event(ctx context.Context, account event.Account, id event.ID) (record.EventRow, bool, error) {
	e, found, err := firstOf(in.eventRows(ctx, selectOneEvent, account.Shard(), string(account), int64(id.Source), id.Number))
	if err != nil {
		return e, false, fmt.Errorf("read the event %s of %s: %w", id, account, err)
	}
	return e, found, nil
}

const selectOneEvent = selectEvent + `WHERE shard = $1 AND account = $2 AND source = $3 AND number = $4`

func (in *Inspector) eventRows(ctx context.Context, text string, args ...any) ([]record.EventRow, error) {
	return rowsOf(ctx, in.Reader, text, in.scanEvent, args...)
}

// scanEvent reads a row of selectEvent.
func (r *Reader) scanEvent(rows scanner) (record.EventRow, error) {
	var e storedEvent
	err := e.scan(rows)
	if err == nil {
		err = e.open(r.vault)
	}
	return e.EventRow, err
}

// storedEvent is a row of selectEvent as it is read.
type storedEvent struct {
	record.EventRow
	said         saying
	note, before seal.Value
}

// scan reads the row, and what stands behind it.
func (e *storedEvent) scan(rows scanner, behind ...any) error {
	var seenAt, notBefore, saidAt, handledAt int64
	err := rows.Scan(append([]any{
		&e.Account, &e.ID.Source, &e.ID.Number, &e.Peer, &e.Kind, &e.Name, &e.User, &e.said.text, &e.said.image,
		&e.Post, &e.Subject, &seenAt, &notBefore, &saidAt, &e.State, &e.Tries, &e.Late, &handledAt,
		&e.Record.Route, outcomeIn(&e.Record.Outcome), &e.note, &e.Record.Rule, &e.Record.Version, &e.before, &e.Record.Why,
	}, behind...)...)
	e.SeenAt, e.NotBefore, e.SaidAt, e.HandledAt = bind.FromMicros(seenAt), bind.FromMicros(notBefore), bind.FromMicros(saidAt), bind.FromMicros(handledAt)
	return err
}

// open opens what is sealed of an event.
func (e *storedEvent) open(v *seal.Vault) error {
	if err := e.said.decodeInto(v, &e.Event); err != nil {
		return err
	}
	return e.openRecord(v, seal.EventNote.OfEvent(e.Account, e.ID), seal.EventBefore.OfEvent(e.Account, e.ID))
}

func (e *storedEvent) openRecord(v *seal.Vault, note, before seal.Cell) (err error) {
	if e.Record.Note, err = e.note.TextFrom(v, note); err != nil {
		return err
	}
	text, err := e.before.TextFrom(v, before)
	e.Record.Before = blobOf(text)
	return err
}

// blobOf returns the bytes of a text, nil when it is empty.
func blobOf(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}
