package simulate_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// owners is a judge in the database itself: what a commit writes of an account is written by the worker that serves it. Triggers gather
// what a commit writes; its last statement tells whose it is. It judges alone: whoever writes does not notice.
type owners struct{ db *sql.DB }

const (
	// makeOwners makes the tables of the judge. Shards that are not in owned have no account.
	makeOwners = `CREATE TABLE owned (shard INTEGER PRIMARY KEY, worker INTEGER NOT NULL);
		CREATE TABLE touched (shard INTEGER, name TEXT);
		CREATE TABLE strange (worker INTEGER, number INTEGER, shard INTEGER, name TEXT, owner INTEGER);`
	touches = `CREATE TRIGGER owners_%[1]s_%[2]s AFTER %[1]s ON %[2]s BEGIN INSERT INTO touched VALUES (NEW.shard, '%[2]s'); END;`
	numbers = `CREATE TRIGGER owners_%[1]s AFTER %[1]s ON writer BEGIN
		INSERT INTO strange SELECT DISTINCT NEW.writer, NEW.number, shard, name, owned.worker FROM touched JOIN owned USING (shard) WHERE owned.worker <> NEW.writer;
		DELETE FROM touched; END;`
	selectSharded = `SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
		WHERE m.type = 'table' AND c.name = 'shard' AND m.name <> 'shard'`
	selectStrange = `SELECT worker, number, shard, name, owner FROM strange LIMIT 10`
)

// newOwners lets a database be judged as to these accounts. It has its other tables.
func newOwners(ctx context.Context, path string, booths []*booth) (*owners, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=synchronous(off)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	o := &owners{db}
	var names []string
	err = o.each(ctx, selectSharded, func(rows *sql.Rows) error {
		names = append(names, "")
		return rows.Scan(&names[len(names)-1])
	})
	text := &strings.Builder{}
	text.WriteString(makeOwners)
	for _, what := range []string{"INSERT", "UPDATE"} {
		for _, name := range names {
			fmt.Fprintf(text, touches, what, name)
		}
		fmt.Fprintf(text, numbers, what)
	}
	for _, b := range booths {
		fmt.Fprintf(text, "INSERT OR IGNORE INTO owned VALUES (%d, 0);", b.name.Shard())
	}
	if err == nil {
		_, err = db.ExecContext(ctx, text.String())
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return o, nil
}

// takes says that a worker serves a shard from now on.
func (o *owners) takes(ctx context.Context, shard int, worker int64) error {
	_, err := o.db.ExecContext(ctx, `UPDATE owned SET worker = ? WHERE shard = ?`, worker, shard)
	return err
}

// gives says that nobody serves a shard, if it was still this worker.
func (o *owners) gives(ctx context.Context, shard int, worker int64) error {
	_, err := o.db.ExecContext(ctx, `UPDATE owned SET worker = 0 WHERE shard = ? AND worker = ?`, shard, worker)
	return err
}

// wrong tells what was written by whoever did not serve the account.
func (o *owners) wrong(ctx context.Context) (wrong []string, err error) {
	err = o.each(ctx, selectStrange, func(rows *sql.Rows) error {
		var worker, number, shard, owner int64
		var name string
		err := rows.Scan(&worker, &number, &shard, &name, &owner)
		wrong = append(wrong, fmt.Sprintf("worker number %d writes to %s with commit %d, of shard %d, which number %d serves", worker, name, number, shard, owner))
		return err
	})
	return wrong, err
}

// each calls f with each row of an answer.
func (o *owners) each(ctx context.Context, text string, f func(rows *sql.Rows) error) (err error) {
	rows, err := o.db.QueryContext(ctx, text)
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
