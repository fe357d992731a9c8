package bot

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/shards"
)

// Holder is what serves the shards of a worker, for tests that lease for themselves.
type Holder struct{ *shards.Holder[Account] }

// NewHolder makes one.
func NewHolder(accounts func(ctx context.Context, shard int) ([]Account, error)) *Holder {
	return &Holder{shards.New(accounts)}
}

// Use says which bot serves.
func (h *Holder) Use(b *Bot) { b.serveShards(h.Holder, nil) }

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

// SetAhead sets the clock on the wall ahead, as far as the comparison with the platform's goes.
func (b *Bot) SetAhead(by time.Duration) {
	for _, a := range b.accounts.all() {
		w := a.site.clock
		w.mu.Lock()
		w.wall = w.wall.Add(-by)
		w.mu.Unlock()
	}
}
