package move

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

const (
	selectAllInForce = `SELECT account, hash, folder, since FROM rules_in_force`
	upsertInForce    = `INSERT INTO rules_in_force (account, hash, folder, since) VALUES (?, ?, ?, ?)
		ON CONFLICT (account) DO UPDATE SET hash = excluded.hash, folder = excluded.folder, since = excluded.since`
	selectVersion = `SELECT hash, content, loaded_at, used_at FROM rules_version WHERE hash = ?`
	upsertVersion = `INSERT INTO rules_version (hash, content, loaded_at, used_at) VALUES (?, ?, ?, ?) ON CONFLICT (hash) DO UPDATE
		SET loaded_at = max(rules_version.loaded_at, excluded.loaded_at), used_at = max(rules_version.used_at, excluded.used_at)`
	insertAddress = `INSERT INTO address (id, pace) VALUES (?, ?) ON CONFLICT DO NOTHING`
)

// copyShared brings into the target what belongs to several accounts, or to none: the rules that are named, or in force, how
// addresses stand, and, when a database goes as a whole, what is about all of the bot.
func (m *mover) copyShared(ctx context.Context, f *leaving) error {
	return atOnce(ctx, m.to, m.Around, func() error {
		if err := m.shareEditions(ctx, f); err != nil {
			return fmt.Errorf("bring what was published together: %w", err)
		}
		if err := m.shareRules(ctx, f); err != nil {
			return fmt.Errorf("bring the rules together: %w", err)
		}
		addresses, err := f.queryRows(ctx, `SELECT id, pace FROM address`)
		for i := 0; err == nil && i < len(addresses); i++ {
			_, err = m.to.queryRows(ctx, insertAddress, addresses[i]...)
		}
		if err != nil {
			return fmt.Errorf("bring the addresses together: %w", err)
		}
		if !f.whole {
			return nil
		}
		for i := range m.tables {
			if err := m.shareRows(ctx, f, &m.tables[i]); err != nil {
				return fmt.Errorf("bring the rows of the table %s together: %w", m.tables[i].name, err)
			}
		}
		return nil
	})
}

// shareRules takes the rules along that accounts act by, or that a row of theirs names.
func (m *mover) shareRules(ctx context.Context, f *leaving) error {
	inForce, err := f.queryRows(ctx, selectAllInForce)
	if err != nil {
		return err
	}
	by := map[event.Account][]any{}
	for _, row := range inForce {
		by[event.Account(bind.WordOf(row[0]))] = row
	}
	others, err := m.to.queryRows(ctx, `SELECT count(*) FROM rules_in_force`)
	if err != nil {
		return err
	}
	moved := map[event.Account][]any{}
	for _, t := range f.accounts {
		if row, own := by[t.account]; own {
			moved[t.account] = row
		} else if row, all := by[""]; all && (!f.whole || numberOr(others, 0) > 0) { // it is not that of all there
			moved[t.account] = slices.Concat([]any{string(t.account)}, row[1:])
		}
	}
	if row, all := by[""]; all && f.whole && numberOr(others, 0) == 0 {
		moved[""] = row
	}
	for _, account := range slices.Sorted(maps.Keys(moved)) {
		m.named[bind.WordOf(moved[account][1])] = true
		if _, err := m.to.queryRows(ctx, upsertInForce, moved[account]...); err != nil {
			return err
		}
	}
	for _, hash := range slices.Sorted(maps.Keys(m.named)) {
		rows, err := f.queryRows(ctx, selectVersion, hash)
		if err == nil && len(rows) > 0 {
			_, err = m.to.queryRows(ctx, upsertVersion, rows[0]...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shareEditions takes along what was published, when a database goes as a whole, from server to server. A set that the target has
// already stays as it is.
func (m *mover) shareEditions(ctx context.Context, f *leaving) error {
	for _, s := range []side{f, m.to} {
		if there, err := s.tableColumns(ctx, "rules_set"); err != nil || len(there) == 0 || !f.whole {
			return err
		}
	}
	sets, err := f.queryRows(ctx, store.SelectSets)
	if err != nil {
		return err
	}
	for _, set := range sets {
		there, err := m.to.queryRows(ctx, store.SelectOneSet, set[0])
		if err != nil {
			return err
		}
		if len(there) > 0 {
			continue
		}
		if _, err := m.to.queryRows(ctx, store.InsertSet, set...); err != nil {
			return err
		}
		editions, err := f.queryRows(ctx, store.EditionColumns+`WHERE name = $1`, set[0])
		for i := 0; i < len(editions) && err == nil; i++ {
			m.named[bind.WordOf(editions[i][2])] = true
			_, err = m.to.queryRows(ctx, store.InsertEdition, editions[i]...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shareRows takes the rows of a table along that are of no account, unless there are such ones.
func (m *mover) shareRows(ctx context.Context, f *leaving, t *movedTable) error {
	return f.read(ctx, t, "", func(row *movedRow) error {
		row.seal(m.to.vault(), t, "")
		args := make([]any, len(row.values))
		for i := range row.values {
			switch v := &row.values[i]; {
			case v.sealed:
				args[i] = slices.Clone(v.text)
			case v.isText:
				args[i] = string(v.text)
			default:
				args[i] = v.number
			}
		}
		_, err := m.to.queryRows(ctx, t.insert()+` ON CONFLICT DO NOTHING`, args...)
		return err
	})
}
