package outbox_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A reservation is committed or given back, and that once: what comes after would send an answer twice, or give room away that others
// have.
func TestReservationEndsOnce(t *testing.T) {
	t.Parallel()
	ends := map[string]func(w *world, r *outbox.Reservation){
		"committed":  func(w *world, r *outbox.Reservation) { r.Commit(w.ctx) },
		"given back": func(_ *world, r *outbox.Reservation) { r.GiveBack() },
	}
	for first, end := range ends {
		for second, again := range ends {
			t.Run(first+", then "+second, func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{}, func(w *world) {
					actions := w.messages(w.person("ana"), "hello")
					r := w.outbox.Reserve(actions, time.Now())
					if first == "committed" {
						must(w.ledger.commit(w.ctx, actions, nil))
					}
					w.same("open", 1, w.outbox.Reservations())
					end(w, &r)
					w.same("open", 0, w.outbox.Reservations())
					defer func() {
						w.same("panic", "outbox: a reservation ends once", recover())
						w.rest(time.Minute)
					}()
					again(w, &r)
				})
			})
		}
	}
}

// What the store has denied is withdrawn: the others of its turn leave, and those behind it.
func TestReservationWithoutOne(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{config: outbox.Config{Window: 3}}, func(w *world) {
		ana := w.person("ana")
		actions := w.messages(ana, "one", "denied", "three")
		r := w.outbox.Reserve(actions, time.Now())
		r.WithdrawAction(1)
		w.same("state", event.StateWithdrawn, actions[1].State)
		must(w.ledger.commit(w.ctx, slices.Concat(actions[:1], actions[2:]), nil))
		r.Commit(w.ctx)
		w.decide(w.message(ana, "four"))
		w.rest(time.Minute)
		w.same("arrived", []string{"one", "three", "four"}, w.arrived(ana))
	})
}

// What was reserved behind something that did not get on has no token: it pays when it leaves, also when that has got on before its turn
// is stored.
func TestReservationWithoutTokens(t *testing.T) {
	t.Parallel()
	r := event.Rate{PerSecond: 0.5, Burst: 3}
	inWorld(t, setup{pace: event.Pace{Conversation: r}}, func(w *world) {
		ana := w.person("ana")
		w.p.Disturb("send_message", emulator.CutAfter)
		w.decide(w.message(ana, "in doubt"))
		w.until(time.Minute, func() bool { return w.p.Calls("send_message") == 1 })
		time.Sleep(10 * time.Millisecond)
		actions := w.messages(ana, numbers(20)...)
		reserved := w.outbox.Reserve(actions, time.Now())
		w.same("without a token", 20, reserved.Unpaid())
		time.Sleep(5 * time.Second) // it has got on
		must(w.ledger.commit(w.ctx, actions, nil))
		reserved.Commit(w.ctx)
		w.rest(10 * time.Minute)
		w.same("arrived", append([]string{"in doubt"}, numbers(20)...), w.arrived(ana))
		if err := keeps(w.net.Times("send_message"), r); err != nil {
			w.Error(err)
		}
	})
}
