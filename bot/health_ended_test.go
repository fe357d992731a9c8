package bot_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// An answer that hands over its connection, or never ends, costs a call: polls go on hearing, and what was sent arrives once.
func TestAnswersThatDoNotEnd(t *testing.T) {
	t.Parallel()
	for _, fault := range []emulator.Fault{emulator.Switched, emulator.Endless} {
		t.Run(fault.String(), func(t *testing.T) {
			t.Parallel()
			bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("hi")
				ana.Expects("hi")
				for _, endpoint := range []string{"get_chats", "get_messages", "get_notifications", "send_message", "refresh_access_token", "login"} {
					w.Disturb(endpoint, fault, fault)
				}
				w.Platform().Expire(w.Account("bot").ID())
				ana.Says("one")
				w.Advance(3 * time.Minute)
				ana.Says("two")
				w.Advance(3 * time.Minute)
				ana.Expects("one", "two")
			})
		})
	}
}
