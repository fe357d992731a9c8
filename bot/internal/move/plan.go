package move

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// planMove finds out what is to be moved, and whether it can be.
func (m *mover) planMove(ctx context.Context) (err error) {
	m.arriving, m.gone = map[event.Account]store.ArrivingMark{}, map[event.Account]store.GoneMark{}
	if m.to != nil {
		if m.arriving, err = store.MarksOf[store.ArrivingMark](ctx, m.to.queryRows, store.ArrivingKey); err == nil {
			m.gone, err = store.MarksOf[store.GoneMark](ctx, m.to.queryRows, store.GoneKey)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.to.name(), err)
		}
	}
	wanted := map[event.Account]bool{}
	for _, a := range m.Accounts {
		wanted[a] = true
	}
	for _, f := range m.from {
		if err := m.planFrom(ctx, f, wanted); err != nil {
			return fmt.Errorf("%s: %w", f.name(), err)
		}
	}
	if len(wanted) > 0 {
		missing := slices.Sorted(maps.Keys(wanted))
		return fmt.Errorf("%s is in none of what is to be moved: see nectar accounts", record.AccountNames("account", missing))
	}
	if err := m.onlyOnce(); err != nil {
		return err
	}
	return m.isFree(ctx)
}

// planFrom finds the accounts of a database that are to be moved, and takes them out of wanted.
func (m *mover) planFrom(ctx context.Context, f *leaving, wanted map[event.Account]bool) (err error) {
	if arriving, err := store.MarksOf[store.ArrivingMark](ctx, f.queryRows, store.ArrivingKey); err != nil || len(arriving) > 0 {
		if err == nil {
			err = store.ArrivingErrorOf(arriving)
		}
		return err
	}
	if f.gone, err = store.MarksOf[store.GoneMark](ctx, f.queryRows, store.GoneKey); err != nil {
		return err
	}
	rows, err := m.count(ctx, f)
	if err != nil {
		return err
	}
	_, wasWhole := f.gone[""]
	f.whole = len(m.Accounts) == 0 // or there may be more
	for _, account := range slices.Sorted(maps.Keys(rows)) {
		t := &traveller{account: account, rows: rows[account]}
		isWanted := len(m.Accounts) == 0 || slices.Contains(m.Accounts, account)
		away, isAway := f.gone[account]
		switch t.mark = m.arriving[account]; {
		case account == "":
			continue
		case isAway && isWanted && away.Move == t.mark.Move: // it has left, and that is all that is known there
			f.finished = append(f.finished, t)
		case isAway:
			if !wasWhole {
				f.remains = append(f.remains, account)
			}
			continue
		case isWanted:
			f.accounts = append(f.accounts, t)
		default:
			continue
		}
		delete(wanted, account)
	}
	return m.planLeft(f, wanted)
}

// planLeft judges a database in which nothing, or not all, is left to be moved.
func (m *mover) planLeft(f *leaving, wanted map[event.Account]bool) error {
	f.before = len(f.accounts) == 0
	asked := slices.Sorted(maps.Keys(wanted))
	if f.before && len(m.Accounts) == 0 {
		asked = slices.Sorted(maps.Keys(f.gone))
	}
	for _, account := range asked {
		switch away, isAway := f.gone[account]; {
		case isAway && away.To == titleOf(m.To): // by an earlier move
			delete(wanted, account)
		case isAway:
			return &record.MovedError{Account: account, To: away.To, At: away.At}
		}
	}
	if f.before && len(f.gone) == 0 && len(m.Accounts) == 0 {
		return errNothing
	}
	return nil
}

// count returns how many rows accounts have.
func (m *mover) count(ctx context.Context, s side) (map[event.Account]int64, error) {
	all := map[event.Account]int64{}
	for i := range m.tables {
		groups := []event.Account{""}
		where, args := "", []any(nil)
		if len(m.Accounts) > 0 {
			groups, where = m.Accounts, ` WHERE shard = ? AND account = ?`
		}
		for _, account := range groups {
			if where != "" {
				args = []any{int64(account.Shard()), string(account)}
			}
			rows, err := s.queryRows(ctx, `SELECT account, count(*) FROM "`+m.tables[i].name+`"`+where+` GROUP BY shard, account`, args...)
			if err != nil {
				return nil, fmt.Errorf("count the rows of the table %s: %w", m.tables[i].name, err)
			}
			for _, row := range rows {
				all[event.Account(bind.WordOf(row[0]))] += bind.NumberOf(row[1])
			}
		}
	}
	return all, nil
}

