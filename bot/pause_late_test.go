package bot_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
)

// What a rule has decided leaves when the pause of the rule is over, also when the dispatcher looks at it while the end of the
// pause is being stored, and whatever happens to the bot then.
func TestPauseThatEndsAsSomethingIsHeld(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{false, true} {
		var slow, last atomic.Bool
		var held chan struct{}
		cfg := bottest.Config{
			Before: func(*bottest.World) { held = make(chan struct{}) },
			Routes: []bot.Route{bot.On("two", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
				if err := t.Reply("one"); err != nil {
					return err
				}
				return t.Reply("two", engine.Decided("prices", t.Now.Add(time.Hour)))
			})},
			Transport: func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if strings.HasSuffix(r.URL.Path, "send_message") {
						body, err := io.ReadAll(r.Body)
						if err != nil {
							return nil, err
						}
						r.Body = io.NopCloser(strings.NewReader(string(body)))
						if strings.Contains(string(body), "one") {
							time.Sleep(5 * time.Second) // the other one waits behind it
						}
					}
					return next.RoundTrip(r)
				})
			},
			Commit: func(commit func() error) error {
				err := commit()
				if last.CompareAndSwap(true, false) { // the one behind
					close(held)
					if crash {
						time.Sleep(time.Minute)
					}
				}
				if slow.CompareAndSwap(true, false) {
					time.Sleep(10 * time.Second)
					last.Store(true)
				}
				return err
			},
		}
		bottest.Run(t, cfg, func(w *bottest.World) {
			ana := w.Person("ana")
			decides(t, w, aboutRule(event.WishPause, "prices"), bot.OutcomeHandled, "is paused")
			ana.Says("hello")
			seen(w, ana)
			w.Ask(aboutRule(event.WishGoOn, "prices"))
			slow.Store(true)
			ana.Expects("one")
			<-held
			if crash {
				w.Crash()
			}
			ana.Expects("two")
			ana.ExpectsNothing(time.Minute)
		})
	}
}
