package replay

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
)

// replayLimits counts the uses of limits.
type replayLimits struct {
	began  time.Time
	uses   map[string][]int64 // Unix times in nanoseconds, by limit and scope
	before map[string]int     // uses before the replay that the recording told about
	taken  map[string]bool    // limits of which the recording took a use: what it counts is of the replay's time
}

func newReplayLimits() replayLimits {
	return replayLimits{uses: map[string][]int64{}, before: map[string]int{}, taken: map[string]bool{}}
}

func (l *replayLimits) countUse(c event.LimitUse, now time.Time) {
	key := engine.NeedUses(c).Name
	l.uses[key] = append(l.uses[key], now.UnixNano())
}

// noteTurn notes that a recorded turn used the limits of its rule.
func (l *replayLimits) noteTurn(t *record.Recorded) {
	rec := recordIn(t)
	if rec.Rule == "" || rec.Outcome != string(decision.Answered) && rec.Outcome != string(decision.Acted) {
		return
	}
	for _, c := range []event.LimitUse{
		{Limit: engine.LimitPrefix + rec.Rule + "/per_person", Scope: engine.PersonScope(peerOf(t))}, {Limit: engine.LimitPrefix + rec.Rule + "/total"},
	} {
		l.taken[engine.NeedUses(c).Name] = true
	}
}

// usedCount returns how often a limit was used within its time. recorded is what the recorded turn counted: when
// the limit is asked for first, that was before the replay.
func (l *replayLimits) usedCount(c event.LimitUse, recorded int, now time.Time) int {
	key := engine.NeedUses(c).Name
	uses, asked := l.uses[key]
	if !asked {
		l.uses[key] = nil
		if recorded > 0 && !l.taken[key] && (c.Within == 0 || now.Sub(l.began) < c.Within) {
			l.before[key] = recorded
		}
	}
	n := l.before[key]
	if c.Within > 0 {
		if now.Sub(l.began) >= c.Within {
			delete(l.before, key)
			n = 0
		}
		from := now.Add(-c.Within).UnixNano()
		uses = slices.DeleteFunc(uses, func(at int64) bool { return at <= from })
		l.uses[key] = uses
	}
	return n + len(uses)
}
