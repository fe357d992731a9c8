package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
	"github.com/nectar-bot/nectar/bot/record"
)

// Errors with which a process is done: somebody else writes in its place, or what it has stored is not there any more.
var (
	// ErrFenced is the error of a commit when another process has taken over the database.
	ErrFenced = errors.New("another process has taken over this database: nothing of this one is stored any more")
)

// pgEngine is PostgreSQL as the writer sees it. Each commit changes the row of its writer in the table fence first, and so
// is made only as long as the epoch is the writer's, and leaves its number there.
type pgEngine struct {
	*applier
	line             remote.Line
	fence, inForceOf statement
	many             keepingAll
	all              []*statement
	locks            int64 // what tells this store's lock from those of others in the database
	row              Fence // of the table fence
	epoch            int64
	last             int64 // number of the last commit that is known to be stored
	pid              int64 // of the server's process for the line, and when that began
	since            int64
	dead             error // ErrFenced, ErrLostCommits or ErrOtherServer

	elsewhere atomic.Bool // the database has come to another server
}

// Fence says for which worker, under which epoch, and for which of its stores commits are made. The zero value is a process without a
// lease, which is alone.
type Fence struct {
	Worker, Epoch int64 // see lease.Seat
	Stream        int64 // of several stores of one worker, from 1 on
}

// alone is the row of a process without a lease. Its epoch grows with each process that opens the database.
var alone = Fence{Worker: 1, Stream: 1}

const (
	writerRow = `worker = $1 AND lane = $2`
	// The number of the last commit is compared, too: where it is not this process's own, somebody else commits, or the server has gone back.
	updateFence = `UPDATE fence SET commits = ? WHERE worker = ? AND lane = ? AND epoch = ? AND commits = ?`
	takeFence   = `INSERT INTO fence (worker, lane, epoch, commits, backend_pid, backend_start, server_start) VALUES ($1, $2, 1, 0, pg_backend_pid(), ` + backendStart + `, ` + remote.Began + `)
		ON CONFLICT (worker, lane) DO UPDATE SET epoch = fence.epoch + 1, ` + sameBackend + `
		RETURNING epoch, commits, backend_pid, backend_start, ` + remote.Now
	// A takeover of the worker waits for this statement; or this one waits for the takeover, and finds another epoch.
	joinFence = `INSERT INTO fence (worker, lane, epoch, commits, backend_pid, backend_start, server_start) SELECT worker, $2, epoch, 0, pg_backend_pid(), ` + backendStart + `, ` + remote.Began + `
			FROM (SELECT worker, epoch FROM worker WHERE worker = $1 AND epoch = $3 AND state <> 3 FOR SHARE) AS w
		ON CONFLICT (worker, lane) DO UPDATE SET epoch = excluded.epoch, ` + sameBackend + `
		RETURNING epoch, commits, backend_pid, backend_start, ` + remote.Now
	sameBackend = `backend_pid = excluded.backend_pid, backend_start = excluded.backend_start, server_start = excluded.server_start`
	// It waits for a commit that is under way.
	readFence = `SELECT epoch, commits FROM fence WHERE ` + writerRow + ` FOR UPDATE`
	// The row tells the next connection, and a process that takes over, which process of the server may still be at work on it.
	moveFence = `UPDATE fence SET backend_pid = pg_backend_pid(), backend_start = ` + backendStart + `, server_start = ` + remote.Began + `
		WHERE ` + writerRow + ` AND epoch = $3 RETURNING commits, backend_pid, backend_start`
	// Numbers of processes come again: when it began tells which one it is.
	endBackend   = `SELECT pg_terminate_backend(pid, 1000)::int FROM pg_stat_activity WHERE pid = $1 AND ` + startOf + ` = $2`
	backendStart = `(SELECT ` + startOf + ` FROM pg_stat_activity WHERE pid = pg_backend_pid())`
	startOf      = `(extract(epoch FROM backend_start) * 1000000)::bigint`
)

// preparedStatements returns what is prepared.
func (e *pgEngine) preparedStatements() []*statement {
	if e.all == nil {
		e.fence.text, e.inForceOf.text = updateFence, upsertAllInForce
		e.all = []*statement{&e.fence, &e.inForceOf}
		for st, text := range e.many.statementTexts() {
			st.text = text
			e.all = append(e.all, st)
		}
		for _, st := range e.applier.all() {
			if isCommon(st) {
				e.all = append(e.all, st)
			}
		}
	}
	return e.all
}

