package board

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/record"
)

// shardSize is what a look has of each shard, in bytes: its number, and four others.
const shardSize = 4 + 4*8

// The whole view is read by one statement, so that it shows one moment; and as one row, since a thousand cost more.
const selectView = `SELECT ` + remote.Now + `, coalesce((SELECT number FROM planning), 0),
	coalesce((SELECT json_agg(json_build_object('worker', worker, 'name', name, 'epoch', epoch, 'beat', beat, 'seen', seen_at, 'ahead', ahead, 'state', state,
		'drain', drain, 'drainAt', drain_at, 'drainBy', drain_by, 'drainWhy', drain_why, 'version', version, 'speaks', speaks, 'has', has::json) ORDER BY worker) FROM worker)::text, '[]'),
	coalesce((SELECT string_agg(int4send(shard) || int8send(owner) || int8send(wanted) || int8send(epoch) || int8send(load), '') FROM shard), ''),
	coalesce((SELECT json_object_agg(shard, needs::json) FROM shard WHERE needs <> '[]')::text, '{}')`

// seenWorker is a worker as a look has it.
type seenWorker struct {
	Worker, Epoch, Beat, Seen, Ahead int64
	State                            lease.State
	Drain                            int
	DrainAt                          int64
	DrainBy, DrainWhy                string
	Name, Version, Speaks            string
	Has                              []string
}

// ReadView implements lease.Board.
func (b *Board) ReadView(ctx context.Context) (*lease.View, error) {
	v := &lease.View{}
	var now int64
	var workers, needs string
	var shards []byte
	if err := b.askPool().QueryRowContext(ctx, selectView).Scan(&now, &v.Plans, &workers, &shards, &needs); err != nil {
		return nil, fmt.Errorf("look at the workers: %w", postgres.ExplainError(err))
	}
	v.Now = timeOfMicros(now)
	var seen []seenWorker
	if err := json.Unmarshal([]byte(workers), &seen); err != nil {
		return nil, fmt.Errorf("look at the workers: %w", err)
	}
	for i := range seen {
		w := &seen[i]
		p := lease.Peer{
			Sight: lease.Sight{Seat: lease.Seat{Worker: w.Worker, Epoch: w.Epoch}, Beat: w.Beat},
			Card:  lease.Card{Name: w.Name, Version: w.Version, Has: w.Has},
			State: w.State, Drain: w.Drain != 0, Ahead: time.Duration(w.Ahead) * time.Microsecond, Seen: timeOfMicros(w.Seen),
		}
		p.Drained = record.Decision{By: postgres.FromText(w.DrainBy), Why: postgres.FromText(w.DrainWhy), At: bind.FromMicros(w.DrainAt)}
		_, _ = fmt.Sscanf(w.Speaks, "%d-%d", &p.Speaks.From, &p.Speaks.To) // it is for people
		v.Workers = append(v.Workers, p)
	}
	for ; len(shards) >= shardSize; shards = shards[shardSize:] {
		number := func(i int) int64 { return int64(binary.BigEndian.Uint64(shards[4+8*i:])) }
		if n := binary.BigEndian.Uint32(shards); n < event.Shards {
			v.Shards[n] = lease.Shard{Owner: number(0), Wanted: number(1), Epoch: number(2), Load: number(3)}
		}
	}
	var needed map[int][]string
	if err := json.Unmarshal([]byte(needs), &needed); err != nil {
		return nil, fmt.Errorf("look at what shards need: %w", err)
	}
	for n, list := range needed {
		if n >= 0 && n < event.Shards {
			v.Shards[n].Needs = list
		}
	}
	return v, nil
}

const (
	// Nobody takes over from this worker until the statement is over, or has before.
	stillHere = `me AS (SELECT worker FROM worker WHERE worker = $1 AND epoch = $2 AND state <> 3 FOR SHARE)`
	// A plan is stored on top of the one that it was made of: of two at once the second one finds another number, and wants nothing.
	storePlan = `WITH ` + stillHere + `,
		turn AS (UPDATE planning SET number = number + 1 FROM me WHERE number = $3 RETURNING number),
		wants AS (SELECT s.shard, w.worker FROM turn, shard AS s JOIN unnest($4::integer[], $5::bigint[]) AS w(shard, worker) ON w.shard = s.shard
			ORDER BY s.shard FOR UPDATE OF s),
		done AS (UPDATE shard AS s SET wanted = wants.worker FROM wants WHERE s.shard = wants.shard)
		SELECT (SELECT count(*) FROM me), (SELECT count(*) FROM turn), pg_notify($6, '')::text`
	// Those of $3 are taken up with the epoch and note that they have: they were acquired before, and the answer was lost.
	acquireShards = `WITH ` + stillHere + `,
		free AS (SELECT s.shard FROM me, shard AS s WHERE s.owner = 0 AND s.wanted = $1 ORDER BY s.shard FOR UPDATE OF s),
		got AS (UPDATE shard AS s SET owner = $1, epoch = s.epoch + 1 FROM free WHERE s.shard = free.shard RETURNING s.shard, s.epoch, s.note)
		SELECT shard, epoch, note FROM got
		UNION ALL SELECT s.shard, s.epoch, s.note FROM me, shard AS s WHERE s.owner = $1 AND s.shard = ANY ($3::integer[])
		UNION ALL SELECT -1, 0, '' FROM me`
	// A note is in hexadecimal, behind a letter; a text without one leaves what is there.
	releaseShards = `WITH ` + stillHere + `,
		mine AS (SELECT s.shard, r.note FROM me, shard AS s JOIN unnest($3::integer[], $4::bigint[], $5::text[]) AS r(shard, epoch, note) ON r.shard = s.shard
			WHERE s.owner = $1 AND s.epoch = r.epoch ORDER BY s.shard FOR UPDATE OF s),
		done AS (UPDATE shard AS s SET owner = 0, note = CASE mine.note WHEN '' THEN s.note ELSE decode(substr(mine.note, 2), 'hex') END
			FROM mine WHERE s.shard = mine.shard RETURNING 1)
		SELECT (SELECT count(*) FROM me), (SELECT count(*) FROM done), pg_notify($6, '')::text`
	drainWorker = `UPDATE worker SET drain = $2, drain_at = ` + remote.Now + `, drain_by = $3, drain_why = $4 WHERE name = $1 AND ($2 = 0 OR state <> 3)`
	needOfShard = `UPDATE shard SET needs = $2 WHERE shard = $1`
)

