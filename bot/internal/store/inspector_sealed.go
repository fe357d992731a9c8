package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/internal/seal"
)

// Closed reports whether something is sealed in the database and nothing of it opens: it reads as "(sealed)".
func (d *Inspector) Closed() bool { return d.vault.Closed() }

// boxed returns a text as it is stored at p.
func (d *Inspector) boxed(p seal.Cell, text string) any {
	if text == "" || !d.vault.Seals() {
		return text
	}
	return d.vault.Seal(p, text)
}

// writing begins a transaction in which put stores these texts among other things: sealed with the newest key of the
// file, since a value under an older one would be left behind when that is retired. The caller commits it, or rolls it
// back.
func (d *Inspector) writing(ctx context.Context, texts []string, put func(tx *sql.Tx) error) (*sql.Tx, error) {
	private := strings.Join(texts, "") != ""
	switch {
	case !private || !d.vault.Closed():
	case d.vault.Secret.Given():
		return nil, seal.ErrSealed
	default:
		return nil, seal.ErrNoKey
	}
	for {
		tx, err := d.writes.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		var newest uint16
		if err = d.alone(ctx, tx, private); err == nil {
			err = put(tx)
		}
		if err == nil { // from now on no other process writes
			err = tx.QueryRowContext(ctx, seal.NewestKey).Scan(&newest)
		}
		if err == nil && (!private || newest == d.vault.Ring.Load().Newest) { //mutate:inspector-newest
			return tx, nil
		}
		_ = tx.Rollback()
		if err == nil {
			err = d.renew(ctx, newest)
		}
		if err != nil {
			return nil, err
		}
	}
}

// renew takes the newest key of the file into use.
func (d *Inspector) renew(ctx context.Context, number uint16) error {
	fresh, _, err := seal.ReadKeys(ctx, d.db, &d.vault.Secret)
	if err != nil {
		return err
	}
	if fresh.Newest < number {
		return fmt.Errorf("seal what is stored: %w", seal.ErrSealed)
	}
	d.vault.Use(fresh)
	return nil
}
