package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/record"
)

// Errors with which a process is done: somebody else writes in its place, or what it has stored is not there any more.
var (
	// ErrFenced is the error of a commit of a process whose database has been taken over by another one.
	ErrFenced = errors.New("another process has taken over this database: nothing of this one is stored any more")
)

// pgEngine is PostgreSQL as the writer sees it. Each commit changes the row of its writer in the table fence first, and so
// is made only as long as the epoch is the writer's, and leaves its number there.
type pgEngine struct {
	*applier
	fence statement
	all   []*statement
	locks int64 // what tells this store's lock from those of others in the database
	row   Fence // of the table fence
	epoch int64
	last  int64 // number of the last commit that is known to be stored
	pid   int64 // of the server's process for the line, and when that began
	since int64
	dead  error // ErrFenced or ErrLostCommits
}

// Fence is whose commits a store makes: those of a worker that has a lease, by one of its lanes. Its number in the zero value is
// that of a process without a lease, which is alone.
type Fence struct {
	Worker, Epoch int64 // see lease.Seat
	Lane          int64 // of several stores of one worker, from 1 on
}

// alone is the row of a process without a lease. Its epoch grows with each process that opens the database.
var alone = Fence{Worker: 1, Lane: 1}

const (
	writerRow   = `worker = $1 AND lane = $2`
	updateFence = `UPDATE fence SET commits = ? WHERE worker = ? AND lane = ? AND epoch = ? AND commits = ?`
	takeFence   = `INSERT INTO fence VALUES ($1, $2, 1, 0, pg_backend_pid(), ` + backendStart + `, ` + serverStart + `)
		ON CONFLICT (worker, lane) DO UPDATE SET epoch = fence.epoch + 1, ` + sameBackend + `
		RETURNING epoch, commits, backend_pid, backend_start`
	// Whoever takes over from the worker waits for this, or this waits for them, and finds another epoch.
	joinFence = `INSERT INTO fence SELECT worker, $2, epoch, 0, pg_backend_pid(), ` + backendStart + `, ` + serverStart + `
			FROM (SELECT worker, epoch FROM worker WHERE worker = $1 AND epoch = $3 AND state <> 3 FOR SHARE) AS w
		ON CONFLICT (worker, lane) DO UPDATE SET epoch = excluded.epoch, ` + sameBackend + `
		RETURNING epoch, commits, backend_pid, backend_start`
	sameBackend = `backend_pid = excluded.backend_pid, backend_start = excluded.backend_start, server_start = excluded.server_start`
	// It waits for a commit that is under way.
	readFence = `SELECT epoch, commits FROM fence WHERE ` + writerRow + ` FOR UPDATE`
	moveFence = `UPDATE fence SET backend_pid = pg_backend_pid(), backend_start = ` + backendStart + `, server_start = ` + serverStart + `
		WHERE ` + writerRow + ` AND epoch = $3 RETURNING commits, backend_pid, backend_start`
	// Numbers of processes come again: when it began tells which one it is.
	endBackend   = `SELECT pg_terminate_backend(pid, 1000)::int FROM pg_stat_activity WHERE pid = $1 AND ` + startOf + ` = $2`
	backendStart = `(SELECT ` + startOf + ` FROM pg_stat_activity WHERE pid = pg_backend_pid())`
	startOf      = `(extract(epoch FROM backend_start) * 1000000)::bigint`
	// A process without a lease has the lock for itself, workers share it.
	takeAlone    = `SELECT pg_try_advisory_lock($1::int, $2::int)::int`
	takeTogether = `SELECT pg_try_advisory_lock_shared($1::int, $2::int)::int`
)

// lockClass is the first number of all locks of ours in a database: "Nect".
const lockClass = applicationID

// statements returns what is prepared.
func (e *pgEngine) statements() []*statement {
	if e.all == nil {
		e.fence.text, e.inForceOf.text = updateFence, upsertAllInForce
		e.all = []*statement{&e.fence, &e.inForceOf}
		for _, st := range e.applier.all() {
			if isCommon(st) {
				e.all = append(e.all, st)
			}
		}
	}
	return e.all
}

