package board

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/record"
)

// LostError is the error of a database that has lost what it had confirmed, as a worker has found: nobody works on it until somebody
// has accepted that; see Board.AcceptLoss. It is ErrLostCommits.
type LostError struct{ record.LostCommits }

// Error tells what happened, and what to do.
func (e *LostError) Error() string {
	return fmt.Sprintf("the database has lost what it had confirmed, as worker %s found at %s: no worker begins until that is accepted", e.Worker, e.At.UTC().Format(time.DateTime))
}

// asError returns a loss as an error; nil for none.
func asError(l *record.LostCommits) error {
	if l == nil {
		return nil
	}
	return &LostError{*l}
}

// Unwrap returns ErrLostCommits.
func (*LostError) Unwrap() error { return record.ErrLostCommits }

// The loss that nobody has accepted, and the last one that somebody has, as keys of the table meta.
const (
	lostKey, acceptedKey = "lost commits", "lost commits, accepted"

	notLost    = `NOT EXISTS (SELECT 1 FROM meta WHERE key = '` + lostKey + `')`
	insertLost = `INSERT INTO meta (key, value) VALUES ('` + lostKey + `', $1) ON CONFLICT DO NOTHING`
	selectLost = `SELECT value FROM meta WHERE key = $1`
	deleteLost = `DELETE FROM meta WHERE key = '` + lostKey + `' RETURNING value`
	keepLost   = `INSERT INTO meta (key, value) VALUES ('` + acceptedKey + `', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
)

// rowAsker runs queries of one row.
type rowAsker interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// lostOf reads a loss; nil for none.
func lostOf(ctx context.Context, db rowAsker, key string) (*record.LostCommits, error) {
	var text string
	err := db.QueryRowContext(ctx, selectLost, key).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil //nolint:nilnil // there is none
	}
	l := &record.LostCommits{}
	if err == nil {
		err = json.Unmarshal([]byte(text), l)
	}
	if err != nil {
		return nil, fmt.Errorf("read whether it has lost anything: %w", err)
	}
	return l, nil
}

// NoteLoss keeps all workers from going on, since a worker has found that the database has lost what it had confirmed.
func (b *Board) NoteLoss(ctx context.Context, worker string) error {
	err := b.inTx(ctx, func(tx *sql.Tx) error {
		l := record.LostCommits{Worker: worker}
		if err := serverTime(ctx, tx, &l.At); err != nil {
			return err
		}
		text, err := json.Marshal(l)
		if err == nil {
			_, err = tx.ExecContext(ctx, insertLost, string(text))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("note that the database has lost what it had confirmed: %w", postgres.ExplainError(err))
	}
	return nil
}

// LostCommits returns the loss that keeps workers from going on, and the last one that was accepted; nil for none.
func (b *Board) LostCommits(ctx context.Context) (open, accepted *record.LostCommits, err error) {
	if open, err = lostOf(ctx, b.askPool(), lostKey); err == nil {
		accepted, err = lostOf(ctx, b.askPool(), acceptedKey)
	}
	return open, accepted, postgres.ExplainError(err)
}

// AcceptLoss lets workers go on after a loss, with care, and keeps who has decided that, and why; nil when there is no loss.
func (b *Board) AcceptLoss(ctx context.Context, by, why string) (accepted *record.LostCommits, err error) {
	err = b.inTx(ctx, func(tx *sql.Tx) error {
		text, l := "", &record.LostCommits{}
		if err := tx.QueryRowContext(ctx, deleteLost).Scan(&text); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), l); err != nil {
			return err
		}
		l.By, l.Why = by, why
		if err := serverTime(ctx, tx, &l.AcceptedAt); err != nil {
			return err
		}
		kept, err := json.Marshal(l)
		if err == nil {
			_, err = tx.ExecContext(ctx, keepLost, string(kept))
		}
		accepted = l
		if err != nil {
			return err
		}
		return noteRestored(ctx, tx, &record.Restored{At: l.AcceptedAt, Sign: record.CarefulSaid, By: by}) //mutate:accepted-care
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil //nolint:nilnil // there is none
	case err != nil:
		return nil, fmt.Errorf("accept a loss: %w", postgres.ExplainError(err))
	}
	return accepted, nil
}

// serverTime reads the server's clock.
func serverTime(ctx context.Context, db rowAsker, at *time.Time) error {
	var now int64
	err := db.QueryRowContext(ctx, `SELECT `+remote.Now).Scan(&now)
	*at = timeOfMicros(now).UTC()
	return err
}