// prepare prepares the statements on the line.
func (e *pgEngine) prepare(ctx context.Context) error {
	all := e.preparedStatements()
	texts := make([]string, len(all))
	for i, st := range all {
		texts[i] = st.text
	}
	remotes, err := e.line.Prepare(ctx, texts)
	if err != nil {
		return err
	}
	for i, st := range all {
		st.engine, st.vault = remotes[i], e.vault
	}
	return nil
}

// isOfFile finds the statements about what only a file has.
var isOfFile = regexp.MustCompile(`^PRAGMA|sqlite_dbpage`)

// isCommon reports whether a statement is one of both engines.
func isCommon(st *statement) bool {
	switch st.text {
	case updateNumber, selectNumber:
		return false
	}
	return !isOfFile.MatchString(st.text)
}

func (e *pgEngine) goTo(write int) { e.line.GoTo(write) }

// mostWrites is lower than a file's: a group whose guesses were wrong waits for each answer, and has to end in time with a database that is far away.
func (e *pgEngine) mostWrites() int { return 100 }

func (e *pgEngine) waitsForAnswers() bool { return !e.line.IsGuessing() }

func (e *pgEngine) checkpointAt(int32) error { return nil }

// hasLease reports whether this is a worker with a lease.
func (e *pgEngine) hasLease() bool { return e.row.Epoch != 0 }

// start takes the writer's row, and so fences the process that had it before.
func (e *pgEngine) start(ctx context.Context, m recorder.Machine) error {
	take, args := takeFence, []int64{e.row.Worker, e.row.Stream}
	if e.hasLease() {
		take, args = joinFence, append(args, e.row.Epoch)
	}
	asked := time.Now()
	rows, err := e.line.Exec(ctx, take, args...)
	switch {
	case err != nil:
		return fmt.Errorf("take the database over: %w", err)
	case len(rows) == 0:
		return ErrFenced
	}
	e.epoch, e.last, e.pid, e.since = rows[0][0], rows[0][1], rows[0][2], rows[0][3]
	e.compareClocks(asked, bind.FromMicros(rows[0][4]), m)
	return e.prepare(ctx)
}

// reach makes sure that there is a connection. Behind one that was cut nothing is under way any more when it returns.
func (e *pgEngine) reach(ctx context.Context) error {
	switch {
	case e.dead != nil:
		return e.dead
	case e.elsewhere.Load():
		return e.endStoring(record.ErrOtherServer)
	case !e.line.IsCut():
		return nil
	}
	e.line.Cut(ctx)
	err := e.line.Connect(ctx)
	if err == nil {
		err = e.resume(ctx)
	}
	if err != nil {
		e.line.Cut(ctx)
	}
	return err
}

// resume goes on with the row over a new connection.
func (e *pgEngine) resume(ctx context.Context) error {
	// A COMMIT that was on its way when the connection was cut may be made at any time as long as the server's old process lives: what is
	// read as stored before that may change later. Where that process outlives this, readFence waits for its transaction.
	if _, err := e.line.Exec(ctx, endBackend, e.pid, e.since); err != nil { //mutate:end-backend
		return fmt.Errorf("end what is left of the old connection: %w", err)
	}
	locked := e.line.TakeLock(ctx, e.locks, e.hasLease())
	if locked != nil && !errors.Is(locked, record.ErrInUse) {
		return locked
	}
	// Before the lock is believed: of who was taken over, the row tells that it is for good, and the lock only that somebody has it now.
	if err := e.check(ctx); err != nil {
		return err
	}
	if locked != nil { // somebody is about to take over
		return locked
	}
	rows, err := e.line.Exec(ctx, moveFence, e.row.Worker, e.row.Stream, e.epoch)
	switch {
	case err != nil:
		return fmt.Errorf("go on with the database: %w", err)
	case len(rows) == 0:
		return e.endStoring(ErrFenced)
	}
	e.pid, e.since = rows[0][1], rows[0][2]
	return e.prepare(ctx)
}

// check reads the row, and reports whether this process may go on.
func (e *pgEngine) check(ctx context.Context) error {
	_, err := e.read(ctx)
	return err
}

