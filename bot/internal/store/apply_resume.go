package store

import (
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/internal/reason"
)

// resuming are the statements of the end of a pause.
type resuming struct {
	lapseUses, lapse         statement // of what waited as due
	lapseHeldUses, lapseHeld statement // of what a rule decided, and was held
	goOn                     statement
	takeBack                 statement // one that is due
}

const (
	isStale   = `stale_at > 0 AND stale_at < ? AND shard = ? AND account = ?`
	heldForIt = ` AND state = 'held' AND (why = ? OR why = '' AND reason = ?)`
	isOpen    = `(state = 'sending' OR state = 'unsure' OR state = 'held') AND `
)

func (s *resuming) statementTexts() map[*statement]string {
	return map[*statement]string{
		&s.lapseUses:     withIndex(deleteLimitUses, "action_due") + `a.state = 'due' AND a.` + isStale + ` AND a.claims <> '')`,
		&s.lapse:         `UPDATE action INDEXED BY action_due SET state = 'withdrawn', reason = ?, why = ?, ended_at = ? WHERE state = 'due' AND ` + isStale,
		&s.lapseHeldUses: withIndex(deleteLimitUses, "action_open") + isOpen + `a.` + isStale + heldForIt + ` AND a.claims <> '')`,
		&s.lapseHeld:     `UPDATE action INDEXED BY action_open SET state = 'withdrawn', reason = ?, why = ?, ended_at = ? WHERE ` + isOpen + isStale + heldForIt,
		&s.takeBack:      `UPDATE action SET state = 'withdrawn', reason = ?, why = ?, ended_at = ? WHERE shard = ? AND account = ? AND key = ? AND state = 'due'`,
		&s.goOn:          `UPDATE action INDEXED BY action_open SET state = 'due', reason = '', why = '', ended_at = 0 WHERE ` + isOpen + `shard = ? AND account = ?` + heldForIt,
	}
}

// withIndex lets a statement of deleteLimitUses find its actions by an index.
func withIndex(text, index string) string {
	return strings.Replace(text, "AS a", "AS a INDEXED BY "+index, 1)
}

// resume ends a pause.
func (a *applier) resume(t *Turn) error {
	r := t.Resume
	if r == nil {
		return nil
	}
	if err := a.goOnAfter(t, r); err != nil {
		return fmt.Errorf("let go on what was paused: %w", err)
	}
	return nil
}

func (a *applier) goOnAfter(t *Turn, r *Resume) error {
	account, paused, lapsed := t.Trigger.Key.Account, reason.PausedBy(r.Rule), reason.LapsedPause(r.Rule)
	if r.Rule == "" {
		if err := a.lapseUses.at(t.At).key(account).do(); err != nil { //mutate:lapse-uses
			return err
		}
		if err := a.failAnswers(account, a.lapsing.at(t.At).key(account)); err != nil {
			return err
		}
		return a.lapse.addReason(lapsed).at(t.At).at(t.At).key(account).do()
	}
	if err := a.lapseHeldUses.at(t.At).key(account).heldFor(paused).do(); err != nil {
		return err
	}
	if err := a.failAnswers(account, a.lapsingHeld.at(t.At).key(account).heldFor(paused)); err != nil {
		return err
	}
	if err := a.lapseHeld.addReason(lapsed).at(t.At).at(t.At).key(account).heldFor(paused).do(); err != nil {
		return err
	}
	if err := a.goOn.key(account).heldFor(paused).do(); err != nil {
		return err
	}
	return a.regroupAll.key(account).do()
}
