package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/poll"
	"github.com/nectar-bot/nectar/platform"
)

// Conversation returns a conversation; a fresh one when none is stored.
func (s *SQLite) Conversation(ctx context.Context, key event.Key) (conversation.State, error) {
	c := conversation.State{Key: key}
	var ownerSince, unreachable int64
	var labels, body string
	err := s.reads.QueryRowContext(ctx, `SELECT version, name, username, owner, owner_since, unreachable, labels, body
		FROM conversation WHERE shard = $1 AND account = $2 AND peer = $3`, key.Account.Shard(), string(key.Account), int64(key.Peer)).
		Scan(&c.Version, &c.Name, &c.User, &c.Owner, &ownerSince, &unreachable, &labels, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read the conversation of %s with %d: %w", key.Account, key.Peer, err)
	}
	c.OwnerSince, c.Unreachable = moment(ownerSince), moment(unreachable)
	var b conversationBody
	if err := errors.Join(json.Unmarshal([]byte(labels), &c.Labels), json.Unmarshal([]byte(body), &b)); err != nil {
		return c, fmt.Errorf("decode the conversation of %s with %d: %w", key.Account, key.Peer, err)
	}
	c.Flow, c.Values = b.Flow, b.Values
	return c, nil
}

// Stored returns which of ids are stored: true for those that have been handled.
func (s *SQLite) Stored(ctx context.Context, account event.Account, ids []event.ID) (map[event.ID]bool, error) {
	found := map[event.ID]bool{}
	bySource := map[event.Source][]int64{}
	for _, id := range ids {
		bySource[id.Source] = append(bySource[id.Source], id.Number)
	}
	for source, numbers := range bySource {
		err := s.each(ctx, func(rows *sql.Rows) error {
			var number int64
			var state string
			if err := rows.Scan(&number, &state); err != nil {
				return err
			}
			found[event.ID{Source: source, Number: number}] = state == "handled"
			return nil
		}, `SELECT number, state FROM event WHERE shard = $1 AND account = $2 AND source = $3 AND number IN (`+list(numbers)+`)`,
			account.Shard(), string(account), int64(source))
		if err != nil {
			return nil, fmt.Errorf("read which events of %s are stored: %w", account, err)
		}
	}
	return found, nil
}

// Last returns the highest event number of a source; 0 when there is none.
func (s *SQLite) Last(ctx context.Context, account event.Account, source event.Source) (int64, error) {
	var last sql.NullInt64
	err := s.reads.QueryRowContext(ctx, `SELECT max(number) FROM event WHERE shard = $1 AND account = $2 AND source = $3`,
		account.Shard(), string(account), int64(source)).Scan(&last)
	if err != nil {
		return 0, fmt.Errorf("read the last %s of %s: %w", source, account, err)
	}
	return last.Int64, nil
}

const eventColumns = `account, source, number, peer, kind, name, username, text, image, post, subject, seen_at, not_before, tries`

// Pending returns events that wait for their turn, oldest first.
func (s *SQLite) Pending(ctx context.Context, account event.Account, peer int64, limit int) ([]PendingEvent, error) {
	var events []PendingEvent
	query := `SELECT ` + eventColumns + ` FROM event WHERE shard = $1 AND account = $2 AND state = 'pending' AND state <> 'handled'`
	if peer != 0 {
		query += ` AND peer = ` + strconv.FormatInt(peer, 10)
	}
	err := s.each(ctx, func(rows *sql.Rows) error {
		var p PendingEvent
		e := &p.Event
		var seenAt, notBefore int64
		if err := rows.Scan(&e.Account, &e.ID.Source, &e.ID.Number, &e.Peer, &e.Kind, &e.Name, &e.User, &e.Text, &e.Image,
			&e.Post, &e.Subject, &seenAt, &notBefore, &p.Tries); err != nil {
			return err
		}
		e.SeenAt, e.NotBefore = moment(seenAt), moment(notBefore)
		events = append(events, p)
		return nil
	}, query+` ORDER BY peer, seen_at, source, number LIMIT $3`, account.Shard(), string(account), limit)
	if err != nil {
		return nil, fmt.Errorf("read the pending events of %s: %w", account, err)
	}
	return events, nil
}

