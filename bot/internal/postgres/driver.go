package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/remote"
)

// connector is PostgreSQL as database/sql sees it, for those that read, and for inspectors. Statements are SQLite's, see forPostgres,
// and values are as in SQLite: numbers, texts of any bytes, and what is sealed.
type connector struct{ config *pgconn.Config }

// OpenDB opens connections to PostgreSQL.
func OpenDB(config *pgconn.Config, connections int) *sql.DB {
	db := sql.OpenDB(connector{config})
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db
}

// Connect makes a connection.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := pgconn.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, explainUnreachable(err)
	}
	return NewConn(conn), nil
}

// Driver is not for use.
func (c connector) Driver() driver.Driver { return nil }

// Conn is a connection, and the statements that it has prepared. There are as many as the program has, so they stay.
type Conn struct {
	conn  *pgconn.PgConn
	known map[string]*pgconn.StatementDescription
	used  time.Time
}

// NewConn returns a connection that has prepared nothing yet.
func NewConn(c *pgconn.PgConn) *Conn {
	return &Conn{conn: c, known: map[string]*pgconn.StatementDescription{}, used: time.Now()}
}

// idle is how long a connection may rest before it is looked at.
const idle = time.Second

// ResetSession looks whether a connection that has rested is still there.
func (c *Conn) ResetSession(ctx context.Context) error {
	if c.conn.IsClosed() || time.Since(c.used) > idle && c.conn.Ping(ctx) != nil {
		return driver.ErrBadConn
	}
	return nil
}

// IsValid reports whether the connection can be used again.
func (c *Conn) IsValid() bool { return !c.conn.IsClosed() && c.conn.TxStatus() == 'I' }

// Close closes the connection.
func (c *Conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return c.conn.Close(ctx)
}

// Prepare is for database/sql of old.
func (c *Conn) Prepare(text string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), text)
}

// PrepareContext prepares a statement.
func (c *Conn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	if _, err := c.DescribeStatement(ctx, text); err != nil {
		return nil, err
	}
	return &prepared{c, text}, nil
}

// DescribeStatement prepares a statement, and tells what its parameters and columns are.
func (c *Conn) DescribeStatement(ctx context.Context, text string) (*pgconn.StatementDescription, error) {
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
func (c *Conn) failed(err error) error {
	if pgconn.SafeToRetry(err) {
		return driver.ErrBadConn
	}
	return err
}

// Run sends a statement.
func (c *Conn) Run(ctx context.Context, text string, args []driver.NamedValue) (*pgconn.ResultReader, error) {
	d, err := c.DescribeStatement(ctx, text)
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
func (c *Conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	r, err := c.Run(ctx, text, args)
	if err != nil {
		return nil, err
	}
	rows := &resultRows{reader: r}
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
func (c *Conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	r, err := c.Run(ctx, text, args)
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
func (c *Conn) CheckNamedValue(v *driver.NamedValue) error { return bind.AsParameter(v) }

// Begin is for database/sql of old.
func (c *Conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx begins a transaction.
func (c *Conn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	if _, err := c.conn.Exec(ctx, BeginWriting).ReadAll(); err != nil {
		return nil, c.failed(err)
	}
	return transaction{c.conn}, nil
}

// transaction is a transaction.
type transaction struct{ conn *pgconn.PgConn }

// Commit makes it last.
func (t transaction) Commit() error { return Commit(context.Background(), t.conn) }

// Rollback takes it back.
func (t transaction) Rollback() error {
	ctx, cancel := context.WithTimeout(context.Background(), remote.Patience)
	defer cancel()
	_, err := t.conn.Exec(ctx, `ROLLBACK`).ReadAll()
	return err
}

// prepared is a statement of a connection.
type prepared struct {
	conn *Conn
	text string
}

// Close does nothing: the connection goes on knowing the statement.
func (p *prepared) Close() error { return nil }

// NumInput leaves it to run to count.
func (p *prepared) NumInput() int { return -1 }

// Exec is for database/sql of old.
func (p *prepared) Exec([]driver.Value) (driver.Result, error) { return nil, errors.ErrUnsupported }

// Query is for database/sql of old.
func (p *prepared) Query([]driver.Value) (driver.Rows, error) { return nil, errors.ErrUnsupported }

// ExecContext runs the statement.
func (p *prepared) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return p.conn.ExecContext(ctx, p.text, args)
}

// QueryContext runs the statement for its rows.
func (p *prepared) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return p.conn.QueryContext(ctx, p.text, args)
}

// resultRows are rows on their way.
type resultRows struct {
	reader *pgconn.ResultReader
	there  bool // the first one
	names  []string
	types  []uint32
}

// Columns returns the names of the columns.
func (r *resultRows) Columns() []string { return r.names }

// Close leaves the rest.
func (r *resultRows) Close() error {
	_, err := r.reader.Close()
	return err
}

// Next reads a row.
func (r *resultRows) Next(dest []driver.Value) error {
	if r.there {
		r.there = false
	} else if !r.reader.NextRow() {
		if _, err := r.reader.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	for i, v := range r.reader.Values() {
		dest[i] = Decode(r.types[i], v)
	}
	return nil
}
