package rules

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// factName is the fact under which a turn keeps what its decision depended on, besides what it has read
// of the platform: that is a fact of its own.
const factName = "rules"

// factTimer is what the timer that started the turn kept.
const factTimer = "timer"

// factLate is the fact that the turn is of a timer that was quarantined. Of an event, its row says so.
const factLate = "late"

// keepFacts records the facts of a decision with the turn.
func keepFacts(ctx context.Context, t *bot.Turn, read, own Facts) error {
	if t.Trigger.Kind == event.ByTimer && t.Trigger.Late {
		if _, err := bot.Fact(ctx, t, factLate, func(context.Context) (bool, error) { return true, nil }); err != nil {
			return err
		}
	}
	kept := Facts{}
	for name, raw := range read {
		if name != "profile" && name != "follower" && !strings.HasPrefix(name, "post:") {
			kept[name] = raw
		}
	}
	maps.Copy(kept, own)
	if data := t.Trigger.Timer.Data; t.Trigger.Kind == event.ByTimer && len(data) > 0 {
		kept[factTimer] = recordable(data) // the timer itself is gone once it has fired
	}
	return bot.Keep(ctx, t, factName, kept, len(kept) == 0)
}

// recordable returns what a timer kept as it may be recorded: without private answers.
func recordable(data json.RawMessage) json.RawMessage {
	var w waiting
	if json.Unmarshal(data, &w) != nil || !w.Private {
		return data
	}
	w.Text = masked
	without, err := json.Marshal(w)
	if err != nil {
		return json.RawMessage("null")
	}
	return without
}

// FactsOf returns what a decision depended on, from the facts that were stored with its turn.
func FactsOf(stored []event.Fact) (Facts, error) {
	facts, last := Facts{}, 0
	for _, f := range stored {
		kind, try, _ := strings.Cut(f.Name, ":")
		if n, _ := strconv.Atoi(try); kind == factName && n >= last { // of several tries the last one counts
			last = max(n, 1)
		}
	}
	for _, f := range stored {
		kind, try, _ := strings.Cut(f.Name, ":")
		switch kind {
		case factName:
			if n, _ := strconv.Atoi(try); max(n, 1) != last { //mutate:last-try
				continue
			}
			var kept Facts
			if err := json.Unmarshal(f.Value, &kept); err != nil {
				return nil, err
			}
			maps.Copy(facts, kept)
		case "profile", "follower", factLate:
			facts[kind] = f.Value
		case "post":
			facts[f.Name] = f.Value
		}
	}
	return facts, nil
}