// Facts returns what was recorded for a trigger.
func (s *SQLite) Facts(ctx context.Context, account event.Account, trigger string) ([]event.Fact, error) {
	var facts []event.Fact
	err := s.each(ctx, func(rows *sql.Rows) error {
		var f event.Fact
		var value string
		var at int64
		if err := rows.Scan(&f.Name, &value, &at); err != nil {
			return err
		}
		f.Value, f.ReadAt = json.RawMessage(value), moment(at)
		facts = append(facts, f)
		return nil
	}, `SELECT name, value, read_at FROM fact WHERE shard = $1 AND account = $2 AND trigger_id = $3`, account.Shard(), string(account), trigger)
	if err != nil {
		return nil, fmt.Errorf("read the facts of %s: %w", trigger, err)
	}
	return facts, nil
}

// DueTimers returns timers that are due at now, oldest first, and when the next one is due.
func (s *SQLite) DueTimers(ctx context.Context, now time.Time, limit int) ([]event.Timer, time.Time, error) {
	var due []event.Timer
	var next time.Time
	err := s.each(ctx, func(rows *sql.Rows) error {
		var t event.Timer
		var at int64
		var data string
		if err := rows.Scan(&t.Key.Account, &t.Key.Peer, &t.Name, &t.Occurrence, &at, &data); err != nil {
			return err
		}
		t.Due, t.Data = moment(at), []byte(data)
		if len(due) < limit && !t.Due.After(now) {
			due = append(due, t)
		} else if next.IsZero() {
			next = t.Due
		}
		return nil
	}, `SELECT account, peer, name, occurrence, due_at, data FROM timer ORDER BY due_at, account, peer, name LIMIT $1`, limit+1)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read the due timers: %w", err)
	}
	return due, next, nil
}

// FlowStates counts the conversations in each state of each flow.
func (s *SQLite) FlowStates(ctx context.Context) ([]conversation.Count, error) {
	var counts []conversation.Count
	err := s.each(ctx, func(rows *sql.Rows) error {
		var c conversation.Count
		if err := rows.Scan(&c.Flow, &c.State, &c.Conversations); err != nil {
			return err
		}
		counts = append(counts, c)
		return nil
	}, `SELECT flow, flow_state, count(*) FROM conversation WHERE flow <> '' GROUP BY flow, flow_state ORDER BY flow, flow_state`)
	if err != nil {
		return nil, fmt.Errorf("count the conversations in flows: %w", err)
	}
	return counts, nil
}

// Cursors returns the stored cursors of a source for peers; missing ones are absent.
func (s *SQLite) Cursors(ctx context.Context, account event.Account, source event.Source, peers []platform.UserID) ([]poll.Cursor, error) {
	var cursors []poll.Cursor
	err := s.each(ctx, func(rows *sql.Rows) error {
		c := poll.Cursor{Account: account, Source: source}
		var mark, polledAt int64
		if err := rows.Scan(&c.Peer, &c.ID, &mark, &polledAt); err != nil {
			return err
		}
		c.Mark, c.PolledAt = uint64(mark), moment(polledAt) //nolint:gosec // the digest's bits were stored, not its value
		cursors = append(cursors, c)
		return nil
	}, `SELECT peer, number, mark, polled_at FROM cursor WHERE shard = $1 AND account = $2 AND source = $3 AND peer IN (`+list(peers)+`)`,
		account.Shard(), string(account), int64(source))
	if err != nil {
		return nil, fmt.Errorf("read the cursors of %s: %w", account, err)
	}
	return cursors, nil
}

// each runs a query and calls f for each row.
func (s *SQLite) each(ctx context.Context, f func(*sql.Rows) error, query string, args ...any) error {
	rows, err := s.reads.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// list writes numbers for an IN clause: they are numbers, so nothing can be injected.
func list[N ~int64](numbers []N) string {
	var b strings.Builder
	for i, n := range numbers {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(int64(n), 10))
	}
	return b.String()
}
