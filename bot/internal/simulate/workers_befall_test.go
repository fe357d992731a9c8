package simulate_test

import (
	"context"
	"time"
)

// comes begins an incarnation of a worker. When it has ended, another one begins, as whoever looks after processes starts them again.
func (c *crew) comes(ctx context.Context, slot int) {
	c.mu.Lock()
	c.incarnations++
	h := newHand(c, slot, c.incarnations)
	c.hands[slot] = h
	c.mu.Unlock()
	c.trace.add("%v begins", h)
	ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.running.Go(func() { h.live(ctx) })
	c.running.Go(func() {
		<-h.ended
		d := c.dice.draw("again")
		pause := d.between(0, 12*time.Second)
		if h.left.Load() { // an update
			pause /= 10
		}
		select {
		case <-time.After(pause):
		case <-c.over:
		}
		select {
		case <-c.over:
		default:
			c.comes(ctx, slot)
		}
	})
}

// victim returns whom a mishap befalls.
func (c *crew) victim(m mishap) *hand {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.account >= 0 {
		shard := c.booths[m.account].name.Shard()
		for _, h := range c.hands {
			if h != nil && h.serves(shard) {
				return h
			}
		}
	}
	return c.hands[m.slot]
}

// cut cuts ways, or has the database stand still or lose calls, for as long as a mishap lasts.
func (c *crew) cut(slot int, m *mishap) {
	c.mu.Lock()
	defer c.mu.Unlock()
	until := time.Now().Add(m.long)
	w := &c.ways[slot]
	switch m.what {
	case losesStore:
		w.store = until
	case losesPlatform:
		w.platform = until
	case losesBoth:
		w.store, w.platform = until, until
	case stalls:
		c.stalled = until
	case loses:
		c.lossy = until
	default:
	}
}

// befall lets something befall a worker.
func (c *crew) befall(ctx context.Context, m mishap) {
	h := c.victim(m)
	if m.slow {
		h.slow.Store(&m)
	} else {
		c.cut(h.slot, &m)
	}
	switch m.what {
	case dies, freezes:
		h.fate.Store(&m)
		if m.boundary == 0 {
			h.struck("now")
		} else {
			h.power.arm(m.boundary)
		}
	case freezesStoring:
		h.inside.Store(&m)
	case freezesAtGuard:
		h.atGuard.Store(&m)
	case leaves:
		c.running.Go(func() { h.leave(ctx) })
	case leavesStuck:
		h.giving.Store(&m)
		c.running.Go(func() { h.leave(ctx) })
	case comesNew:
		c.mu.Lock()
		slot := 0
		for slot < mostWorkers && c.hands[slot] != nil {
			slot++
		}
		c.mu.Unlock()
		if slot < mostWorkers {
			c.comes(ctx, slot)
		}
	case drains:
		_, _ = c.board.Drain(ctx, h.name(), true)
		c.running.Go(func() {
			time.Sleep(m.long)
			_, _ = c.board.Drain(ctx, h.name(), false)
		})
	case setsClock:
		d := c.dice.draw("clock")
		h.clock.Set(d.between(-2*time.Hour, 2*time.Hour))
		c.running.Go(func() {
			time.Sleep(m.long)
			h.clock.Set(0)
		})
	default:
	}
}
