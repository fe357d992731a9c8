package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	selectLoaded  = `SELECT loaded_at FROM rules_version WHERE hash = $1`
	selectInForce = `SELECT f.account, f.hash, content, folder, since FROM rules_in_force f JOIN rules_version v ON v.hash = f.hash
		WHERE account IN ($1, '') ORDER BY account DESC LIMIT 1`
	selectLatest = `SELECT f.account, f.hash, content, folder, since FROM rules_in_force f JOIN rules_version v ON v.hash = f.hash
		WHERE since = (SELECT max(since) FROM rules_in_force) LIMIT 1`
)

// RulesLoaded returns when rules were stored by their hash, the last time; false when they are not stored.
// They are stored before they decide, and again with every start.
func (r *Reader) RulesLoaded(ctx context.Context, hash string) (time.Time, bool, error) {
	var at int64
	found, err := r.queryOne(ctx, selectLoaded, []any{&at}, hash)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("read when the rules %s were loaded: %w", hash, err)
	}
	return bind.FromMicros(at), found, nil
}

// RulesInForce returns the rules that an account acts by, or did last; for the account "" those that were stored last for
// any account. False when there are none.
func (r *Reader) RulesInForce(ctx context.Context, account event.Account) (record.InForce, bool, error) {
	var f record.InForce
	var since int64
	into := []any{&f.Account, &f.Hash, &f.Content, &f.Folder, &since}
	found, err := r.queryOne(ctx, selectInForce, into, string(account))
	if err == nil && !found && account == "" {
		found, err = r.queryOne(ctx, selectLatest, into)
	}
	if err != nil {
		return record.InForce{}, false, fmt.Errorf("read the rules in force for %q: %w", account, err)
	}
	f.Since = bind.FromMicros(since)
	return f, found, nil
}
