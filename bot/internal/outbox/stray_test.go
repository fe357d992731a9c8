package outbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What a held reply has made is not taken for its twin's, whatever a person decided about it, and when.
func TestTwinOfWhatAPersonDecidedAbout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		decide func(*world, event.Action)
		crash  bool
		want   []string
	}{
		"dropped":                {(*world).drop, false, []string{"twin", "twin"}},
		"dropped, then a crash":  {(*world).drop, true, []string{"twin", "twin"}},
		"released":               {(*world).free, false, []string{"twin", "twin", "twin"}},
		"released, then a crash": {(*world).free, true, []string{"twin", "twin", "twin"}},
		"refused, then a crash":  {(*world).freeInVain, true, []string{"twin", "twin"}},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{}, func(w *world) {
				ana := w.person("ana")
				thread := w.p.Post(ana, "news")
				first := w.post(ana, thread, "twin")
				w.holds(first)
				c.decide(w, first)
				w.rest(time.Hour)
				if c.crash {
					w.crash()
					w.start()
				}
				w.p.Disturb("publish_post", emulator.CutBefore)
				second := w.post(ana, thread, "twin")
				w.decide(second)
				w.rest(time.Hour)
				w.same("published", c.want, w.published())
				w.same("state of the second", event.StateDone, w.state(second))
			})
		})
	}
}

// holds lets a reply arrive and be held, since it cannot be read.
func (w *world) holds(reply event.Action) {
	w.Helper()
	w.p.Disturb("publish_post", emulator.CutAfter)
	w.net.Hang("thread_replys", lost)
	w.decide(reply)
	w.until(time.Hour, func() bool { return w.state(reply) == event.StateHeld })
	w.same("state", event.StateHeld, w.state(reply))
	w.net.Hang("thread_replys", 0)
}

func (w *world) drop(a event.Action) { w.disk.withdraw(a.Key) }

// free lets an action leave that is held.
func (w *world) free(a event.Action) {
	w.Helper()
	w.disk.free(a.Key)
	w.decide(fresh([]event.Action{a})...)
}

// freeInVain does so with another text, and the platform wants none of it.
func (w *world) freeInVain(a event.Action) {
	w.Helper()
	a.Text = strings.Repeat("x", 100_000)
	w.free(a)
	w.rest(time.Hour)
	w.same("state", event.StateRefused, w.state(a))
}

// What is held beside something else of the account's own is not taken for the next one, which it has become.
func TestTwinOfWhatAHeldOneBecame(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{wrap: func(p outbox.Platform) outbox.Platform { return rewriting{p, cuts} }}, func(w *world) {
		ana := w.person("ana")
		w.decide(w.message(ana, whole)) // it is known now that texts change
		w.rest(time.Minute)
		w.p.Disturb("send_message", emulator.CutAfter, emulator.CutBefore)
		begun := w.message(ana, whole)
		w.decide(begun, w.message(ana, cut))
		w.p.SayAs(w.bot, ana, "by phone")
		w.rest(time.Hour)
		w.same("state", event.StateHeld, w.state(begun))
		w.same("arrived", []string{whole, whole, cut}, w.arrived(ana))
	})
}

// What comes behind a held reply is reconciled from above it, also when no event tells where from.
func TestReplyBehindAHeldOne(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		thread := w.p.Post(ana, "news")
		w.holds(w.post(ana, thread, "twin"))
		for range 2 {
			w.p.Disturb("publish_post", emulator.CutBefore)
			next := w.post(ana, thread, "twin")
			next.ReconcileFrom = 0
			w.decide(next)
			w.rest(time.Hour)
			w.same("state", event.StateDone, w.state(next))
		}
		w.same("published", []string{"twin", "twin", "twin"}, w.published())
	})
}
