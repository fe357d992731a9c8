package store

import (
	"context"
	"fmt"
	"time"
)

// rulesUse is how exactly it is known when a version of rules was last named by a turn.
const rulesUse = time.Hour

// savedRules are rules on their way into the store.
type savedRules struct {
	hash, content string
	at            time.Time
}

// SaveRules stores the content of rules by its hash, and returns when it is stored. Content that is stored
// already stays as it is.
func (w *Writer) SaveRules(ctx context.Context, hash, content string) error {
	if err := w.commitNow(ctx, Write{rules: &savedRules{hash, content, time.Now()}}); err != nil {
		return fmt.Errorf("store the rules %s: %w", hash, err)
	}
	return nil
}

func (a *applier) saveRules(r *savedRules) error {
	if r == nil {
		return nil
	}
	a.loaded[r.hash] = true
	_, err := a.rules.str(r.hash).str(r.content).at(r.at).run()
	return err
}

// useRules notes that a turn names a version of rules, now and then.
func (a *applier) useRules(t *Turn) error {
	hash := t.Trace.Version
	if hash == "" {
		return nil
	}
	if used, ok := a.used[hash]; ok && t.At.Sub(used) < rulesUse {
		return nil
	}
	a.used[hash] = t.At
	_, err := a.use.at(t.At).str(hash).run()
	return err
}
