package rules

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	botengine "github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
)

// keepFacts records the facts of a decision with the turn.
func keepFacts(ctx context.Context, t *bot.Turn, read, own decision.Facts) error {
	if t.Trigger.Kind == event.ByTimer && t.Trigger.Late {
		if _, err := bot.Fact(ctx, t, engine.FactLate, func(context.Context) (bool, error) { return true, nil }); err != nil {
			return err
		}
	}
	kept := decision.Facts{}
	for name, raw := range read {
		if name != "profile" && name != "follower" && !strings.HasPrefix(name, "post:") {
			kept[name] = raw
		}
	}
	maps.Copy(kept, own)
	if data := t.Trigger.Timer.Data; t.Trigger.Kind == event.ByTimer && len(data) > 0 {
		kept[engine.FactTimer] = recordable(data) // the timer itself is gone once it has fired
	}
	return botengine.Of(t).Keep(ctx, engine.FactName, kept, len(kept) == 0)
}

// recordable returns what a timer kept as it may be recorded: without private answers.
func recordable(data json.RawMessage) json.RawMessage {
	var w waiting.Asked
	if json.Unmarshal(data, &w) != nil || !w.Private {
		return data
	}
	w.Text = decision.Masked
	without, err := json.Marshal(w)
	if err != nil {
		return json.RawMessage("null")
	}
	return without
}
