package bot_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// Under a budget answers go before looks at the platform, of whichever account; all requests together stay within it, over any time, and
// the accounts are looked at evenly.
func TestAnswersBeforePolls(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	const rate = 4
	s := &network{faults: fair}
	accounts := []event.Account{"bot"}
	for i := range 20 {
		accounts = append(accounts, event.Account(fmt.Sprintf("shop%02d", i)))
	}
	cfg := bottest.Config{
		Accounts: accounts, Routes: []bot.Route{echo()}, Transport: s.over,
		Bot: bot.Config{Budget: bot.NewBudget(rate), Pace: &event.Pace{}, PollInterval: time.Second},
	}
	bottest.Run(t, cfg, func(w *bottest.World) {
		w.Advance(5 * time.Minute)
		for i := range 30 {
			w.Person(fmt.Sprintf("guest%02d", i)).Says("hello")
		}
		w.Advance(5 * time.Minute)
		calls := s.since(time.Time{})
		first := slices.IndexFunc(calls, func(c tried) bool { return c.endpoint == "send_message" })
		sent, between := 0, 0
		for _, c := range calls[max(first, 0):] {
			if c.endpoint == "send_message" {
				sent++
			} else if sent < 30 {
				between++
			}
		}
		// To hear of them takes a list, and to read each a call; what is decided waits for none of the 60 lists.
		if sent != 30 || between > 60 {
			t.Errorf("%d answers were sent, with %d other calls in between", sent, between)
		}
		for i := range calls { // what is saved up is one request, and an answer may be under way a moment longer than another
			for _, j := range []int{i + 10, i + 100, i + 1000} {
				if j >= len(calls) {
					continue
				}
				if took, least := calls[j].at.Sub(calls[i].at), time.Duration(j-i-2)*time.Second/rate; took < least {
					t.Fatalf("%d calls within %v", j-i, took)
				}
			}
		}
		if n := len(calls); n < 9*60*rate || n > 11*60*rate {
			t.Errorf("%d calls in ten minutes of %d a second", n, rate)
		}
	})
}
