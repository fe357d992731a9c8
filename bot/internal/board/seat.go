package board

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	makeShards = `INSERT INTO shard (shard, owner, wanted, epoch, load, needs, note) SELECT n, 0, 0, 0, 0, '[]', '' FROM generate_series(0, 1023) AS n ON CONFLICT DO NOTHING`
	makePlans  = `INSERT INTO planning (one, number) VALUES (1, 0) ON CONFLICT DO NOTHING`
	// A worker that has been gone for a week is forgotten.
	forgetFences  = `DELETE FROM fence USING worker AS w WHERE fence.worker = w.worker AND w.state = 3 AND w.seen_at < ` + remote.Now + ` - 604800000000`
	forgetWorkers = `DELETE FROM worker WHERE state = 3 AND seen_at < ` + remote.Now + ` - 604800000000`
	otherRoles    = `SELECT count(*) FROM worker WHERE state <> 3 AND role <> current_user`
	enterWorker   = `INSERT INTO worker (name, epoch, beat, seen_at, ahead, state, drain, version, speaks, has, role)
		VALUES ($1, 1, 0, ` + remote.Now + `, 0, 0, 0, $2, $3, $4, current_user)
		ON CONFLICT (name) DO UPDATE SET epoch = worker.epoch + 1, seen_at = excluded.seen_at, ahead = 0, state = 0,
			version = excluded.version, speaks = excluded.speaks, has = excluded.has, judged = '', role = excluded.role WHERE worker.state = 3
		RETURNING worker, epoch`
	// Changed in transactions of several statements: each sees what was stored while the one before waited for a row.
	endWorker  = `UPDATE worker SET epoch = epoch + 1, state = 3 WHERE worker = $1 AND epoch = $2 AND state <> 3`
	ifStill    = ` AND beat = $3`
	raiseFence = `UPDATE fence SET epoch = $2 WHERE worker = $1`
	// Rows are locked in one order everywhere, here and in plans: two workers that lock the same ones would wait for each other otherwise.
	freeShards = `UPDATE shard SET owner = CASE owner WHEN $1 THEN 0 ELSE owner END, wanted = CASE wanted WHEN $1 THEN 0 ELSE wanted END
		WHERE shard IN (SELECT shard FROM shard WHERE owner = $1 OR wanted = $1 ORDER BY shard FOR UPDATE)`
	tellOthers = `SELECT pg_notify($1, '')::text`
	// The processes of a worker that has not moved: those that write, by what tells one from a later one of its number, and its
	// board's by their name.
	endBackends = `SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity AS a WHERE a.pid <> pg_backend_pid()
		AND EXISTS (SELECT 1 FROM worker WHERE worker = $1 AND epoch = $2 AND beat = $3 AND state <> 3)
		AND (a.datname = current_database() AND a.application_name = $4 OR EXISTS (SELECT 1 FROM fence AS f WHERE f.worker = $1 AND f.backend_pid = a.pid
			AND f.backend_start = (extract(epoch FROM a.backend_start) * 1000000)::bigint AND f.server_start IN (0, ` + remote.Began + `)))`
)

// inTx does something in a transaction.
func (b *Board) inTx(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := b.askPool().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err = do(tx); err == nil {
		err = tx.Commit()
	}
	_ = tx.Rollback() // it does nothing after a commit
	return err
}

// AddWorker implements lease.Board.
func (b *Board) AddWorker(ctx context.Context, c lease.Card) (s lease.Seat, err error) {
	has, err := json.Marshal(append([]string{}, c.Has...))
	switch {
	case err != nil:
		return s, err
	case c.Name == "" || !postgres.IsText(c.Name):
		return s, errors.New("a worker needs a name, of proper text")
	}
	if err := b.oneServer(ctx); err != nil {
		return s, postgres.ExplainError(err)
	}
	err = b.inTx(ctx, func(tx *sql.Tx) error {
		for _, text := range []string{makeShards, makePlans, forgetFences, forgetWorkers} {
			if _, err := tx.ExecContext(ctx, text); err != nil {
				return err
			}
		}
		others := 0
		if err := tx.QueryRowContext(ctx, otherRoles).Scan(&others); err != nil {
			return err
		}
		if others > 0 {
			return postgres.ErrRoles
		}
		if lost, err := lostOf(ctx, tx, lostKey); err != nil || lost != nil {
			return cmp.Or(err, asError(lost))
		}
		err := tx.QueryRowContext(ctx, enterWorker, c.Name, c.Version, fmt.Sprintf("%d-%d", c.Speaks.From, c.Speaks.To), string(has)).Scan(&s.Worker, &s.Epoch)
		if errors.Is(err, sql.ErrNoRows) {
			return record.ErrNameTaken
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, raiseFence, s.Worker, s.Epoch)
		return err
	})
	if err != nil {
		return lease.Seat{}, postgres.ExplainError(err)
	}
	b.connectSeat(ctx, s)
	return s, nil
}

