package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/record"
)

// restoredKey is the key of the table meta under which it stands that the database has gone back.
const restoredKey = remote.RestoredKey

const selectMeta = `SELECT key, value FROM meta WHERE key = $1`

// LastRestored returns that the database has gone back, as it was when it was opened, or has been noted since; false when it never has.
func (m *memory) LastRestored() (record.Restored, bool) {
	if r := m.restored.Load(); r != nil {
		return *r, true
	}
	return record.Restored{}, false
}

// lookBack takes up that the database has gone back, as it stands there now.
func (m *memory) lookBack(ctx context.Context) error {
	r, found, err := m.WentBack(ctx)
	if err == nil && found {
		m.restored.Store(&r)
	}
	return err
}

// NoteRestored notes that the database has gone back: the next term of each account begins with care.
func (m *memory) NoteRestored(ctx context.Context, r record.Restored) error {
	value, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("note that a copy was put back: %w", err)
	}
	if err := m.commitNow(ctx, Write{meta: &metaMark{restoredKey, string(value)}}); err != nil {
		return fmt.Errorf("note that a copy was put back: %w", err)
	}
	m.restored.Store(&r)
	return nil
}

// metaMark is a row of the table meta.
type metaMark struct{ key, value string }

func (a *applier) storeMeta(m *metaMark) error { return a.meta.str(m.key).str(m.value).do() }

// WentBack returns that the database has gone back, as it stands there now; false when it never has.
func (r *Reader) WentBack(ctx context.Context) (back record.Restored, found bool, err error) {
	rows, err := markReaderOf(r.db)(ctx, selectMeta, restoredKey)
	if err == nil && len(rows) > 0 {
		found, err = true, json.Unmarshal([]byte(bind.WordOf(rows[0][1])), &back)
	}
	if err != nil {
		return back, false, fmt.Errorf("read whether a copy was put back: %w", err)
	}
	return back, found, nil
}
