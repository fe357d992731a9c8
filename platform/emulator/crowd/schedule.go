package crowd

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// writeOnTime lets the people write in turn, each message at its moment, or as soon after it as this machine can. Reactions have no pauses.
func (c *Crowd) writeOnTime(ctx context.Context) error {
	began := time.Now()
	for i, after := range c.moments() {
		at, m, n := began.Add(after), c.members[i%len(c.members)], i/len(c.members)
		if !sleep(ctx, time.Until(at)) {
			return ctx.Err()
		}
		if id := m.write(n, ""); id != 0 {
			c.planned[id] = at
		}
		m.reactTo(ctx, n)
	}
	if !sleep(ctx, time.Until(began.Add(c.cfg.Lasts))) {
		return ctx.Err()
	}
	return nil
}

// moments draws when the messages are written, since the beginning. As many moments as there are messages, each anywhere in the time, are
// those of a Poisson process in which so many happened to come.
func (c *Crowd) moments() []time.Duration {
	d, all := newDice(c.cfg.Seed, 0, 0, forMoment), make([]time.Duration, c.cfg.Messages)
	for i := range all {
		all[i] = time.Duration(d.drawUnit() * float64(c.cfg.Lasts))
	}
	slices.Sort(all)
	return all
}

// Planned returns when each message was to be written that was, with Config.Lasts; Run must be over.
func (c *Crowd) Planned() map[platform.MessageID]time.Time { return maps.Clone(c.planned) }
