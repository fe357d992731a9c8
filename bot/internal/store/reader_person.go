package store

import (
	"context"
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

// Handled is the outcome of a turn that says no other one.
const Handled = "handled"

// Forgotten is the outcome of an event of a person who was forgotten since: the row is there, and says nothing else.
const Forgotten = "forgotten"

// LeftAlone is the outcome of an event of an ignored person.
const LeftAlone = "ignored"

// Some of these read a whole table: an index would cost every turn, and few people are forgotten.
const (
	selectEventsWith    = selectEvent + `INDEXED BY event_peer WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY seen_at, source, number`
	selectTurnsWith     = selectTurnRow + `WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY id`
	selectActionsWith   = selectAction + `WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY key`
	selectTimersWith    = selectTimerRow + joinUser + `WHERE timer.shard = $1 AND timer.account = $2 AND timer.peer = $3 ORDER BY timer.name`
	selectEntriesWith   = selectEntryRow + `WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY list, key`
	selectNoticesWith   = selectNotice + `WHERE shard = $1 AND account = $2 AND peer = $3 ORDER BY id`
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

// withPerson returns the parameters that name a person in a statement.
func withPerson(key event.Key) []any {
	return []any{key.Account.Shard(), string(key.Account), int64(key.Peer)}
}

func (r *Reader) personEvents(ctx context.Context, p *record.Person) error {
	events, err := rareRowsOf(ctx, r, selectEventsWith, r.scanEvent, withPerson(p.Key)...)
	for _, e := range events {
		if (e.Record.Outcome == Forgotten || e.Record.Outcome == LeftAlone) && e.Name+e.User+e.Text == "" {
			p.Marks++
		} else {
			p.Events = append(p.Events, e)
		}
	}
	return err
}

func (r *Reader) personTurns(ctx context.Context, p *record.Person) error {
	turns, err := r.turnRows(ctx, p.Key.Account, selectTurnsWith, int64(p.Key.Peer))
	for _, t := range turns {
		if isMark(&t) {
			p.Marks++
		} else {
			p.Turns = append(p.Turns, t)
		}
	}
	return err
}

// isKept reports whether a turn's row is needed when its person is forgotten: it says that a person of ours wrote a message,
// or how far the numbers of requests have come.
func isKept(id string) bool {
	return strings.HasPrefix(id, "decision:takeover/") || strings.HasPrefix(id, "decision:request/")
}

func isMark(t *record.TurnRow) bool {
	return isKept(t.ID) && (t.Record.Outcome == Forgotten || reason.IsErasing(&t.Record))
}

func (r *Reader) personActions(ctx context.Context, p *record.Person) error {
	actions, err := rareRowsOf(ctx, r, selectActionsWith, r.scanOneAction, withPerson(p.Key)...)
	if err != nil {
		return err
	}
	for _, a := range actions {
		// What is left when somebody was forgotten: it says nothing of the person, and keeps the bot's own words from being taken for somebody else's.
		if a.Verb.Makes() && a.State.Final() && a.Text == "" {
			p.Marks++
		} else {
			p.Actions = append(p.Actions, a)
		}
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
	p.Strays, err = rareRowsOf(ctx, r, selectStraysWith, func(rows scanner) (event.Action, error) { return r.scanAction(rows, seal.OfStray) }, withPerson(p.Key)...)
	return err
}

func (r *Reader) personTimers(ctx context.Context, p *record.Person) (err error) {
	p.Timers, err = rareRowsOf(ctx, r, selectTimersWith, r.scanTimerRow, withPerson(p.Key)...)
	return err
}

func (r *Reader) personLists(ctx context.Context, p *record.Person) (err error) {
	p.Entries, err = rareRowsOf(ctx, r, selectEntriesWith, func(rows scanner) (event.Entry, error) { return r.scanEntry(rows, p.Key.Account) }, withPerson(p.Key)...)
	if err != nil {
		return err
	}
	p.Notices, err = rareRowsOf(ctx, r, selectNoticesWith, r.scanNotice, withPerson(p.Key)...)
	for i := range p.Notices {
		p.Notices[i].Reached = nil // who of us was told says nothing of the person
	}
	return err
}

// timed is what the ids of the person's timers begin with, up to a "/".
func timersOf(p *record.Person) string { return fmt.Sprintf("timer:%d", p.Key.Peer) }

func (r *Reader) personLimitUses(ctx context.Context, p *record.Person) (err error) {
	p.LimitUses, err = rareRowsOf(ctx, r, selectLimitUsesWith, func(rows scanner) (c record.LimitUseRow, err error) {
		var at int64
		err = rows.Scan(&c.Limit, &c.Scope, &c.Claimant, &at)
		c.At = bind.FromMicros(at)
		return c, err
	}, p.Key.Account.Shard(), string(p.Key.Account), fmt.Sprintf("peer:%d", p.Key.Peer), timersOf(p))
	return err
}

// manyTriggers is how many triggers are asked for at a time.
const manyTriggers = 1000

func (r *Reader) personFacts(ctx context.Context, p *record.Person) error {
	add := func(text string, which any) error {
		some, err := rareRowsOf(ctx, r, text, func(rows scanner) (record.TriggerFact, error) { return r.scanTriggerFact(rows, p.Key.Account) },
			p.Key.Account.Shard(), string(p.Key.Account), which)
		p.Facts = append(p.Facts, some...)
		return err
	}
	err := add(selectFactsWith, timersOf(p))
	if err == nil {
		err = add(selectTriedWith, timersOf(p))
	}
	var ids []string
	flush := func(least int) {
		if err == nil && len(ids) > least {
			err = add(selectFactsOf, bind.Words(ids))
			ids = ids[:0]
		}
	}
	for i := range p.Events {
		ids = append(ids, p.Events[i].ID.String())
		flush(manyTriggers)
	}
	for i := range p.Turns {
		// Facts of the person's timers were found by the beginning of their ids, also where the turn is not stored yet.
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
	// What only says who has the conversation says nothing of the person: it stays when the person is forgotten.
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

// Ignored returns the people whom an account leaves alone, those first who have been ignored for longest.
func (r *Reader) Ignored(ctx context.Context, account event.Account) ([]record.Ignored, error) {
	all, err := rowsOf(ctx, r, selectIgnored, func(rows scanner) (record.Ignored, error) {
		var peer, since int64
		err := rows.Scan(&peer, &since)
		return record.Ignored{Peer: platform.UserID(peer), Since: bind.FromMicros(since)}, err
	}, account.Shard(), string(account))
	if err != nil {
		return nil, fmt.Errorf("read whom %s ignores: %w", account, err)
	}
	return all, nil
}

// PeersSeen returns the people with a user name, in upper or lower case, who are found in events alone. It reads all events of
// the account.
func (r *Reader) PeersSeen(ctx context.Context, account event.Account, user string) ([]event.Peer, error) {
	peers, err := rareRowsOf(ctx, r, selectSeenNamed, scanPeer, account.Shard(), string(account), user)
	if err != nil {
		return nil, fmt.Errorf("look for %s in the events of %s: %w", user, account, err)
	}
	return slices.CompactFunc(peers, func(a, b event.Peer) bool { return a.ID == b.ID }), nil
}

// scanPeer reads a row of a person: the id and the names.
func scanPeer(rows scanner) (p event.Peer, err error) {
	err = rows.Scan(&p.ID, &p.Name, &p.User)
	return p, err
}
