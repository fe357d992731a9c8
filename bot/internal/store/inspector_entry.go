package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

const (
	insertEntry = `INSERT INTO entry (shard, account, list, key, peer, trigger_id, text, data, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`
	deleteUses  = `DELETE FROM claim WHERE shard = $1 AND account = $2 AND name = $3`
	deleteEntry = `DELETE FROM entry WHERE shard = $1 AND account = $2 AND list = $3 AND key = $4`
)

// AddEntry puts an entry into its list; false when the list has one of that key, which stays as it is. It
// takes effect at once, whether a bot runs or not.
func (in *Inspector) AddEntry(ctx context.Context, e event.Entry) (bool, error) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	added := false
	put := func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, insertEntry, e.Account.Shard(), string(e.Account), e.List, e.Key, int64(e.Peer), e.Trigger,
			in.sealedText(seal.EntryText.CellWithin(e.Account, e.List, e.Key), e.Text), in.sealedText(seal.EntryData.CellWithin(e.Account, e.List, e.Key), string(e.Data)), bind.ToMicros(e.At))
		if err != nil {
			return err
		}
		if err := checkHere(ctx, tx, e.Account); err != nil {
			return err
		}
		n, err := done.RowsAffected()
		added = n > 0
		return err
	}
	tx, err := in.beginSealing(context.WithoutCancel(ctx), []string{e.Text, string(e.Data)}, put)
	if err == nil {
		defer func() { _ = tx.Rollback() }() // it does nothing after a commit
		err = in.commit(ctx, tx.Commit, func(ctx context.Context) (bool, error) {
			_ = tx.Rollback() // if it is still under way; nothing changes after this
			at, ok, err := in.entryAt(ctx, e.Account, e.List, e.Key)
			added = at == bind.ToMicros(e.At)
			return ok, err
		})
	}
	if err != nil {
		return false, fmt.Errorf("add %s to the list %s of %s: %w", e.Key, e.List, e.Account, explainError(err))
	}
	return added, nil
}

// RemoveEntry takes an entry out of its list; false when there is none of that key. It takes effect at once,
// whether a bot runs or not.
func (in *Inspector) RemoveEntry(ctx context.Context, account event.Account, list, key string) (bool, error) {
	removed := false
	err := in.commit(ctx, func() (err error) {
		removed, err = in.execChange(ctx, account, deleteEntry, account.Shard(), string(account), list, key)
		return err
	}, func(ctx context.Context) (bool, error) {
		_, ok, err := in.entryAt(ctx, account, list, key)
		removed = !ok
		return !ok, err
	})
	if err != nil {
		return false, fmt.Errorf("remove %s from the list %s of %s: %w", key, list, account, explainError(err))
	}
	return removed, nil
}

// ForgetUses deletes all uses of a limit, so that it counts from zero again for everybody. It takes effect at
// once, whether a bot runs or not.
func (in *Inspector) ForgetUses(ctx context.Context, account event.Account, limit string) error {
	forget := func() error {
		_, err := in.execChange(ctx, account, deleteUses, account.Shard(), string(account), limit)
		return err
	}
	// To forget them once more does no harm, and tells.
	if err := in.commit(ctx, forget, func(context.Context) (bool, error) { return true, forget() }); err != nil {
		return fmt.Errorf("forget the uses of %s by %s: %w", limit, account, explainError(err))
	}
	return nil
}

// execChange runs a statement about an account, which nothing interrupts; false when it changed nothing.
func (in *Inspector) execChange(ctx context.Context, account event.Account, statement string, args ...any) (bool, error) {
	ctx = context.WithoutCancel(ctx)
	tx, err := in.writes.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }() // it does nothing after a commit
	if err := in.lockAlone(ctx, tx, false); err != nil {
		return false, err
	}
	done, err := tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	if err := checkHere(ctx, tx, account); err != nil { // no sooner: what reads first may not write behind it
		return false, err
	}
	n, err := done.RowsAffected()
	if err == nil {
		err = tx.Commit()
	}
	return n > 0, err
}
