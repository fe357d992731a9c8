package bot_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Where answers have no code, a session that has ended is renewed, each message is answered once, and one that is refused is not done.
func TestAnswersWithoutACode(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"code-in-status", "no-code", "no-code-nameless"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dialect, err := emulator.ParseDialect(name)
			if err != nil {
				t.Fatal(err)
			}
			bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Platform: emulator.Config{Dialect: dialect}}, func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				ana.Says("one")
				ana.Expects("one")
				w.Advance(10 * time.Minute)
				w.Platform().Expire(w.Account("bot").ID())
				ana.Says("two")
				ana.Expects("two")
				w.Advance(10 * time.Minute)
				w.Platform().Revoke(w.Account("bot").ID())
				ana.Says("three")
				ana.Expects("three")
				leo.Says("hello?")
				leo.Blocks()
				w.Advance(10 * time.Minute)
				leo.ExpectsNothing(time.Minute)
			})
		})
	}
}