// isCommon tells whether a statement is one of both engines.
func isCommon(st *statement) bool {
	switch st.text {
	case updateNumber, selectNumber:
		return false
	}
	return !isOfFile.MatchString(st.text)
}

// leased tells whether this is a worker with a lease.
func (e *pgEngine) leased() bool { return e.row.Epoch != 0 }

// takeLock takes the lock of whoever runs on the store. It is the connection's: as long as that lives, nobody else has it, but
// workers have it together.
func (e *pgEngine) takeLock(ctx context.Context) error {
	take := takeAlone
	if e.leased() {
		take = takeTogether
	}
	for tries := 0; ; tries++ {
		rows, err := e.line.exec(ctx, take, lockClass, e.locks)
		switch {
		case err != nil:
			return fmt.Errorf("lock it: %w", err)
		case rows[0][0] == 1: //mutate:server-lock
			return nil
		case tries == lockTries:
			return record.ErrInUse
		}
		rest(ctx, lockPause)
	}
}

const (
	lockTries = 10 // the server may still be about to notice that the last process is gone
	lockPause = 50 * time.Millisecond
)

// start takes the writer's row, and so fences whoever had it before.
func (e *pgEngine) start(ctx context.Context) error {
	take, args := takeFence, []int64{e.row.Worker, e.row.Lane}
	if e.leased() {
		take, args = joinFence, append(args, e.row.Epoch)
	}
	rows, err := e.line.exec(ctx, take, args...)
	switch {
	case err != nil:
		return fmt.Errorf("take the database over: %w", err)
	case len(rows) == 0:
		return ErrFenced
	}
	e.epoch, e.last, e.pid, e.since = rows[0][0], rows[0][1], rows[0][2], rows[0][3]
	return e.line.prepare(ctx, e.statements())
}

// reach makes sure that there is a connection. Behind one that was cut nothing is under way any more when it returns.
func (e *pgEngine) reach(ctx context.Context) error {
	if e.dead != nil {
		return e.dead
	}
	if !e.line.isCut() {
		return nil
	}
	e.line.cut(ctx)
	err := e.line.connect(ctx)
	if err == nil {
		err = e.resume(ctx)
	}
	if err != nil {
		e.line.cut(ctx)
	}
	return err
}

// resume goes on with the row over a new connection.
func (e *pgEngine) resume(ctx context.Context) error {
	if _, err := e.line.exec(ctx, endBackend, e.pid, e.since); err != nil { //mutate:end-backend
		return fmt.Errorf("end what is left of the old connection: %w", err)
	}
	locked := e.takeLock(ctx)
	if locked != nil && !errors.Is(locked, record.ErrInUse) {
		return locked
	}
	if err := e.check(ctx); err != nil {
		return err
	}
	if locked != nil { // somebody is about to take over
		return locked
	}
	rows, err := e.line.exec(ctx, moveFence, e.row.Worker, e.row.Lane, e.epoch)
	switch {
	case err != nil:
		return fmt.Errorf("go on with the database: %w", err)
	case len(rows) == 0:
		return e.die(ErrFenced)
	}
	e.pid, e.since = rows[0][1], rows[0][2]
	return e.line.prepare(ctx, e.statements())
}

// check reads the row, and tells whether this process may go on.
func (e *pgEngine) check(ctx context.Context) error {
	_, err := e.read(ctx)
	return err
}

// read reads the number of the last commit.
func (e *pgEngine) read(ctx context.Context) (int64, error) {
	rows, err := e.line.exec(ctx, readFence, e.row.Worker, e.row.Lane)
	switch {
	case err != nil:
		return 0, fmt.Errorf("read what is stored: %w", err)
	case len(rows) == 0:
		return 0, e.die(record.ErrLostCommits)
	case rows[0][0] > e.epoch:
		return 0, e.die(ErrFenced)
	case rows[0][0] < e.epoch, rows[0][1] < e.last: //mutate:lost-commits
		return 0, e.die(record.ErrLostCommits)
	}
	return rows[0][1], nil
}

