package inspect_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"pgregory.net/rapid"
)

// Whoever turns pages of notices sees each that is wanted once, whatever people are called for meanwhile.
func TestPagesOfNotices(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		rapid.Check(t, func(r *rapid.T) {
			some := []event.Account{someAccount(), someAccount()}
			q := record.NoticeQuery{Account: some[0], Limit: rapid.IntRange(1, 5).Draw(r, "limit")}
			if rapid.Bool().Draw(r, "all") {
				q.Account = ""
			}
			wanted := func(n *event.Notice) bool {
				return (n.Account == some[0] || n.Account == some[1]) && n.Kind == "wanted" // what other draws have left is none of it
			}
			number := 0
			put := func(most int) (names []string) {
				for _, account := range some {
					for range rapid.IntRange(0, most).Draw(r, "notices") {
						number++
						n := event.Notice{Account: account, ID: fmt.Sprint("notice/", number), Who: "team", Kind: rapid.SampledFrom([]string{"wanted", "other"}).Draw(r, "kind")}
						n.At = noon.Add(time.Duration(rapid.IntRange(0, 3).Draw(r, "at")) * time.Second)
						turn := requestTurn(event.Key{Account: account, Peer: 7}, number)
						turn.Conversation, turn.Notices = nil, []event.Notice{n}
						s.put(r, stored.Write{Turn: turn})
						if (q.Account == "" || q.Account == account) && n.Kind == "wanted" {
							names = append(names, string(account)+n.ID)
						}
					}
				}
				return names
			}
			before := put(9)
			have := whole(r, func(after inspect.Cursor) (inspect.Page[event.Notice], error) {
				return inspect.Notices(r.Context(), s, q, wanted, after)
			}, func(n *event.Notice) string { return string(n.Account) + n.ID }, func() { put(1) })
			shownOnce(r, before, have)
		})
	})
}
