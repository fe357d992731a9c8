package simulate_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// took sees that a worker takes shards.
func (c *crew) took(ctx context.Context, h *hand, shards []lease.Holding) {
	for _, s := range shards {
		c.mu.Lock()
		last := c.epochs[s.Shard]
		c.epochs[s.Shard] = max(last, s.Epoch)
		hands := slices.Clone(c.hands)
		c.mu.Unlock()
		if s.Epoch < last {
			c.wrong("%v takes shard %d with epoch %d, which had %d", h, s.Shard, s.Epoch, last)
		}
		for _, other := range hands {
			if other != nil && other != h && other.mayAct(s.Shard) {
				c.wrong("%v takes shard %d, for which %v may still act", h, s.Shard, other)
			}
		}
		if len(c.of(s.Shard)) > 0 {
			c.works(c.owners.takes(context.WithoutCancel(ctx), s.Shard, h.seat.Worker))
		}
	}
}

// gives sees that a worker is about to serve a shard no more. The database may stand still then.
func (c *crew) gives(h *hand, shard int) {
	if len(c.of(shard)) == 0 {
		return
	}
	if m := h.giving.Swap(nil); m != nil && !c.peace.Load() {
		c.trace.add("%v gives shard %d away, and waits for the database for %v", h, shard, m.long)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.stalled = laterOf(c.stalled, time.Now().Add(m.long))
	}
}

// gave sees that a worker serves a shard no more, before the others may know.
func (c *crew) gave(ctx context.Context, h *hand, shard int) {
	if len(c.of(shard)) > 0 {
		c.works(c.owners.gives(context.WithoutCancel(ctx), shard, h.seat.Worker))
	}
}

// works notes a judge that does not.
func (c *crew) works(err error) {
	if err != nil {
		c.wrong("the judge in the database does not work: %v", err)
	}
}

// mayAct reports whether requests of a worker leave for a shard at this moment, also of one that is frozen: it may stand right before one.
func (h *hand) mayAct(shard int) bool {
	if !h.serves(shard) {
		return false
	}
	h.clock.watched.Store(true)
	defer h.clock.watched.Store(false)
	return h.guard.IsOpen()
}

// leavesFor sees that a request leaves a worker.
func (c *crew) leavesFor(h *hand, account *booth, what string) {
	shard := account.name.Shard()
	h.mu.Lock()
	epoch := h.epochs[shard]
	h.mu.Unlock()
	c.mu.Lock()
	last := c.epochs[shard]
	if endpoint, _, _ := strings.Cut(what, " "); acts[endpoint] {
		account.acts = append(account.acts, time.Now())
	}
	c.mu.Unlock()
	switch {
	case epoch == 0:
		c.wrong("%v asks for %s, which it does not serve: %s", h, account.name, what)
	case epoch < last:
		c.wrong("%v asks for %s with epoch %d, which had %d: %s", h, account.name, epoch, last, what)
	}
}

// acts are the calls that a pace is for.
var acts = map[string]bool{"send_message": true, "publish_post": true, "like_post": true, "publication_repost": true, "follow": true}

// hasty tells where accounts have acted faster than their pace, whoever served them.
func (c *crew) hasty() (wrong []string) {
	if c.plan.burst == 0 {
		return nil
	}
	most := float64(c.plan.burst + 2*c.plan.concurrency + 2)
	for _, b := range c.booths {
		room, last := most, time.Time{}
		for _, at := range b.acts {
			if !last.IsZero() {
				room = min(most, room+at.Sub(last).Seconds()*c.plan.pace)
			}
			if last = at; room < 1 {
				wrong = append(wrong, fmt.Sprintf("%s acts faster than its pace at %v", b.name, at.Sub(c.trace.begin)))
				break
			}
			room--
		}
	}
	return wrong
}
