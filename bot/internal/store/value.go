package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

// ValueUse is what a turn did with a value of its account: it has read it and, perhaps, changed it.
type ValueUse struct {
	Plugin, Name string
	// Read is the version that the turn was made of; 0 for a value that was not kept.
	Read int64
	// Version is that of the change, one that no value of the store ever had, as Position gives them; 0: it was only read.
	Version int64
	// Value is what is kept from then on, with a Version; nil: nothing any more.
	Value json.RawMessage
}

const (
	selectValue  = `SELECT version, value FROM account_value WHERE shard = $1 AND account = $2 AND plugin = $3 AND name = $4`
	selectValues = `SELECT name, version, value FROM account_value WHERE shard = $1 AND account = $2 AND plugin = $3 AND name > $4
		ORDER BY name LIMIT $5 + 0`
)

// AccountValue returns what a plugin keeps for an account under a name; with Version 0 when that is nothing.
func (r *Reader) AccountValue(ctx context.Context, account event.Account, plugin, name string) (record.AccountValue, error) {
	v := record.AccountValue{Plugin: plugin, Name: name}
	var stored seal.Value
	found, err := r.queryOne(ctx, selectValue, []any{&v.Version, &stored}, account.Shard(), string(account), plugin, name)
	if err == nil && found {
		err = openValue(&v, r.vault, account, &stored)
	}
	if err != nil {
		return v, fmt.Errorf("read the value %s/%s of %s: %w", plugin, name, account, err)
	}
	return v, nil
}

// AccountValues returns what a plugin keeps for an account, by name: those behind after, "" for the first ones.
func (r *Reader) AccountValues(ctx context.Context, account event.Account, plugin, after string, limit int) ([]record.AccountValue, error) {
	all, err := rowsOf(ctx, r, selectValues, func(rows scanner) (record.AccountValue, error) {
		v := record.AccountValue{Plugin: plugin}
		var stored seal.Value
		err := rows.Scan(&v.Name, &v.Version, &stored)
		if err == nil {
			err = openValue(&v, r.vault, account, &stored)
		}
		return v, err
	}, account.Shard(), string(account), plugin, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read the values of %s that %s keeps: %w", account, plugin, err)
	}
	return all, nil
}

func openValue(v *record.AccountValue, vault *seal.Vault, account event.Account, stored *seal.Value) error {
	text, err := stored.TextFrom(vault, seal.AccountValue.CellWithin(account, v.Plugin, v.Name))
	v.Value = json.RawMessage(text)
	return err
}

// valuing are the statements of values of accounts.
type valuing struct{ valueVersion, setValue, dropValue statement }

func (v *valuing) statementTexts() map[*statement]string {
	const key = ` WHERE shard = ? AND account = ? AND plugin = ? AND name = ?`
	return map[*statement]string{
		&v.valueVersion: `SELECT version FROM account_value` + key,
		&v.setValue: `INSERT INTO account_value (shard, account, plugin, name, version, value) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (shard, account, plugin, name) DO UPDATE SET version = excluded.version, value = excluded.value`,
		&v.dropValue: `DELETE FROM account_value` + key,
	}
}

// isOutdated reports whether a value that a turn was made of has changed since. Nothing of the turn is stored by then, so
// that others of its group need not be stored again.
func (a *applier) isOutdated(t *Turn) (bool, error) {
	for i := range t.Values {
		u, version := &t.Values[i], int64(0)
		st := &a.valueVersion
		if _, err := st.key(t.Trigger.Key.Account).str(u.Plugin).str(u.Name).each(func() { version = st.columnNumber(0) }); err != nil {
			return false, err
		}
		if version != u.Read { //mutate:own-value-version
			return true, nil
		}
	}
	return false, nil
}

// storeValues stores the values that a turn has changed.
func (a *applier) storeValues(account event.Account, uses []ValueUse) error {
	for i := range uses {
		u := &uses[i]
		var err error
		switch {
		case u.Version == 0:
		case u.Value == nil:
			err = a.dropValue.key(account).str(u.Plugin).str(u.Name).do()
		default:
			err = a.setValue.key(account).str(u.Plugin).str(u.Name).int(u.Version).
				addSecret(seal.AccountValue.CellWithin(account, u.Plugin, u.Name), string(u.Value)).do()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
