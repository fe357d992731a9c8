package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/outbox"
)

// applier is the SQLite engine of the writer: its statements belong to the one connection that
// writes.
type applier struct {
	db *sql.DB
	statements
}

type statements struct {
	begin, commit, rollback               *statement
	handle, pend, attempt, reopen         *statement
	turn, forget, withdraw                *statement
	conversation, timer, cancel, fire     *statement
	action, mark, finish                  *statement
	claimed, claim, unclaim, fact, cursor *statement
	session                               *statement
}

func (s *statements) texts() map[**statement]string {
	return map[**statement]string{
		&s.begin: `BEGIN IMMEDIATE`, &s.commit: `COMMIT`, &s.rollback: `ROLLBACK`,
		&s.handle: `INSERT INTO event VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'handled', $15, $16, $17, $18, $19)
			ON CONFLICT DO UPDATE SET state = 'handled', handled_at = excluded.handled_at, route = excluded.route,
				outcome = excluded.outcome, note = excluded.note, text = excluded.text WHERE event.state <> 'handled'`,
		&s.pend: `INSERT INTO event VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'pending', 0, 0, '', '', '')
			ON CONFLICT DO NOTHING`,
		&s.attempt: `INSERT INTO event VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
			ON CONFLICT DO UPDATE SET state = excluded.state, tries = excluded.tries, route = excluded.route,
				outcome = excluded.outcome, note = excluded.note WHERE event.state <> 'handled'`,
		&s.reopen: `UPDATE event SET state = 'pending' WHERE shard = $1 AND account = $2 AND source = $3 AND number = $4`,
		&s.turn:   `INSERT INTO turn VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
		&s.withdraw: `UPDATE action SET state = 'withdrawn', reason = $4, ended_at = $5
			WHERE shard = $1 AND account = $2 AND peer = $3 AND state = 'due'`,
		&s.forget: `DELETE FROM turn WHERE shard = $1 AND account = $2 AND id = $3`,
		&s.conversation: `INSERT INTO conversation VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
			ON CONFLICT DO UPDATE SET version = excluded.version, name = excluded.name, username = excluded.username,
				owner = excluded.owner, owner_since = excluded.owner_since, unreachable = excluded.unreachable, flow = excluded.flow,
				flow_state = excluded.flow_state, labels = excluded.labels, body = excluded.body, changed_at = excluded.changed_at
			WHERE conversation.version = excluded.version - 1`,
		&s.timer: `INSERT INTO timer VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT DO UPDATE SET occurrence = excluded.occurrence, due_at = excluded.due_at, data = excluded.data`,
		&s.cancel: `DELETE FROM timer WHERE shard = $1 AND account = $2 AND peer = $3 AND name = $4`,
		&s.fire:   `DELETE FROM timer WHERE shard = $1 AND account = $2 AND peer = $3 AND name = $4 AND occurrence = $5`,
		&s.action: `INSERT INTO action VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
			ON CONFLICT DO NOTHING`,
		&s.mark: `UPDATE action SET state = $4, position = $5, settle_from = $6, result = $7, tries = $8, reason = $9,
			due_at = $10, left_at = $11, ended_at = $12 WHERE shard = $1 AND account = $2 AND key = $3`,
		&s.finish: `UPDATE action SET state = 'done', result = $4, tries = $5, ended_at = $6 WHERE shard = $1 AND account = $2 AND key = $3`,
		&s.claimed: `INSERT INTO claim SELECT $1, $2, $3, $4, $5, $6 WHERE $7 >
			(SELECT count(*) FROM claim WHERE shard = $1 AND account = $2 AND name = $3 AND scope = $4 AND claimed_at > $8)
			ON CONFLICT DO NOTHING`,
		&s.claim:   `DELETE FROM claim WHERE shard = $1 AND account = $2 AND name = $3 AND scope = $4 AND claimed_at <= $5`,
		&s.unclaim: `DELETE FROM claim WHERE shard = $1 AND account = $2 AND name = $3 AND scope = $4 AND action = $5`,
		&s.fact:    `INSERT INTO fact VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		&s.cursor: `INSERT INTO cursor VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT DO UPDATE SET number = max(number, excluded.number), mark = excluded.mark, polled_at = excluded.polled_at`,
		&s.session: `INSERT INTO session VALUES ($1, $2, $3, $4) ON CONFLICT DO UPDATE SET sealed = excluded.sealed, saved_at = excluded.saved_at`,
	}
}

