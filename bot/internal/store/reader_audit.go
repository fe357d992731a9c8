package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

const (
	selectBefore = `SELECT number FROM event WHERE shard = $1 AND account = $2 AND source = $3 AND seen_at < $4
		ORDER BY number DESC LIMIT 64`
	// Of the two bounds, SQLite seeks the first one in the index.
	selectSent = selectAction + `INDEXED BY action_result WHERE result > $3 AND result > 0
		AND shard = $1 AND account = $2 AND verb = 'message' AND state = 'done' ORDER BY result LIMIT $4 + 0`
	// A deletion that left and has no answer may have taken its message away.
	selectDeleted = `SELECT target FROM action WHERE shard = $1 AND account = $2 AND verb = 'delete_message'
		AND state IN ('sending', 'unsure', 'held', 'done') AND target IN (SELECT value FROM json_each($3))`
)

// Before returns the highest number of the events of a source that were seen before a time and that is believed, see
// leap.Level; 0 when there is none. Numbers grow with time, so what is above was seen later.
func (r *Reader) Before(ctx context.Context, account event.Account, source event.Source, at time.Time) (int64, error) {
	last, err := rareRowsOf(ctx, r, selectBefore, scanOne[int64], account.Shard(), string(account), int64(source), at.UnixMicro())
	if err != nil {
		return 0, fmt.Errorf("read the events of %s before %s: %w", account, at.Format(time.DateTime), err)
	}
	return leap.HighestBelievable(last), nil
}

// States returns what has become of events: "pending", "handled" or "quarantined". Those that are not
// stored are absent.
func (r *Reader) States(ctx context.Context, account event.Account, source event.Source, numbers []int64) (map[int64]string, error) {
	states := make(map[int64]string, len(numbers))
	err := r.eachRare(ctx, selectStored, func(rows scanner) error {
		var number int64
		var state string
		err := rows.Scan(&number, &state)
		states[number] = state
		return err
	}, account.Shard(), string(account), int64(source), bind.NumbersOf(numbers))
	if err != nil {
		return nil, fmt.Errorf("read what became of events of %s: %w", account, err)
	}
	return states, nil
}

// Sent returns messages that the ledger says arrived, with ids above after, by id.
func (r *Reader) Sent(ctx context.Context, account event.Account, after platform.MessageID, limit int) ([]event.Action, error) {
	sent, err := r.readActions(ctx, selectSent, account.Shard(), string(account), int64(after), limit)
	if err != nil {
		return nil, fmt.Errorf("read what %s sent: %w", account, err)
	}
	return sent, nil
}

// Deleted returns which of messages the account's bot has deleted, or may have. It looks at all that the
// account ever did.
func (r *Reader) Deleted(ctx context.Context, account event.Account, messages []int64) (map[int64]bool, error) {
	deleted := map[int64]bool{}
	err := r.eachRare(ctx, selectDeleted, func(rows scanner) error {
		var id int64
		err := rows.Scan(&id)
		deleted[id] = true
		return err
	}, account.Shard(), string(account), bind.NumbersOf(messages))
	if err != nil {
		return nil, fmt.Errorf("read what %s deleted: %w", account, err)
	}
	return deleted, nil
}

// Session returns the session that the account's bot has stored, the zero one if there is none; ErrSealed when it
// does not open with the reader's key.
func (r *Reader) Session(ctx context.Context, account event.Account) (session.Kept, error) {
	var sealed []byte
	found, err := r.queryOne(ctx, selectSession, []any{&sealed}, account.Shard(), string(account))
	if err != nil || !found {
		return session.Kept{}, err
	}
	kept, err := openKept(r.vault, account, sealed)
	if err != nil {
		return session.Kept{}, fmt.Errorf("read the session of %s: %w", account, err)
	}
	return kept, nil
}
