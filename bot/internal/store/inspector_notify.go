package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

const insertNotice = `INSERT INTO notice (shard, account, id, who, text, peer, at, sent_at, private, kind, details, reached) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`

// Notify stores notices for a program that does not run the bot; the bot that runs tells them to people. A notice that is already
// stored is not told again.
func (in *Inspector) Notify(ctx context.Context, notices ...event.Notice) error {
	if len(notices) == 0 {
		return nil
	}
	texts := make([]string, len(notices))
	for i := range notices {
		texts[i] = notices[i].Text
	}
	tx, err := in.beginSealing(ctx, texts, func(tx *sql.Tx) error {
		for i := range notices {
			n := &notices[i]
			_, err := tx.ExecContext(ctx, insertNotice, n.Account.Shard(), string(n.Account), n.ID, n.Who, in.sealedText(seal.NoticeText.CellOf(n.Account, n.ID), n.Text),
				int64(n.Peer), bind.ToMicros(n.At), bind.ToMicros(n.SentAt), n.Private, n.Kind, in.sealedText(seal.NoticeDetails.CellOf(n.Account, n.ID), string(n.Details)), string(n.Reached))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = tx.Commit() // to store it once more changes nothing
		_ = tx.Rollback()
	}
	if err != nil {
		return fmt.Errorf("store notices: %w", explainError(err))
	}
	return nil
}
