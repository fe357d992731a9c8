package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// Forgotten is the outcome of what a person did who was forgotten since: its row is there, and says nothing else.
const Forgotten = "forgotten"

// LeftAlone is the outcome of what a person did who is ignored.
const LeftAlone = "ignored"

// Some of these read a whole table: an index would cost every turn, and few people are forgotten.
const (
	selectEventsWith    = selectEvent + `INDEXED BY event_peer WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY seen_at, source, number`
	selectTurnsWith     = `SELECT id, handled_at, route, outcome, note, rule, rules_version, before, decided_by, why FROM turn WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY id`
	selectActionsWith   = selectAction + `WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY key`
	selectTimersWith    = selectTimerRow + joinUser + `WHERE timer.shard = $1 AND timer.account = $2 AND timer.peer = $3 ORDER BY timer.name`
	selectEntriesWith   = `SELECT list, key, peer, trigger_id, text, data, at FROM entry WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY list, key`
	selectNoticesWith   = `SELECT id, who, text, at, sent_at, private, kind, details FROM notice WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY id`
	selectStraysWith    = selectStray + `WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY id`
	selectLimitUsesWith = `SELECT name, scope, action, claimed_at FROM claim
		WHERE shard = $1 AND account = $2 AND (scope = $3 OR scope >= $3 || '/' AND scope < $3 || '0' OR action >= $4 || '/' AND action < $4 || '0') ORDER BY name, scope, action`
	selectFactsWith = `SELECT trigger_id, name, value, read_at FROM fact
		WHERE shard = $1 AND account = $2 AND trigger_id >= $3 || '/' AND trigger_id < $3 || '0' ORDER BY trigger_id, name`
	selectTriedWith = `SELECT trigger_id, name, value, read_at FROM fact
		WHERE shard = $1 AND account = $2 AND trigger_id = '` + Tried + `' AND name >= $3 || '/' AND name < $3 || '0' ORDER BY name`
	selectIgnored   = `SELECT peer, since FROM ignored WHERE shard = $1 AND account = $2 ORDER BY since, peer`
	selectSeenNamed = `SELECT DISTINCT peer, name, username FROM event WHERE shard = $1 AND account = $2 AND username = $3 COLLATE NOCASE`
)

// Person returns all that is kept of a person. It reads whole tables: for what is asked now and then.
func (r *Reader) Person(ctx context.Context, key event.Key) (*record.Person, error) {
	p := &record.Person{Key: key}
	for _, read := range []func(context.Context, *record.Person) error{
		r.personEvents, r.personTurns, r.personActions, r.personTimers, r.personLists, r.personLimitUses, r.personFacts, r.personTalk,
	} {
		if err := read(ctx, p); err != nil {
			return nil, fmt.Errorf("read what is kept of %d by %s: %w", key.Peer, key.Account, err)
		}
	}
	return p, nil
}

