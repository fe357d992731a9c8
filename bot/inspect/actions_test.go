package inspect_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// drawnTurn is the turn of a message that led to some actions, with the keys of those that a query wants.
func drawnTurn(t *rapid.T, q *record.ActionQuery, number int64) (w stored.Write, keys []string) {
	e := event.Event{Account: q.Account, ID: event.ID{Source: event.Messages, Number: number}, Kind: event.KindMessage, SeenAt: noon}
	e.Peer = platform.UserID(rapid.Int64Range(7, 8).Draw(t, "peer"))
	turn := &stored.Turn{Trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, Record: event.DecisionRecord{Outcome: bot.OutcomeHandled}, At: noon}
	for n := range rapid.IntRange(0, 4).Draw(t, "actions") {
		a := event.Action{
			Account: q.Account, Peer: e.Peer, Key: fmt.Sprintf("%s/rules/%d", e.ID, n), Verb: event.VerbMessage, User: e.Peer, Text: "hello",
			State:    rapid.SampledFrom([]event.State{event.StateDue, event.StateHeld}).Draw(t, "state"),
			Priority: rapid.SampledFrom([]event.Priority{event.Answer, event.Broadcast}).Draw(t, "priority"),
			Position: number*10 + int64(n), DecidedAt: noon.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "decided")) * time.Second),
		}
		if rapid.Bool().Draw(t, "later") {
			a.Due = noon.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "due")) * time.Second)
		}
		turn.Actions = append(turn.Actions, record.Action{Action: a})
		if (q.Peer == 0 || a.Peer == q.Peer) && (q.State == "" || a.State == q.State) {
			keys = append(keys, a.Key)
		}
	}
	return stored.Write{Turn: turn}, keys
}

// isFirst reports whether an action is the first one of its turn.
func isFirst(key string) bool { return strings.HasSuffix(key, "/0") }

func firstOnes(_ context.Context, rows []event.Action) ([]event.Action, error) {
	return slices.DeleteFunc(rows, func(a event.Action) bool { return !isFirst(a.Key) }), nil
}

// Whoever turns pages of actions sees each that was there once, whatever is decided meanwhile; also of those that are wanted alone.
func TestPagesOfActions(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		rapid.Check(t, func(r *rapid.T) {
			some, together := someAccounts(r)
			q := record.ActionQuery{Limit: rapid.IntRange(1, 5).Draw(r, "limit")}
			q.State = rapid.SampledFrom([]event.State{event.StateDue, event.StateHeld, ""}).Draw(r, "wanted")
			if q.State == "" || rapid.Bool().Draw(r, "of one") {
				q.Peer = 7
			}
			var wanted func(context.Context, []event.Action) ([]event.Action, error)
			if rapid.Bool().Draw(r, "some") {
				wanted = firstOnes
			}
			number := int64(0)
			put := func(turns int) (keys []string) {
				for _, q.Account = range some {
					for range rapid.IntRange(0, turns).Draw(r, "turns") {
						number++
						w, drawn := drawnTurn(r, &q, number)
						s.put(r, w)
						keys = append(keys, slices.DeleteFunc(drawn, func(key string) bool { return wanted != nil && !isFirst(key) })...)
					}
				}
				return keys
			}
			before := put(9)
			have := whole(r, func(after inspect.Cursor) (inspect.Page[event.Action], error) {
				q := q
				q.Account = some[0]
				return inspect.Actions(r.Context(), s, q, wanted, after, together...)
			}, func(a *event.Action) string { return a.Key }, func() { put(1) })
			shownOnce(r, before, have)
			if wanted != nil && slices.ContainsFunc(have, func(key string) bool { return !isFirst(key) }) {
				t.Errorf("of those that are wanted, there are %q", have)
			}
		})
	})
}
