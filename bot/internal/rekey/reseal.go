package rekey

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

// resealedTables are the tables that a change of key goes through.
var resealedTables = append(slices.Clone(seal.Tables), seal.AccountTable)

// rest is the time between portions: others come first.
const rest = 3 * time.Millisecond

// resealBatch is how many rows are locked at a time: another change of one of them has to wait meanwhile.
const resealBatch = 200

// Seal seals with the fresh key what is not, in portions of which each is a commit, and returns how many rows it has changed. What others
// store at that moment is left for the next time. tell is called with how many were changed so far.
func (c *Change) Seal(ctx context.Context, tell func(rows int64)) (rows int64, err error) {
	newest := c.vault.Ring.Load().Newest
	for i := range resealedTables {
		t := &resealedTables[i]
		var from []any
		for {
			n, next, err := c.sealSome(ctx, t, newest, from)
			if err != nil {
				return rows, fmt.Errorf("encrypt the table %s: %w", t.Name, postgres.ExplainError(err))
			}
			rows, from = rows+int64(n), next
			tell(rows)
			if n < resealBatch {
				break
			}
			_ = lifecycle.Sleep(ctx, rest)
		}
	}
	return rows, ctx.Err()
}

// Rows returns how many rows with something to be sealed there are.
func (c *Change) Rows(ctx context.Context) (all int64, err error) {
	for i := range resealedTables {
		var n int64
		if err := c.db.QueryRowContext(ctx, `SELECT count(*) FROM "`+resealedTables[i].Name+`"`).Scan(&n); err != nil {
			return 0, fmt.Errorf("count the rows: %w", postgres.ExplainError(err))
		}
		all += n
	}
	return all, nil
}

// sealSome seals the next rows behind a key. It never waits for a row that somebody else has locked, so nobody waits for it for
// longer than this takes.
func (c *Change) sealSome(ctx context.Context, t *seal.Table, newest uint16, from []any) (n int, next []any, err error) {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = tx.Rollback() }() // it does nothing after a commit
	batch, err := c.lockSome(ctx, tx, t, newest, from)
	if err != nil || len(batch) == 0 {
		return 0, nil, err
	}
	text := replaceValues(t)
	for i := range batch {
		row := &batch[i]
		args := slices.Clone(row.Key)
		for k := range row.Fresh {
			if row.Fresh[k] == nil {
				args = append(args, nil)
			} else {
				args = append(args, row.Fresh[k])
			}
		}
		if _, err := tx.ExecContext(ctx, text, args...); err != nil {
			return 0, nil, err
		}
	}
	return len(batch), batch[len(batch)-1].Key, tx.Commit()
}

// lockSome locks the next rows that are not sealed with the fresh key, and seals what they have.
func (c *Change) lockSome(ctx context.Context, tx *sql.Tx, t *seal.Table, newest uint16, from []any) (batch []seal.Row, err error) {
	rows, err := tx.QueryContext(ctx, lockNext(t, newest, from), from...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	keys := c.vault.Ring.Load()
	for rows.Next() {
		row := seal.Row{Key: make([]any, 2+len(t.Key)), Old: make([]seal.Value, len(t.Values)), Fresh: make([][]byte, len(t.Values))}
		var also int64
		var dest []any
		for i := range row.Key {
			dest = append(dest, &row.Key[i])
		}
		dest = append(dest, &also)
		for i := range row.Old {
			dest = append(dest, &row.Old[i])
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		if err := row.Seal(c.vault, keys, t.Cells(event.Account(bind.WordOf(row.Key[1])), row.Key[2:], also)); err != nil {
			return nil, fmt.Errorf("of %v: %w", row.Key, err)
		}
		batch = append(batch, row)
	}
	return batch, rows.Err()
}

// unsealed is the condition of rows with something that is not sealed with a key.
func unsealed(t *seal.Table, newest uint16) string {
	var some []string
	for _, v := range t.Values {
		sealed := fmt.Sprintf(`substring(%[1]s FROM 1 FOR 1) = '\x02' AND substring(%[1]s FROM 2 FOR 2) <> '\x%04[2]x'`, v, newest)
		clear := fmt.Sprintf(`substring(%[1]s FROM 1 FOR 1) = '%[2]c' AND length(%[1]s) > 1 AND %[1]s <> '%[2]c%[3]s'`, v, seal.ClearValue, seal.EmptyBody)
		some = append(some, sealed, clear)
	}
	return `(` + strings.Join(some, ` OR `) + `)`
}

func lockNext(t *seal.Table, newest uint16, from []any) string {
	keys := strings.Join(t.Keys(), ", ")
	also, behind := "0", ""
	if t.Also != "" {
		also = t.Also
	}
	if from != nil {
		var marks []string
		for i := range from {
			marks = append(marks, fmt.Sprint("$", i+1))
		}
		behind = `(` + keys + `) > (` + strings.Join(marks, ", ") + `) AND `
	}
	return `SELECT ` + keys + `, ` + also + `, ` + strings.Join(t.Values, ", ") + ` FROM "` + t.Name + `" WHERE ` + behind + unsealed(t, newest) +
		` ORDER BY ` + keys + fmt.Sprintf(` LIMIT %d FOR UPDATE SKIP LOCKED`, resealBatch)
}

// anyLeft asks whether there is a row that is not sealed with a key.
func anyLeft(t *seal.Table, newest uint16) string {
	return `SELECT EXISTS (SELECT 1 FROM "` + t.Name + `" WHERE ` + unsealed(t, newest) + `)::int`
}

// replaceValues replaces the values of a row that is locked. One without a fresh one stays.
func replaceValues(t *seal.Table) string {
	var sets, where []string
	for i, k := range t.Keys() {
		where = append(where, fmt.Sprintf("%s = $%d", k, i+1))
	}
	for i, v := range t.Values {
		sets = append(sets, fmt.Sprintf("%s = coalesce($%d::bytea, %[1]s)", v, len(where)+i+1))
	}
	return `UPDATE "` + t.Name + `" SET ` + strings.Join(sets, ", ") + ` WHERE ` + strings.Join(where, " AND ")
}
