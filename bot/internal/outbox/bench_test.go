package outbox_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
)

// instant answers at once.
type instant struct{ outbox.Platform }

func (instant) SendMessage(_ context.Context, p platform.SendMessageParams) (platform.Message, error) {
	return platform.Message{ID: 1, To: p.To, Text: p.Text}, nil
}

// forgetful is a ledger that stores nothing.
type forgetful struct{ outbox.Ledger }

func (forgetful) NextPosition() int64                           { return 1 }
func (forgetful) QueueMarks(...outbox.Mark)                     {}
func (forgetful) MarkNow(context.Context, ...outbox.Mark) error { return nil }
func (forgetful) Open(context.Context, event.Account) ([]event.Action, error) {
	return nil, nil
}

func (forgetful) DoubtAges(context.Context, event.Account) (map[string]outbox.Age, error) {
	return nil, nil
}

func (forgetful) NextDue(context.Context, event.Account) (time.Time, error) {
	return time.Time{}, nil
}

func (forgetful) HasTrait(context.Context, event.Account, string) (bool, error) { return false, nil }

func (forgetful) HeldActions(context.Context, event.Account, int) ([]event.Action, error) {
	return nil, nil
}

func (forgetful) ActionsAhead(context.Context, event.Account, time.Time, int) ([]event.Action, error) {
	return nil, nil
}

func (forgetful) LateActions(context.Context, event.Account, time.Time, int) ([]event.Action, error) {
	return nil, nil
}

func (forgetful) NextUntil(context.Context, event.Account, time.Time) (time.Time, error) {
	return time.Time{}, nil
}

// waits counts actions that have ended.
type waits struct {
	outbox.NoBot
	sync.WaitGroup
}

func (w *waits) ActionEnded(event.Action) { w.Done() }

// BenchmarkMessage is the whole way of a message but for the store and HTTP: reserve, enqueue, carry,
// end. Each conversation gets one after another, so that nothing has to go through the store.
func BenchmarkMessage(b *testing.B) {
	for _, people := range []int{1, 32} {
		for _, pace := range []event.Pace{{}, {Account: event.Rate{PerSecond: 1e9, Burst: 1e9}}} {
			b.Run(fmt.Sprintf("people=%d/paced=%t", people, pace.Account.PerSecond > 0), func(b *testing.B) {
				var ended waits
				dispatcher := outbox.NewDispatcher(outbox.Config{Ledger: forgetful{}, Listener: &ended})
				opened := dispatcher.Open(outbox.AccountConfig{
					Account: account, Platform: instant{}, Slots: make(slots, 8), Concurrency: people, Pace: pace,
				})
				must(opened.Recover(b.Context()))
				actions, reserved := make([]event.Action, people), make([]outbox.Reservation, people)
				b.ReportAllocs()
				for n := 0; n < b.N; n += people {
					now := time.Now()
					for i := range actions {
						actions[i] = event.Action{
							Key: "message:1/echo/0", Account: account, Peer: platform.UserID(i + 1), Verb: event.VerbMessage, Text: "hello", ReconcileFrom: 1,
						}
						opened.WaitForRoom(b.Context(), actions[i].Peer)
						reserved[i] = opened.Reserve(actions[i:i+1], now)
						opened.LeaveRoom()
					}
					ended.Add(people)
					for i := range actions {
						reserved[i].Commit(b.Context())
					}
					ended.Wait()
				}
				must(opened.Drain(b.Context()))
			})
		}
	}
}
