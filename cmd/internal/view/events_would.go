package view

import (
	"context"
	"strings"

	"github.com/nectar-bot/nectar/internal/reason"
)

// addWould says what would have been said and done about events whose rules are on watch, or paused.
func (v *View) addWould(ctx context.Context, all []occasion) error {
	for i := range all {
		e := all[i].event
		if e == nil || e.Record.Version == "" { // no rules looked at it
			continue
		}
		actions, err := v.ActionsOf(ctx, e.Account, v.triggerOf(e))
		if err != nil {
			return err
		}
		var deeds []string
		for n := range actions {
			if x := (&Deed{Action: actions[n]}); reason.IsRecorded(&x.Action) {
				deeds = append(deeds, x.DoesText(v.Private, 80))
			}
		}
		if len(deeds) > 0 {
			all[i].would = "it would have done: " + strings.Join(deeds, ", ")
		}
	}
	return nil
}
