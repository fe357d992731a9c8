package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
)

// deathKey is the key of the table meta under which it stands when people were last told that a worker has died.
const deathKey = "death told"

// tellDeath is a row for one worker alone in some time.
const tellDeath = `INSERT INTO meta AS m (key, value) VALUES ('` + deathKey + `', ` + remote.Now + `::text)
	ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE m.value::bigint < ` + remote.Now + ` - $1::bigint RETURNING 1`

// TellsDeath reports whether people are to be told that a worker has died: what dies again and again is one matter, for them as for all workers.
func (b *Board) TellsDeath(ctx context.Context, again time.Duration) (bool, error) {
	one := 0
	err := b.askPool().QueryRowContext(ctx, tellDeath, again.Microseconds()).Scan(&one)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("note that people are told of a death: %w", postgres.ExplainError(err))
	}
	return true, nil
}
