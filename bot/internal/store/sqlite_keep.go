package store

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Retention goes through the tables round after round, in the order of their keys, a few rows with a group now
// and then. It needs no index that would cost every turn. It deletes what is final and old: events and turns
// with what was recorded for them, actions, notices that were sent, strays, and versions of rules that no turn names
// any more.
//
// What is deleted must not come again. Numbers of a source grow, so the store remembers up to which one it has
// deleted, the low-water mark: an event up to there which has no row was handled, or is older than what is kept. The
// account's own messages have a low-water mark, too: what the ledger does not know any more is no stranger's. The highest
// event of each source stays, without what was said, since the bot begins above it.

const (
	minKeep   = 7 * 24 * time.Hour // nothing younger is deleted
	keepFirst = 10 * time.Minute   // after the first turn, the clock may be wrong before
	keepRest  = time.Hour          // between two rounds
	keepPause = time.Second        // between two bites, when few turns come
	keepTurns = 100                // after so many turns a bite does not wait for the pause
	keepLeast = 200                // rows of a bite
	keepMost  = 800
)

// retention is how far it is.
type retention struct {
	keep      time.Duration // 0: everything is kept
	lowWaters map[lowWaterKey]int64
	tops      map[lowWaterKey]int64 // the highest cursor of each source in this round; see above

	next   time.Time // when the next bite is, or round; by the times of turns
	cutoff time.Time // what was final before is deleted in this round; zero between two rounds
	table  int       // of keepTables
	from   rowKey    // the last row that was looked at
	turns  int       // since the last bite
	whole  bool      // nothing of this round was rolled back
	lifted bool      // a low-water mark was raised, and that is not committed yet
	unread bool      // the low-water marks have to be read before anything else
}

type lowWaterKey struct {
	account event.Account
	source  event.Source // or ownMessages
}

// rowKey is the key of a row in any of the tables.
type rowKey struct {
	shard   int64
	account string
	source  int64  // of events
	number  int64  // of events
	id      string // of the others
}

// keptRow is a row that a bite looks at.
type keptRow struct {
	rowKey
	state   string
	ended   int64 // when it became final
	product int64 // the message that an action made
}

// keeping are the statements of retention.
type keeping struct {
	lookEvents, lookTurns, lookActions, lookNotices, lookStrays, lookRules, lookLowWaters statement
	dropEvent, dropTurn, dropAction, dropNotice, dropStray, dropRules, dropFacts          statement
	emptyEvent, raise, finish, lookTop, lower                                             statement
}

func (k *keeping) texts() map[*statement]string {
	// A comparison of rows goes on in the primary key right behind the last one, however far that is, where OFFSET would count through all.
	const behind = ` WHERE (shard, account, %s) > (?, ?, ?) ORDER BY shard, account, %[1]s LIMIT ? + 0`
	look := func(columns, table, id string) string {
		return `SELECT shard, account, ` + id + `, ` + columns + ` FROM ` + table + fmt.Sprintf(behind, id)
	}
	drop := func(table, id string) string {
		return `DELETE FROM ` + table + ` WHERE shard = ? AND account = ? AND ` + id + ` = ?`
	}
	return map[*statement]string{
		&k.lookEvents: `SELECT shard, account, source, number, state, handled_at FROM event
			WHERE (shard, account, source, number) > (?, ?, ?, ?) ORDER BY shard, account, source, number LIMIT ? + 0`,
		&k.lookTurns:     look(`'handled', handled_at, 0`, "turn", "id"),
		&k.lookActions:   look(`state, max(decided_at, ended_at), CASE WHEN verb = 'message' THEN result ELSE 0 END`, "action", "key"),
		&k.lookNotices:   look(`'handled', CASE sent_at WHEN 0 THEN 9223372036854775807 ELSE sent_at END, 0`, "notice", "id"),
		&k.lookStrays:    look(`'handled', decided_at, 0`, "stray", "id"),
		&k.lookRules:     selectRulesNamed,
		&k.lookLowWaters: `SELECT account, source, number FROM floor`,
		&k.dropEvent:     `DELETE FROM event WHERE shard = ? AND account = ? AND source = ? + 0 AND number = ?`,
		&k.dropTurn:      drop("turn", "id"), &k.dropAction: drop("action", "key"), &k.dropNotice: drop("notice", "id"), &k.dropStray: drop("stray", "id"),
		&k.dropFacts: drop("fact", "trigger_id"), &k.dropRules: deleteRules,
		// Each round comes by it again: a row that says nothing any more is not written again.
		&k.emptyEvent: `UPDATE event SET name = '', username = '', text = '', image = '', note = '', rule = '', rules_version = '', before = ''
			WHERE shard = ? AND account = ? AND source = ? + 0 AND number = ? AND (text <> '' OR rules_version <> '')`,
		&k.raise:   `INSERT INTO floor VALUES (?, ?, ?, ?) ON CONFLICT (shard, account, source) DO UPDATE SET number = max(floor.number, excluded.number)`,
		&k.lower:   `UPDATE floor SET number = ? WHERE shard = ? AND account = ? AND source = ?`,
		&k.lookTop: `SELECT coalesce(max(number), 0) FROM cursor WHERE shard = ? AND account = ? AND source = ?`,
		&k.finish: `UPDATE event SET state = ?, tries = max(tries, ?), handled_at = ?, route = ?, outcome = ?, note = ?, rule = ?,
			rules_version = ?, before = ?, why = ?, text = ? WHERE shard = ? AND account = ? AND source = ? + 0 AND number = ? AND state <> 'handled'`,
	}
}

