package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/record"
)

// rulesUse is how exactly it is known when a version of rules was last named by a turn.
const rulesUse = time.Hour

const (
	updateUsed       = `UPDATE rules_version SET used_at = max(used_at, ?) WHERE hash = ?`
	selectRulesNamed = `SELECT hash, max(used_at, loaded_at) FROM rules_version WHERE hash NOT IN (SELECT hash FROM rules_in_force)`
	deleteRules      = `DELETE FROM rules_version WHERE hash = ? AND max(used_at, loaded_at) < ?`
)

// ruling are the statements of rules in force.
type ruling struct {
	rules, use, inForce, notNamed statement
}

func (r *ruling) statementTexts() map[*statement]string {
	return map[*statement]string{
		&r.rules: `INSERT INTO rules_version (hash, content, loaded_at, used_at) VALUES (?, ?, ?, 0) ON CONFLICT (hash) DO UPDATE SET loaded_at = excluded.loaded_at`,
		&r.use:   updateUsed,
		&r.inForce: `INSERT INTO rules_in_force (account, hash, folder, since) VALUES (?, ?, ?, ?)
			ON CONFLICT (account) DO UPDATE SET hash = excluded.hash, folder = excluded.folder, since = excluded.since
			WHERE rules_in_force.hash <> excluded.hash OR rules_in_force.folder <> excluded.folder`,
		&r.notNamed: `DELETE FROM rules_in_force WHERE account = ''`,
	}
}

// savedRules are rules on their way into the store.
type savedRules struct {
	record.Rules
	at time.Time
}

// SaveRules stores that rules are in force, with their content, and returns when it is stored. Content that is stored
// already stays as it is.
func (w *Writer) SaveRules(ctx context.Context, r record.Rules) error {
	if err := w.commitNow(ctx, Write{rules: &savedRules{r, time.Now()}}); err != nil {
		return fmt.Errorf("store the rules %s: %w", r.Hash, err)
	}
	return nil
}

// storeRules stores the rules of a group that come into force, before all else; see postgres_rules.go.
func (a *applier) storeRules(g *group) error {
	saved := map[string]*savedRules{} // by hash
	in := map[string]*savedRules{}    // by account: the last one
	named := false
	var last *savedRules
	for i := range g.writes {
		r := g.writes[i].rules
		if r == nil || g.refused[i] {
			continue
		}
		saved[r.Hash], last = r, r
		a.loaded[r.Hash] = true
		if len(r.Accounts) == 0 {
			in[""] = r
			continue
		}
		delete(in, "")
		named = true
		for _, account := range r.Accounts {
			in[string(account)] = r
		}
	}
	if last == nil {
		return nil
	}
	for _, r := range slices.SortedFunc(maps.Values(saved), func(x, y *savedRules) int { return cmp.Compare(x.Hash, y.Hash) }) {
		if err := a.rules.str(r.Hash).str(r.Content).at(r.at).do(); err != nil {
			return err
		}
	}
	if named {
		if err := a.notNamed.do(); err != nil {
			return err
		}
	}
	return a.way.putInForce(in, last.at)
}

func (f *fileEngine) putInForce(rules map[string]*savedRules, since time.Time) error {
	for _, account := range slices.Sorted(maps.Keys(rules)) {
		r := rules[account]
		if err := f.inForce.str(account).str(r.Hash).str(r.Folder).at(since).do(); err != nil {
			return err
		}
	}
	return nil
}

// useRules notes that a turn names a version of rules, now and then.
func (a *applier) useRules(t *Turn) error {
	hash := t.Record.Version
	if hash == "" {
		return nil
	}
	if used, ok := a.used[hash]; ok && t.At.Sub(used) < rulesUse {
		return nil
	}
	a.used[hash] = t.At
	return a.use.at(t.At).str(hash).do()
}
