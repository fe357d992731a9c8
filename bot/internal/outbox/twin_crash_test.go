package outbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What was held, or came back without an id, is not taken for the twin behind it, which had not left when
// the bot ended.
func TestTwinThatHadNotLeft(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){"crash": (*world).crash, "stop": (*world).stop} {
		t.Run("held, and a "+name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{}, func(w *world) {
				ana := w.person("ana")
				w.p.Disturb("send_message", emulator.CutAfter)
				w.net.Hang("get_messages", lost)
				actions := w.messages(ana, "twin", "twin")
				w.decide(actions...)
				w.until(time.Hour, func() bool { return w.state(actions[0]) == event.StateHeld })
				w.twinLeavesAfter(end, ana, actions[1])
			})
		})
		for where, pace := range map[string]event.Rate{"waits in the store": {PerSecond: 0.1, Burst: 1}, "is to leave next": {}} {
			t.Run("without an id while the other "+where+", and a "+name, func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{wrap: mute, pace: event.Pace{Account: pace}, trip: time.Second}, func(w *world) {
					ana := w.person("ana")
					actions := w.messages(ana, "twin", "twin")
					w.decide(actions...)
					w.until(time.Minute, func() bool { return len(w.arrived(ana)) == 1 })
					time.Sleep(700 * time.Millisecond) // its answer is there, half a second after it
					must(w.ledger.MarkNow(w.ctx))
					w.same("state of the first", event.StateDone, w.state(actions[0]))
					w.twinLeavesAfter(end, ana, actions[1])
				})
			})
		}
	}
}

// mute is a platform whose answers do not tell the id of what was sent.
func mute(p outbox.Platform) outbox.Platform {
	return &stub{Platform: p, send: func(ctx context.Context, m platform.SendMessageParams) (platform.Message, error) {
		_, err := p.SendMessage(ctx, m)
		return platform.Message{}, err
	}}
}

// twinLeavesAfter ends the incarnation, and expects a message to ana to arrive in the next one, as the second.
func (w *world) twinLeavesAfter(end func(w *world), ana platform.UserID, second event.Action) {
	w.Helper()
	end(w)
	w.same("messages before", 1, len(w.arrived(ana)))
	w.net.Hang("get_messages", 0)
	w.p.Disturb("send_message", emulator.CutBefore)
	w.start()
	w.rest(time.Hour)
	w.same("arrived", []string{"twin", "twin"}, w.arrived(ana))
	w.same("state of the second", event.StateDone, w.state(second))
}

// What was held is not taken for a twin that leaves long after it, whether that was decided before or while
// nobody knew what became of the first.
func TestLaterTwinOfHeld(t *testing.T) {
	t.Parallel()
	t.Run("decided before", func(t *testing.T) {
		effort.Case(t)
		inWorld(t, setup{}, func(w *world) {
			ana := w.person("ana")
			w.p.Disturb("send_message", emulator.CutAfter, emulator.CutBefore)
			w.net.Hang("get_messages", lost)
			actions := w.messages(ana, "twin", "twin")
			actions[1].Due = time.Now().Add(time.Hour)
			w.decide(actions...)
			w.until(time.Hour, func() bool { return w.state(actions[0]) == event.StateHeld })
			w.net.Hang("get_messages", 0)
			w.rest(2 * time.Hour)
			w.same("arrived", []string{"twin", "twin"}, w.arrived(ana))
		})
	})
	t.Run("decided meanwhile, below a post", func(t *testing.T) {
		effort.Case(t)
		inWorld(t, setup{}, func(w *world) {
			ana := w.person("ana")
			thread := w.p.Post(ana, "news")
			w.p.Disturb("publish_post", emulator.CutAfter, emulator.CutBefore)
			w.net.Hang("thread_replys", lost)
			first := w.post(ana, thread, "twin")
			w.decide(first)
			w.until(time.Minute, func() bool { return len(w.published()) == 1 })
			time.Sleep(time.Minute)
			w.decide(w.post(ana, thread, "twin"))
			w.until(time.Hour, func() bool { return w.state(first) == event.StateHeld })
			w.same("state of the first", event.StateHeld, w.state(first))
			w.net.Hang("thread_replys", 0)
			w.rest(time.Hour)
			w.same("published", []string{"twin", "twin"}, w.published())
		})
	})
}

// What was on its way into the store while the first answer came that tells no id does not take what that
// answer is about for its own, whether it gets there before or after others look what is there.
func TestTurnsBesideTheFirstAnswerWithoutAnID(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pause time.Duration // between the commits
		text  string        // of what leaves between the twins
		want  []string
	}{
		"before others look": {0, "else", []string{"twin", "else", "twin"}},
		"after others look":  {1500 * time.Millisecond, strings.Repeat("x", 3001), []string{"twin", "twin"}},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{wrap: mute, trip: time.Second}, func(w *world) {
				ana := w.person("ana")
				w.decide(w.message(ana, "twin"))
				w.until(time.Minute, func() bool { return len(w.arrived(ana)) == 1 })
				turns := [][]event.Action{w.messages(ana, c.text), w.messages(ana, "twin")}
				reserved := make([]outbox.Reservation, len(turns))
				for i, turn := range turns {
					reserved[i] = w.outbox.Reserve(turn, time.Now())
				}
				time.Sleep(2 * time.Second) // the answer is there
				if c.pause == 0 {
					w.net.Hang("send_message", lost)
				}
				for i, turn := range turns {
					must(w.ledger.commit(w.ctx, turn, nil))
					reserved[i].Commit(w.ctx)
					time.Sleep(c.pause) // what comes first is on its way
					w.net.Hang("send_message", lost)
				}
				time.Sleep(5 * time.Second) // what comes next is
				w.crash()
				w.net.Hang("send_message", 0)
				w.start()
				w.rest(time.Hour)
				w.same("arrived", c.want, w.arrived(ana))
			})
		})
	}
}