// StorePlan implements lease.Board. Of two workers that plan at once the one that is stored first has planned.
func (b *Board) StorePlan(ctx context.Context, s lease.Seat, decide func(*lease.View) []lease.Want) (bool, error) {
	v, err := b.ReadView(ctx)
	if err != nil {
		return false, err
	}
	var shards, workers bind.Numbers
	for _, w := range decide(v) {
		shards, workers = append(shards, int64(w.Shard)), append(workers, w.Worker)
	}
	here, planned, told := 0, 0, ""
	err = b.askPool().QueryRowContext(ctx, storePlan, s.Worker, s.Epoch, v.Plans, shards, workers, b.channel).Scan(&here, &planned, &told)
	switch {
	case err != nil:
		return false, fmt.Errorf("store a plan: %w", postgres.ExplainError(err))
	case here == 0:
		return false, lease.ErrGone
	}
	return planned > 0, nil
}

// Acquire implements lease.Board.
func (b *Board) Acquire(ctx context.Context, s lease.Seat, again ...int) (got []lease.Holding, err error) {
	known := bind.Numbers{}
	for _, n := range again {
		known = append(known, int64(n))
	}
	rows, err := b.askPool().QueryContext(ctx, acquireShards, s.Worker, s.Epoch, known)
	if err != nil {
		return nil, fmt.Errorf("acquire shards: %w", postgres.ExplainError(err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	here := false
	for rows.Next() {
		var h lease.Holding
		if err := rows.Scan(&h.Shard, &h.Epoch, &h.Note); err != nil {
			return nil, fmt.Errorf("acquire shards: %w", err)
		}
		if here = here || h.Shard < 0; h.Shard >= 0 {
			got = append(got, h)
		}
	}
	switch err := rows.Err(); {
	case err != nil:
		return nil, fmt.Errorf("acquire shards: %w", postgres.ExplainError(err))
	case !here:
		return nil, lease.ErrGone
	}
	return got, nil
}

// Release implements lease.Board.
func (b *Board) Release(ctx context.Context, s lease.Seat, all ...lease.Released) error {
	shards, epochs, notes := make(bind.Numbers, len(all)), make(bind.Numbers, len(all)), make(bind.Words, len(all))
	for i := range all {
		r := &all[i]
		if len(r.Note) > lease.MaxNote {
			return lease.ErrNoteTooLong
		}
		shards[i], epochs[i] = int64(r.Shard), r.Epoch
		if r.Note != nil {
			notes[i] = "x" + hex.EncodeToString(r.Note)
		}
	}
	here, done, told := 0, 0, ""
	err := b.askPool().QueryRowContext(ctx, releaseShards, s.Worker, s.Epoch, shards, epochs, notes, b.channel).Scan(&here, &done, &told)
	switch {
	case err != nil:
		return fmt.Errorf("release shards: %w", postgres.ExplainError(err))
	case here == 0:
		return lease.ErrGone
	}
	return nil
}

// Drain implements lease.Board.
func (b *Board) Drain(ctx context.Context, name string, on bool) (bool, error) {
	return b.DrainBy(ctx, name, on, record.Decision{})
}

// DrainBy is Drain, with who asks, and why. When that was is the database's to say.
func (b *Board) DrainBy(ctx context.Context, name string, on bool, by record.Decision) (bool, error) {
	r, err := b.askPool().ExecContext(ctx, drainWorker, name, on, by.By, by.Why)
	if err != nil {
		return false, fmt.Errorf("drain a worker: %w", postgres.ExplainError(err))
	}
	n, err := r.RowsAffected()
	if err == nil && n > 0 {
		err = b.tell(ctx, b.askPool())
	}
	return n > 0, err
}

// StoreNeeds implements lease.Board.
func (b *Board) StoreNeeds(ctx context.Context, shard int, needs []string) error {
	if shard < 0 || shard >= event.Shards {
		return wrongShard(shard)
	}
	list, err := json.Marshal(append([]string{}, needs...))
	if err != nil {
		return err
	}
	err = b.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, makeShards); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, needOfShard, shard, string(list))
		return err
	})
	if err != nil {
		return fmt.Errorf("say what a shard needs: %w", postgres.ExplainError(err))
	}
	return b.tell(ctx, b.askPool())
}

// tell gives the others a hint. They find out by themselves as well.
func (b *Board) tell(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, tellOthers, b.channel); err != nil {
		return fmt.Errorf("tell the workers: %w", postgres.ExplainError(err))
	}
	return nil
}
