package store

import (
	"cmp"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/record"
)

// applier stores groups by statements. It is what fileEngine and pgEngine have in common.
type applier struct {
	way   way // of the engine
	vault *seal.Vault
	statements
	timing
	keeping
	sealing
	keep   retention
	served *served
	swept  time.Time     // when limit uses were swept last, by the time of a turn; see sweepLimitUses
	pause  time.Duration // until they are swept next
	// expired is when uses of a limit that had stopped to count were deleted last.
	expired map[limitScope]time.Time
	used    map[string]time.Time // when a turn was last noted that names a version of rules
	loaded  map[string]bool      // versions of rules that this process has
	tried   tried
	// By account; see noteSet.
	lastSet map[event.Account]time.Time
	first   map[event.Key]firstMessage // of conversations in which messages were done lately
	forgetting
	approving
	resuming
	ruling
	valuing
	naming
	publishing
	doubting
	pullingIn
	knowing
	waiting
	waiters waiters
}

// way is what an engine does in its own way while a group is stored.
type way interface {
	// goTo says of which write the next statements are: its index, or remote.NoWrite.
	goTo(write int)
	// waitsForAnswers reports whether what usual tells is known, so that a part of a write can be taken back.
	waitsForAnswers() bool
	// checkpointAt sets how long the log of a file may be, in pages, before it is brought into the file, while others wait.
	checkpointAt(pages int32) error
	// putInForce stores which rules accounts act by since a time.
	putInForce(rules map[string]*savedRules, since time.Time) error
	rowKeeper
}

const insertEvent = `INSERT INTO event (shard, account, source, number, peer, kind, name, username, text, image, post, subject, seen_at, not_before, state, tries, handled_at, route, outcome, note, late, rule, rules_version, before, why, said_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, `

const (
	insertAction = `INSERT INTO action (shard, account, key, peer, verb, text, post, target, want, priority, state, due_at, position, settle_from, result, tries, reason, decided_at, left_at, ended_at, private, claims, rule, stale_at, until_at, apart, why, delay, known) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ` // known follows
	onlyNew      = `) ON CONFLICT DO NOTHING`
	changeAction = `UPDATE action SET state = ?, priority = ?, position = ?, settle_from = ?, result = ?, tries = ?, reason = ?, due_at = ?,
		left_at = ?, ended_at = ?, why = ?`
	oneAction    = ` WHERE shard = ? AND account = ? AND key = ?`
	updateAction = changeAction + oneAction
)

// deleteLimitUses deletes the limit uses of actions that are given back; the condition on the actions follows.
const deleteLimitUses = `DELETE FROM claim WHERE (shard, account, name, scope, action) IN (
	SELECT a.shard, a.account, c.value ->> 'limit', c.value ->> 'scope', a.key FROM action AS a, json_each(a.claims, '$.has') AS c WHERE `

type statements struct {
	begin, commit, rollback       statement
	count, counted                statement // commits
	savepoint, back, release      statement // of a turn with limit uses of its own
	handle, pend, attempt         statement
	turn                          statement
	greet, change                 statement // a conversation
	action                        statement
	withdraw, withdrawAll         statement
	mark, leave, held, stray      statement
	lapseOne                      statement
	answer, isAsked, retry        statement // requests of people
	expire, grant, revoke, sweep  statement // limit uses
	giveBack, giveBackAll         statement
	mask, entry, notice           statement
	reached, address, alarm, calm statement
	fact, know, meta              statement
	list, listed                  statement // triggers that were tried
	cursor, session               statement
}

// all lists the statements with their texts.
func (a *applier) all() []*statement {
	all := make([]*statement, 0, 64)
	for _, texts := range []map[*statement]string{
		a.statements.statementTexts(), a.timing.statementTexts(), a.keeping.statementTexts(), a.sealing.statementTexts(), a.forgetting.statementTexts(), a.approving.statementTexts(), a.resuming.statementTexts(),
		a.ruling.statementTexts(), a.valuing.statementTexts(), a.naming.statementTexts(), a.publishing.statementTexts(), a.doubting.statementTexts(), a.pullingIn.statementTexts(), a.knowing.statementTexts(), a.waiting.statementTexts(),
	} {
		for st, text := range texts {
			st.text = text
			all = append(all, st)
		}
	}
	return all
}

