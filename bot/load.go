package bot

import (
	"sync"
	"time"
)

// loads measures what shards cost, so that workers share the work and not only the number of shards.
type loads struct {
	mu    sync.Mutex // guards the fields below
	at    time.Time
	turns map[int]int64 // that there were by then
	rates map[int]float64
}

// What things cost about, in nanoseconds of a core: it only has to be alike for all workers.
const (
	costOfAccount = 200_000   // a second, for its polls
	costOfTurn    = 1_000_000 // with what it leads to
	leastMeasured = 5 * time.Second
)

// shardCosts returns what each shard that is held costs, in nanoseconds of a core a second, as far as that is known from the turns of its
// accounts.
func (h *holder) shardCosts() map[int]int64 {
	if h.bot == nil {
		return nil
	}
	turns := map[int]int64{}
	for c, n := range h.bot.counted.events.all() {
		turns[c.Account.Shard()] += n
	}
	h.loads.measure(turns, time.Now())
	all := map[int]int64{}
	for _, s := range h.all() {
		all[s.shard] = int64(s.count())*costOfAccount + int64(h.loads.rate(s.shard)*costOfTurn)
	}
	return all
}

// measure takes over how many turns there were by now. A rate is half of the one before, and half of the new one: a short crowd moves
// nothing.
func (l *loads) measure(turns map[int]int64, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	passed := now.Sub(l.at)
	if !l.at.IsZero() && passed < leastMeasured {
		return
	}
	rates := map[int]float64{}
	for shard, n := range turns {
		if before, known := l.turns[shard]; known && n >= before && !l.at.IsZero() {
			rates[shard] = (l.rates[shard] + float64(n-before)/passed.Seconds()) / 2
		}
	}
	l.at, l.turns, l.rates = now, turns, rates
}

func (l *loads) rate(shard int) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rates[shard]
}
