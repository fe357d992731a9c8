package board

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/record"
)

// A standby that has taken over, or a copy on another server, may lack what was confirmed, and nobody is left who knows when the workers have died
// with the server. So it stands in the database on which server it lives. Another timeline of the same one, for which no commit waited, is a copy that
// was put back; on another server it is a copy, and the original may be alive.

// serverKey is the key of the table meta under which it stands on which server a database lives.
const serverKey = "server"

const (
	selectSystem = `SELECT system_identifier::text FROM pg_control_system()`
	// For seconds after a promotion the checkpoint still tells the timeline of before; the file that is written now does not.
	selectTimeline = `SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)`
	selectStandbys = `SELECT (current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') NOT IN ('off', 'local'))::int`
	selectServer   = `SELECT value FROM meta WHERE key = '` + serverKey + `'`
	insertServer   = `INSERT INTO meta (key, value) VALUES ('` + serverKey + `', $1) ON CONFLICT DO NOTHING`
	replaceServer  = `UPDATE meta SET value = $1 WHERE key = '` + serverKey + `' AND value = $2`
	upsertRestored = `INSERT INTO meta (key, value) VALUES ('` + remote.RestoredKey + `', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
)

// identity says on which server a database lives.
type identity struct {
	System   string `json:"system"`   // of the cluster, made by initdb
	Timeline string `json:"timeline"` // another one after each promotion
	Waits    bool   `json:"waits"`    // each commit waits for a standby
}

// lacks reports whether the server has taken over from another one, and may lack what that one had confirmed.
func (i *identity) lacks(was *identity) bool {
	return i.Timeline != was.Timeline && !was.Waits //mutate:server-waits
}

// identityOf asks a server. Where it does not tell, untold says why: a user without the rights, a server without the functions, a standby.
func identityOf(ctx context.Context, db rowAsker) (now identity, untold string, err error) {
	for _, ask := range []struct {
		text string
		into any
	}{{selectSystem, &now.System}, {selectTimeline, &now.Timeline}, {selectStandbys, &now.Waits}} {
		err := db.QueryRowContext(ctx, ask.text).Scan(ask.into)
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && !postgres.IsTransient(err) {
			return now, refused.Message, nil
		}
		if err != nil {
			return now, "", fmt.Errorf("find out which server it is: %w", err)
		}
	}
	return now, "", nil
}

// notedServer returns the server on which a database lived, and how that stands there; "" where nobody has noted it yet.
func notedServer(ctx context.Context, db rowAsker) (was identity, text string, err error) {
	err = db.QueryRowContext(ctx, selectServer).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return was, "", nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &was)
	}
	if err != nil {
		return was, "", fmt.Errorf("read on which server it was: %w", err)
	}
	return was, text, nil
}

// onOne does something over one connection: of several, one may still lead to the server of before.
func onOne(ctx context.Context, db *sql.DB, do func(*sql.Conn) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it only goes back to the others
	return do(conn)
}

// CheckServer finds out whether a database is still on the server on which it was, and notes on which it is. When commits that were confirmed may be
// missing, that is noted, too, and once, also when several workers find it. accepted is what somebody has said of a database that is on another
// server now; without that the error is ErrOtherServer.
func CheckServer(ctx context.Context, db *sql.DB, accepted *record.Restored) error {
	return onOne(ctx, db, func(conn *sql.Conn) error {
		now, untold, err := identityOf(ctx, conn)
		if err != nil || untold != "" {
			return err
		}
		was, text, err := notedServer(ctx, conn)
		switch {
		case err != nil:
			return err
		case text == "":
			_, err := conn.ExecContext(ctx, insertServer, now.encode())
			return err
		case was.System != now.System && accepted == nil: //mutate:server-other
			return record.ErrOtherServer
		case was.System != now.System:
			return noteServer(ctx, conn, &now, text, accepted)
		case was == now:
			return nil
		}
		var back *record.Restored
		if now.lacks(&was) { //mutate:server-failover
			back = &record.Restored{At: time.Now(), Sign: record.CarefulFailover}
		}
		return noteServer(ctx, conn, &now, text, back)
	})
}

// encode returns it as it is stored.
func (i *identity) encode() string {
	text, err := json.Marshal(i)
	if err != nil {
		panic(err) // texts and truths always encode
	}
	return string(text)
}

// noteServer notes on which server the database lives in the place of what stood there, and that it has gone back if it has, unless somebody was faster.
func noteServer(ctx context.Context, conn *sql.Conn, now *identity, was string, back *record.Restored) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	done, err := tx.ExecContext(ctx, replaceServer, now.encode(), was)
	if err != nil {
		return fmt.Errorf("note on which server it is: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if back != nil {
		if err := noteRestored(ctx, tx, back); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// noteRestored notes that the database has gone back.
func noteRestored(ctx context.Context, tx *sql.Tx, back *record.Restored) error {
	text, err := json.Marshal(back)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, upsertRestored, string(text)); err != nil {
		return fmt.Errorf("note that it has gone back: %w", err)
	}
	return nil
}

// OnOtherServer reports whether a database has come to another server, so that no store is opened there. Where the server does not tell which one it
// is, untold says why.
func OnOtherServer(ctx context.Context, db *sql.DB) (other bool, untold string, err error) {
	err = onOne(ctx, db, func(conn *sql.Conn) error {
		now, why, err := identityOf(ctx, conn)
		if err != nil || why != "" {
			untold = why
			return err
		}
		was, text, err := notedServer(ctx, conn)
		other = err == nil && text != "" && was.System != now.System
		return err
	})
	return other, untold, err
}

// IsElsewhere reports whether the database has come to another server, so that no worker begins.
func (b *Board) IsElsewhere(ctx context.Context) (bool, error) {
	other, _, err := OnOtherServer(ctx, b.askPool())
	return other, postgres.ExplainError(err)
}