// startKeeping reads the low-water marks.
func (a *applier) startKeeping(keep time.Duration) error {
	a.keep.keep = keep
	return a.readLowWaters()
}

func (a *applier) readLowWaters() error {
	lowWaters := map[lowWaterKey]int64{}
	l := &a.lookLowWaters
	_, err := l.each(func() {
		lowWaters[lowWaterKey{event.Account(l.word(0)), event.Source(l.number(1))}] = l.number(2)
	})
	if err == nil {
		a.keep.lowWaters = lowWaters
	}
	return err
}

// notKept notes that what was deleted last is there again, and the low-water marks are what they were.
func (a *applier) notKept() {
	k := &a.keep
	k.whole = false
	if a.line != nil { // nothing can be asked at this moment
		k.unread, k.lifted = k.unread || k.lifted, false
		return
	}
	if k.lifted && a.readLowWaters() != nil {
		k.keep = 0 // low-water marks that are not stored must not be relied on: this process deletes no more
	}
	k.lifted = false
}

// below reports whether an event without a row is one that was deleted, or would have been.
func (a *applier) below(e *event.Event) bool {
	return len(a.keep.lowWaters) > 0 && e.ID.Source != event.Snapshots && e.ID.Number <= a.keep.lowWaters[lowWaterKey{e.Account, e.ID.Source}]
}

// lift raises a low-water mark.
func (a *applier) lift(r *rowKey, source event.Source, number int64) error {
	k := lowWaterKey{event.Account(r.account), source}
	if number <= a.keep.lowWaters[k] {
		return nil
	}
	a.keep.lowWaters[k], a.keep.lifted = number, true
	return a.raise.int(r.shard).str(r.account).int(int64(source)).int(number).do()
}

// retain takes a bite of the round, if it is time; turns have been stored at a time.
func (a *applier) retain(at time.Time, turns int) error {
	k := &a.keep
	if k.keep == 0 {
		return nil
	}
	k.turns += turns
	switch {
	case k.next.IsZero():
		k.next = at.Add(keepFirst)
		return nil
	case at.Before(k.next) && (k.cutoff.IsZero() || k.turns < keepTurns) && k.next.Sub(at) < 2*keepRest: // or the clock was set back
		return nil
	case k.cutoff.IsZero():
		k.cutoff, k.table, k.from, k.whole, k.tops = at.Add(-k.keep), 0, rowKey{shard: -1}, true, nil
	case at.Add(-k.keep).Before(k.cutoff): // the clock was set back
		k.cutoff = at.Add(-k.keep)
	}
	limit := min(max(4*k.turns, keepLeast), keepMost)
	k.turns, k.next = 0, at.Add(keepPause)
	tables := [...]func(limit int) (int, error){a.keepEvents, a.keepTurnRows, a.keepActions, a.keepNotices, a.keepStrays}
	looked, err := tables[k.table](limit)
	if err != nil || looked == limit {
		return err
	}
	k.from = rowKey{shard: -1}
	if k.table++; k.table < len(tables) {
		return nil
	}
	k.next = at.Add(keepRest)
	err = a.keepRules()
	k.cutoff = time.Time{}
	return err
}

