package store

import (
	"context"
	"fmt"
	"time"
)

const selectLoaded = `SELECT loaded_at FROM rules_version WHERE hash = $1`

// RulesLoaded returns when rules were stored by their hash, the last time; false when they are not stored.
// They are stored before they decide, and again with every start.
func (r *Reader) RulesLoaded(ctx context.Context, hash string) (time.Time, bool, error) {
	var at int64
	found, err := r.one(ctx, r.loaded, []any{&at}, hash)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("read when the rules %s were loaded: %w", hash, err)
	}
	return moment(at), found, nil
}
