package outbox_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// What was released leaves in that order also after a stop, whatever its priority, and before what was not
// released yet.
func TestPrioritiesOverAStop(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){"stop": (*world).restart, "crash": func(w *world) { w.crash(); w.start() }} {
		for _, window := range []int{64, 3} {
			t.Run(name, func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{trip: time.Second, config: outbox.Config{Window: window}}, func(w *world) {
					ana := w.person("ana")
					w.decide(w.message(ana, "0"))
					for i, p := range []event.Priority{event.Broadcast, event.Scheduled, event.Answer, event.Broadcast, event.Answer} {
						a := w.message(ana, numbers(6)[i+1])
						a.Priority = p
						w.decide(a)
					}
					released := min(window, 6)
					for range 2 {
						w.until(time.Minute, func() bool { return len(w.arrived(ana)) > 0 })
						end(w)
					}
					w.rest(time.Hour)
					got := w.arrived(ana)
					w.same("messages", 6, len(got))
					w.same("what was released", numbers(released), got[:released])
				})
			})
		}
	}
}
