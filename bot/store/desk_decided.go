package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

const selectDecided = `SELECT id, note FROM turn WHERE shard = $1 AND account = $2 AND id >= 'decision:request/' AND id < 'decision:request0' ORDER BY id`

// Decided calls f with the notes of all that people decided at a desk, as far as they are kept, the oldest first.
func (d *Desk) Decided(ctx context.Context, account event.Account, f func(note string)) error {
	var id string
	var note sealed
	var broken error
	err := d.query(ctx, selectDecided, []any{account.Shard(), string(account)}, []any{&id, &note}, func() {
		text, err := note.from(d.vault, turnNote.of(account, id))
		if err != nil {
			broken = err
			return
		}
		f(text)
	})
	if err = errors.Join(err, broken); err != nil {
		return fmt.Errorf("read what people decided for %s: %w", account, err)
	}
	return nil
}
