package rekey

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Change lets another NECTAR_SECRET_KEY take the place of the one that opens what is sealed in a database of PostgreSQL, while workers
// run. From its beginning on both open all there is; workers seal with a fresh key as soon as they have seen it, within seconds. When
// all is sealed with that, and every worker has the new NECTAR_SECRET_KEY, the old one opens nothing any more. A change that
// was interrupted goes on when it is begun again.
type Change struct {
	db            *sql.DB
	alone         *sql.Conn // has the locks
	board         *board.Board
	vault         *seal.Vault // of the new secret
	before, after seal.Secret
	still         map[int64]standstill // workers that do not move
}

// standstill is since when a worker was seen at a beat.
type standstill struct {
	beat  int64
	since time.Time
}

// ErrKeyChanging is the error of a change of key while another process is at one.
var ErrKeyChanging = errors.New("another nectar rekey is at work on it")

// BehindError says which workers cannot go along with a change of key.
type BehindError struct{ Workers []string }

// Error names them.
func (e *BehindError) Error() string {
	return fmt.Sprintf("workers that have another NECTAR_SECRET_KEY, or an older version of the program, run on it: %s; restart them with the present one first",
		strings.Join(e.Workers, ", "))
}

const (
	takeKeyChange = `SELECT pg_try_advisory_lock(1315267446, hashtext(current_schema()))::int` // the number behind store.SelectTurnstile
	lockAllKeys   = `LOCK TABLE seal_key IN EXCLUSIVE MODE`                                    // and nobody stores what is sealed, but for workers
	deleteSecrets = `DELETE FROM seal_key WHERE secret <> $1 AND secret <> $2`
	countOthers   = `SELECT count(*) FROM seal_key WHERE secret <> $1`
	retireKeys    = `DELETE FROM seal_key WHERE number < $1 OR secret <> $2`
	// The workers that live, but for those that have said that they seal with this key, or a later one, and have one of these secrets.
	selectBehind = `SELECT w.name FROM worker AS w WHERE w.state <> 3 AND (
			NOT EXISTS (SELECT 1 FROM seal_writer AS s WHERE s.worker = w.worker AND s.epoch = w.epoch)
			OR EXISTS (SELECT 1 FROM seal_writer AS s WHERE s.worker = w.worker AND s.epoch = w.epoch AND (s.number < $1 OR s.secret NOT IN ($2, $3))))
		ORDER BY w.name`
	upsertPersonKey = `INSERT INTO meta (key, value) VALUES ('person', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
	selectPeople    = `SELECT account, settings, state, sealed FROM account WHERE person IS NOT NULL`
	updatePeople    = `UPDATE account AS a SET person = decode(r.person, 'hex') FROM unnest($1::integer[], $2::text[], $3::text[]) AS r(shard, account, person)
		WHERE a.shard = r.shard AND a.account = r.account`
)

// Begin begins a change of key, or goes on with one. person returns the Person of an account, see record.StoredAccount. The errors
// are those of ChangeKey, a BehindError, and ErrKeyChanging.
func Begin(ctx context.Context, url string, from, to platform.Secret, person func(record.StoredAccount) platform.Secret) (*Change, error) {
	d, err := postgres.Parse(url)
	if err != nil {
		return nil, fmt.Errorf("change the key of the database: %w", err)
	}
	c := &Change{still: map[int64]standstill{}}
	if err = c.open(ctx, d, url, from, to); err == nil {
		err = c.begin(ctx, person)
	}
	if err == nil {
		c.vault, err = seal.OpenVault(ctx, c.db, to)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("change the key of %s: %w", d.Name(), postgres.ExplainError(err)), c.Close())
	}
	return c, nil
}

// open takes the locks: no other change goes on, and nobody is alone on the database.
func (c *Change) open(ctx context.Context, d remote.Database, url string, from, to platform.Secret) (err error) {
	if c.before, err = seal.NewSecret(from); err != nil {
		return err
	}
	if c.after, err = seal.NewSecret(to); err != nil {
		return err
	}
	c.db = d.WithSettings(map[string]string{ // it goes through tables in the order of their keys
		"statement_timeout": "0", "enable_seqscan": "off", "enable_bitmapscan": "off", "enable_sort": "off",
	}).OpenDB(2)
	locks, err := d.Check(ctx, c.db)
	if err != nil {
		return err
	}
	if err := store.CheckRemains(ctx, c.db); err != nil {
		return err
	}
	if c.board, err = board.Open(ctx, url, board.Options{Looks: true}); err != nil {
		return err
	}
	if c.alone, err = c.db.Conn(ctx); err != nil {
		return err
	}
	got := 0
	if err = c.alone.QueryRowContext(ctx, takeKeyChange).Scan(&got); err == nil && got == 0 {
		return ErrKeyChanging
	}
	if err == nil {
		err = c.alone.QueryRowContext(ctx, postgres.TakeTogether, postgres.LockClass, locks).Scan(&got)
	}
	if err == nil && got == 0 {
		return record.ErrInUse
	}
	return err
}

// Close gives the locks back.
func (c *Change) Close() (err error) {
	if c.alone != nil {
		err = c.alone.Close()
	}
	if c.db != nil {
		err = errors.Join(err, c.db.Close())
	}
	if c.board != nil {
		err = errors.Join(err, c.board.Close())
	}
	return err
}

// inTx does something in a transaction in which nobody else changes keys, or stores what is sealed, but for workers.
func (c *Change) inTx(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it does nothing after a commit
	for _, text := range []string{store.SelectTurnstile, lockAllKeys} {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// begin adds the fresh key, which both secrets open.
func (c *Change) begin(ctx context.Context, person func(record.StoredAccount) platform.Secret) error {
	return c.inTx(ctx, func(tx *sql.Tx) error {
		if c.before.Print == c.after.Print { // the process that finishes it may have the new one alone
			others := 0
			if err := tx.QueryRowContext(ctx, countOthers, c.after.Print[:]).Scan(&others); err != nil {
				return err
			}
			if r, all, err := seal.ReadKeys(ctx, tx, &c.after); err != nil || r.Newest > 0 && others > 0 {
				return err
			} else if all > 0 && r.Newest == 0 {
				return seal.ErrSealed
			}
		}
		done, err := addSecret(ctx, tx, &c.before, &c.after)
		if err != nil || done {
			return err
		}
		// All workers must be able to open what one of them seals, so each has to have one of the two secrets.
		behind, err := c.behind(ctx, tx, 0, c.before.FingerprintNumber())
		if err != nil {
			return err
		}
		if len(behind) > 0 {
			return &BehindError{behind}
		}
		if _, err := tx.ExecContext(ctx, deleteSecrets, c.before.Print[:], c.after.Print[:]); err != nil {
			return err
		}
		return c.hashAnew(ctx, tx, person)
	})
}

// behind returns the workers that do not seal with a key, or one behind it, or have another secret.
func (c *Change) behind(ctx context.Context, tx seal.Querier, number uint16, other int64) (names []string, err error) {
	rows, err := tx.QueryContext(ctx, selectBehind, number, c.after.FingerprintNumber(), other)
	if err != nil {
		return nil, fmt.Errorf("look which keys workers have: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// hashAnew hashes the people as whom accounts sign in, with a key that cannot be made from the old secret.
func (c *Change) hashAnew(ctx context.Context, tx *sql.Tx, person func(record.StoredAccount) platform.Secret) error {
	v, err := seal.OpenVault(ctx, tx, "")
	if err != nil {
		return err
	}
	r, _, err := seal.ReadKeys(ctx, tx, &c.after)
	if err != nil {
		return err
	}
	v.Ring.Store(r)
	key := seal.NewKey()
	if _, err := tx.ExecContext(ctx, upsertPersonKey, hex.EncodeToString(v.Seal(seal.Cell{Column: seal.PersonKey}, string(key)))); err != nil {
		return err
	}
	// All of them, with the fresh key: somebody who has the old secret could find out by its hashes who signs in.
	people, err := c.people(ctx, tx, v, key, person)
	if err != nil {
		return err
	}
	const portion = 5000
	for len(people.names) > 0 {
		n := min(portion, len(people.names))
		if _, err := tx.ExecContext(ctx, updatePeople, people.shards[:n], people.names[:n], people.people[:n]); err != nil {
			return err
		}
		people.shards, people.names, people.people = people.shards[n:], people.names[n:], people.people[n:]
	}
	return nil
}

// peopleColumns are hashes as a statement takes them.
type peopleColumns struct {
	shards        bind.Numbers
	names, people bind.Words
}

// people returns the hashes of the people as whom accounts sign in.
func (c *Change) people(ctx context.Context, tx *sql.Tx, v *seal.Vault, key []byte, person func(record.StoredAccount) platform.Secret) (all peopleColumns, err error) {
	rows, err := tx.QueryContext(ctx, selectPeople)
	if err != nil {
		return all, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var a record.StoredAccount
		var signIn, why seal.Value
		if err := rows.Scan(&a.Account, &a.Settings, &a.State, &signIn); err != nil {
			return all, err
		}
		if store.OpenAccount(&a, v, &signIn, &why); a.Broken != nil {
			return all, a.Broken
		}
		all.shards, all.names = append(all.shards, int64(a.Account.Shard())), append(all.names, string(a.Account))
		all.people = append(all.people, hex.EncodeToString((&seal.Secret{Hash: key}).PersonHash(person(a).Reveal())))
	}
	return all, rows.Err()
}

// Finish lets the old secret open nothing any more, when all is sealed with the fresh key and every worker can do without the old one;
// else it returns the names of workers that cannot, or that have not seen the fresh key yet. Without any, the error is ErrNotSealed while
// Seal has something to do.
func (c *Change) Finish(ctx context.Context) (behind []string, err error) {
	c.endDead(ctx)
	newest := c.vault.Ring.Load().Newest
	behind, err = c.behind(ctx, c.db, newest, c.after.FingerprintNumber())
	if err != nil || len(behind) > 0 {
		return behind, postgres.ExplainError(err)
	}
	for i := range resealedTables { // nobody seals with another key any more
		left := 0
		if err := c.db.QueryRowContext(ctx, anyLeft(&resealedTables[i], newest)).Scan(&left); err != nil {
			return nil, fmt.Errorf("look whether all is encrypted: %w", postgres.ExplainError(err))
		}
		if left > 0 {
			return nil, record.ErrNotSealed
		}
	}
	err = c.inTx(ctx, func(tx *sql.Tx) error {
		if behind, err = c.behind(ctx, tx, newest, c.after.FingerprintNumber()); err != nil || len(behind) > 0 {
			return err
		}
		_, err := tx.ExecContext(ctx, retireKeys, newest, c.after.Print[:])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("take the old key out of force: %w", postgres.ExplainError(err))
	}
	return behind, nil
}

// endDead takes over from workers that do not move any more where there is nobody else who would.
func (c *Change) endDead(ctx context.Context) {
	v, err := c.board.ReadView(ctx)
	if err != nil {
		clear(c.still)
		return
	}
	for i := range v.Workers {
		w := &v.Workers[i]
		seen, known := c.still[w.Worker]
		switch {
		case w.State == lease.StateGone:
		case !known || seen.beat != w.Beat:
			c.still[w.Worker] = standstill{w.Beat, time.Now()}
		case time.Since(seen.since) > 2*lease.Term:
			_, _ = c.board.TakeOver(ctx, w.Sight) // it is tried again
		}
	}
}
