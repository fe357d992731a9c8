package bot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// After an hour's outage, in which 100 people wrote 50 messages each, everything is answered, as fast as
// the pace and the number of requests in flight allow, and no faster. With -v it tells how fast.
func TestRecovery(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for name, c := range map[string]struct {
		pace        event.Rate
		concurrency int
		messages    int // of each person
		within      time.Duration
	}{
		"unlimited, 32 at a time":      {event.Rate{}, 32, 50, 10 * time.Minute},
		"20 a second, 32 at a time":    {event.Rate{PerSecond: 20, Burst: 5}, 32, 50, 20 * time.Minute},
		"1 a second (default), a 10th": {event.Rate{PerSecond: 1, Burst: 5}, 2, 5, 30 * time.Minute},
	} {
		if effort.Few() && c.messages > 5 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var s network
			bottest.Run(t, bottest.Config{
				Routes: answers(func() error { return nil }), Transport: s.over,
				// The ceiling is for machines that talk to each other: nobody writes 50 messages at once.
				Bot: bot.Config{Pace: &event.Pace{Account: c.pace}, Concurrency: c.concurrency, Ceiling: bot.Ceiling{Max: -1}},
			}, func(w *bottest.World) {
				const people = 100
				since := w.Platform().Ledger().Len()
				s.turn(down)
				for n := range c.messages {
					for i := range people {
						w.Person(fmt.Sprintf("guest%02d", i)).Says(fmt.Sprint("message ", n))
					}
					w.Advance(outage / time.Duration(c.messages))
				}
				s.turn(fair)
				over := time.Now()
				w.Advance(c.within)
				if v := judge.Platform(w.Platform(), livelyExpect(w, since)); !v.OK() || v.Replies != people*c.messages {
					t.Errorf("%v\n%s", v, strings.Join(v.Details, "\n"))
				}
				calls := s.since(over)
				sends := of("send_message", calls)
				if most := c.pace.Burst + int(c.pace.PerSecond); most > 0 && perSecond(sends) > most+1 { // one may leave later than its token came
					t.Errorf("%d messages in a second, want at most %d", perSecond(sends), most)
				}
				if n := s.together(); n > c.concurrency {
					t.Errorf("%d calls at a time, want at most %d", n, c.concurrency)
				}
				first, last := answered(w, since)
				until := len(calls)
				for until > 0 && calls[until-1].at.After(last) {
					until--
				}
				t.Logf("%d messages; the first answer %.1f s after the outage, the last one after %.1f s; %d calls until then, %.0f a second, at most %d; %d sends a second at most",
					people*c.messages, first.Sub(over).Seconds(), last.Sub(over).Seconds(), until, float64(until)/last.Sub(over).Seconds(),
					perSecond(calls[:until]), perSecond(sends))
			})
		})
	}
}

// answered returns when the first and the last answer arrived.
func answered(w *bottest.World, since int64) (first, last time.Time) {
	for _, e := range w.Platform().Ledger().Since(since) {
		if e.Kind != emulator.Arrived {
			continue
		}
		if first.IsZero() {
			first = e.At
		}
		last = e.At
	}
	return first, last
}