func newApplier(ctx context.Context, db *sql.DB) (*applier, error) {
	a := &applier{db: db}
	err := raw(ctx, db, func(c driver.Conn) error {
		for dst, text := range a.texts() {
			st, err := prepare(ctx, c, text)
			if err != nil {
				return err
			}
			*dst = st
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the writer: %w", err)
	}
	return a, nil
}

// apply stores a group in one transaction.
func (a *applier) apply(g *group) error {
	// A context that could be cancelled would cost a goroutine per statement.
	ctx := context.Background()
	return raw(ctx, a.db, func(driver.Conn) error {
		if _, err := a.begin.exec(ctx); err != nil {
			return fmt.Errorf("begin a commit: %w", err)
		}
		err := a.all(ctx, g)
		if err == nil {
			_, err = a.commit.exec(ctx)
		}
		if err != nil {
			if _, rerr := a.rollback.exec(ctx); rerr != nil && !strings.Contains(rerr.Error(), "no transaction is active") {
				err = errors.Join(err, rerr)
			}
			return fmt.Errorf("commit %d writes: %w", len(g.writes), err)
		}
		return nil
	})
}

func (a *applier) all(ctx context.Context, g *group) error {
	if err := a.marks(ctx, g.marks); err != nil {
		return err
	}
	for i := range g.writes {
		if g.receipts[i].Err != nil {
			continue
		}
		if err := a.write(ctx, &g.writes[i], &g.receipts[i]); err != nil {
			return err
		}
	}
	for _, c := range g.cursors {
		if _, err := a.cursor.exec(ctx, int64(c.Account.Shard()), string(c.Account), int64(c.Source), int64(c.Peer),
			c.ID, int64(c.Mark), micros(c.PolledAt)); err != nil { //nolint:gosec // the digest's bits are stored, not its value
			return err
		}
	}
	return nil
}

func (a *applier) write(ctx context.Context, w *Write, r *Receipt) error {
	if t := w.Turn; t != nil {
		if t.Lane != nil && t.Lane.broken {
			r.Err = ErrStale
			return nil
		}
		if err := a.applyTurn(ctx, t, r); err != nil {
			return err
		}
		if t.Lane != nil && (r.Err != nil || r.Dropped) {
			t.Lane.broken = true
		}
	}
	for i := range w.Pending {
		if _, err := a.pend.exec(ctx, eventArgs(&w.Pending[i])...); err != nil {
			return err
		}
	}
	if err := a.applyAttempt(ctx, w.Attempt); err != nil {
		return err
	}
	if err := a.marks(ctx, w.Marks); err != nil {
		return err
	}
	if s := w.session; s != nil {
		if _, err := a.session.exec(ctx, int64(s.account.Shard()), string(s.account), s.box, micros(s.at)); err != nil {
			return err
		}
	}
	return nil
}

// applyTurn stores a turn, unless its trigger was handled before.
func (a *applier) applyTurn(ctx context.Context, t *Turn, r *Receipt) error {
	fresh, err := a.trigger(ctx, t)
	if err != nil {
		return err
	}
	if !fresh {
		r.Dropped = true
		return nil
	}
	if c := t.Conversation; c != nil {
		n, err := a.storeConversation(ctx, c, t.At)
		if err != nil {
			return err
		}
		if n == 0 {
			r.Err = ErrStale
			return a.undoTrigger(ctx, t)
		}
	}
	shard := int64(t.Trigger.Key.Account.Shard())
	for i := range t.Timers {
		if err := a.storeTimer(ctx, shard, &t.Timers[i]); err != nil {
			return err
		}
	}
	if err := a.storeFacts(ctx, t.Trigger.Key.Account, t.Trigger.ID(), t.Facts); err != nil {
		return err
	}
	if t.Withdraw != "" {
		_, err := a.withdraw.exec(ctx, shard, string(t.Trigger.Key.Account), int64(t.Trigger.Key.Peer), t.Withdraw, micros(t.At))
		if err != nil {
			return err
		}
	}
	for i := range t.Actions {
		if err := a.storeAction(ctx, shard, &t.Actions[i], i, t.At, r); err != nil {
			return err
		}
	}
	return nil
}

// trigger marks what started the turn as handled; false when it was so before.
func (a *applier) trigger(ctx context.Context, t *Turn) (bool, error) {
	key := t.Trigger.Key
	shard, account, at := int64(key.Account.Shard()), string(key.Account), micros(t.At)
	switch t.Trigger.Kind {
	case event.ByTimer:
		n, err := a.fire.exec(ctx, shard, account, int64(key.Peer), t.Trigger.Timer.Name, t.Trigger.Timer.Occurrence)
		if err != nil || n == 0 {
			return false, err
		}
	case event.ByDecision:
	case event.ByEvent:
		events := t.Trigger.Burst
		if len(events) == 0 {
			events = []event.Event{t.Trigger.Event}
		}
		fresh := false
		for i := range events {
			args := append(eventArgs(&events[i]), int64(0), at, t.Trace.Route, t.Trace.Outcome, t.Trace.Note)
			n, err := a.handle.exec(ctx, args...)
			if err != nil {
				return false, err
			}
			fresh = fresh || n > 0
		}
		return fresh, nil
	}
	n, err := a.turn.exec(ctx, shard, account, t.Trigger.ID(), int64(key.Peer), at, t.Trace.Route, t.Trace.Outcome, t.Trace.Note)
	return n > 0, err
}

// undoTrigger makes a trigger wait again whose turn turned out to be stale.
func (a *applier) undoTrigger(ctx context.Context, t *Turn) error {
	key := t.Trigger.Key
	shard, account := int64(key.Account.Shard()), string(key.Account)
	switch t.Trigger.Kind {
	case event.ByTimer:
		if err := a.storeTimer(ctx, shard, &t.Trigger.Timer); err != nil {
			return err
		}
		_, err := a.forget.exec(ctx, shard, account, t.Trigger.ID())
		return err
	case event.ByDecision:
		_, err := a.forget.exec(ctx, shard, account, t.Trigger.ID())
		return err
	case event.ByEvent:
	}
	events := t.Trigger.Burst
	if len(events) == 0 {
		events = []event.Event{t.Trigger.Event}
	}
	for i := range events {
		if _, err := a.reopen.exec(ctx, shard, account, int64(events[i].ID.Source), events[i].ID.Number); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) storeConversation(ctx context.Context, c *conversation.State, at time.Time) (int64, error) {
	body, err := json.Marshal(conversationBody{Flow: c.Flow, Values: c.Values})
	labels, lerr := json.Marshal(c.Labels)
	if err = errors.Join(err, lerr); err != nil {
		return 0, fmt.Errorf("encode the conversation with %d: %w", c.Key.Peer, err)
	}
	return a.conversation.exec(ctx, int64(c.Key.Account.Shard()), string(c.Key.Account), int64(c.Key.Peer), c.Version,
		c.Name, c.User, c.Owner, micros(c.OwnerSince), micros(c.Unreachable), c.Flow.Flow, c.Flow.State,
		string(labels), string(body), micros(at))
}

// conversationBody is what no query asks for.
type conversationBody struct {
	Flow   conversation.Instance      `json:"flow,omitzero"`
	Values map[string]json.RawMessage `json:"values,omitempty"`
}

func (a *applier) storeTimer(ctx context.Context, shard int64, t *event.Timer) error {
	var err error
	if t.Due.IsZero() {
		_, err = a.cancel.exec(ctx, shard, string(t.Key.Account), int64(t.Key.Peer), t.Name)
	} else {
		_, err = a.timer.exec(ctx, shard, string(t.Key.Account), int64(t.Key.Peer), t.Name, t.Occurrence, micros(t.Due), string(t.Data))
	}
	return err
}

// storeAction stores an action with the claims it needs; without them it is withdrawn.
func (a *applier) storeAction(ctx context.Context, shard int64, x *Action, index int, at time.Time, r *Receipt) error {
	denied, err := a.claims(ctx, shard, x, at)
	if err != nil {
		return err
	}
	if denied != "" {
		r.Denied = append(r.Denied, index)
		x.State, x.Reason, x.EndedAt = event.StateWithdrawn, "the limit "+denied+" is used up", at
	}
	_, err = a.action.exec(ctx, shard, string(x.Account), x.Key, int64(x.Peer), string(x.Verb), x.Text, int64(x.Post),
		int64(x.User), x.Want, int64(x.Priority), string(x.State), micros(x.Due), x.Position, x.SettleFrom, x.Result,
		int64(x.Tries), x.Reason, micros(x.DecidedAt), micros(x.LeftAt), micros(x.EndedAt))
	return err
}

// claims takes all claims of an action, or none; it returns the name of the limit that denied it.
func (a *applier) claims(ctx context.Context, shard int64, x *Action, at time.Time) (string, error) {
	for i, c := range x.Claims {
		since := int64(0)
		if c.Within > 0 {
			since = micros(at.Add(-c.Within))
			if _, err := a.claim.exec(ctx, shard, string(x.Account), c.Limit, c.Scope, since); err != nil {
				return "", err
			}
		}
		n, err := a.claimed.exec(ctx, shard, string(x.Account), c.Limit, c.Scope, x.Key, micros(at), int64(c.Max), since)
		if err != nil {
			return "", err
		}
		if n > 0 {
			continue
		}
		for _, taken := range x.Claims[:i] {
			if _, err := a.unclaim.exec(ctx, shard, string(x.Account), taken.Limit, taken.Scope, x.Key); err != nil {
				return "", err
			}
		}
		return c.Limit, nil
	}
	return "", nil
}

func (a *applier) applyAttempt(ctx context.Context, t *Attempt) error {
	if t == nil {
		return nil
	}
	state := "pending"
	if t.Quarantined {
		state = "quarantined"
	}
	args := append(eventArgs(&t.Event), state, int64(t.Tries), int64(0), t.Trace.Route, t.Trace.Outcome, t.Trace.Note)
	if _, err := a.attempt.exec(ctx, args...); err != nil {
		return err
	}
	return a.storeFacts(ctx, t.Event.Account, t.Event.ID.String(), t.Facts)
}

// storeFacts stores what a turn, or a try of it, recorded.
func (a *applier) storeFacts(ctx context.Context, account event.Account, trigger string, facts []event.Fact) error {
	for _, f := range facts {
		_, err := a.fact.exec(ctx, int64(account.Shard()), string(account), trigger, f.Name, string(f.Value), micros(f.ReadAt))
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) marks(ctx context.Context, marks []outbox.Mark) error {
	for i := range marks {
		m := &marks[i]
		shard, account := int64(m.Account.Shard()), string(m.Account)
		var err error
		if m.State == event.StateDone && m.Reason == "" {
			_, err = a.finish.exec(ctx, shard, account, m.Key, m.Result, int64(m.Tries), micros(m.EndedAt))
		} else {
			_, err = a.mark.exec(ctx, shard, account, m.Key, string(m.State), m.Position, m.SettleFrom, m.Result,
				int64(m.Tries), m.Reason, micros(m.Due), micros(m.LeftAt), micros(m.EndedAt))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eventArgs returns the first fourteen columns of an event's row.
func eventArgs(e *event.Event) []driver.Value {
	return append(make([]driver.Value, 0, 20), int64(e.Account.Shard()), string(e.Account), int64(e.ID.Source), e.ID.Number,
		int64(e.Peer), string(e.Kind), e.Name, e.User, e.Text, e.Image, int64(e.Post), string(e.Subject),
		micros(e.SeenAt), micros(e.NotBefore))
}
