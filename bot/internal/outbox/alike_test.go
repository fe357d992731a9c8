package outbox_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// What the platform makes of one text may be another text that is on its way behind it. Nobody can tell then
// whether the second is there: it is not taken for done.
func TestTextThatBecomesTheNext(t *testing.T) {
	t.Parallel()
	shows := func(text string) string { return map[string]string{whole: cut, "stars": "###"}[text] }
	for name, c := range map[string]struct {
		texts []string
		sent  int
		known bool // that the platform turns texts into others
		want  []event.State
	}{
		"one of two":      {[]string{whole, cut}, 1, false, []event.State{event.StateHeld, event.StateHeld}},
		"both":            {[]string{whole, cut}, 2, false, []event.State{event.StateHeld, event.StateHeld}},
		"one of three":    {[]string{whole, "else", cut}, 1, false, []event.State{event.StateHeld, event.StateDone, event.StateHeld}},
		"all, told apart": {[]string{whole, "else"}, 2, false, []event.State{event.StateDone, event.StateDone}},
		"unlike":          {[]string{"stars", "###"}, 1, true, []event.State{event.StateHeld, event.StateHeld}},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{wrap: func(p outbox.Platform) outbox.Platform { return rewriting{p, shows} }}, func(w *world) {
				ana := w.person("ana")
				if c.known {
					w.decide(w.message(ana, whole))
					w.rest(time.Minute)
				}
				before := len(w.arrived(ana))
				actions := w.messages(ana, c.texts...)
				w.outbox.Reserve(actions, time.Now())
				must(w.ledger.commit(w.ctx, actions, nil))
				w.crash()
				w.sent(actions[:c.sent]...)
				w.start()
				w.rest(time.Hour)
				var states []event.State
				done := 0
				for _, a := range actions {
					states = append(states, w.state(a))
					if w.state(a) == event.StateDone {
						done++
					}
				}
				w.same("states", c.want, states)
				if got := len(w.arrived(ana)) - before; got < done {
					w.Errorf("%d arrived, %d are done", got, done)
				}
			})
		})
	}
}

// What was there before something was decided is not what that has made, although what left before it was
// decided earlier.
func TestTwinThatWasThereBefore(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		first := w.message(ana, "one")
		w.p.SayAs(w.bot, ana, "twin")
		w.p.Say(ana, w.bot, "really?")
		actions := []event.Action{first, w.message(ana, "twin")}
		w.outbox.Reserve(actions, time.Now())
		must(w.ledger.commit(w.ctx, actions, nil))
		w.crash()
		w.start()
		w.rest(time.Hour)
		w.same("arrived", []string{"one", "twin"}, w.arrived(ana))
	})
}
