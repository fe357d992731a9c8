package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/internal/seal"
)

// Closed reports whether something is sealed in the database and nothing of it opens: it reads as "(sealed)".
func (in *Inspector) Closed() bool { return in.vault.IsClosed() }

// sealedText returns a text as it is stored at p.
func (in *Inspector) sealedText(p seal.Cell, text string) any {
	if text == "" || !in.vault.IsSealing() {
		return text
	}
	return in.vault.Seal(p, text)
}

// beginSealing begins a transaction in which put stores these texts among other things: sealed with the newest key of the
// file, since a value under an older one would be left behind when that is retired. The caller commits it, or rolls it
// back.
func (in *Inspector) beginSealing(ctx context.Context, texts []string, put func(tx *sql.Tx) error) (*sql.Tx, error) {
	private := strings.Join(texts, "") != ""
	switch {
	case !private || !in.vault.IsClosed():
	case in.vault.Secret.IsGiven():
		return nil, seal.ErrSealed
	default:
		return nil, seal.ErrNoKey
	}
	for {
		tx, err := in.writes.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		var newest uint16
		if err = in.lockAlone(ctx, tx, private); err == nil {
			err = put(tx)
		}
		if err == nil { // from now on no other process writes
			err = tx.QueryRowContext(ctx, seal.NewestKey).Scan(&newest)
		}
		if err == nil && (!private || newest == in.vault.Ring.Load().Newest) { //mutate:inspector-newest
			return tx, nil
		}
		_ = tx.Rollback()
		if err == nil {
			err = in.renew(ctx, newest)
		}
		if err != nil {
			return nil, err
		}
	}
}

// renew takes the newest key of the file into use.
func (in *Inspector) renew(ctx context.Context, number uint16) error {
	fresh, _, err := seal.ReadKeys(ctx, in.db, &in.vault.Secret)
	if err != nil {
		return err
	}
	if fresh.Newest < number {
		return fmt.Errorf("seal what is stored: %w", seal.ErrSealed)
	}
	in.vault.UseRing(fresh)
	return nil
}
