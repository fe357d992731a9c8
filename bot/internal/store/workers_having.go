package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/remote"
)

// heardWithin is how long ago a worker may have given its last sign of life, for people who ask who is there.
const heardWithin = 10 * time.Second

const selectHaving = `SELECT name, has FROM worker WHERE state <> 3 AND seen_at > ` + remote.Now + ` - $1 ORDER BY name`

// WorkersHaving returns which workers there are that have something, by what they have; see lease.Card.
func (r *Reader) WorkersHaving(ctx context.Context) (map[string][]string, error) {
	by := map[string][]string{}
	if !r.server {
		return by, nil
	}
	var name, has string
	var odd error
	err := r.query(ctx, selectHaving, []any{heardWithin.Microseconds()}, []any{&name, &has}, func() {
		var all []string
		if err := json.Unmarshal([]byte(has), &all); err != nil {
			odd = err
		}
		for _, h := range all {
			by[h] = append(by[h], name)
		}
	})
	if err == nil {
		err = odd
	}
	if err != nil {
		return nil, fmt.Errorf("look which workers there are: %w", remote.ExplainError(err))
	}
	return by, nil
}
