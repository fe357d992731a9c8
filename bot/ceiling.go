package bot

import (
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Ceiling is how much the bot says to one person at most, by whatever route: Max private messages and
// public replies within a time. It ends the talk of two bots with each other. What is above is recorded
// as withdrawn. The count is exact, also over crashes.
type Ceiling struct {
	Max    int // below 0: there is no ceiling
	Within time.Duration
}

// DefaultCeiling is the ceiling of a bot unless configured: more than people say to each other.
func DefaultCeiling() Ceiling { return Ceiling{Max: 100, Within: time.Hour} }

func (c Ceiling) withDefaults() Ceiling {
	if c.Max == 0 {
		c.Max = DefaultCeiling().Max
	}
	if c.Within <= 0 {
		c.Within = DefaultCeiling().Within
	}
	return c
}

// useLimit lets a turn's actions count. Where the limit use is denied, the action is withdrawn in the commit.
func (c Ceiling) useLimit(t *Turn) {
	if c.Max < 0 || t.ofAccount() { //mutate:own-ceiling
		return
	}
	limit := c.limitUse(t)
	for i := range t.actions {
		if a := &t.actions[i]; a.Verb.Makes() && !a.State.Final() {
			a.LimitUses = append(a.LimitUses, limit)
		}
	}
}

// limitUse is what one thing that the turn says uses up.
func (c Ceiling) limitUse(t *Turn) event.LimitUse {
	return event.LimitUse{
		Limit: event.CeilingLimit, Scope: "peer:" + strconv.FormatInt(int64(t.Trigger.Key.Peer), 10), Max: c.Max, Within: c.Within,
	}
}

// noteCapped notes that an action of the lane was denied, and tells once within the ceiling's time. What
// has other limits, too, may have been denied by them. l.mu is not held.
func (b *Bot) noteCapped(l *lane, out *computedTurn, n int) {
	if limitUses := out.Actions[n].LimitUses; len(limitUses) != 1 || limitUses[0].Limit != event.CeilingLimit {
		return
	}
	l.mu.Lock()
	told := !l.cappedAt.IsZero() && out.At.Sub(l.cappedAt) < b.cfg.Ceiling.Within
	if !told {
		l.cappedAt = out.At
	}
	l.mu.Unlock()
	if !told {
		b.log.Warn("the bot has said too much to one person and is silent for a while; is that a bot, too?",
			"account", l.key.Account, "peer", int64(l.key.Peer), "most", b.cfg.Ceiling.Max, "within", b.cfg.Ceiling.Within)
	}
}
