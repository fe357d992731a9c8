package store

import (
	"fmt"
	"math"
	"math/rand/v2"
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
	keepFirst = 10 * time.Minute   // after the first turn, the clock may be wrong before; see agrees, too
	keepRest  = time.Hour          // between two rounds
	keepSoon  = 10 * time.Second   // the same, when shards have come meanwhile
	keepPause = time.Second        // between two bites, when few turns come
	keepTurns = 100                // after so many turns a bite does not wait for the pause
	keepLeast = 200                // rows of a bite
	keepMost  = 800
)

// retention is how far it is.
type retention struct {
	keep      time.Duration // 0: everything is kept
	brief     bool          // the process is a worker, which may live too short for a whole round
	lowWaters map[lowWaterKey]int64
	tops      map[lowWaterKey]int64 // the highest cursor of each source in this round; see above

	agreed time.Time // when another clock said the same as this one; zero where there is none

	next   time.Time // when the next bite is, or round; by the times of turns
	soon   time.Time // when the next round is if shards have come since the last one began
	handed int64     // how often shards had come and gone by then
	cutoff time.Time // what was final before is deleted in this round; zero between two rounds
	first  int       // the table with which this round began
	start  int64     // the shard in it with which it began; 0 when the first table is done
	around bool      // it has come to the end of the first table, and goes on with what stands before start
	step   int       // how many tables are done
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
	state  string
	ended  int64        // when it became final
	mark   event.Source // the low-water mark that is not below number any more when it is gone
	passes int64        // that number; 0: there is none
	last   bool         // an event that stays, without what was said
}

// keeping are the statements of retention.
type keeping struct {
	lookEvents, lookTurns, lookActions, lookNotices, lookStrays, lookRules, lookLowWaters statement
	dropEvent, dropTurn, dropAction, dropNotice, dropStray, dropRules, dropFacts          statement
	emptyEvent, raise, finish, lookTop, lower                                             statement
}

func (k *keeping) statementTexts() map[*statement]string {
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
		&k.raise:   `INSERT INTO floor (shard, account, source, number) VALUES (?, ?, ?, ?) ON CONFLICT (shard, account, source) DO UPDATE SET number = max(floor.number, excluded.number)`,
		&k.lower:   `UPDATE floor SET number = ? WHERE shard = ? AND account = ? AND source = ?`,
		&k.lookTop: `SELECT coalesce(max(number), 0) FROM cursor WHERE shard = ? AND account = ? AND source = ?`,
		&k.finish: `UPDATE event SET state = ?, tries = max(tries, ?), handled_at = ?, route = ?, outcome = ?, note = ?, rule = ?,
			rules_version = ?, before = ?, why = ?, text = ? WHERE shard = ? AND account = ? AND source = ? + 0 AND number = ? AND state <> 'handled'`,
	}
}

// readLowWaters reads the low-water marks.
func (a *applier) readLowWaters() error {
	lowWaters := map[lowWaterKey]int64{}
	l := &a.lookLowWaters
	_, err := l.each(func() {
		lowWaters[lowWaterKey{event.Account(l.columnWord(0)), event.Source(l.columnNumber(1))}] = l.columnNumber(2)
	})
	if err == nil {
		a.keep.lowWaters, a.keep.unread = lowWaters, false
	}
	return err
}

// notKept notes that what was deleted last is there again, and the low-water marks are what they were.
func (a *applier) notKept() {
	k := &a.keep
	k.whole, k.unread, k.lifted = false, k.unread || k.lifted, false
}

// isBelowLowWater reports whether an event without a row is one that was deleted, or would have been.
func (a *applier) isBelowLowWater(e *event.Event) bool {
	return len(a.keep.lowWaters) > 0 && e.ID.Source.HasOrder() && e.ID.Number <= a.keep.lowWaters[lowWaterKey{e.Account, e.ID.Source}]
}

// retainBite takes a bite of the round, if it is time; turns have been stored at a time.
func (a *applier) retainBite(at time.Time, turns int) error {
	k := &a.keep
	if k.keep == 0 {
		return nil
	}
	k.turns += turns
	next := k.next
	if k.cutoff.IsZero() && k.handed != a.served.changes.Load() {
		next = k.soon
	}
	switch {
	case k.next.IsZero() && !k.agrees(at):
		k.next = at.Add(keepFirst)
		return nil
	case at.Before(next) && (k.cutoff.IsZero() || k.turns < keepTurns) && next.Sub(at) < 2*keepRest: // or the clock was set back
		return nil
	case k.cutoff.IsZero():
		a.beginRound(at)
	case at.Add(-k.keep).Before(k.cutoff): // the clock was set back
		k.cutoff = at.Add(-k.keep)
	}
	limit := min(max(4*k.turns, keepLeast), keepMost)
	k.turns, k.next = 0, at.Add(keepPause)
	for limit > 0 && !k.cutoff.IsZero() {
		looked, err := a.bite(at, limit)
		if err != nil || !k.brief {
			return err
		}
		limit -= looked // what is little is gone through at once: the worker may not live for many bites
	}
	return nil
}

const keptTables = 5

