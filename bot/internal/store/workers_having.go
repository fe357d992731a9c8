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

// WorkersHaving returns the names of the workers that have an ability, by ability; see lease.Card.
func (r *Reader) WorkersHaving(ctx context.Context) (map[string][]string, error) {
	by := map[string][]string{}
	if !r.server {
		return by, nil
	}
	err := r.eachRare(ctx, selectHaving, func(rows scanner) error {
		var name, has string
		var all []string
		err := rows.Scan(&name, &has)
		if err == nil {
			err = json.Unmarshal([]byte(has), &all)
		}
		for _, h := range all {
			by[h] = append(by[h], name)
		}
		return err
	}, heardWithin.Microseconds())
	if err != nil {
		return nil, fmt.Errorf("look which workers there are: %w", remote.ExplainError(err))
	}
	return by, nil
}