// look reads rows of a table behind the last one.
func (a *applier) look(st *statement, limit int) ([]keptRow, error) {
	rows := make([]keptRow, 0, limit)
	from := &a.keep.from
	_, err := st.int(from.shard).str(from.account).str(from.id).int(int64(limit)).each(func() {
		rows = append(rows, keptRow{
			rowKey: rowKey{shard: st.number(0), account: st.word(1), id: st.word(2)},
			state:  st.word(3), ended: st.number(4), product: st.number(5),
		})
		a.spare(&rows[len(rows)-1])
	})
	if len(rows) > 0 {
		*from = rows[len(rows)-1].rowKey
	}
	return rows, err
}

// spare keeps a row that is another process's to delete.
func (a *applier) spare(r *keptRow) {
	if !a.served.has(r.shard) { //mutate:served-old
		r.ended = math.MaxInt64
	}
}

// drop deletes a row by its key.
func (r *keptRow) drop(statements ...*statement) error {
	for _, st := range statements {
		if err := st.int(r.shard).str(r.account).str(r.id).do(); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) keepTurnRows(limit int) (int, error) {
	rows, err := a.look(&a.lookTurns, limit)
	for i := range rows {
		r := &rows[i]
		number, isRequest := strings.CutPrefix(r.id, "decision:request/")
		// The numbers of requests go on above the last one: one of a clock that was ahead stays.
		if err != nil || r.ended >= a.keep.cutoff.UnixMicro() || isRequest && number >= fmt.Sprintf("%016d", a.keep.cutoff.UnixMicro()) {
			continue
		}
		if message, ok := strings.CutPrefix(r.id, "decision:takeover/"); ok { // a person's own message
			if id, failed := strconv.ParseInt(message, 10, 64); failed == nil {
				err = a.pass(&r.rowKey, ownMessages, id)
			}
		}
		switch {
		case err == nil:
			err = r.drop(&a.dropTurn, &a.dropFacts)
		case errors.Is(err, errAbove):
			err = nil
		}
	}
	return len(rows), err
}

func (a *applier) keepActions(limit int) (int, error) {
	rows, err := a.look(&a.lookActions, limit)
	for i := range rows {
		r := &rows[i]
		if err != nil || r.ended >= a.keep.cutoff.UnixMicro() || !event.State(r.state).Final() { //mutate:old-actions
			continue
		}
		if r.product > 0 {
			err = a.pass(&r.rowKey, ownMessages, r.product)
		}
		switch {
		case err == nil:
			if err = r.drop(&a.dropAction, &a.dropApproval); err == nil {
				err = a.forgetName(event.Account(r.account), r.id)
			}
		case errors.Is(err, errAbove):
			err = nil
		}
	}
	return len(rows), err
}

func (a *applier) keepNotices(limit int) (int, error) {
	return a.keepAged(&a.lookNotices, &a.dropNotice, limit)
}

func (a *applier) keepStrays(limit int) (int, error) {
	return a.keepAged(&a.lookStrays, &a.dropStray, limit)
}

// keepAged deletes rows of a table with which nothing else goes.
func (a *applier) keepAged(look, drop *statement, limit int) (int, error) {
	rows, err := a.look(look, limit)
	for i := range rows {
		if err == nil && rows[i].ended < a.keep.cutoff.UnixMicro() {
			err = rows[i].drop(drop)
		}
	}
	return len(rows), err
}

// keepRules ends a round: versions of rules go that only turns of before can name.
func (a *applier) keepRules() error {
	// A bite that was rolled back is not repeated in this round, which has gone on behind it: a row there may still name a version.
	if !a.keep.whole {
		return nil
	}
	var old []string
	// When a version was named last is noted once in rulesUse, so it may have been that much later.
	before := a.keep.cutoff.Add(-2 * rulesUse).UnixMicro()
	l := &a.lookRules
	_, err := l.each(func() {
		if hash := l.word(0); l.number(1) < before && !a.loaded[hash] {
			old = append(old, hash)
		}
	})
	for i := 0; i < len(old) && err == nil; i++ {
		err = a.dropRules.str(old[i]).int(before).do() // unless somebody has put them in force meanwhile
	}
	return err
}
