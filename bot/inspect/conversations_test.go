package inspect_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

func nameOfConversation(c *inspect.Conversation) string { return fmt.Sprint(c.Key) }

// Whoever turns pages of conversations sees each person once who had written before, whoever writes meanwhile.
func TestPagesOfConversations(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		rapid.Check(t, func(r *rapid.T) {
			some, together := someAccounts(r)
			q := record.ConversationQuery{Account: some[0], Limit: rapid.IntRange(1, 4).Draw(r, "limit")}
			taken, now := map[event.Account]map[event.ID]bool{}, time.Time{}
			people := map[string]bool{}
			put := func(most int) {
				for _, account := range some {
					if taken[account] == nil {
						taken[account] = map[event.ID]bool{}
					}
					drawn := drawnEvents(r, account, taken[account], false, most)
					for i := range drawn {
						e := &drawn[i]
						e.Peer = platform.UserID(rapid.Int64Range(7, 16).Draw(r, "who"))
						if people[fmt.Sprint(e.Key())] = true; !now.IsZero() {
							now = now.Add(time.Second)
							e.SeenAt = now
						}
					}
					s.put(r, stored.Write{Pending: drawn})
				}
			}
			put(20)
			var before []string
			for name := range people {
				before = append(before, name)
			}
			have := whole(r, func(after inspect.Cursor) (inspect.Page[inspect.Conversation], error) {
				return inspect.Conversations(r.Context(), s, q, after, together...)
			}, nameOfConversation, func() {
				now = time.Now().Add(time.Hour)
				put(3)
			})
			shownOnce(r, before, have)
		})
	})
}

// The same of those that people of ours have, also where many were taken over at one moment.
func TestPagesOfOwned(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		rapid.Check(t, func(r *rapid.T) {
			some, together := someAccounts(r)
			q := record.ConversationQuery{Account: some[0], Owned: true, Limit: rapid.IntRange(1, 4).Draw(r, "limit")}
			q.Owner = rapid.SampledFrom([]string{"", "ines"}).Draw(r, "owner")
			number := 0
			put := func(most int) (names []string) {
				for _, account := range some {
					for range rapid.IntRange(0, most).Draw(r, "people") {
						number++
						turn := requestTurn(event.Key{Account: account, Peer: platform.UserID(number)}, number)
						turn.Conversation.Owner = rapid.SampledFrom([]string{"ines", "team"}).Draw(r, "who")
						turn.Conversation.OwnerSince = noon.Add(time.Duration(rapid.IntRange(0, 3).Draw(r, "since")) * time.Second)
						s.put(r, stored.Write{Turn: turn})
						if q.Owner == "" || q.Owner == turn.Conversation.Owner {
							names = append(names, fmt.Sprint(turn.Trigger.Key))
						}
					}
				}
				return names
			}
			before := put(9)
			have := whole(r, func(after inspect.Cursor) (inspect.Page[inspect.Conversation], error) {
				return inspect.Conversations(r.Context(), s, q, after, together...)
			}, nameOfConversation, func() { put(1) })
			shownOnce(r, before, have)
		})
	})
}
