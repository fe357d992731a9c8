package engine

import (
	"encoding/json"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
)

// SaidIn returns what the turn answers.
func SaidIn(in *decision.Input) string {
	b := in.State.Memory.Burst
	switch {
	case in.Trigger.Kind == event.ByEvent:
		return strings.TrimSpace(in.Trigger.Event.Text)
	case in.Trigger.Timer.Name == TimerBurst && b != nil:
		return strings.Join(b.Texts, "\n")
	case IsWaiting(in.Trigger.Timer.Name):
		var w waiting.Asked
		if json.Unmarshal(in.Trigger.Timer.Data, &w) == nil {
			return w.Said
		}
	}
	return ""
}
