package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
)

// Board is what workers share, in a database of PostgreSQL; see lease.Board. A worker has one of its own. Commands look at it, too:
// only a worker that enters waits for hints.
type Board struct {
	config  *pgconn.Config
	locks   int64 // what tells this store's workers from those of others in the database
	channel string
	hints   chan struct{}
	ending  context.CancelFunc
	ended   sync.WaitGroup
	lobby   *sql.DB // for a process that has not entered yet

	mu    sync.Mutex  // guards the fields below
	calls *sql.DB     // of a worker
	beats *sql.DB     // of its beats alone: they wait for nothing else
	told  lease.State // the state that other workers see
}

var _ remote.Board = (*Board)(nil)

// Options says how a board is opened.
type Options struct {
	// Connections is how many connections the worker needs besides those of the board: fewer are an error. 0 is not looked at.
	Connections int
	// Looks only: the schema is not brought up to date, and has to be.
	Looks bool
}

// boardConnections is how many connections a board has: four that ask, one that beats, and one that listens.
const boardConnections = 6

// Open opens the board in the database at a URL. The errors are those of Open, in one line that says nothing of the password.
func Open(ctx context.Context, url string, o Options) (*Board, error) {
	config, err := postgres.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	b := &Board{config: config, hints: make(chan struct{}, 1), ending: func() {}}
	if err := b.open(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", postgres.NameOfConfig(config), postgres.ExplainError(err)), b.Close())
	}
	return b, nil
}

func (b *Board) open(ctx context.Context, o Options) error {
	b.lobby = postgres.OpenDB(b.config, 1)
	reads := postgres.LookToWrite
	if o.Looks {
		reads = postgres.Check
	} else if err := b.oneServer(ctx); err != nil {
		return err
	}
	state, err := reads(ctx, b.lobby)
	if err == nil && !o.Looks {
		err = postgres.Migrate(ctx, b.config, &state)
	}
	if err != nil {
		return err
	}
	b.locks, b.channel = state.Locks, fmt.Sprintf("nectar_%d", state.Locks)
	if o.Connections == 0 {
		return nil
	}
	return b.hasRoom(ctx, o.Connections+boardConnections)
}

// selectRoom returns how many connections this user may still make.
const selectRoom = `SELECT least(
	current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
		- (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
	(SELECT CASE WHEN rolconnlimit < 0 THEN 1000000 ELSE rolconnlimit - (SELECT count(*) FROM pg_stat_activity WHERE usename = current_user) END
		FROM pg_roles WHERE rolname = current_user),
	(SELECT CASE WHEN datconnlimit < 0 THEN 1000000 ELSE datconnlimit - (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) END
		FROM pg_database WHERE datname = current_database()))`

// hasRoom fails when the server has too few connections left.
func (b *Board) hasRoom(ctx context.Context, want int) error {
	room := 0
	if err := b.lobby.QueryRowContext(ctx, selectRoom).Scan(&room); err != nil {
		return fmt.Errorf("count its connections: %w", err)
	}
	if room < want {
		return fmt.Errorf("the server has %d connections left for this user, and a worker takes up to %d: raise max_connections, or the limit of the user or the database", max(room, 0), want)
	}
	return nil
}

// Close gives the connections back. A worker that has not left is still there for the others.
func (b *Board) Close() error {
	b.ending()
	b.ended.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for _, db := range []*sql.DB{b.lobby, b.calls, b.beats} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// askPool returns the connections for what is asked.
func (b *Board) askPool() *sql.DB {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls != nil {
		return b.calls
	}
	return b.lobby
}

// connectSeat makes the connections of a worker that has entered.
func (b *Board) connectSeat(ctx context.Context, s lease.Seat) {
	config := b.config.Copy()
	config.RuntimeParams["application_name"] = remote.NameOfSeat(b.locks, s.Worker, s.Epoch)
	b.ending() // of an earlier seat
	b.ended.Wait()
	b.mu.Lock()
	for _, old := range []*sql.DB{b.calls, b.beats} {
		if old != nil {
			_ = old.Close() // nobody uses it any more
		}
	}
	b.calls, b.beats = postgres.OpenDB(config, boardConnections-2), postgres.OpenDB(config, 1)
	b.told = lease.StateEntering
	b.lobby.SetMaxIdleConns(0)
	b.mu.Unlock()
	ctx, b.ending = context.WithCancel(context.WithoutCancel(ctx))
	b.ended.Go(func() { b.listen(ctx, config) })
}

// Hints gets something when there may be news.
func (b *Board) Hints() <-chan struct{} { return b.hints }

func (b *Board) hint() {
	select {
	case b.hints <- struct{}{}:
	default:
	}
}

// listen waits for hints until the context ends. One that gets lost with a connection is seen with the next look.
func (b *Board) listen(ctx context.Context, config *pgconn.Config) {
	config = config.Copy()
	config.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) { b.hint() }
	for ctx.Err() == nil {
		if conn, err := pgconn.ConnectConfig(ctx, config); err == nil {
			_, err = conn.Exec(ctx, `LISTEN "`+b.channel+`"`).ReadAll()
			for err == nil {
				err = conn.WaitForNotification(ctx)
			}
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			_ = conn.Close(closing) // it is of no use any more
			cancel()
		}
		_ = lifecycle.Sleep(ctx, time.Second)
	}
}

// oneServer fails when statements of a connection may go to different processes of the server.
func (b *Board) oneServer(ctx context.Context) error {
	l := &postgres.Line{Config: b.config}
	if err := l.Connect(ctx); err != nil {
		return err
	}
	defer l.Cut(ctx)
	rows, err := l.Exec(ctx, `SELECT pg_backend_pid()::bigint`)
	if err != nil {
		return fmt.Errorf("look at the connection: %w", err)
	}
	if rows[0][0] != int64(l.Conn.PID()) {
		return postgres.ErrPooler
	}
	return nil
}

// wrongShard is the error of a shard that there is not.
func wrongShard(n int) error {
	return fmt.Errorf("there is no shard %d: they are 0 to %d", n, event.Shards-1)
}
