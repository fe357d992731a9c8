package outbox_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What was found before it was deleted is not made again after a crash: that it was found is stored
// before the deletion leaves, since nobody finds it afterwards.
func TestCrashBehindADeletion(t *testing.T) {
	t.Parallel()
	for _, verb := range []event.Verb{event.VerbDeleteMessage, event.VerbDeletePost} {
		t.Run(string(verb), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{concurrency: 4}, func(w *world) {
				ana := w.person("ana")
				made := w.message(ana, "a slip")
				if verb == event.VerbDeletePost {
					made = w.post(ana, 0, "a slip")
				}
				w.p.Disturb("send_message", emulator.Err500After)
				w.p.Disturb("publish_post", emulator.Err500After)
				w.decide(made)
				w.until(time.Minute, func() bool { return len(w.entries(emulator.Arrived, emulator.Published)) == 1 })
				e := w.entries(emulator.Arrived, emulator.Published)[0]
				gone := event.Action{Key: w.key(), Account: account, Peer: ana, Verb: verb, Message: e.Message, Post: e.Post}
				w.decide(gone)
				w.until(time.Minute, func() bool { return len(w.entries(emulator.Deleted)) == 1 })
				w.crash()
				w.start()
				w.rest(time.Hour)
				w.same("states", []event.State{event.StateDone, event.StateDone}, []event.State{w.state(made), w.state(gone)})
				w.same("made", 1, len(w.entries(emulator.Arrived, emulator.Published)))
			})
		})
	}
}