// bite looks at rows of the table at which the round is, and goes on to the next one behind the last of them.
func (a *applier) bite(at time.Time, limit int) (looked int, err error) {
	k := &a.keep
	tables := [keptTables]func(limit int) (int, error){a.keepEvents, a.keepTurnRows, a.keepActions, a.keepNotices, a.keepStrays}
	looked, err = tables[(k.first+k.step)%keptTables](limit)
	if err != nil || looked == limit && (!k.around || k.from.shard < k.start) {
		return looked, err
	}
	k.from = rowKey{shard: -1}
	if k.start > 0 && !k.around { // of its first table the round has not seen what stands before the place where it began
		k.around = true
		return looked, nil
	}
	k.start, k.around = 0, false
	if k.step++; k.step < keptTables {
		return looked, nil
	}
	k.next, k.soon = at.Add(keepRest), at.Add(keepSoon)
	err = a.keepRules()
	k.cutoff = time.Time{}
	return looked, err
}

// beginRound begins a round. That of a brief process begins at another place each time, and goes around.
func (a *applier) beginRound(at time.Time) {
	k := &a.keep
	k.cutoff, k.first, k.start, k.around, k.step, k.whole, k.tops = at.Add(-k.keep), 0, 0, false, 0, true, nil
	k.from, k.handed = rowKey{shard: -1}, a.served.changes.Load()
	if k.brief {
		k.first, k.start = rand.IntN(keptTables), a.served.drawShards() //nolint:gosec // nobody has to guess it
		k.from.shard = k.start
	}
}

// agrees reports whether a time is not ahead of what another clock has said.
func (r *retention) agrees(at time.Time) bool {
	return !r.agreed.IsZero() && at.Before(r.agreed.Round(0).Add(time.Since(r.agreed)+clockApart))
}

// readRows reads rows of a table behind the last one.
func (a *applier) readRows(st *statement, limit int) ([]keptRow, error) {
	rows := make([]keptRow, 0, limit)
	from := &a.keep.from
	if !a.skipOthers(from) {
		return nil, nil
	}
	_, err := st.int(from.shard).str(from.account).str(from.id).int(int64(limit)).each(func() {
		rows = append(rows, keptRow{
			rowKey: rowKey{shard: st.columnNumber(0), account: st.columnWord(1), id: st.columnWord(2)},
			state:  st.columnWord(3), ended: st.columnNumber(4), passes: st.columnNumber(5),
		})
		a.spareRow(&rows[len(rows)-1])
	})
	if len(rows) > 0 {
		*from = rows[len(rows)-1].rowKey
	}
	return rows, err
}

// spareRow keeps a row that is another process's to delete.
func (a *applier) spareRow(r *keptRow) {
	if !a.served.has(r.shard) { //mutate:served-old
		r.ended = math.MaxInt64
	}
}

// skipOthers goes on with the next shard that is this process's; false when there is none.
func (a *applier) skipOthers(from *rowKey) bool {
	next, found := a.served.next(from.shard)
	if found && next > from.shard {
		*from = rowKey{shard: next}
	}
	return found
}

// deleteRows deletes rows of tables by their keys; each table is given by its statement for one row.
func (a *applier) deleteRows(rows []keptRow, tables ...*statement) error {
	for _, t := range tables {
		if len(rows) == 0 {
			break
		}
		if err := a.way.dropRows(rows, t); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) keepTurnRows(limit int) (int, error) {
	rows, err := a.readRows(&a.lookTurns, limit)
	var old []keptRow
	for i := range rows {
		r := &rows[i]
		number, isRequest := strings.CutPrefix(r.id, "decision:request/")
		// The numbers of requests go on above the last one: one of a clock that was ahead stays.
		if r.ended >= a.keep.cutoff.UnixMicro() || isRequest && number >= fmt.Sprintf("%016d", a.keep.cutoff.UnixMicro()) {
			continue
		}
		if message, ok := strings.CutPrefix(r.id, "decision:takeover/"); ok { // a person's own message
			if id, failed := strconv.ParseInt(message, 10, 64); failed == nil {
				r.mark, r.passes = ownMessages, id
			}
		}
		old = append(old, *r)
	}
	if err == nil {
		old, err = a.raiseLowWater(old)
	}
	if err == nil {
		err = a.deleteRows(old, &a.dropTurn, &a.dropFacts)
	}
	return len(rows), err
}

func (a *applier) keepActions(limit int) (int, error) {
	rows, err := a.readRows(&a.lookActions, limit)
	var old, named []keptRow
	for i := range rows {
		r := &rows[i]
		if err != nil || r.ended >= a.keep.cutoff.UnixMicro() || !event.State(r.state).Final() { //mutate:old-actions
			continue
		}
		r.mark = ownMessages
		old = append(old, *r)
	}
	if err == nil {
		old, err = a.raiseLowWater(old)
	}
	for i := range old {
		if event.IsNamed(old[i].id) {
			named = append(named, old[i])
		}
	}
	if err == nil {
		clear(a.first) // the rows that are deleted may be among these
		err = a.deleteRows(old, &a.dropAction, &a.dropApproval)
	}
	if err == nil {
		err = a.deleteRows(named, &a.dropNamed)
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
func (a *applier) keepAged(look *statement, table *statement, limit int) (int, error) {
	rows, err := a.readRows(look, limit)
	var old []keptRow
	for i := range rows {
		if rows[i].ended < a.keep.cutoff.UnixMicro() {
			old = append(old, rows[i])
		}
	}
	if err == nil {
		err = a.deleteRows(old, table)
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
		if hash := l.columnWord(0); l.columnNumber(1) < before && !a.loaded[hash] {
			old = append(old, hash)
		}
	})
	for i := 0; i < len(old) && err == nil; i++ {
		err = a.dropRules.str(old[i]).int(before).do() // unless somebody has put them in force meanwhile
	}
	return err
}
