package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/platform"
)

const (
	selectUses = `SELECT count(*) FROM claim WHERE shard = $1 AND account = $2 AND name = $3 AND scope = $4
		AND claimed_at > $5 AND claimed_at <= $6 AND action NOT IN (SELECT value FROM json_each($7))`
	selectLimitUses = `SELECT claims FROM action WHERE shard = $1 AND account = $2 AND key = $3`
	selectRules     = `SELECT content FROM rules_version WHERE hash = $1`
	selectLowWater  = `SELECT number FROM floor WHERE shard = $1 AND account = $2 AND source = $3`
)

// useWindow returns the times between which a use counts at a time: after since, and not later than until.
func useWindow(c *event.LimitUse, at time.Time) (since, until int64) {
	if c.Within > 0 {
		return bind.ToMicros(at.Add(-c.Within)), bind.ToMicros(at.Add(clockSlack))
	}
	return 0, math.MaxInt64
}

// CountUses returns how many uses of a limit use's limit count at a time: those that are stored, without those of
// except, which are keys of actions and ids of triggers.
func (r *Reader) CountUses(ctx context.Context, account event.Account, c event.LimitUse, at time.Time, except ...string) (int, error) {
	since, until := useWindow(&c, at)
	n := 0
	_, err := r.queryOne(ctx, selectUses, []any{&n}, account.Shard(), string(account), c.Limit, c.Scope, since, until, bind.Words(except))
	if err != nil {
		return 0, fmt.Errorf("count the uses of the limit %s of %s: %w", c.Limit, account, err)
	}
	return n, nil
}

// WantedUses returns the limit uses that an action needs when it is released; an action has some when it was held from
// the beginning.
func (r *Reader) WantedUses(ctx context.Context, account event.Account, key string) ([]event.LimitUse, error) {
	var text string
	if _, err := r.queryOne(ctx, selectLimitUses, []any{&text}, account.Shard(), string(account), key); err != nil {
		return nil, fmt.Errorf("read the limit uses of %s: %w", key, err)
	}
	if text == "" {
		return nil, nil
	}
	var kept keptLimitUses
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil, fmt.Errorf("decode the limit uses of %s: %w", key, err)
	}
	var limitUses []event.LimitUse
	for _, c := range kept.Wants {
		limitUses = append(limitUses, event.LimitUse{Limit: c.Limit, Scope: c.Scope, Max: c.Max, Within: c.Within, GiveBack: c.GiveBack})
	}
	return limitUses, nil
}

// Rules returns the content of rules by its hash; false when it is not stored.
func (r *Reader) Rules(ctx context.Context, hash string) (string, bool, error) {
	var content string
	found, err := r.queryOne(ctx, selectRules, []any{&content}, hash)
	if err != nil {
		return "", false, fmt.Errorf("read the rules %s: %w", hash, err)
	}
	return content, found, nil
}

// ForgottenUpTo returns the number up to which the account's own messages may have been deleted from the ledger,
// since they are older than what is kept; 0 when none was.
func (r *Reader) ForgottenUpTo(ctx context.Context, account event.Account) (platform.MessageID, error) {
	var id platform.MessageID
	if _, err := r.queryOne(ctx, selectLowWater, []any{&id}, account.Shard(), string(account), ownMessages); err != nil {
		return 0, fmt.Errorf("read what of %s was deleted: %w", account, err)
	}
	return id, nil
}

// ownMessages stands in the table floor for the source of an account's own messages.
const ownMessages = 0
