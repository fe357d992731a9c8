package store

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
)

// What a bite deletes, and what it asks for that, goes to a server with one statement for each table, for rows of all kinds: each statement
// is planned, run and answered there, while a turn waits for its commit. With a file, which is in this process, it goes row by row.

// clockApart is by how much the clocks of a process and of its server may differ and still agree.
const clockApart = 5 * time.Second

// compareClocks lets retention begin at once where this process's clock says what the server's says, asked for at a moment. A machine that has
// just been started may have set neither yet.
func (a *applier) compareClocks(asked, server time.Time, m recorder.Machine) {
	now := time.Now()
	if server.After(asked.Add(-clockApart)) && server.Before(now.Add(clockApart)) && m.Steady() >= keepFirst {
		a.keep.agreed = now
	}
}

// dropping is a table from which rows go by their keys.
type dropping struct {
	one *statement // of both engines
	all statement  // of PostgreSQL alone
}

// keepingAll are the statements of retention about many rows. They are PostgreSQL's.
type keepingAll struct {
	events, turns, actions, notices, strays, facts, approvals, names dropping
	topOfAll, raiseAll                                               statement
}

const (
	rowsByID     = `(SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[]))`
	rowsByNumber = `(SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]))`
)

func (k *keepingAll) statementTexts() map[*statement]string {
	by := func(table, id string) string {
		return `DELETE FROM ` + table + ` WHERE (shard, account, ` + id + `) IN ` + rowsByID
	}
	return map[*statement]string{
		&k.events.all: `DELETE FROM event WHERE (shard, account, source, number) IN ` + rowsByNumber,
		&k.turns.all:  by("turn", "id"), &k.actions.all: by("action", "key"), &k.notices.all: by("notice", "id"), &k.strays.all: by("stray", "id"),
		&k.facts.all: by("fact", "trigger_id"), &k.approvals.all: by("approval", "key"), &k.names.all: by("named", "key"),
		&k.topOfAll: `SELECT account, source, max(number) FROM cursor WHERE (shard, account, source) IN
			(SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])) GROUP BY account, source`,
		&k.raiseAll: `INSERT INTO floor (shard, account, source, number) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[])
			ON CONFLICT (shard, account, source) DO UPDATE SET number = greatest(floor.number, excluded.number)`,
	}
}

// joinKeeping says by which statement rows go from a table one by one.
func (a *applier) joinKeeping() {
	a.events.one, a.turns.one, a.actions.one, a.notices.one = &a.dropEvent, &a.dropTurn, &a.dropAction, &a.dropNotice
	a.strays.one, a.facts.one, a.approvals.one, a.names.one = &a.dropStray, &a.dropFacts, &a.dropApproval, &a.dropNamed
}

// dropFrom deletes rows of a table by their keys.
func (a *applier) dropFrom(rows []keptRow, t *dropping) error {
	if len(rows) == 0 {
		return nil
	}
	isEvents := t == &a.events
	if a.line != nil {
		st := t.all.ofRows(rows)
		if !isEvents {
			return st.addWords(wordsOf(rows, func(r *keptRow) string { return r.id })).do()
		}
		return st.addNumbers(numbersOf(rows, func(r *keptRow) int64 { return r.source })).addNumbers(numbersOf(rows, func(r *keptRow) int64 { return r.number })).do()
	}
	for i := range rows {
		r := &rows[i]
		st := t.one.int(r.shard).str(r.account)
		if isEvents {
			st = st.int(r.source).int(r.number)
		} else {
			st = st.str(r.id)
		}
		if err := st.do(); err != nil {
			return err
		}
	}
	return nil
}

// askTops notes the highest cursors of sources.
func (a *applier) askTops(rows []keptRow) error {
	note := func(account string, source, number int64) {
		a.keep.tops[lowWaterKey{event.Account(account), event.Source(source)}] = number
	}
	sources := numbersOf(rows, func(r *keptRow) int64 { return int64(r.cursorKey().source) })
	if a.line != nil && len(rows) > 0 {
		l := &a.topOfAll
		_, err := l.ofRows(rows).addNumbers(sources).each(func() { note(l.columnWord(0), l.columnNumber(1), l.columnNumber(2)) })
		return err
	}
	for i := range rows {
		r, l := &rows[i], &a.lookTop
		if _, err := l.int(r.shard).str(r.account).int(sources[i]).each(func() { note(r.account, sources[i], l.columnNumber(0)) }); err != nil {
			return err
		}
	}
	return nil
}

// raiseTo stores low-water marks, each of them of one row.
func (a *applier) raiseTo(rows []keptRow) error {
	if len(rows) == 0 {
		return nil
	}
	if a.line != nil {
		marks := numbersOf(rows, func(r *keptRow) int64 { return int64(r.mark) })
		return a.raiseAll.ofRows(rows).addNumbers(marks).addNumbers(numbersOf(rows, func(r *keptRow) int64 { return r.passes })).do()
	}
	for i := range rows {
		r := &rows[i]
		if err := a.raise.int(r.shard).str(r.account).int(int64(r.mark)).int(r.passes).do(); err != nil {
			return err
		}
	}
	return nil
}

// ofRows adds the shards and the accounts of rows.
func (s *statement) ofRows(rows []keptRow) *statement {
	return s.addNumbers(numbersOf(rows, func(r *keptRow) int64 { return r.shard })).addWords(wordsOf(rows, func(r *keptRow) string { return r.account }))
}

func numbersOf(rows []keptRow, of func(*keptRow) int64) bind.Numbers {
	all := make(bind.Numbers, len(rows))
	for i := range rows {
		all[i] = of(&rows[i])
	}
	return all
}

func wordsOf(rows []keptRow, of func(*keptRow) string) bind.Words {
	all := make(bind.Words, len(rows))
	for i := range rows {
		all[i] = of(&rows[i])
	}
	return all
}