func (s *statements) statementTexts() map[*statement]string {
	return map[*statement]string{
		&s.begin: `BEGIN IMMEDIATE`, &s.commit: `COMMIT`, &s.rollback: `ROLLBACK`, &s.count: updateNumber, &s.counted: selectNumber,
		// A row of it may wait, as pending or quarantined. One that is handled stays as it is, and the count of 0 tells that the turn comes twice.
		&s.handle: insertEvent + `'handled', 0, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)
			ON CONFLICT (shard, account, source, number) DO UPDATE SET state = 'handled', handled_at = excluded.handled_at, route = excluded.route,
				outcome = excluded.outcome, note = excluded.note, text = excluded.text, rule = excluded.rule,
				rules_version = excluded.rules_version, before = excluded.before, why = excluded.why WHERE event.state <> 'handled'`,
		&s.pend: insertEvent + `'pending', 0, 0, '', '', '', 0, '', '', '', '', ?) ON CONFLICT DO NOTHING`,
		&s.attempt: insertEvent + `?, ?, 0, ?, ?, ?, 0, ?, ?, ?, ?, ?)
			ON CONFLICT (shard, account, source, number) DO UPDATE SET state = excluded.state, tries = excluded.tries, route = excluded.route,
				outcome = excluded.outcome, note = excluded.note, why = excluded.why WHERE event.state <> 'handled'`,
		&s.turn:  `INSERT INTO turn (shard, account, id, peer, handled_at, route, outcome, note, rule, rules_version, before, decided_by, why) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		&s.greet: `INSERT INTO conversation (shard, account, peer, version, name, username, owner, owner_since, unreachable, flow, flow_state, labels, body, changed_at) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		&s.change: `UPDATE conversation SET version = version + 1, name = ?, username = ?, owner = ?, owner_since = ?, unreachable = ?,
			flow = ?, flow_state = ?, labels = ?, body = ?, changed_at = ?
			WHERE shard = ? AND account = ? AND peer = ? AND version = ?`,
		&s.action: insertAction + `?` + onlyNew,
		// It came into the table as sending, with the time at which it was to leave: it has not.
		&s.withdraw: `UPDATE action SET state = 'withdrawn', reason = ?, why = ?, left_at = 0, ended_at = ?
			WHERE shard = ? AND account = ? AND key = ?`,
		&s.withdrawAll: `UPDATE action INDEXED BY action_waiting SET state = 'withdrawn', reason = ?, why = ?, ended_at = ?
			WHERE shard = ? AND account = ? AND peer = ? AND state = 'due'`,
		&s.mark:     updateAction,
		&s.leave:    updateAction + ` AND (state = 'due' OR state = 'sending' OR state = 'unsure' OR state = 'held')`,
		&s.lapseOne: updateAction + ` AND (state = 'due' OR state = 'held')`,
		&s.held: `UPDATE action SET state = ?, priority = ?, position = ?, settle_from = ?, result = ?, tries = ?, reason = ?, due_at = ?,
			left_at = ?, ended_at = ?, why = ?, text = ?, claims = coalesce(nullif(?, ''), claims), decided_at = ? WHERE shard = ? AND account = ? AND key = ? AND state = 'held'`,
		&s.stray: `INSERT INTO stray (shard, account, id, peer, verb, text, post, settle_from, left_at, decided_at) SELECT shard, account, key || ' ' || left_at, peer, verb, text, post, settle_from, left_at, ? FROM action
			WHERE shard = ? AND account = ? AND key = ? AND state = 'held' AND (verb = 'message' OR verb = 'post') AND left_at > 0
			ON CONFLICT DO NOTHING`,
		&s.answer: `DELETE FROM request WHERE shard = ? AND account = ? AND number = ?`, &s.isAsked: `SELECT 1 FROM request WHERE shard = ? AND account = ? AND number = ?`,
		// source stands in the condition of an index. As ? + 0, SQLite does not look at its value, and does not plan the statement anew for each.
		&s.retry: `UPDATE event SET state = 'pending', tries = 0, late = 1
			WHERE shard = ? AND account = ? AND source = ? + 0 AND number = ? AND state = 'quarantined'`,
		&s.expire: `DELETE FROM claim WHERE shard = ? AND account = ? AND name = ? AND scope = ? AND ends_at <= ?`,
		// Its own use does not count (action <> ?5): an action that asks again for what it has is not denied by itself.
		&s.grant: `INSERT INTO claim (shard, account, name, scope, action, claimed_at, ends_at) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE ?8 > (SELECT count(*) FROM claim
				WHERE shard = ?1 AND account = ?2 AND name = ?3 AND scope = ?4 AND action <> ?5 AND claimed_at > ?9 AND claimed_at <= ?10)
			ON CONFLICT (shard, account, name, scope, action) DO UPDATE SET ends_at = max(claim.ends_at, excluded.ends_at)`,
		&s.revoke: `DELETE FROM claim WHERE shard = ? AND account = ? AND name = ? AND scope = ? AND action = ?`,
		&s.sweep: `DELETE FROM claim WHERE (shard, account, name, scope, action) IN (
				SELECT shard, account, name, scope, action FROM claim INDEXED BY claim_ends
				WHERE ends_at < 9223372036854775807 AND ends_at <= ? LIMIT ? + 0)`,
		&s.giveBack: deleteLimitUses + `a.shard = ? AND a.account = ? AND a.key = ? AND a.claims <> '')`,
		&s.giveBackAll: withIndex(deleteLimitUses, "action_waiting") +
			`a.shard = ? AND a.account = ? AND a.peer = ? AND a.state = 'due' AND a.claims <> '')`,
		&s.savepoint: `SAVEPOINT turn`, &s.back: `ROLLBACK TO turn`, &s.release: `RELEASE turn`,
		&s.mask:    `UPDATE event SET text = ? WHERE shard = ? AND account = ? AND source = ? + 0 AND number = ?`,
		&s.entry:   `INSERT INTO entry (shard, account, list, key, peer, trigger_id, text, data, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		&s.notice:  `INSERT INTO notice (shard, account, id, who, text, peer, at, sent_at, private, kind, details, reached) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		&s.reached: `UPDATE notice SET reached = ?, sent_at = ? WHERE shard = ? AND account = ? AND id = ? AND sent_at = 0`,
		&s.address: `INSERT INTO address (id, pace) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET pace = excluded.pace`,
		&s.alarm:   `INSERT INTO alarm (shard, account, kind, subject, since) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		&s.calm:    `DELETE FROM alarm WHERE shard = ? AND account = ? AND kind = ? AND subject = ?`,
		&s.fact:    `INSERT INTO fact (shard, account, trigger_id, name, value, read_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		&s.know:    `INSERT INTO fact (shard, account, trigger_id, name, value, read_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (shard, account, trigger_id, name) DO UPDATE SET value = excluded.value, read_at = excluded.read_at`,
		&s.meta:    `INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
		&s.list:    `SELECT name FROM fact WHERE shard = ? AND account = ? AND trigger_id = '` + Tried + `'`, &s.listed: `DELETE FROM fact WHERE shard = ? AND account = ? AND trigger_id = '` + Tried + `' AND name = ?`,
		// It never falls by itself, even when cursors of a list come here out of order: only its poller sets it back.
		&s.cursor: `INSERT INTO cursor (shard, account, source, peer, number, mark, polled_at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (shard, account, source, peer) DO UPDATE SET number = max(excluded.number, CASE WHEN ? = 1 THEN 0 ELSE cursor.number END), mark = excluded.mark, polled_at = excluded.polled_at`,
		&s.session: `INSERT INTO session (shard, account, sealed, saved_at) VALUES (?, ?, ?, ?) ON CONFLICT (shard, account) DO UPDATE SET sealed = excluded.sealed, saved_at = excluded.saved_at`,
	}
}

// newApplier makes an applier whose statements are not prepared.
func newApplier() *applier {
	return &applier{served: new(served), used: map[string]time.Time{}, loaded: map[string]bool{}, tried: tried{}, expired: map[limitScope]time.Time{}, lastSet: map[event.Account]time.Time{}, first: map[event.Key]firstMessage{}, waiters: waiters{}}
}

// rolledBack forgets what is not so, since a group was not stored.
func (a *applier) rolledBack() {
	clear(a.used)
	clear(a.expired)
	clear(a.tried)
	clear(a.lastSet)
	clear(a.first)
	clear(a.waiters)
	a.notKept()
}

// dataFault reports whether an error of a statement lies in what was to be stored, not in the database.
func dataFault(err error) bool { return sqlite.IsDataFault(err) || remote.IsDataFault(err) }

// storeGroup stores the writes of a group. With an error it returns the one to blame, or -1.
func (a *applier) storeGroup(g *group) (int, error) {
	// After a group that was rolled back, the low-water marks in memory may stand above those that are stored, and events below them would be
	// dropped as handled. So they are read, in this transaction, before the first write relies on them.
	if a.keep.unread {
		if err := a.readLowWaters(); err != nil {
			return -1, err
		}
	}
	if err := a.storeRules(g); err != nil {
		return -1, err
	}
	for i := range g.writes {
		if g.skipWrite(i) {
			continue
		}
		a.way.goTo(i)
		if err := a.write(g, i); err != nil {
			// These lie in the write, and it is taken out of the group. Anything else lies in the database, which may take the same write later.
			if errors.Is(err, ErrStale) || errors.Is(err, ErrEnded) || dataFault(err) {
				return i, err
			}
			return -1, err
		}
	}
	a.way.goTo(remote.NoWrite)
	// They were queued when their events were stored, so it does no harm that they go ahead of writes which are still queued.
	if err := a.storeCursors(g.cursors); err != nil {
		return -1, err
	}
	for i := range g.writes { // they are newer
		if r := &g.receipts[i]; r.Err == nil && !r.Dropped {
			if err := a.storeCursors(g.writes[i].Cursors); err != nil {
				return -1, err
			}
		}
	}
	return -1, a.deleteUnused(g)
}

func (a *applier) storeCursors(cursors []record.Cursor) error {
	for i := range cursors { // the bits of a mark are stored, not its value
		c := &cursors[i]
		if err := a.putBack(c); err != nil {
			return err
		}
		//mutate:cursor-back
		if err := a.cursor.key(c.Account).int(int64(c.Source)).int(int64(c.Peer)).int(c.ID).int(int64(c.Mark)).at(c.PolledAt).bool(c.Back).do(); err != nil {
			return err
		}
	}
	return nil
}

// storePending stores events that wait for their turn. Those stored already stay as they are.
func (a *applier) storePending(events []event.Event) error {
	for i := range events {
		if a.isBelowLowWater(&events[i]) {
			continue
		}
		if err := a.pend.addEvent(&events[i]).at(events[i].SaidAt).do(); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) write(g *group, i int) error {
	w := &g.writes[i]
	if w.Turn != nil {
		if fresh, err := a.storeTurn(g, i); err != nil || !fresh {
			return err
		}
	}
	if err := a.storePending(w.Pending); err != nil {
		return err
	}
	if err := a.storeAttempt(w.Attempt); err != nil {
		return err
	}
	if w.Attempt != nil && len(w.Attempt.Notices) > 0 {
		if err := a.tellNew(w.Attempt.Notices, nil); err != nil {
			return err
		}
	}
	if err := a.storeOrphans(w); err != nil {
		return err
	}
	if err := a.pullIn(w.pulled); err != nil {
		return err
	}
	// A result that comes lazily, of an action which has ended, tells nothing new, and nobody waits to hear that.
	if err := a.storeMarks(w.Marks); err != nil && (!w.lazy || !errors.Is(err, ErrEnded)) {
		return err
	}
	if err := a.storeErasing(w.erase); err != nil {
		return err
	}
	if err := a.storeCalls(w.calls); err != nil {
		return err
	}
	if p := w.progress; p != nil {
		return a.storeProgress(p)
	}
	if w.Suspect != nil {
		return a.storeSuspect(w.Suspect)
	}
	if w.begins != nil {
		a.beginTerms(w.begins)
	}
	if k := w.Known; k != nil {
		return a.storeKnownAs(k.Account, cmp.Or(k.As, ofAccount), []event.Fact{k.Fact})
	}
	if w.meta != nil {
		return a.storeMeta(w.meta)
	}
	if s := w.session; s != nil {
		return a.storeSession(s)
	}
	return nil
}
