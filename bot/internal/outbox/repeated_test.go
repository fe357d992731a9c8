package outbox_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
)

// A call whose session was refused after a while makes a second request, which may arrive as late after the call was
// given up as any other: what looks for it any earlier would send it again.
func TestSecondRequestThatArrivesLate(t *testing.T) {
	t.Parallel()
	var on sync.WaitGroup
	calls := 0
	slow := func(p outbox.Platform) outbox.Platform {
		return &stub{Platform: p, send: func(ctx context.Context, params platform.SendMessageParams) (platform.Message, error) {
			if calls++; calls > 1 {
				return p.SendMessage(ctx, params)
			}
			time.Sleep(8 * time.Second) // until the first request is answered: the session has ended
			on.Go(func() {
				time.Sleep(7*time.Second + late - time.Second)
				_, _ = p.SendMessage(context.WithoutCancel(ctx), params)
			})
			time.Sleep(7 * time.Second) // until the call is given up
			return platform.Message{}, &platform.Unreachable{Endpoint: "send_message", Sent: true, Err: context.DeadlineExceeded}
		}}
	}
	inWorld(t, setup{wrap: slow}, func(w *world) {
		ana := w.person("ana")
		a := w.message(ana, "hello")
		w.decide(a)
		w.rest(time.Hour)
		on.Wait()
		w.same("arrived", []string{"hello"}, w.arrived(ana))
		w.same("state", event.StateDone, w.state(a))
	})
}