// read reads the number of the last commit.
func (e *pgEngine) read(ctx context.Context) (int64, error) {
	rows, err := e.line.Exec(ctx, readFence, e.row.Worker, e.row.Stream)
	switch {
	case err != nil:
		return 0, fmt.Errorf("read what is stored: %w", err)
	case len(rows) == 0:
		return 0, e.endStoring(record.ErrLostCommits)
	case rows[0][0] > e.epoch:
		return 0, e.endStoring(ErrFenced)
	// A standby without the last commits has come up, or a copy was put back. Others have been told of these commits, and have acted on them:
	// a bot that went on would decide the same things again.
	case rows[0][0] < e.epoch, rows[0][1] < e.last: //mutate:lost-commits
		return 0, e.endStoring(record.ErrLostCommits)
	}
	return rows[0][1], nil
}

// endStoring ends all storing.
func (e *pgEngine) endStoring(err error) error {
	e.dead = err
	return err
}

// apply stores a group in one transaction.
func (e *pgEngine) apply(g *group) (int, error) {
	defer e.line.GuessAgain()
	cuts := 0
	for tries := 1; ; tries++ {
		keep := e.keep
		bad, err := e.tryGroup(g)
		if err == nil {
			e.keep.lifted = false
			e.last = g.number
			return -1, nil
		}
		e.rolledBack()
		if errors.Is(err, remote.ErrWrongGuess) {
			keep.unread = e.keep.unread
			e.keep = keep // what it deletes is deleted with the next try
			e.line.NoteWrongGuesses(tries)
			g.begin()
			continue
		}
		if cuts++; cuts == 1 && bad < 0 && e.line.IsCut() && !errors.As(err, new(*unclear.Error)) { // the connection had rested, and was lost meanwhile
			g.begin()
			continue
		}
		if bad < 0 {
			err = fmt.Errorf("commit %d writes: %w", len(g.writes), remote.ExplainError(err))
		}
		return bad, err
	}
}

// tryGroup stores a group, or finds out that a guess was wrong.
func (e *pgEngine) tryGroup(g *group) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), remote.Patience)
	defer cancel()
	if err := e.reach(ctx); err != nil {
		return -1, err
	}
	e.line.Begin(ctx)
	bad, err := e.send(g)
	if err == nil {
		// Sent when all answers are there, and never in one pipeline with the group, or a wrong guess would be committed with it.
		err = e.line.Commit(ctx)
		if errors.As(err, new(*unclear.Error)) {
			e.line.Cut(ctx)
		}
		return -1, err
	}
	e.undoSent(ctx, errors.Is(err, errRowChanged))
	if e.dead != nil {
		return -1, e.dead
	}
	if b, ok := errors.AsType[*remote.BlamedError](err); ok {
		// A write is to blame only for what it wanted to store. To refuse one for what ails the database would be for ever.
		bad = -1
		if b.Write >= 0 && dataFault(err) {
			bad = b.Write
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
	if err := e.fence.int(g.number).int(e.row.Worker).int(e.row.Stream).int(e.epoch).int(e.last).runThen(func(n int64) { fenced = n == 0 }); err != nil {
		return -1, err
	}
	bad, err := e.storeGroup(g)
	if err == nil {
		err = e.line.End()
	}
	// This goes before any error of the writes: when the row is lost, they failed over what another process has stored.
	if fenced { //mutate:fence
		return -1, errRowChanged
	}
	return bad, err
}

var errRowChanged = errors.New("the writer's row has changed")

// undoSent takes back what was sent, and looks why the writer's row was not as it was left.
func (e *pgEngine) undoSent(ctx context.Context, changed bool) {
	err := e.line.Close()
	if err == nil && !e.line.IsCut() && e.line.InTransaction() {
		_, err = e.line.Exec(ctx, `ROLLBACK`)
	}
	if err != nil || e.line.IsCut() {
		e.line.Cut(ctx) // the server rolls it back; reach waits for that
		return
	}
	if !changed {
		return
	}
	// The epoch is ours, and the number beyond our last one: somebody else commits by this fence.
	if last, err := e.read(ctx); err == nil && last > e.last { // or it dies by itself
		e.dead = ErrFenced
	}
}

// isStored reports whether number is that of the last group that was stored.
func (e *pgEngine) isStored(number int64) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), remote.Patience)
	defer cancel()
	if err := e.reach(ctx); err != nil {
		return false, remote.ExplainError(err)
	}
	last, err := e.read(ctx)
	if err != nil {
		if !remote.IsTold(err) && e.dead == nil {
			e.line.Cut(ctx)
		}
		return false, remote.ExplainError(err)
	}
	// The next group names this number in its fence; with the one from before it would take itself for taken over.
	e.last = last
	return last == number, nil
}
