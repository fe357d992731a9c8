package simulate_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/lease"
)

// took sees that a worker takes shards.
func (c *crew) took(h *hand, shards []lease.Holding) {
	for _, s := range shards {
		c.mu.Lock()
		last := c.epochs[s.Shard]
		c.epochs[s.Shard] = max(last, s.Epoch)
		c.mu.Unlock()
		if s.Epoch < last {
			c.wrong("%v takes shard %d with epoch %d, which had %d", h, s.Shard, s.Epoch, last)
		}
	}
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
