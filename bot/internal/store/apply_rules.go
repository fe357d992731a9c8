package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
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
	rules, use        statement
	inForce, notNamed statement
	inForceOf         statement // of PostgreSQL alone
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

func (a *applier) saveRules(r *savedRules) error {
	if r == nil || a.line != nil {
		return nil // see shareRules
	}
	a.loaded[r.Hash] = true
	if err := a.rules.str(r.Hash).str(r.Content).at(r.at).do(); err != nil {
		return err
	}
	accounts := r.Accounts
	if len(accounts) == 0 {
		accounts = []event.Account{""}
	} else if err := a.notNamed.do(); err != nil {
		return err
	}
	for _, account := range accounts {
		if err := a.inForce.str(string(account)).str(r.Hash).str(r.Folder).at(r.at).do(); err != nil {
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
