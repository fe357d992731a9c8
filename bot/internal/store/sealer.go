package store

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

// sealer seals with the newest key of the file what is in the clear, or sealed with an older one: a batch of rows
// with a commit, beside everything else. It goes on where keys are until the store is closed: another process may add
// one, which takes the place of the others.
type sealer struct {
	store *memory
	log   *slog.Logger
	stop  context.CancelFunc
	ended chan struct{}
}

const (
	sealBatch = 500                     // rows: what else is to be stored waits for some ten milliseconds
	sealFirst = 137 * time.Millisecond  // behind a start
	sealPause = 1987 * time.Millisecond // between looks for a new key, and behind an error
	sealRest  = 3 * time.Millisecond    // between batches: others come first
)

// startSealer starts the sealer of a store that has a key.
func startSealer(ctx context.Context, s *memory, log *slog.Logger) *sealer {
	ctx, stop := context.WithCancel(ctx)
	r := &sealer{store: s, log: log, stop: stop, ended: make(chan struct{})}
	go r.run(ctx)
	return r
}

func (r *sealer) close() {
	r.stop()
	<-r.ended
}

func (r *sealer) run(ctx context.Context) {
	defer close(r.ended)
	done, failing := uint16(0), false
	if r.store.seals != nil { // it was said at the start
		done = r.store.vault.Ring.Load().Newest
	}
	for err := lifecycle.Sleep(ctx, sealFirst); err == nil; err = lifecycle.Sleep(ctx, sealPause) {
		err := r.useNewestKey(ctx, &done)
		if err != nil && ctx.Err() == nil && !failing {
			r.log.Error("cannot encrypt what is stored; trying again", "err", err)
		}
		failing = err != nil
	}
}

// useNewestKey takes the newest key into use, and seals what is not sealed with it. done is the key with which all is sealed.
func (r *sealer) useNewestKey(ctx context.Context, done *uint16) error {
	var newest uint16
	if err := r.store.db.QueryRowContext(ctx, seal.NewestKey).Scan(&newest); err != nil {
		return fmt.Errorf("look for a new key: %w", err)
	}
	v := r.store.vault
	if newest != v.Ring.Load().Newest { //mutate:new-key
		fresh, _, err := seal.ReadKeys(ctx, r.store.db, &v.Secret)
		switch {
		case err != nil:
			return err
		case fresh.Newest < newest: // the newest key is under another secret: other processes must be able to open what this one seals
			return fmt.Errorf("take the key %d into use: %w", newest, seal.ErrSealed)
		}
		v.UseRing(fresh)
	}
	if *done == newest {
		return nil
	}
	if r.store.seals != nil {
		return r.tellOthers(ctx, newest, done)
	}
	ready, err := r.isDone(ctx, newest)
	if err != nil || ready {
		*done = newest
		return err
	}
	if err = r.store.commitNow(ctx, Write{progress: &sealProgress{number: newest}}); err != nil { // what was bound before is stored by then
		return err
	}
	if err = r.sealAll(ctx, newest); err == nil {
		*done = newest
	}
	return err
}

// tellOthers says that all is sealed with a key that is stored from now on. What is there already is sealed by nectar rekey.
func (r *sealer) tellOthers(ctx context.Context, newest uint16, done *uint16) error {
	err := r.store.commitNow(ctx, Write{progress: &sealProgress{number: newest}}) // what was bound before is stored by then
	if err == nil {
		err = r.store.seals(ctx, newest)
	}
	if err == nil {
		*done = newest
	}
	return err
}

func (r *sealer) isDone(ctx context.Context, number uint16) (bool, error) {
	var n int
	err := r.store.db.QueryRowContext(ctx, `SELECT count(*) FROM sealing WHERE number = ? AND done_at > 0`, number).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("look how far it is: %w", err)
	}
	return n > 0, nil
}

// sealAll goes through all tables until there is nothing left to be sealed with a key, and retires the others.
func (r *sealer) sealAll(ctx context.Context, number uint16) error {
	began, p := time.Now(), &sealProgress{number: number}
	for changed := int64(1); changed > 0; {
		before := p.changed
		p.looked = 0
		for i := range seal.Tables {
			if err := r.sealTable(ctx, i, p); err != nil {
				return fmt.Errorf("encrypt the table %s: %w", seal.Tables[i].Name, err)
			}
		}
		changed = p.changed - before
	}
	p.done = true
	if err := r.store.commitNow(ctx, Write{progress: p}); err != nil {
		return err
	}
	if p.changed > 0 {
		r.log.Info("what was stored is encrypted", "values", p.changed, "took", time.Since(began).Round(time.Millisecond))
	}
	fresh, _, err := seal.ReadKeys(ctx, r.store.db, &r.store.vault.Secret)
	if err == nil && fresh.Newest == number {
		r.store.vault.UseRing(fresh)
	}
	return err
}

// sealTable goes through a table once.
func (r *sealer) sealTable(ctx context.Context, table int, p *sealProgress) error {
	t := &seal.Tables[table]
	from := make([]any, 2+len(t.Key))
	from[0], from[1] = -1, ""
	for i := range t.Key {
		from[2+i] = nil // the shard decides
	}
	text := t.NextStatement()
	for {
		batch, looked, err := r.sealNext(ctx, table, text, from)
		if err != nil {
			return err
		}
		p.looked += int64(looked)
		if len(batch) > 0 {
			next := *p
			next.rows, next.values = batch, 0
			if err := r.store.commitNow(ctx, Write{progress: &next}); err != nil {
				return err
			}
			p.changed += next.values
			_ = lifecycle.Sleep(ctx, sealRest)
		}
		if looked < sealBatch {
			return nil
		}
	}
}

// sealNext reads the next rows, moves from behind them, and seals what is to be sealed of them.
func (r *sealer) sealNext(ctx context.Context, table int, text string, from []any) (batch []sealRow, looked int, err error) {
	t := &seal.Tables[table]
	keys := r.store.vault.Ring.Load()
	err = r.store.eachRare(ctx, text, func(rows scanner) error {
		row := sealRow{seal.Row{Key: make([]any, len(from)), Old: make([]seal.Value, len(t.Values)), Fresh: make([][]byte, len(t.Values))}, table}
		var also int64
		dest := make([]any, 0, len(from)+1+len(t.Values))
		for i := range row.Key {
			dest = append(dest, &row.Key[i])
		}
		dest = append(dest, &also)
		for i := range row.Old {
			dest = append(dest, &row.Old[i])
		}
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		looked++
		// From behind what was looked at, also where nothing is to be sealed: it would be read again for ever.
		copy(from, row.Key)
		if err := row.Seal(r.store.vault, keys, t.Cells(event.Account(bind.WordOf(row.Key[1])), row.Key[2:], also)); err != nil {
			return err
		}
		if row.Changes > 0 {
			batch = append(batch, row)
		}
		return nil
	}, append(slices.Clone(from), sealBatch)...)
	return batch, looked, err
}

// sealRow is a row of one of the tables with values that are to be sealed.
type sealRow struct {
	seal.Row
	table int
}

// sealProgress is how far a key has come, with the rows that are sealed next.
type sealProgress struct {
	number  uint16
	rows    []sealRow
	looked  int64 // rows
	values  int64 // of rows, that were changed; of the writer until it is stored
	changed int64 // values, by what came before
	done    bool
}
