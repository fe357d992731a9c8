package inspect_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// requestTurn is a turn that a person has asked for.
func requestTurn(key event.Key, number int) *stored.Turn {
	return &stored.Turn{
		Trigger: event.Trigger{Kind: event.ByRequest, Key: key, Choice: fmt.Sprintf("request/%016d", number)}, At: noon,
		Conversation: &conversation.State{Key: key, Version: 1, User: "ana"},
	}
}

func nameOfOccasion(o *inspect.Occasion) string {
	if o.Timer != nil {
		return string(o.Timer.Key.Account) + " " + o.Timer.ID()
	}
	return nameOfEvent(&o.Event.Event)
}

// Whoever turns pages of what is pending, or orphaned, sees each event and each timer once, also where many are due at one moment.
func TestPagesOfOccasions(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		rapid.Check(t, func(r *rapid.T) {
			some, together := someAccounts(r)
			q := record.EventQuery{Account: some[0], Limit: rapid.IntRange(1, 7).Draw(r, "limit")}
			q.State = rapid.SampledFrom([]string{record.EventPending, record.EventPending, record.TimerOrphaned}).Draw(r, "state")
			taken, number := map[event.Account]map[event.ID]bool{}, 0
			put := func(most int) (names []string) {
				for _, account := range some {
					for range rapid.IntRange(0, most).Draw(r, "timers") {
						number++
						timer := event.Timer{Key: event.Key{Account: account, Peer: platform.UserID(number)}, Name: "nag", Occurrence: int64(number)}
						timer.Due = noon.Add(-time.Hour + time.Duration(rapid.IntRange(0, 4).Draw(r, "due"))*time.Second)
						turn := requestTurn(timer.Key, number)
						turn.Timers = []event.Timer{timer}
						s.put(r, stored.Write{Turn: turn})
						if q.State == record.TimerOrphaned {
							s.put(r, stored.Write{Orphans: turn.Timers})
						}
						names = append(names, string(account)+" "+timer.ID())
					}
					if taken[account] == nil {
						taken[account] = map[event.ID]bool{}
					}
					drawn := drawnEvents(r, account, taken[account], false, most)
					s.put(r, stored.Write{Pending: drawn})
					for i := range drawn {
						if q.State == record.EventPending {
							names = append(names, nameOfEvent(&drawn[i]))
						}
					}
				}
				return names
			}
			before := put(9)
			have := whole(r, func(after inspect.Cursor) (inspect.Page[inspect.Occasion], error) {
				return inspect.Occasions(r.Context(), s, q, after, together...)
			}, nameOfOccasion, func() { put(1) })
			shownOnce(r, before, have)
		})
	})
}

// Of the timers of many accounts that are due at one moment each comes once.
func TestPagesOfOneMoment(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		var accounts []event.Account
		for range 5 {
			account := someAccount()
			accounts = append(accounts, account)
			for peer := range 3 {
				turn := requestTurn(event.Key{Account: account, Peer: platform.UserID(7 + peer)}, peer)
				turn.Timers = []event.Timer{{Key: turn.Trigger.Key, Name: "nag", Occurrence: 1, Due: noon.Add(-time.Hour)}}
				s.put(t, stored.Write{Turn: turn})
			}
		}
		q, times := record.EventQuery{State: record.EventPending, Limit: 2}, map[string]int{}
		for after, pages := inspect.Cursor(""), 0; pages == 0 || after != ""; pages++ {
			page, err := inspect.Occasions(t.Context(), s, q, after, accounts...)
			if err != nil || pages > 20 {
				t.Fatal(err, pages)
			}
			for n := range page.Rows {
				times[nameOfOccasion(&page.Rows[n])]++
			}
			after = page.Next
		}
		for name, n := range times {
			if n != 1 || len(times) != 15 {
				t.Errorf("%s is shown %d times, of %d timers", name, n, len(times))
			}
		}
	})
}
