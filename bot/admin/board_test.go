package admin

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// It is told when the clocks of all workers differ from the database's, and when one of them does from the others.
func TestClocksOfWorkers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ahead []time.Duration
		odd   int // how many
		apart time.Duration
	}{
		"all are right":      {ahead: []time.Duration{0, time.Second, -time.Second}},
		"one of them is not": {ahead: []time.Duration{0, 0, time.Hour}, odd: 1},
		"all are apart":      {ahead: []time.Duration{time.Hour, time.Hour, time.Hour}, apart: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := &lease.View{Now: time.Now()}
			for i, ahead := range c.ahead {
				v.Workers = append(v.Workers, lease.Peer{
					Sight: lease.Sight{Seat: lease.Seat{Worker: int64(i + 1), Epoch: 1}, Beat: 7}, Card: lease.Card{Name: string(rune('a' + i))},
					State: lease.StateUp, Ahead: ahead, Seen: v.Now,
				})
			}
			w, odd := workers(v, &lease.HostViews{}, false), 0
			for _, x := range w.All {
				if x.Odd {
					odd++
				}
			}
			if len(w.All) != len(c.ahead) || odd != c.odd || w.Apart != c.apart {
				t.Errorf("%d workers, %d with a wrong clock, all ahead by %v; want %d, %d, %v", len(w.All), odd, w.Apart, len(c.ahead), c.odd, c.apart)
			}
		})
	}
}
