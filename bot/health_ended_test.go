package bot_test

import (
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A call of a poll that never ends, whatever its deadline says, makes a bot deaf for some minutes, and not for ever.
func TestPollThatIsStuckBeginsAnew(t *testing.T) {
	t.Parallel()
	hangs, stuck := make(chan struct{}), make(chan struct{}, 1)
	pit := func(next http.RoundTripper) http.RoundTripper {
		return trip(func(r *http.Request) (*http.Response, error) {
			if path.Base(r.URL.Path) == "get_chats" {
				select {
				case <-stuck:
					<-hangs
				default:
				}
			}
			return next.RoundTrip(r)
		})
	}
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Transport: pit}, func(w *bottest.World) {
		hangs = make(chan struct{}) // of the bubble
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
		stuck <- struct{}{}
		w.Advance(time.Minute)
		ana.Says("anybody?")
		w.Advance(8 * time.Minute)
		ana.Expects("anybody?")
		if !strings.Contains(w.Log(), "its calls are ended") {
			t.Error(w.Log())
		}
		close(hangs)
	})
}

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
