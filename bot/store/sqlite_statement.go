package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// statement is a prepared statement of the writer's connection. It speaks to the driver without
// database/sql in between: the writer is one goroutine on one connection, and this is the hot path.
type statement struct {
	text string
	stmt driver.StmtExecContext
	args []driver.NamedValue
}

func prepare(ctx context.Context, conn driver.Conn, text string) (*statement, error) {
	p, ok := conn.(driver.ConnPrepareContext)
	if !ok {
		return nil, fmt.Errorf("the driver %T cannot prepare", conn)
	}
	st, err := p.PrepareContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", text, err)
	}
	exec, ok := st.(driver.StmtExecContext)
	if !ok {
		return nil, fmt.Errorf("the driver's %T cannot execute", st)
	}
	return &statement{text: text, stmt: exec}, nil
}

// exec runs the statement and returns the number of rows it changed.
func (s *statement) exec(ctx context.Context, values ...driver.Value) (int64, error) {
	s.args = s.args[:0]
	for i, v := range values {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	res, err := s.stmt.ExecContext(ctx, s.args)
	if err != nil {
		return 0, fmt.Errorf("execute %.40q: %w", s.text, err)
	}
	return res.RowsAffected()
}

// raw runs f with the driver's connection.
func raw(ctx context.Context, db *sql.DB, f func(driver.Conn) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("take the writer's connection: %w", err)
	}
	err = conn.Raw(func(c any) error {
		dc, ok := c.(driver.Conn)
		if !ok {
			return fmt.Errorf("unexpected driver connection %T", c)
		}
		return f(dc)
	})
	if cerr := conn.Close(); err == nil {
		err = cerr
	}
	return err
}
