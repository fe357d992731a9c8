package bot

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// Holder is what serves the shards of a worker, for tests that lease for themselves.
type Holder = holder

// NewHolder makes one.
var NewHolder = newHolder

// Use says which bot serves.
func (h *holder) Use(b *Bot) { h.setBot(b) }

// Refresh asks again which accounts there are.
func (h *holder) Refresh(ctx context.Context) error { return h.refreshAccounts(ctx) }

// Loads returns what shards cost.
func (h *holder) Loads() map[int]int64 { return h.shardCosts() }

// Lose ends a worker as a lost lease does.
func (w *Working) Lose(loss lease.Loss) { w.holder.EndLost(loss) }

// SetBack lets the clock on the wall have been set back by so much since the bot looked at it last.
func (b *Bot) SetBack(by time.Duration) {
	b.wall.mu.Lock()
	defer b.wall.mu.Unlock()
	b.wall.wall = b.wall.wall.Add(by)
}

// LaneTransitions returns how a lane may change: from, to and why.
func LaneTransitions() [][3]string {
	all := [][3]string{{"[*]", laneIdle.String(), "its first event comes"}}
	for _, t := range laneTransitions {
		all = append(all, [3]string{t.from.String(), t.to.String(), t.why})
	}
	return append(all, [3]string{laneIdle.String(), "[*]", "others need its place"})
}
