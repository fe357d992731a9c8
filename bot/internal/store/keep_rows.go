package store

import (
	"time"

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

// rowKeeper does what retention decides about rows: there are some.
type rowKeeper interface {
	// dropRows deletes rows of a table by their keys. one is the statement that deletes one.
	dropRows(rows []keptRow, one *statement) error
	// askTops calls f with the highest cursors of the sources of rows.
	askTops(rows []keptRow, f func(account string, source, number int64)) error
	// raiseTo stores low-water marks, each of them of one row.
	raiseTo(rows []keptRow) error
}

func (f *fileEngine) dropRows(rows []keptRow, one *statement) error {
	for i := range rows {
		r := &rows[i]
		if one.int(r.shard).str(r.account); one == &f.dropEvent {
			one.int(r.source).int(r.number)
		} else {
			one.str(r.id)
		}
		if err := one.do(); err != nil {
			return err
		}
	}
	return nil
}

func (f *fileEngine) askTops(rows []keptRow, note func(account string, source, number int64)) error {
	for i := range rows {
		r, l, source := &rows[i], &f.lookTop, int64(rows[i].cursorKey().source)
		if _, err := l.int(r.shard).str(r.account).int(source).each(func() { note(r.account, source, l.columnNumber(0)) }); err != nil {
			return err
		}
	}
	return nil
}

func (f *fileEngine) raiseTo(rows []keptRow) error {
	for i := range rows {
		r := &rows[i]
		if err := f.raise.int(r.shard).str(r.account).int(int64(r.mark)).int(r.passes).do(); err != nil {
			return err
		}
	}
	return nil
}

// keepingAll are the statements of retention about many rows. They are PostgreSQL's.
type keepingAll struct {
	events, turns, actions, notices, strays, facts, approvals, names statement
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
		&k.events: `DELETE FROM event WHERE (shard, account, source, number) IN ` + rowsByNumber,
		&k.turns:  by("turn", "id"), &k.actions: by("action", "key"), &k.notices: by("notice", "id"), &k.strays: by("stray", "id"),
		&k.facts: by("fact", "trigger_id"), &k.approvals: by("approval", "key"), &k.names: by("named", "key"),
		&k.topOfAll: `SELECT account, source, max(number) FROM cursor WHERE (shard, account, source) IN
			(SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])) GROUP BY account, source`,
		&k.raiseAll: `INSERT INTO floor (shard, account, source, number) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[])
			ON CONFLICT (shard, account, source) DO UPDATE SET number = greatest(floor.number, excluded.number)`,
	}
}

// allOf returns what deletes many rows where one deletes one.
func (e *pgEngine) allOf(one *statement) *statement {
	return map[*statement]*statement{
		&e.dropEvent: &e.many.events, &e.dropTurn: &e.many.turns, &e.dropAction: &e.many.actions, &e.dropNotice: &e.many.notices, &e.dropStray: &e.many.strays,
		&e.dropFacts: &e.many.facts, &e.dropApproval: &e.many.approvals, &e.dropNamed: &e.many.names,
	}[one]
}

func (e *pgEngine) dropRows(rows []keptRow, one *statement) error {
	st := e.allOf(one).ofRows(rows)
	if one == &e.dropEvent {
		st.addNumbers(numbersOf(rows, func(r *keptRow) int64 { return r.source })).addNumbers(numbersOf(rows, func(r *keptRow) int64 { return r.number }))
	} else {
		st.addWords(wordsOf(rows, func(r *keptRow) string { return r.id }))
	}
	return st.do()
}

func (e *pgEngine) askTops(rows []keptRow, note func(account string, source, number int64)) error {
	l := &e.many.topOfAll
	_, err := l.ofRows(rows).addNumbers(numbersOf(rows, func(r *keptRow) int64 { return int64(r.cursorKey().source) })).
		each(func() { note(l.columnWord(0), l.columnNumber(1), l.columnNumber(2)) })
	return err
}

func (e *pgEngine) raiseTo(rows []keptRow) error {
	return e.many.raiseAll.ofRows(rows).addNumbers(numbersOf(rows, func(r *keptRow) int64 { return int64(r.mark) })).
		addNumbers(numbersOf(rows, func(r *keptRow) int64 { return r.passes })).do()
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
