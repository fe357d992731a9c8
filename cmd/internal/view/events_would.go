package view

import (
	"context"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
)

// would says what would have been said and done about events whose rules are on watch, or paused.
func (d *View) would(ctx context.Context, all []occasion) error {
	for i := range all {
		e := all[i].event
		if e == nil || !onlyRecorded(e.Record.Outcome) && !strings.Contains(e.Record.Note, "on watch: ") {
			continue
		}
		actions, err := d.ActionsOf(ctx, e.Account, d.triggerOf(e))
		if err != nil {
			return err
		}
		var deeds []string
		for n := range actions {
			if x := (&Deed{Action: actions[n]}); x.State == event.StateWithdrawn {
				deeds = append(deeds, x.Does(d.Private, 80))
			}
		}
		if len(deeds) > 0 {
			all[i].would = "it would have done: " + strings.Join(deeds, ", ")
		}
	}
	return nil
}

// onlyRecorded reports whether a turn ended so that what it decided was only recorded.
func onlyRecorded(outcome string) bool {
	return outcome == string(ruledecision.Watched) || outcome == string(ruledecision.OnPause)
}
