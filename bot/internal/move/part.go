package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// When all of the accounts of a database has arrived, they part from it: the target notes that they are there as a whole, the
// database that they have gone, and the target that they live there. Each is a commit; in between they live nowhere, and
// running the move again brings it to its end.

// noteArrived notes in the target that accounts are there as a whole.
func (m *mover) noteArrived(ctx context.Context, f *leaving) error {
	return atOnce(ctx, m.to, m.Around, func() error {
		for _, t := range f.accounts {
			t.mark.Whole = true
			if err := m.noteProgress(ctx, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// errMeanwhile is the error of a table that somebody has changed since it was copied.
type errMeanwhile struct {
	t     *traveller
	table int
}

// Error tells which one.
func (e *errMeanwhile) Error() string { return fmt.Sprintf("a table of %s has changed", e.t.account) }

// leaveSource lets accounts leave a database. What an inspector has changed since it was copied is copied again before.
func (m *mover) leaveSource(ctx context.Context, f *leaving) error {
	for range repairs {
		err := atOnce(ctx, f, m.Around, func() error { return m.partNow(ctx, f) })
		late, ok := errors.AsType[*errMeanwhile](err)
		if !ok {
			return err
		}
		if err := m.repairTable(ctx, f, late.t, late.table); err != nil {
			return err
		}
	}
	return errUnsteady
}

func (m *mover) partNow(ctx context.Context, f *leaving) error {
	// From here to the end of the transaction no inspector writes: nothing changes between the comparison and the account's leaving.
	if err := f.excludeOthers(ctx); err != nil {
		return err
	}
	for _, t := range f.accounts {
		for i := range m.tables {
			if !slices.Contains(inspectorTables, m.tables[i].name) {
				continue
			}
			now, err := m.rowsOf(ctx, f, i, t.account)
			if err != nil {
				return err
			}
			if now != t.sums[i] { //mutate:move-meanwhile
				return &errMeanwhile{t, i}
			}
		}
	}
	// With the same commit as the comparison: a wish stored between the two would stay in a database that nobody works on.
	at := time.Now()
	if f.whole {
		if err := m.say(ctx, f, "", store.GoneMark{To: m.to.name(), At: at}); err != nil {
			return err
		}
	}
	for _, t := range f.accounts {
		if err := m.say(ctx, f, t.account, store.GoneMark{To: m.to.name(), Move: t.mark.Move, At: at}); err != nil {
			return err
		}
		if f.whole {
			continue
		}
		for _, table := range actingTables {
			if _, err := f.queryRows(ctx, `DELETE FROM "`+table+`" WHERE shard = ? AND account = ?`, int64(t.account.Shard()), string(t.account)); err != nil {
				return err
			}
		}
	}
	return nil
}

// say notes in a database that an account has gone.
func (m *mover) say(ctx context.Context, f *leaving, account event.Account, mark store.GoneMark) error {
	value, err := json.Marshal(mark)
	if err != nil {
		return err
	}
	_, err = f.queryRows(ctx, store.UpsertMark, store.GoneKey+string(account), string(value))
	return err
}

// finishAccounts lets accounts live in the target, and takes away what is left of them where others stay.
func (m *mover) finishAccounts(ctx context.Context, f *leaving, accounts []*traveller) error {
	if len(accounts) == 0 {
		return nil
	}
	err := atOnce(ctx, m.to, m.Around, func() error {
		keys := []string{store.GoneKey}
		for _, t := range accounts {
			keys = append(keys, store.GoneKey+string(t.account), store.ArrivingKey+string(t.account))
		}
		for _, key := range keys {
			if _, err := m.to.queryRows(ctx, store.DeleteMark, key); err != nil {
				return err
			}
		}
		return nil
	})
	delete(m.gone, "")
	if _, wasWhole := f.gone[""]; err != nil || f.whole || wasWhole {
		return err
	}
	var names []event.Account
	for _, t := range accounts {
		names = append(names, t.account)
	}
	return m.clearLeft(ctx, f, names)
}

// clearLeft deletes what is left of accounts in a database that they have left.
func (m *mover) clearLeft(ctx context.Context, f *leaving, accounts []event.Account) error {
	for _, account := range accounts {
		err := atOnce(ctx, f, m.Around, func() error { return clearAccount(ctx, f, m.tables, account) })
		if err != nil {
			return err
		}
	}
	return nil
}