// onlyOnce makes sure that no account comes from two databases.
func (m *mover) onlyOnce() error {
	from := map[event.Account]string{}
	var twice []event.Account
	in := []string(nil)
	for _, f := range m.from {
		for _, t := range slices.Concat(f.finished, f.accounts) {
			other, has := from[t.account]
			if from[t.account] = f.name(); has && (in == nil || slices.Equal(in, []string{other, f.name()})) {
				twice, in = append(twice, t.account), []string{other, f.name()}
			}
		}
	}
	if len(twice) > 0 {
		return &PresentError{twice, in}
	}
	return nil
}

// isFree makes sure that what comes into the target is not there, but for what came with a move that was interrupted, and
// what has gone from it.
func (m *mover) isFree(ctx context.Context) error {
	if m.to == nil {
		return nil
	}
	var there []event.Account
	for _, f := range m.from {
		for _, t := range f.accounts {
			if on := m.arriving[t.account]; on.From != "" && on.From != f.name() {
				return fmt.Errorf("%s: %w", m.to.name(), store.ArrivingErrorOf(map[event.Account]store.ArrivingMark{t.account: on}))
			}
			present, err := m.present(ctx, t.account)
			if err != nil {
				return fmt.Errorf("%s: %w", m.to.name(), err)
			}
			_, wasThere := m.gone[t.account]
			_, begun := m.arriving[t.account]
			if t.fresh = !present; present && !wasThere && !begun { //mutate:move-present
				there = append(there, t.account)
			}
		}
	}
	if len(there) > 0 {
		return &PresentError{there, []string{m.to.name()}}
	}
	return nil
}

// present reports whether there is a row of an account in the target.
func (m *mover) present(ctx context.Context, account event.Account) (bool, error) {
	var parts []string
	var args []any
	for i := range m.tables {
		parts = append(parts, `EXISTS (SELECT 1 FROM "`+m.tables[i].name+`" WHERE shard = ? AND account = ?)`)
		args = append(args, int64(account.Shard()), string(account))
	}
	rows, err := m.to.queryRows(ctx, `SELECT CASE WHEN `+strings.Join(parts, ` OR `)+` THEN 1 ELSE 0 END`, args...)
	return numberOr(rows, 0) == 1, err
}

// announceArrival notes in the target what is on its way into it, so that no bot runs there meanwhile. What has gone from it before
// does not come to life again with the rest.
func (m *mover) announceArrival(ctx context.Context) error {
	_, wasMoved := m.gone[""]
	return atOnce(ctx, m.to, m.Around, func() error {
		if wasMoved {
			if err := m.clearGone(ctx); err != nil {
				return err
			}
		}
		if err := store.SkipStart(ctx, m.to.queryRows); err != nil {
			return err
		}
		for _, f := range m.from {
			for _, t := range f.accounts {
				if t.mark.Move == "" {
					t.mark = store.ArrivingMark{From: f.name(), Move: newMove(), At: time.Now()}
				}
				if err := m.noteProgress(ctx, t); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// newMove returns a name for a move of an account.
func newMove() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// clearGone deletes what is left of accounts that went from the target, in a database that went as a whole.
func (m *mover) clearGone(ctx context.Context) error {
	for _, account := range slices.SortedFunc(maps.Keys(m.gone), func(a, b event.Account) int { return cmp.Compare(a, b) }) {
		if _, begun := m.arriving[account]; begun {
			continue
		}
		if err := clearAccount(ctx, m.to, m.tables, account); err != nil {
			return err
		}
	}
	for _, f := range m.from {
		for _, t := range f.accounts {
			if _, begun := m.arriving[t.account]; !begun {
				t.fresh = true
			}
		}
	}
	return nil
}

// clearAccount deletes the rows of an account.
func clearAccount(ctx context.Context, s side, tables []movedTable, account event.Account) error {
	for i := range tables {
		if _, err := s.queryRows(ctx, tables[i].clear(), int64(account.Shard()), string(account)); err != nil {
			return fmt.Errorf("delete what is left of the account %q: %w", account, err)
		}
	}
	_, err := s.queryRows(ctx, `DELETE FROM rules_in_force WHERE account = ?`, string(account))
	return err
}
