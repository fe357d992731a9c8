package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
)

// A limit of a statement is written as $n + 0: SQLite looks at a bare parameter when it plans, and so would plan the statement anew
// each time it runs, at several times the cost.

// prepare returns the statement of a text, which is one of the program's own: there are as many as it has. It is prepared when it is asked
// for the first time: a command asks for few of them, and to prepare all would take longer than what it does. It is closed with the database.
func (r *Reader) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	r.mu.RLock()
	s := r.prepared[text]
	r.mu.RUnlock()
	if s != nil {
		return s, nil
	}
	s, err := r.db.PrepareContext(context.WithoutCancel(ctx), text) // the statement is kept for later calls
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", text, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if first := r.prepared[text]; first != nil { // somebody was quicker
		_ = s.Close() //nolint:sqlclosecheck // here it ends
		return first, nil
	}
	r.prepared[text] = s
	return s, nil
}

// scanner is a row that was found.
type scanner interface{ Scan(dest ...any) error }

// resultRows are what a statement has found: rows of the database, or such as were read ahead.
type resultRows interface {
	scanner
	Next() bool
	Err() error
	Close() error
}

// queryRows runs a statement, unless its rows were read ahead. Nothing breaks it off: it finds what it reads by an index, and a context
// that can be cancelled would cost a goroutine, and more than the reading.
func (r *Reader) queryRows(ctx context.Context, text string, args []any) (resultRows, error) {
	if rows := r.readAhead(ctx, text, args); rows != nil {
		return rows, nil
	}
	s, err := r.prepare(ctx, text) //nolint:sqlclosecheck // it is closed with the database
	if err != nil {
		return nil, err
	}
	return s.QueryContext(context.WithoutCancel(ctx), args...) //nolint:rowserrcheck // who reads them does
}

// queryOne runs a statement for one row; false when there is none.
func (r *Reader) queryOne(ctx context.Context, text string, dest []any, args ...any) (bool, error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	rows, err := r.queryRows(ctx, text, args)
	if err != nil {
		return false, err
	}
	found := rows.Next()
	if found {
		err = rows.Scan(dest...)
	}
	err = cmp.Or(err, rows.Err(), rows.Close())
	return found && err == nil, err
}

// each runs a statement and calls f for each row. The context is looked at between rows.
func (r *Reader) each(ctx context.Context, text string, f func(scanner) error, args ...any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	rows, err := r.queryRows(ctx, text, args)
	if err != nil {
		return err
	}
	return walkRows(ctx, rows, f)
}

// eachRare is each for a statement that is rarely needed. It may read much, so the context ends it. It is not kept, so it may be built for
// the one call.
func (r *Reader) eachRare(ctx context.Context, text string, f func(scanner) error, args ...any) error {
	if rows := r.readAhead(ctx, text, args); rows != nil {
		return walkRows(ctx, rows, f)
	}
	rows, err := r.db.QueryContext(ctx, text, args...) //nolint:rowserrcheck // walkRows does
	if err != nil {
		return err
	}
	return walkRows(ctx, rows, f)
}

// walkRows calls f for each of rows, and closes them.
func walkRows(ctx context.Context, rows resultRows, f func(scanner) error) (err error) {
	defer func() { err = cmp.Or(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return rows.Err()
}

// rowsOf reads the rows of a statement, each by scan.
func rowsOf[T any](ctx context.Context, r *Reader, text string, scan func(scanner) (T, error), args ...any) ([]T, error) {
	var all []T
	if err := r.each(ctx, text, func(rows scanner) error {
		one, err := scan(rows)
		all = append(all, one)
		return err
	}, args...); err != nil {
		return nil, err
	}
	return all, nil
}

// rareRowsOf is rowsOf of a statement that is needed now and then; see eachRare.
func rareRowsOf[T any](ctx context.Context, r *Reader, text string, scan func(scanner) (T, error), args ...any) ([]T, error) {
	var all []T
	if err := r.eachRare(ctx, text, func(rows scanner) error {
		one, err := scan(rows)
		all = append(all, one)
		return err
	}, args...); err != nil {
		return nil, err
	}
	return all, nil
}

// firstOf returns the first of what was read; false when there is none.
func firstOf[T any](all []T, err error) (one T, found bool, _ error) {
	if err != nil || len(all) == 0 {
		return one, false, err
	}
	return all[0], true, nil
}

// scanOne reads a row of one value.
func scanOne[T any](rows scanner) (one T, err error) {
	err = rows.Scan(&one)
	return one, err
}
