package cmd

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/lease"
	"github.com/nectar-bot/nectar/cmd/internal/workers"
)

// Below the workers it is said when all their clocks differ from the database's, and not when one of them does from the others.
func TestClocksOfWorkersAreListed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ahead []time.Duration
		want  string
		not   string
	}{
		"all are right":      {[]time.Duration{0, time.Second, -time.Second}, "a ", "clock"},
		"one of them is not": {[]time.Duration{0, 0, time.Hour}, "its clock differs by 3600 s", "the clocks of the workers"},
		"all are apart":      {[]time.Duration{time.Hour, time.Hour, time.Hour}, "the clocks of the workers are 3600 s ahead of the database's", "its clock"},
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
			var out strings.Builder
			if err := workers.PrintWorkers(&out, v, &lease.HostViews{}, false, false); err != nil {
				t.Fatal(err)
			}
			if text := out.String(); !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
				t.Errorf("it was to say %q, and not %q:\n%s", c.want, c.not, text)
			}
		})
	}
}
