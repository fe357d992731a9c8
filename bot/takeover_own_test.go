package bot_test

import (
	"fmt"
	"net/http"
	"path"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A message of the bot whose answer went missing shows up in the chat long before it is reconciled. Nobody
// takes it for a person's, neither then nor when it is reconciled, nor when it is held.
func TestInDoubtIsNoTakeover(t *testing.T) {
	t.Parallel()
	for i, m := range mishaps {
		for _, blind := range []time.Duration{0, 20 * time.Minute} {
			if !effort.Sampled(i) {
				continue
			}
			t.Run(fmt.Sprintf("%s, unread for %v", m.name, blind), func(t *testing.T) {
				effort.Case(t)
				line := &line{endpoint: "send_message", way: m.way}
				bottest.Run(t, bottest.Config{
					Routes: []bot.Route{echo()}, Bot: bot.Config{PollInterval: 500 * time.Millisecond}, Patience: time.Hour,
					Transport: func(next http.RoundTripper) http.RoundTripper {
						return line.on(blindFor(next, blind))
					},
				}, func(w *bottest.World) {
					ana := w.Person("ana")
					w.Faults(emulator.Faults{})
					if m.fault != emulator.NoFault {
						w.Disturb("send_message", m.fault)
					}
					line.watch(w)
					ana.Says("hello")
					if m.crash || m.stop {
						<-line.reached
						if m.crash {
							w.Crash()
						} else {
							w.Restart()
						}
					}
					for range 12 {
						w.Advance(time.Minute)
						if c := w.Conversation(ana); c.Owner != "" {
							t.Fatalf("the conversation belongs to %q", c.Owner)
						}
					}
					ana.Says("and now?")
					w.Advance(2 * time.Minute)
					if n := said(w, w.Account("bot").ID(), ana.ID()); n > 2 || n == 0 {
						t.Errorf("%d messages came", n)
					}
					if c := w.Conversation(ana); c.Owner != "" {
						t.Errorf("the conversation belongs to %q", c.Owner)
					}
				})
			})
		}
	}
}

// blindFor is a network on which what reconciles reads nothing for a while.
func blindFor(next http.RoundTripper, d time.Duration) http.RoundTripper {
	end := time.Now().Add(d)
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("page_size") == "100" && time.Now().Before(end) {
			r.URL.Path = path.Dir(r.URL.Path) + "/nowhere"
		}
		return next.RoundTrip(r)
	})
}

// A person who takes over in the middle of a flow is not interrupted by it, neither by its next question
// nor by its reminder, also over a restart. It goes on when the bot speaks again.
func TestTakeoverInAFlow(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	cfg := greets(t)
	cfg.Bot = rarely()
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("what is your name?")
		w.Account("bot").Tells(ana, "never mind the bot, this is Mia")
		w.Advance(time.Minute)
		w.Restart()
		ana.Says("I am Ana")
		ana.ExpectsNothing(6 * time.Hour) // the reminder was due after one
		w.Account("bot").Tells(ana, "anything else?")
		w.Advance(time.Minute)
		w.Crash()
		ana.Says("menu")
		ana.ExpectsNothing(11*time.Hour + 50*time.Minute)
		if in := w.Conversation(ana).Flow; in.State != "name" {
			t.Errorf("the conversation stands in %+v", in)
		}
		w.Advance(75 * time.Minute)
		ana.Expects("are you still there?")
		ana.Says("Ana")
		ana.Expects("hello Ana, which colour?")
	})
}
