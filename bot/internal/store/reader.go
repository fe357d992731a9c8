package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Reader reads a store, also while another process runs on it. All methods may be called at the same
// time; none of them holds the writer up.
type Reader struct {
	db     *sql.DB
	vault  *seal.Vault
	served served
	server bool // the database is PostgreSQL

	answers *sql.DB // what was read ahead, where that is done
	queries
}

const readers = 4 // connections

// StoreConnections is how many connections a store takes on a server.
const StoreConnections = readers + 2 // one that writes, and for a moment one that looks what has become of a commit

// queries are the statements of a reader. A limit is written as $n + 0: SQLite looks at a bare parameter
// when it plans, and so would plan the statement anew each time it runs, at several times the cost.
type queries struct {
	conversation, flowStates        *lazyQuery
	stored, newest, recent, sources *lazyQuery
	pending, pendingOf, quarantined *lazyQuery
	due, nextDue, opened, results   *lazyQuery
	ahead, setBack, held, strays    *lazyQuery
	late, nextUntil                 *lazyQuery
	action, requests                *lazyQuery
	facts, timers, cursors, session *lazyQuery
	timersOf, requestsOf, unsentOf  *lazyQuery
	requestsAt                      *lazyQuery
	dueOfKnown, dueFirst, unnamed   *lazyQuery
	position                        *lazyQuery
	entries, listed, unsent         *lazyQuery
	oneEntry                        *lazyQuery
	notices, addresses, alarms      *lazyQuery
	attended, heldLong              *lazyQuery
	uses, wanted, rules, lowWater   *lazyQuery
	latest, loaded, inForce         *lazyQuery
	cursorsAfter                    *lazyQuery
	stuckTimers                     *lazyQuery
	saidTo, saidBy, below, above    *lazyQuery
	value, values                   *lazyQuery
	published, takenBack, ages      *lazyQuery
	lastResult, whose, hasTurn      *lazyQuery
	overdue, overdues               *lazyQuery
	waitOf, calledAbout             *lazyQuery
}

func (q *queries) texts() map[**lazyQuery]string {
	return map[**lazyQuery]string{
		&q.conversation: selectConversation, &q.flowStates: selectFlowStates,
		&q.stored: selectStored, &q.newest: selectHighest, &q.recent: selectRecent, &q.sources: selectSources, &q.pending: selectWaiting("pending", ""),
		&q.pendingOf: selectWaiting("pending", "AND peer = $4"), &q.quarantined: selectWaiting("quarantined", "AND peer = $4"),
		&q.action: selectOneAction, &q.requests: selectRequests,
		&q.due: selectDue, &q.dueOfKnown: selectDueKnown, &q.dueFirst: selectDueFirst, &q.nextDue: selectNextDue, &q.opened: selectOpen, &q.results: selectResults, &q.unnamed: selectUnnamed, &q.position: selectPosition,
		&q.late: selectLate, &q.nextUntil: selectNextUntil, &q.ahead: selectAhead, &q.setBack: selectSetAhead, &q.held: selectHeld, &q.strays: selectStrays,
		&q.timersOf: selectTimersOf, &q.requestsOf: selectRequestsOf, &q.requestsAt: selectRequestsAt, &q.unsentOf: selectUnsentOf,
		&q.facts: selectFacts, &q.timers: selectTimers, &q.cursors: selectCursors, &q.session: selectSession,
		&q.entries: selectEntries, &q.listed: selectListed, &q.oneEntry: selectEntry, &q.unsent: selectUnsent,
		&q.notices: selectNotices, &q.addresses: selectAddresses, &q.alarms: selectAlarms, &q.attended: selectAttended, &q.heldLong: selectHeldLong,
		&q.uses: selectUses, &q.wanted: selectLimitUses, &q.rules: selectRules, &q.lowWater: selectLowWater,
		&q.latest: selectLatest, &q.loaded: selectLoaded, &q.inForce: selectInForce, &q.stuckTimers: selectStuckTimers, &q.cursorsAfter: selectCursorsAfter,
		&q.saidTo: selectSaidTo, &q.saidBy: selectSaidBy, &q.below: selectBelow, &q.above: selectAbove,
		&q.value: selectValue, &q.values: selectValues, &q.published: selectPublished, &q.takenBack: selectTakenBack, &q.ages: selectAges, &q.lastResult: selectLastResult, &q.whose: selectWhose, &q.hasTurn: selectHasTurn,
		&q.overdue: selectOverdue, &q.overdues: selectOverdues, &q.waitOf: selectWaitOf, &q.calledAbout: selectCalledAbout,
	}
}

// OpenReader opens the database at path, or at a URL, for reading alone. It must have been made by Open. What is sealed, and
// not with key, reads as "(sealed)". The errors are ErrNone, ErrOlder, ErrNewer, ErrForeign, or those of the file system and
// the database with what can be done about them.
func OpenReader(ctx context.Context, path string, key platform.Secret) (*Reader, error) {
	if remote.IsURL(path) {
		r, _, err := openPostgresReader(ctx, path, key)
		return r, err
	}
	r, err := openReader(ctx, path, key)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, sqlite.ExplainFile(path, err))
	}
	return r, nil
}

func openReader(ctx context.Context, path string, key platform.Secret) (*Reader, error) {
	if _, err := os.Stat(path); err != nil {
		if err := sqlite.NotBegunAnew(path); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", record.ErrNone, err)
	}
	db, err := sqlite.OpenDB(path, sqlite.ReadingPragmas(), readers)
	if err != nil {
		return nil, err
	}
	if err := sqlite.CheckVersion(ctx, db); err != nil {
		_ = db.Close() // the first error says it all
		return nil, err
	}
	return newReader(ctx, db, key)
}

// newReader makes a reader of connections, and closes them when it cannot.
func newReader(ctx context.Context, db *sql.DB, key platform.Secret) (_ *Reader, err error) {
	r := &Reader{db: db}
	makeLazy(db, r.texts())
	if r.vault, err = seal.OpenVault(ctx, db, key); err != nil {
		_ = db.Close()
		return nil, err
	}
	return r, nil
}

// Close closes the reader.
func (r *Reader) Close() error {
	if r.answers != nil {
		_ = r.answers.Close() // there is nothing to close
	}
	return r.db.Close()
}

// queryOne runs a query for one row; false when there is none. What it reads is found by its key: a context
// that can be cancelled would cost a goroutine, and more than the reading.
func (r *Reader) queryOne(ctx context.Context, query *lazyQuery, dest []any, args ...any) (bool, error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	rows, err := r.readAhead(ctx, query.text, args)
	if rows == nil && err == nil {
		err = query.queryOne(ctx, dest, args)
	} else {
		err = oneOf(rows, err, dest)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// each runs a query and calls f for each row. As with one, the context is looked at between rows: the statements find theirs by
// an index.
func (r *Reader) each(ctx context.Context, query *lazyQuery, f func(*sql.Rows) error, args ...any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	rows, err := r.readAhead(ctx, query.text, args)
	if rows == nil && err == nil {
		rows, err = query.queryRows(ctx, args)
	}
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
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
