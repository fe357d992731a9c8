package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Inspector is where people look at what a bot keeps, and ask it to do something about it, also while it
// runs. What it writes are requests, in short transactions of its own: everything else belongs to the
// bot. All methods may be called at the same time.
type Inspector struct {
	*Reader
	path    string
	writes  *sql.DB
	running func(accounts []event.Account) (bool, error)
	around  func(commit func() error) error // see Options
	ask     *sql.Stmt
}

const (
	// The number is higher than that of every request before: of those that wait, and of the last one
	// that had its turn.
	insertRequest = `INSERT INTO request (shard, account, number, peer, wish, subject, until, asked_at, text, asked_by) SELECT $1, $2, max($3,
			1 + coalesce((SELECT max(number) FROM request WHERE shard = $1 AND account = $2 AND number > 0), 0),
			1 + coalesce((SELECT CAST(substr(max(id), 18) AS BIGINT) FROM turn
				WHERE shard = $1 AND account = $2 AND id >= 'decision:request/' AND id < 'decision:request0'), 0)),
		$4, $5, $6, $7, $8, $9, $10 RETURNING number`
	selectAnswer = `SELECT outcome, note, handled_at FROM turn WHERE shard = $1 AND account = $2 AND id = $3`
)

// OpenInspector opens the database at path, or at a URL, which must have been made by Open. What is sealed, and not with key, reads as
// "(sealed)". The errors are those of OpenReader.
func OpenInspector(ctx context.Context, path string, key platform.Secret) (*Inspector, error) {
	if remote.IsURL(path) {
		return openPostgresInspector(ctx, path, key)
	}
	r, err := OpenReader(ctx, path, key)
	if err != nil {
		return nil, err
	}
	d := &Inspector{Reader: r, path: path, around: func(commit func() error) error { return commit() }}
	d.running = func([]event.Account) (bool, error) { return sqlite.IsTaken(path) }
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, sqlite.ExplainFile(path, err)), d.Close())
	}
	return d, nil
}

func (in *Inspector) open(ctx context.Context) (err error) {
	// It leaves the log to the bot: what it writes is to be short.
	if !in.server {
		if in.writes, err = sqlite.OpenDB(in.path, append(sqlite.WritingPragmas(false), "wal_autocheckpoint(0)"), 1); err != nil {
			return err
		}
	}
	if in.ask, err = in.writes.PrepareContext(ctx, insertRequest); err != nil {
		return fmt.Errorf("prepare %q: %w", insertRequest, err)
	}
	return nil
}

// Close closes the inspector.
func (in *Inspector) Close() error {
	err := in.Reader.Close()
	if in.writes != nil {
		err = errors.Join(err, in.writes.Close())
	}
	return err
}

// Running reports whether a bot runs on the database at the moment; with accounts, whether all of these are with a worker that has a lease.
func (in *Inspector) Running(accounts ...event.Account) (bool, error) { return in.running(accounts) }

// explainError adds to an error of a database what a person can do about it.
func explainError(err error) error { return remote.ExplainError(sqlite.ExplainError(err)) }

// Ask stores requests, all or none, and returns them with their numbers. A bot that runs takes them up
// within about a second; otherwise they wait for one. With an unclear.Error they may be stored all the same, as with
// each change that an inspector makes.
func (in *Inspector) Ask(ctx context.Context, requests ...event.Request) ([]event.Request, error) {
	asked, err := in.store(ctx, requests)
	if err != nil {
		return nil, fmt.Errorf("store what was asked for: %w", explainError(err))
	}
	return asked, nil
}

func (in *Inspector) store(ctx context.Context, requests []event.Request) ([]event.Request, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	asked, texts := make([]event.Request, len(requests)), make([]string, len(requests))
	for i := range requests {
		texts[i] = requests[i].Text
	}
	tx, err := in.beginSealing(ctx, texts, func(tx *sql.Tx) error { return in.put(ctx, tx, requests, asked) })
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // it does nothing after a commit
	return asked, in.commit(ctx, tx.Commit, func(ctx context.Context) (bool, error) {
		_ = tx.Rollback() // if it is still under way; nothing changes after this
		return in.isAsked(ctx, &asked[0])
	})
}

// put stores requests, and returns them as they were asked.
func (in *Inspector) put(ctx context.Context, tx *sql.Tx, requests, asked []event.Request) error {
	ask := tx.StmtContext(ctx, in.ask) //nolint:sqlclosecheck // the transaction closes it
	for i, q := range requests {
		q.AskedAt = time.UnixMicro(time.Now().UnixMicro())
		now := q.AskedAt.UnixMicro()
		err := ask.QueryRowContext(ctx, q.Key.Account.Shard(), string(q.Key.Account), now,
			int64(q.Key.Peer), string(q.Wish), requestSubject(&q), bind.ToMicros(q.Until), now, in.sealedText(seal.RequestText.OfRequest(&q), q.Text), q.By).Scan(&q.Number)
		if err == nil {
			err = checkHere(ctx, tx, q.Key.Account)
		}
		if err != nil {
			return err
		}
		asked[i] = q
	}
	return nil
}

// Answer returns what became of a request; false while it waits.
func (in *Inspector) Answer(ctx context.Context, q event.Request) (record.Answer, bool, error) {
	var a record.Answer
	var note seal.Value
	var at int64
	id := q.Trigger().ID()
	found, err := in.queryOne(ctx, selectAnswer, []any{outcomeIn(&a.Outcome), &note, &at}, q.Key.Account.Shard(), string(q.Key.Account), id)
	if err == nil {
		a.Note, err = note.TextFrom(in.vault, seal.TurnNote.CellOf(q.Key.Account, id))
	}
	if err != nil {
		return a, false, fmt.Errorf("read what became of the request %d: %w", q.Number, err)
	}
	a.At = bind.FromMicros(at)
	return a, found, nil
}
