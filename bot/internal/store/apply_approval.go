package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

// approving are the statements about approvals.
type approving struct {
	await, rule, dropApproval statement
}

func (a *approving) statementTexts() map[*statement]string {
	return map[*statement]string{
		&a.await: `INSERT INTO approval (shard, account, key, leader, within, expires_at, effects, ruling, ruled_by, ruled_at) VALUES (?, ?, ?, ?, ?, ?, ?, '', '', 0) ON CONFLICT DO NOTHING`,
		&a.rule: `INSERT INTO approval (shard, account, key, leader, within, expires_at, effects, ruling, ruled_by, ruled_at) VALUES (?, ?, ?, '', 0, 0, '', ?, ?, ?)
			ON CONFLICT (shard, account, key) DO UPDATE SET ruling = excluded.ruling, ruled_by = excluded.ruled_by, ruled_at = excluded.ruled_at`,
		&a.dropApproval: `DELETE FROM approval WHERE shard = ? AND account = ? AND key = ?`,
	}
}

// storeApproval stores what a new action that is held waits for.
func (a *applier) storeApproval(x *record.Action) error {
	if x.Approval == nil || x.State != event.StateHeld {
		return nil
	}
	effects := ""
	if p := x.Approval; !p.Effects.None() {
		text, err := json.Marshal(p.Effects)
		if err != nil {
			return fmt.Errorf("encode what waits with %s: %w", x.Key, err)
		}
		effects = string(text)
	}
	return a.await.key(x.Account).str(x.Key).str(x.Approval.Group).int(int64(x.Approval.Within/time.Microsecond)).at(x.Approval.Expires).
		addSecret(seal.ApprovalEffects.CellOf(x.Account, x.Key), effects).do()
}

// storeVerdict stores what was decided about an action that was held.
func (a *applier) storeVerdict(x *record.Action) error {
	if x.Approval == nil || x.Approval.Verdict.Ruling == "" {
		return nil
	}
	v := &x.Approval.Verdict
	return a.rule.key(x.Account).str(x.Key).str(string(v.Ruling)).str(v.By).at(v.At).do()
}