// with runs a query about a person, and calls f for each row.
func (r *Reader) with(ctx context.Context, p *record.Person, query string, f func(*sql.Rows) error, more ...any) (err error) {
	args := append([]any{p.Key.Account.Shard(), string(p.Key.Account)}, more...)
	if len(more) == 0 {
		args = append(args, int64(p.Key.Peer))
	}
	rows, err := r.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (r *Reader) personEvents(ctx context.Context, p *record.Person) error {
	return r.with(ctx, p, selectEventsWith, func(rows *sql.Rows) error {
		var stored storedEvent
		err := stored.scan(rows)
		if err == nil {
			err = stored.open(r.vault)
		}
		e := stored.EventRow
		if (e.Record.Outcome == Forgotten || e.Record.Outcome == LeftAlone) && e.Name+e.User+e.Text == "" {
			p.Marks++
		} else {
			p.Events = append(p.Events, e)
		}
		return err
	})
}

func (r *Reader) personTurns(ctx context.Context, p *record.Person) error {
	return r.with(ctx, p, selectTurnsWith, func(rows *sql.Rows) error {
		t := record.TurnRow{Account: p.Key.Account, Peer: p.Key.Peer}
		var at int64
		var e storedEvent
		err := rows.Scan(&t.ID, &at, &t.Record.Route, outcomeIn(&t.Record.Outcome), &e.note, &t.Record.Rule, &t.Record.Version, &e.before, &t.Record.By, &t.Record.Why)
		if err == nil {
			err = e.openRecord(r.vault, seal.TurnNote.CellOf(t.Account, t.ID), seal.TurnBefore.CellOf(t.Account, t.ID))
		}
		t.HandledAt, t.Record.Note, t.Record.Before = bind.FromMicros(at), e.Record.Note, e.Record.Before
		if isMark(&t) {
			p.Marks++
		} else {
			p.Turns = append(p.Turns, t)
		}
		return err
	})
}

// isKept reports whether a turn's row is needed when its person is forgotten: whose message it was that a person of ours
// wrote, and how far the numbers of requests have come.
func isKept(id string) bool {
	return strings.HasPrefix(id, "decision:takeover/") || strings.HasPrefix(id, "decision:request/")
}

func isMark(t *record.TurnRow) bool {
	return isKept(t.ID) && (t.Record.Outcome == Forgotten || reason.IsErasing(&t.Record))
}

func (r *Reader) personActions(ctx context.Context, p *record.Person) error {
	err := r.with(ctx, p, selectActionsWith, func(rows *sql.Rows) error {
		a, err := r.scanAction(rows, seal.ActionText.CellOf)
		// What is left when somebody was forgotten: it says nothing of her, and keeps the bot's own words from being taken for a person's.
		if a.Verb.Makes() && a.State.Final() && a.Text == "" {
			p.Marks++
		} else {
			p.Actions = append(p.Actions, a)
		}
		return err
	})
	if err != nil {
		return err
	}
	for from := 0; from < len(p.Actions); from += manyTriggers {
		var keys []string
		for i := from; i < min(from+manyTriggers, len(p.Actions)); i++ {
			keys = append(keys, p.Actions[i].Key)
		}
		some, err := r.readApprovals(ctx, selectApprovals, p.Key.Account, p.Key.Account.Shard(), string(p.Key.Account), bind.Words(keys))
		if err != nil {
			return err
		}
		p.Approvals = append(p.Approvals, some...)
	}
	return r.with(ctx, p, selectStraysWith, func(rows *sql.Rows) error {
		a, err := r.scanAction(rows, seal.OfStray)
		p.Strays = append(p.Strays, a)
		return err
	})
}

func (r *Reader) personTimers(ctx context.Context, p *record.Person) error {
	return r.with(ctx, p, selectTimersWith, func(rows *sql.Rows) error {
		var row record.TimerRow
		var triedAt int64
		var note seal.Value
		var err error
		if row.DueTimer, err = r.scanTimer(rows, &row.State, &triedAt, &note, &row.Why, &row.User); err == nil {
			row.Note, err = note.TextFrom(r.vault, seal.TimerNote.OfTimer(row.Key, row.Name))
		}
		row.TriedAt = bind.FromMicros(triedAt)
		p.Timers = append(p.Timers, row)
		return err
	})
}

func (r *Reader) personLists(ctx context.Context, p *record.Person) error {
	err := r.with(ctx, p, selectEntriesWith, func(rows *sql.Rows) error {
		e := event.Entry{Account: p.Key.Account}
		var text, stored seal.Value
		var data string
		var at int64
		err := rows.Scan(&e.List, &e.Key, &e.Peer, &e.Trigger, &text, &stored, &at)
		if err == nil {
			e.Text, err = text.TextFrom(r.vault, seal.EntryText.CellWithin(e.Account, e.List, e.Key))
		}
		if err == nil {
			data, err = stored.TextFrom(r.vault, seal.EntryData.CellWithin(e.Account, e.List, e.Key))
		}
		e.Data, e.At = blobOf(data), bind.FromMicros(at)
		p.Entries = append(p.Entries, e)
		return err
	})
	if err != nil {
		return err
	}
	return r.with(ctx, p, selectNoticesWith, func(rows *sql.Rows) error {
		n := event.Notice{Account: p.Key.Account, Peer: p.Key.Peer}
		var at, sent int64
		var text, stored seal.Value
		var details string
		err := rows.Scan(&n.ID, &n.Who, &text, &at, &sent, &n.Private, &n.Kind, &stored)
		if err == nil {
			n.Text, err = text.TextFrom(r.vault, seal.NoticeText.CellOf(n.Account, n.ID))
		}
		if err == nil {
			details, err = stored.TextFrom(r.vault, seal.NoticeDetails.CellOf(n.Account, n.ID))
		}
		n.Details = blobOf(details)
		n.At, n.SentAt = bind.FromMicros(at), bind.FromMicros(sent)
		p.Notices = append(p.Notices, n)
		return err
	})
}

// timed is what the ids of her timers begin with, up to a "/".
func timersOf(p *record.Person) string { return fmt.Sprintf("timer:%d", p.Key.Peer) }

func (r *Reader) personLimitUses(ctx context.Context, p *record.Person) error {
	return r.with(ctx, p, selectLimitUsesWith, func(rows *sql.Rows) error {
		var c record.LimitUseRow
		var at int64
		err := rows.Scan(&c.Limit, &c.Scope, &c.Claimant, &at)
		c.At = bind.FromMicros(at)
		p.LimitUses = append(p.LimitUses, c)
		return err
	}, fmt.Sprintf("peer:%d", p.Key.Peer), timersOf(p))
}

// manyTriggers is how many triggers are asked for at a time.
const manyTriggers = 1000

func (r *Reader) personFacts(ctx context.Context, p *record.Person) error {
	add := func(rows *sql.Rows) error {
		var f record.TriggerFact
		var stored seal.Value
		var value string
		var at int64
		err := rows.Scan(&f.Trigger, &f.Name, &stored, &at)
		if err == nil {
			value, err = stored.TextFrom(r.vault, seal.FactValue.CellWithin(p.Key.Account, f.Trigger, f.Name))
		}
		f.Value, f.ReadAt = blobOf(value), bind.FromMicros(at)
		p.Facts = append(p.Facts, f)
		return err
	}
	err := r.with(ctx, p, selectFactsWith, add, timersOf(p))
	if err == nil {
		err = r.with(ctx, p, selectTriedWith, add, timersOf(p))
	}
	var ids []string
	flush := func(least int) {
		if err == nil && len(ids) > least {
			err = r.with(ctx, p, selectFactsOf, add, bind.Words(ids))
			ids = ids[:0]
		}
	}
	for i := range p.Events {
		ids = append(ids, p.Events[i].ID.String())
		flush(manyTriggers)
	}
	for i := range p.Turns {
		// Facts of her timers were found by the beginning of their ids, also of those whose turn is not stored yet.
		if !strings.HasPrefix(p.Turns[i].ID, timersOf(p)+"/") {
			ids = append(ids, p.Turns[i].ID)
		}
		flush(manyTriggers)
	}
	flush(0)
	return err
}

func (r *Reader) personTalk(ctx context.Context, p *record.Person) error {
	c, err := r.Conversation(ctx, p.Key)
	if err != nil {
		return err
	}
	// What only says who has the conversation says nothing of the person: it stays when she is forgotten.
	if c.Version > 0 && !isBare(&c) {
		p.Conversation = &c
	}
	ignored, err := r.Ignored(ctx, p.Key.Account)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(ignored, func(x record.Ignored) bool { return x.Peer == p.Key.Peer }); i >= 0 {
		p.Ignored = ignored[i].Since
	}
	after := event.Request{Key: event.Key{Account: p.Key.Account}, Number: -1}
	for read := manyTriggers; read == manyTriggers; {
		requests, err := r.Requests(ctx, after, manyTriggers)
		if err != nil {
			return err
		}
		for _, q := range requests {
			if after = q; q.Key == p.Key && q.Wish != event.WishForget && q.Wish != event.WishHeed {
				p.Requests = append(p.Requests, q)
			}
		}
		read = len(requests)
	}
	return nil
}

// isBare reports whether a conversation says nothing but who has it.
func isBare(c *conversation.State) bool {
	return c.Owner != "" && c.Name+c.User == "" && len(c.Values)+len(c.Labels) == 0 && !c.Flow.Active() && c.Unreachable.IsZero()
}

// Ignored returns whom an account leaves alone, those first who have been so longest.
func (r *Reader) Ignored(ctx context.Context, account event.Account) ([]record.Ignored, error) {
	var all []record.Ignored
	var peer, since int64
	err := r.query(context.WithoutCancel(ctx), selectIgnored, []any{account.Shard(), string(account)}, []any{&peer, &since}, func() {
		all = append(all, record.Ignored{Peer: platform.UserID(peer), Since: bind.FromMicros(since)})
	})
	if err != nil {
		return nil, fmt.Errorf("read whom %s ignores: %w", account, err)
	}
	return all, nil
}

// PeersSeen returns the people with a user name, in whatever case, whom events alone know. It reads all events of the
// account.
func (r *Reader) PeersSeen(ctx context.Context, account event.Account, user string) ([]event.Peer, error) {
	var peers []event.Peer
	var p event.Peer
	err := r.query(ctx, selectSeenNamed, []any{account.Shard(), string(account), user}, []any{&p.ID, &p.Name, &p.User}, func() {
		if len(peers) == 0 || peers[len(peers)-1].ID != p.ID {
			peers = append(peers, p)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("look for %s in the events of %s: %w", user, account, err)
	}
	return peers, nil
}
