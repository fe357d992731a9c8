package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/platform"
)

// The place in which the memory of a conversation is kept.
const (
	MemoryPlugin = "rules"
	MemoryName   = "memory"
)

// The names of the routes, which stand in the keys of actions and in decision records.
const (
	RouteName   = "rules"
	RouteTimers = "rules/timers"
	RouteNobody = "rules/nobody"

	Order = 100 // behind the routes of programs, unless they say otherwise
)

// routeOf returns the name of the route that a trigger's turn goes to.
func routeOf(t event.Trigger) string {
	if t.Kind != event.ByTimer {
		return RouteName
	}
	if strings.HasPrefix(t.Timer.Name, TimersOwned) {
		return RouteNobody
	}
	return RouteTimers
}

// FactName is the fact under which a turn keeps what its decision depended on, besides what it has read
// of the platform: that is a fact of its own.
const FactName = "rules"

// FactTimer is what the timer that started the turn kept.
const FactTimer = "timer"

// FactLate is the fact that the turn is of a timer that was quarantined. Of an event, its row says so.
const FactLate = "late"

// FactsOf returns what a decision depended on, from the facts that were stored with its turn.
func FactsOf(stored []event.Fact) (decision.Facts, error) {
	facts, last := decision.Facts{}, 0
	for _, f := range stored {
		kind, try, _ := strings.Cut(f.Name, ":")
		if n, _ := strconv.Atoi(try); kind == FactName && n >= last { // of several tries the last one counts
			last = max(n, 1)
		}
	}
	for _, f := range stored {
		kind, try, _ := strings.Cut(f.Name, ":")
		switch kind {
		case FactName:
			if n, _ := strconv.Atoi(try); max(n, 1) != last { //mutate:last-try
				continue
			}
			var kept decision.Facts
			if err := json.Unmarshal(f.Value, &kept); err != nil {
				return nil, err
			}
			maps.Copy(facts, kept)
		case "profile", "follower", FactLate:
			facts[kind] = f.Value
		case "post":
			facts[f.Name] = f.Value
		}
	}
	return facts, nil
}

// LimitPrefix begins the names of the limits of rules.
const LimitPrefix = "rules/"

// PersonScope is the scope of what is counted for each person.
func PersonScope(peer platform.UserID) string { return "peer:" + strconv.FormatInt(int64(peer), 10) }

// MostRounds is how often facts may be read for a decision: every rule that matches may ask for some.
const MostRounds = 10_000

// ListKey returns the key of a person's entry in a list.
func ListKey(peer platform.UserID) string { return fmt.Sprint("peer:", int64(peer)) }

// ActionKey returns the key of a decision's action, as a bot would give it.
func ActionKey(t event.Trigger, n int) string {
	return fmt.Sprintf("%s/%s/%d", t.ID(), routeOf(t), n)
}

// EncodeFact returns a value as a fact. All values that facts have can be encoded.
func EncodeFact(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

// OwnedPause is when a timer of a conversation that a person has is looked at again, as a bot does.
const OwnedPause = time.Hour
