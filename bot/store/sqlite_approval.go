package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// storeApproval stores what a new action that is held waits for.
func (a *applier) storeApproval(x *Action) error {
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
	_, err := a.await.key(x.Account).str(x.Key).str(x.Approval.Group).int(int64(x.Approval.Within/time.Microsecond)).at(x.Approval.Expires).
		secret(approvalEffects.of(x.Account, x.Key), effects).run()
	return err
}

// storeVerdict stores what was decided about an action that was held.
func (a *applier) storeVerdict(x *Action) error {
	if x.Approval == nil || x.Approval.Verdict.Ruling == "" {
		return nil
	}
	v := &x.Approval.Verdict
	_, err := a.rule.key(x.Account).str(x.Key).str(string(v.Ruling)).str(v.By).at(v.At).run()
	return err
}
