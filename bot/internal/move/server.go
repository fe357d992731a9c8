package move

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// serverSide is a database of PostgreSQL as a move sees it. What is done goes over the connection that has the lock.
type serverSide struct {
	title string
	db    *sql.DB // reads keys
	line  *postgres.Line
	conn  *postgres.Conn
	keys  *seal.Vault
	types map[string][]uint32 // of the columns of tables
	copy  *copying
}

func openPostgresSide(ctx context.Context, url string, key platform.Secret, r role) (_ side, err error) {
	if key == "" {
		return nil, remote.ErrKey
	}
	config, err := postgres.ParseURL(url)
	if err != nil {
		return nil, err
	}
	if config.ValidateConnect == nil && r != looked {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	maps.Copy(config.RuntimeParams, map[string]string{
		"statement_timeout": "0", "idle_in_transaction_session_timeout": "0", // what is moved takes as long as it takes
		"synchronous_commit": "on", // where an account is must be known on both sides after a loss of power
		// Rows are found, and read in the order of a key, by its index. Statistics may say otherwise, of a table that all belonged to
		// one account a moment ago.
		"enable_sort": "off", "enable_seqscan": "off",
	})
	s := &serverSide{title: postgres.NameOfConfig(config), types: map[string][]uint32{}}
	defer func() {
		if err != nil {
			_ = s.close(ctx) // the first error says it all
		}
	}()
	s.db = postgres.OpenDB(config, 2)
	state, err := s.readState(ctx, r)
	if err != nil {
		return nil, err
	}
	if state.Empty && r == looked {
		return nil, s.db.Close()
	}
	s.line = &postgres.Line{Config: config}
	if err := s.line.Connect(ctx); err != nil {
		return nil, err
	}
	s.conn = postgres.NewConn(s.line.Conn)
	if r != looked {
		err = s.takeOver(ctx, config, &state, key, r)
	}
	if err == nil {
		s.keys, err = openVault(ctx, s.db, key)
	}
	return s, err
}

// readState tells what the database is like.
func (s *serverSide) readState(ctx context.Context, r role) (postgres.State, error) {
	if r != looked {
		return postgres.LookToWrite(ctx, s.db)
	}
	state, err := postgres.Check(ctx, s.db)
	if errors.Is(err, record.ErrNone) { // nothing is in it
		err = nil
	}
	return state, err
}

// takeOver takes the lock and the fence, so that the process that had them stores nothing any more, and brings the schema up to date.
func (s *serverSide) takeOver(ctx context.Context, config *pgconn.Config, state *postgres.State, key platform.Secret, r role) error {
	if state.Empty && r == left {
		return postgres.ErrNone
	}
	if err := s.line.TakeLock(ctx, state.Locks, false); err != nil {
		return err
	}
	if err := postgres.Migrate(ctx, config, state); err != nil {
		return err
	}
	if _, err := s.line.Exec(ctx, fenceAll); err != nil { //mutate:move-fence
		return fmt.Errorf("take the database over: %w", err)
	}
	if r == left {
		return nil
	}
	return seal.UnlockFile(ctx, s.db, key, false)
}

// fenceAll keeps all processes that have written until now from storing anything more. It waits for a commit that is under way.
const fenceAll = `UPDATE fence SET epoch = epoch + 1`

func (s *serverSide) name() string       { return s.title }
func (s *serverSide) vault() *seal.Vault { return s.keys }

const selectColumns = `SELECT attname FROM pg_attribute WHERE attrelid = (quote_ident(?))::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`

func (s *serverSide) tableColumns(ctx context.Context, table string) ([]string, error) {
	rows, err := s.queryRows(ctx, selectColumns, table)
	return firstWords(rows), err
}

func (s *serverSide) send(ctx context.Context, text string, args ...any) (*pgconn.ResultReader, error) {
	values := make([]driver.NamedValue, len(args))
	for i, a := range args {
		values[i].Value = a
	}
	return s.conn.Run(ctx, text, values)
}

func (s *serverSide) queryRows(ctx context.Context, text string, args ...any) (all [][]any, err error) {
	r, err := s.send(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	for r.NextRow() {
		fields, values := r.FieldDescriptions(), r.Values()
		row := make([]any, len(values))
		for i, v := range values {
			row[i] = postgres.Decode(fields[i].DataTypeOID, v)
		}
		all = append(all, row)
	}
	_, err = r.Close()
	return all, err
}

func (s *serverSide) begin(ctx context.Context) error {
	_, err := s.line.Conn.Exec(ctx, postgres.BeginWriting).ReadAll()
	return err
}

func (s *serverSide) commit(ctx context.Context) error { return postgres.Commit(ctx, s.line.Conn) }

func (s *serverSide) rollback(ctx context.Context) error {
	s.give()
	if s.line.Conn.IsClosed() {
		return nil // the server does it
	}
	_, err := s.line.Conn.Exec(ctx, `ROLLBACK`).ReadAll()
	return err
}

func (s *serverSide) excludeOthers(ctx context.Context) error {
	_, err := s.queryRows(ctx, store.SelectTurnstile)
	return err
}

func (s *serverSide) read(ctx context.Context, t *movedTable, account event.Account, f func(*movedRow) error) (err error) {
	r, err := s.send(ctx, t.read(), int64(account.Shard()), string(account))
	if err != nil {
		return err
	}
	var row movedRow
	row.values = make([]movedValue, len(t.columns))
	for err == nil && r.NextRow() {
		fields := r.FieldDescriptions()
		for i, v := range r.Values() {
			row.values[i] = serverValue(fields[i].DataTypeOID, v)
		}
		if err = row.open(s.keys, t, account); err == nil {
			err = f(&row)
		}
	}
	if err != nil { // there may be many more: nobody waits for them
		s.line.Cut(ctx)
		return err
	}
	_, err = r.Close()
	return err
}

// serverValue reads a value as a type has it.
func serverValue(oid uint32, b []byte) movedValue {
	switch oid {
	case postgres.TypeInt2, postgres.TypeInt4, postgres.TypeInt8, postgres.TypeBool:
		return movedValue{number: postgres.ReadInt(b)}
	case postgres.TypeBytes:
		if len(b) == 0 || b[0] == seal.ClearValue {
			return movedValue{isText: true, text: b[min(len(b), 1):]}
		}
		return movedValue{isText: true, text: b, sealed: true}
	}
	if bytes.IndexByte(b, 0xf4) >= 0 {
		b = []byte(postgres.FromText(string(b)))
	}
	return movedValue{isText: true, text: b}
}

// typesOf returns the types of the columns of a table.
func (s *serverSide) typesOf(ctx context.Context, t *movedTable) ([]uint32, error) {
	if types, ok := s.types[t.name]; ok {
		return types, nil
	}
	d, err := s.conn.DescribeStatement(ctx, t.read())
	if err != nil {
		return nil, err
	}
	var types []uint32
	for _, f := range d.Fields {
		types = append(types, f.DataTypeOID)
	}
	s.types[t.name] = types
	return types, nil
}

func (s *serverSide) fillTable(ctx context.Context, t *movedTable) error {
	types, err := s.typesOf(ctx, t)
	if err != nil {
		return err
	}
	s.copy = startCopying(ctx, s.line.Conn, `COPY "`+t.name+`" (`+t.columnList()+`) FROM STDIN (FORMAT binary)`, types)
	return nil
}

func (s *serverSide) put(t *movedTable, account event.Account, row *movedRow) error {
	row.seal(s.keys, t, account)
	return s.copy.put(row)
}

func (s *serverSide) endFilling() error {
	c := s.copy
	s.copy = nil
	return c.end()
}

// analyzeTables lets the server know its new tables before the first bot asks something of them; it does so by itself in a minute or
// two, so that it does not matter when it fails.
func (s *serverSide) analyzeTables(ctx context.Context, tables []movedTable) {
	for i := range tables {
		if _, err := s.queryRows(ctx, `ANALYZE "`+tables[i].name+`"`); err != nil {
			return
		}
	}
}

// give gives a COPY up that is under way.
func (s *serverSide) give() {
	if s.copy != nil {
		s.copy.abortCopy()
		s.copy = nil
	}
}

func (s *serverSide) close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	s.give()
	if s.line != nil && !s.line.IsCut() {
		s.line.GiveUp(ctx)
	}
	if s.db == nil {
		return nil
	}
	return s.db.Close()
}
