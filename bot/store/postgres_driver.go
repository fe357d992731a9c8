package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// far is PostgreSQL as database/sql sees it, for those that read, and for desks. Statements are SQLite's, see forPostgres,
// and values are as in SQLite: numbers, texts of whatever bytes, and what is sealed.
type far struct{ config *pgconn.Config }

// openFar opens connections to PostgreSQL.
func openFar(config *pgconn.Config, connections int) *sql.DB {
	db := sql.OpenDB(far{config})
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db
}

// Connect makes a connection.
func (f far) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := pgconn.ConnectConfig(ctx, f.config)
	if err != nil {
		return nil, unreachable(err)
	}
	return &farConn{conn: c, known: map[string]*pgconn.StatementDescription{}, used: time.Now()}, nil
}

// Driver is not for use.
func (f far) Driver() driver.Driver { return nil }

// farConn is a connection, and the statements that it has prepared. There are as many as the program has, so they stay.
type farConn struct {
	conn  *pgconn.PgConn
	known map[string]*pgconn.StatementDescription
	used  time.Time
}

// idle is how long a connection may rest before it is looked at.
const idle = time.Second

// ResetSession looks whether a connection that has rested is still there.
func (c *farConn) ResetSession(ctx context.Context) error {
	if c.conn.IsClosed() || time.Since(c.used) > idle && c.conn.Ping(ctx) != nil {
		return driver.ErrBadConn
	}
	return nil
}

// IsValid tells whether the connection can be used again.
func (c *farConn) IsValid() bool { return !c.conn.IsClosed() && c.conn.TxStatus() == 'I' }

// Close closes the connection.
func (c *farConn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return c.conn.Close(ctx)
}

// Prepare is for database/sql of old.
func (c *farConn) Prepare(text string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), text)
}

// PrepareContext prepares a statement.
func (c *farConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	if _, err := c.describe(ctx, text); err != nil {
		return nil, err
	}
	return &farStmt{c, text}, nil
}

func (c *farConn) describe(ctx context.Context, text string) (*pgconn.StatementDescription, error) {
	if d, ok := c.known[text]; ok {
		return d, nil
	}
	d, err := c.conn.Prepare(ctx, fmt.Sprint("s", len(c.known)), forPostgres(text), nil)
	if err != nil {
		return nil, c.failed(err)
	}
	c.known[text] = d
	return d, nil
}

// failed lets database/sql try another connection when this one was lost before anything was asked.
func (c *farConn) failed(err error) error {
	if pgconn.SafeToRetry(err) {
		return driver.ErrBadConn
	}
	return err
}

// run sends a statement.
func (c *farConn) run(ctx context.Context, text string, args []driver.NamedValue) (*pgconn.ResultReader, error) {
	d, err := c.describe(ctx, text)
	if err != nil {
		return nil, err
	}
	if len(args) != len(d.ParamOIDs) {
		return nil, fmt.Errorf("%d parameters for %d", len(args), len(d.ParamOIDs))
	}
	values := make([][]byte, len(args))
	for i := range args {
		if values[i], err = encode(d.ParamOIDs[i], args[i].Value); err != nil {
			return nil, err
		}
	}
	c.used = time.Now()
	return c.conn.ExecPrepared(ctx, d.Name, values, binaryFormat, binaryFormat), nil
}

// QueryContext runs a statement for its rows.
func (c *farConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	r, err := c.run(ctx, text, args)
	if err != nil {
		return nil, err
	}
	rows := &farRows{reader: r}
	rows.there = r.NextRow() // or an error of the statement would come too late for database/sql to try again
	if !rows.there {
		if _, err := r.Close(); err != nil {
			return nil, c.failed(err)
		}
	}
	for _, f := range r.FieldDescriptions() {
		rows.names = append(rows.names, f.Name)
		rows.types = append(rows.types, f.DataTypeOID)
	}
	return rows, nil
}

// ExecContext runs a statement.
func (c *farConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	r, err := c.run(ctx, text, args)
	if err != nil {
		return nil, err
	}
	tag, err := r.Close()
	if err != nil {
		return nil, c.failed(err)
	}
	return driver.RowsAffected(tag.RowsAffected()), nil
}

// CheckNamedValue lets lists through as they are.
func (c *farConn) CheckNamedValue(v *driver.NamedValue) (err error) {
	switch v.Value.(type) {
	case numbers, words:
		return nil
	}
	v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value)
	return err
}

// Begin is for database/sql of old.
func (c *farConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx begins a transaction.
func (c *farConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	if _, err := c.conn.Exec(ctx, inPostgres[`BEGIN IMMEDIATE`]).ReadAll(); err != nil {
		return nil, c.failed(err)
	}
	return farTx{c.conn}, nil
}

// farTx is a transaction.
type farTx struct{ conn *pgconn.PgConn }

// Commit makes it last.
func (t farTx) Commit() error { return commitOn(context.Background(), t.conn) }

// Rollback takes it back.
func (t farTx) Rollback() error {
	ctx, cancel := context.WithTimeout(context.Background(), farPatience)
	defer cancel()
	_, err := t.conn.Exec(ctx, `ROLLBACK`).ReadAll()
	return err
}

// farStmt is a statement of a connection.
type farStmt struct {
	conn *farConn
	text string
}

// Close does nothing: the connection goes on knowing the statement.
func (s *farStmt) Close() error { return nil }

// NumInput leaves it to run to count.
func (s *farStmt) NumInput() int { return -1 }

// Exec is for database/sql of old.
func (s *farStmt) Exec([]driver.Value) (driver.Result, error) { return nil, errors.ErrUnsupported }

// Query is for database/sql of old.
func (s *farStmt) Query([]driver.Value) (driver.Rows, error) { return nil, errors.ErrUnsupported }

// ExecContext runs the statement.
func (s *farStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.text, args)
}

// QueryContext runs the statement for its rows.
func (s *farStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.text, args)
}

// farRows are rows on their way.
type farRows struct {
	reader *pgconn.ResultReader
	there  bool // the first one
	names  []string
	types  []uint32
}

// Columns returns the names of the columns.
func (r *farRows) Columns() []string { return r.names }

// Close leaves the rest.
func (r *farRows) Close() error {
	_, err := r.reader.Close()
	return err
}

// Next reads a row.
func (r *farRows) Next(dest []driver.Value) error {
	if r.there {
		r.there = false
	} else if !r.reader.NextRow() {
		if _, err := r.reader.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	for i, v := range r.reader.Values() {
		dest[i] = decode(r.types[i], v)
	}
	return nil
}
