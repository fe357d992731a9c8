package move

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
)

// Accounts that stand in a database of PostgreSQL go along into another one, with what they sign in with and with their state, when their
// memory has arrived. A file has no accounts: there it is said how they go on.

// carryStored takes along the accounts that stand in the databases which were moved.
func (m *Moving) carryStored(ctx context.Context, moved *record.Moved) error {
	for i := range m.from {
		if !m.from[i].OnServer() {
			continue
		}
		if err := m.carryFrom(ctx, m.from[i], moved.From[i].Whole); err != nil {
			return fmt.Errorf("the accounts that stand in %s: %w; all else is moved. Run it again when that is put right", moved.From[i].Name, err)
		}
	}
	slices.Sort(m.carried)
	slices.Sort(m.unstored)
	return nil
}

// carryFrom takes along the accounts of one database; whole tells that nothing stays there.
func (m *Moving) carryFrom(ctx context.Context, from config.StoreFile, whole bool) (err error) {
	inspector, err := inspect.Open(ctx, string(from), m.cfg.SecretKey)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inspector.Close()) }()
	q := record.StoredAccountQuery{}
	for _, a := range m.Accounts {
		q.Accounts = append(q.Accounts, event.Account(a))
	}
	rows, err := inspector.StoredAccounts(ctx, q)
	if err != nil || len(rows) == 0 {
		return err
	}
	for i := range rows {
		if rows[i].Broken != nil {
			return rows[i].Broken
		}
		if m.to.OnServer() {
			m.carried = append(m.carried, string(rows[i].Account))
		} else {
			m.unstored = append(m.unstored, string(rows[i].Account))
		}
	}
	if m.Dry || !m.to.OnServer() {
		return nil
	}
	if err := m.bringStored(ctx, rows); err != nil || whole {
		return err
	}
	gone := make([]record.StoredAccount, len(rows)) // or the bot that goes on there would say each time that they are elsewhere
	for i := range rows {
		gone[i] = record.StoredAccount{
			Account: rows[i].Account, Settings: "{}", State: record.AccountRemoved, Why: "moved to " + m.to.String(), By: m.By, Version: rows[i].Version,
		}
	}
	_, err = inspector.PutAccounts(ctx, gone...)
	return err
}

// bringStored stores accounts where they have gone, and compares what stands there then. One that is there already must be the same.
func (m *Moving) bringStored(ctx context.Context, rows []record.StoredAccount) (err error) {
	inspector, err := inspect.Open(ctx, string(m.to), m.cfg.SecretKey)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inspector.Close()) }()
	names := make([]event.Account, len(rows))
	for i := range rows {
		names[i] = rows[i].Account
	}
	there, err := storedBy(ctx, inspector, names)
	if err != nil {
		return err
	}
	var fresh []record.StoredAccount
	for _, row := range rows {
		if _, ok := there[row.Account]; !ok {
			row.Person, row.Version = m.cfg.Person(row), 0
			fresh = append(fresh, row)
		}
	}
	if _, err := inspector.PutAccounts(ctx, fresh...); err != nil {
		return err
	}
	// Read back, and compared as it opens there: what was stored and does not open is no account.
	if there, err = storedBy(ctx, inspector, names); err != nil {
		return err
	}
	for i := range rows {
		a, b := rows[i], there[rows[i].Account]
		if a.Settings != b.Settings || a.SignIn != b.SignIn || a.State != b.State || a.Why != b.Why {
			return fmt.Errorf("%s stands in %s, too, and is another one there: remove it in one of the two", a.Account, m.to)
		}
	}
	return nil
}

// storedBy returns accounts that stand in a database.
func storedBy(ctx context.Context, inspector inspect.Inspector, names []event.Account) (map[event.Account]record.StoredAccount, error) {
	rows, err := inspector.StoredAccounts(ctx, record.StoredAccountQuery{Accounts: names})
	if err != nil {
		return nil, err
	}
	all := map[event.Account]record.StoredAccount{}
	for _, row := range rows {
		all[row.Account] = row
	}
	return all, nil
}

// storedLines say what has become of accounts that stand in a database.
func (m *Moving) storedLines() (lines []string) {
	went := "went"
	if m.Dry {
		went = "would go"
	}
	if n := len(m.carried); n > 0 {
		lines = append(lines, fmt.Sprintf("%s in the database %s along, with what %s in with: %s", print.CountText(n, "account that stands", "accounts that stand"), went,
			map[bool]string{true: "it signs", false: "they sign"}[n == 1], listOf(m.carried)))
	}
	if n := len(m.unstored); n > 0 {
		lines = append(lines, fmt.Sprintf("%s in the database cannot stand in a file, and the bot needs its settings and its password anew: write them into an accounts file and name that in "+
			"NECTAR_ACCOUNTS (nectar accounts --json with the old NECTAR_STORE shows the settings, and which is paused): %s",
			print.CountText(n, "account that stands", "accounts that stand"), listOf(m.unstored)))
	}
	return lines
}

// listOf names some of many.
func listOf(names []string) string {
	rows := make([]record.StoredAccount, len(names))
	for i, n := range names {
		rows[i].Account = event.Account(n)
	}
	return sources.NamesOfRows(rows)
}