// die ends all storing.
func (e *pgEngine) die(err error) error {
	e.dead = err
	return err
}

// apply stores a group in one transaction.
func (e *pgEngine) apply(g *group) (int, error) {
	defer e.line.forgive()
	cuts := 0
	for tries := 1; ; tries++ {
		keep := e.keep
		bad, err := e.try(g)
		if err == nil {
			e.keep.lifted = false
			e.last = g.number
			return -1, nil
		}
		e.rolledBack()
		if errors.Is(err, errWrongGuess) {
			keep.unread = e.keep.unread
			e.keep = keep // what it deletes is deleted with the next try
			e.line.learn(tries)
			g.begin()
			continue
		}
		if cuts++; cuts == 1 && bad < 0 && e.line.isCut() && !errors.As(err, new(*UnclearError)) { // the connection had rested, and was lost meanwhile
			g.begin()
			continue
		}
		if bad < 0 {
			err = fmt.Errorf("commit %d writes: %w", len(g.writes), explainPostgres(err))
		}
		return bad, err
	}
}

// try stores a group, or finds out that a guess was wrong.
func (e *pgEngine) try(g *group) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), pgPatience)
	defer cancel()
	if err := e.reach(ctx); err != nil {
		return -1, err
	}
	e.line.begin(ctx)
	bad, err := e.send(g)
	if err == nil {
		err = commitOn(ctx, e.line.conn)
		if errors.As(err, new(*UnclearError)) {
			e.line.cut(ctx)
		}
		return -1, err
	}
	e.back(ctx, errors.Is(err, errRowChanged))
	if e.dead != nil {
		return -1, e.dead
	}
	if b, ok := errors.AsType[*blamed](err); ok {
		bad = -1
		if b.write >= 0 && dataFault(err) {
			bad = b.write
		}
	}
	return bad, err
}

// send sends what a group stores.
func (e *pgEngine) send(g *group) (int, error) {
	if err := e.begin.do(); err != nil {
		return -1, err
	}
	fenced := false
	if err := e.fence.int(g.number).int(e.row.Worker).int(e.row.Lane).int(e.epoch).int(e.last).then(func(n int64) { fenced = n == 0 }); err != nil {
		return -1, err
	}
	bad, err := noWrite, error(nil)
	if e.keep.unread {
		err = e.readFloors()
		e.keep.unread = err != nil
	}
	if err == nil {
		bad, err = e.group(g)
	}
	if err == nil {
		err = e.line.end()
	}
	if fenced { //mutate:fence
		return -1, errRowChanged
	}
	return bad, err
}

var errRowChanged = errors.New("the writer's row has changed")

// back takes back what was sent, and looks why the writer's row was not as it was left.
func (e *pgEngine) back(ctx context.Context, changed bool) {
	err := e.line.close()
	if err == nil && !e.line.isCut() && e.line.conn.TxStatus() != 'I' {
		_, err = e.line.exec(ctx, `ROLLBACK`)
	}
	if err != nil || e.line.isCut() {
		e.line.cut(ctx) // the server rolls it back; reach waits for that
		return
	}
	if !changed {
		return
	}
	if last, err := e.read(ctx); err == nil && last > e.last { // or it dies by itself
		e.dead = ErrFenced
	}
}

// stored tells whether number is that of the last group that was stored.
func (e *pgEngine) stored(number int64) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), pgPatience)
	defer cancel()
	if err := e.reach(ctx); err != nil {
		return false, explainPostgres(err)
	}
	last, err := e.read(ctx)
	if err != nil {
		if _, said := errors.AsType[*pgconn.PgError](err); !said && e.dead == nil {
			e.line.cut(ctx)
		}
		return false, explainPostgres(err)
	}
	e.last = last
	return last == number, nil
}

// close gives the connection, and with it the lock, back.
func (e *pgEngine) close(ctx context.Context) {
	if !e.line.isCut() { // the server may be about to notice for a while that a connection is closed
		unlock, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, _ = e.line.exec(unlock, `SELECT pg_advisory_unlock_all()`)
	}
	e.line.cut(ctx)
}