const (
	beatWorker = `UPDATE worker SET beat = beat + 1, seen_at = ` + remote.Now + `, ahead = $3 - ` + remote.Now + `, state = $4
		WHERE worker = $1 AND epoch = $2 AND state <> 3 AND ` + notLost + ` RETURNING beat`
	reportJudged = `UPDATE worker SET judged = $3 WHERE worker = $1 AND epoch = $2 AND judged <> $3`
	reportHas    = `UPDATE worker SET has = $3 WHERE worker = $1 AND epoch = $2 AND has <> $3`
	// What has changed by less than a tenth stays.
	reportLoads = `UPDATE shard AS s SET load = r.load FROM (SELECT x.shard, n.load FROM shard AS x
		JOIN unnest($2::integer[], $3::bigint[]) AS n(shard, load) ON x.shard = n.shard
		WHERE x.owner = $1 AND abs(x.load - n.load) * 10 > x.load ORDER BY x.shard FOR UPDATE OF x) AS r
		WHERE s.shard = r.shard AND s.owner = $1`
)

// RenewLease implements lease.Board.
func (b *Board) RenewLease(ctx context.Context, s lease.Seat, p lease.Pulse) (beat int64, err error) {
	b.mu.Lock()
	db, news := b.beats, b.told != p.State
	b.mu.Unlock()
	if db == nil {
		return 0, lease.ErrGone
	}
	err = db.QueryRowContext(ctx, beatWorker, s.Worker, s.Epoch, p.Wall.UnixMicro(), int64(p.State)).Scan(&beat)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, lease.ErrGone
	case err != nil:
		return 0, postgres.ExplainError(err)
	}
	if news { // or they see it with their next look
		if _, err := db.ExecContext(ctx, tellOthers, b.channel); err == nil {
			b.mu.Lock()
			b.told = p.State
			b.mu.Unlock()
		}
	}
	if p.Report == nil {
		return beat, nil
	}
	return beat, b.report(ctx, db, s, p.Report)
}

// report stores what a worker says of itself.
func (b *Board) report(ctx context.Context, db *sql.DB, s lease.Seat, r *record.WorkerReport) error {
	has, err := json.Marshal(append([]string{}, r.Has...))
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, reportHas, s.Worker, s.Epoch, string(has)); err != nil {
		return postgres.ExplainError(err)
	}
	if _, err := db.ExecContext(ctx, reportJudged, s.Worker, s.Epoch, r.Judged); err != nil {
		return postgres.ExplainError(err)
	}
	if len(r.Loads) == 0 {
		return nil
	}
	var shards, loads bind.Numbers
	for n, load := range r.Loads {
		shards, loads = append(shards, int64(n)), append(loads, load)
	}
	_, err = db.ExecContext(ctx, reportLoads, s.Worker, shards, loads)
	return postgres.ExplainError(err)
}

// TakeOver implements lease.Board. A process of the server that has the worker's row locked is ended first: its client may stand
// still in the middle of a group.
func (b *Board) TakeOver(ctx context.Context, s lease.Sight) (taken bool, err error) {
	if _, err := b.askPool().ExecContext(ctx, endBackends, s.Worker, s.Epoch, s.Beat, remote.NameOfSeat(b.locks, s.Worker, s.Epoch)); err != nil { //mutate:end-backends
		return false, fmt.Errorf("end the connections of a worker: %w", postgres.ExplainError(err))
	}
	taken, err = b.end(ctx, s.Seat, endWorker+ifStill, s.Worker, s.Epoch, s.Beat)
	if err != nil {
		return false, fmt.Errorf("take over from a worker: %w", postgres.ExplainError(err))
	}
	return taken, nil
}

// end ends a worker, so that it stores nothing any more, and frees its shards; false when its row has changed or is gone.
func (b *Board) end(ctx context.Context, s lease.Seat, text string, args ...any) (ended bool, err error) {
	err = b.inTx(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, text, args...)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); n == 0 || err != nil {
			return err
		}
		ended = true
		// It waits for a commit that has the row, which is made before this or not at all; and every later one finds another epoch.
		if _, err := tx.ExecContext(ctx, raiseFence, s.Worker, s.Epoch+1); err != nil { //mutate:raise-fence
			return err
		}
		if _, err := tx.ExecContext(ctx, freeShards, s.Worker); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, tellOthers, b.channel)
		return err
	})
	return ended && err == nil, err
}

// RemoveWorker implements lease.Board.
func (b *Board) RemoveWorker(ctx context.Context, s lease.Seat) error {
	ended, err := b.end(ctx, s, endWorker, s.Worker, s.Epoch)
	switch {
	case err != nil:
		return fmt.Errorf("leave: %w", postgres.ExplainError(err))
	case !ended:
		return lease.ErrGone
	}
	return nil
}

// timeOfMicros is a time of the server.
func timeOfMicros(v int64) time.Time { return time.UnixMicro(v) }
