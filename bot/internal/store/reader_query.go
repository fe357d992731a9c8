package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
)

// lazyQuery is a query that is prepared when it is asked for the first time: a command asks for few of those that there are, and to
// prepare all would take longer than what it does.
type lazyQuery struct {
	db       *sql.DB
	text     string
	prepared atomic.Pointer[sql.Stmt]
}

// makeLazy makes queries of a database.
func makeLazy(db *sql.DB, texts map[**lazyQuery]string) {
	for dst, text := range texts {
		*dst = &lazyQuery{db: db, text: text}
	}
}

// stmt returns the statement. It is closed with the database.
func (q *lazyQuery) stmt(ctx context.Context) (*sql.Stmt, error) {
	if s := q.prepared.Load(); s != nil {
		return s, nil
	}
	s, err := q.db.PrepareContext(ctx, q.text)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", q.text, err)
	}
	if !q.prepared.CompareAndSwap(nil, s) { // somebody was quicker
		_ = s.Close() //nolint:sqlclosecheck // here it ends
	}
	return q.prepared.Load(), nil
}

// close ends a query that is not asked again.
func (q *lazyQuery) close() {
	if s := q.prepared.Swap(nil); s != nil {
		_ = s.Close() //nolint:sqlclosecheck // here it ends
	}
}

// queryOne asks for one row. Nothing breaks it off: see Reader.queryOne.
func (q *lazyQuery) queryOne(ctx context.Context, dest, args []any) error {
	s, err := q.stmt(ctx) //nolint:sqlclosecheck // it is closed with the database
	if err != nil {
		return err
	}
	return s.QueryRowContext(context.WithoutCancel(ctx), args...).Scan(dest...)
}

// queryRows asks for rows; see queryOne.
func (q *lazyQuery) queryRows(ctx context.Context, args []any) (*sql.Rows, error) {
	s, err := q.stmt(ctx) //nolint:sqlclosecheck // it is closed with the database
	if err != nil {
		return nil, err
	}
	return s.QueryContext(context.WithoutCancel(ctx), args...)
}
