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

// lazily makes queries of a database.
func lazily(db *sql.DB, texts map[**lazyQuery]string) {
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
