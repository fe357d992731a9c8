package bot_test

import (
	"context"
	"net/http"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
)

// What the account's own turns have decided, and what has not left, a later one takes back, over any restart.
func TestOwnTurnsTakeBack(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{
				Bot: bot.Config{Pace: &event.Pace{Account: event.Rate{PerSecond: 0.1, Burst: 1}}},
				Routes: []bot.Route{
					bot.On("go", bot.Asked("go"), func(_ context.Context, t *bot.Turn, _ event.Told) error {
						for _, text := range []string{"one", "two", "three"} {
							if err := t.Publish(text); err != nil {
								return err
							}
						}
						return nil
					}),
					bot.On("stop", bot.Asked("stop"), func(_ context.Context, t *bot.Turn, _ event.Told) error {
						engine.Of(t).Withdraw("stopped")
						return t.Publish("four")
					}),
				},
			}, func(w *bottest.World) {
				a := w.Account("bot")
				a.Tell("go", "")
				a.ExpectsPost("one")
				meanwhile(w)
				a.Tell("stop", "")
				w.Advance(5 * time.Minute)
				// With a new incarnation its pace begins anew: then the second may have left.
				if got := postsOf(w); slices.Contains(got, "three") || got[len(got)-1] != "four" || name == "running" && len(got) != 2 {
					t.Errorf("published %q", got)
				}
			})
		})
	}
}

// What an account does by itself asks, when its request is about to leave, whether it still may: here the session had to be
// got first, and meanwhile the account was paused.
func TestOwnTurnPausedDuringARenewal(t *testing.T) {
	t.Parallel()
	var expire atomic.Pointer[func()]
	slowly := func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			answer, err := next.RoundTrip(r)
			switch path.Base(r.URL.Path) {
			case "profile_posts": // the last that the dispatcher asks before it publishes
				if f := expire.Load(); f != nil {
					(*f)()
				}
			case "refresh_access_token":
				time.Sleep(10 * time.Second)
			}
			return answer, err
		})
	}
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("go", bot.Asked("go"), func(_ context.Context, t *bot.Turn, _ event.Told) error { return t.Publish("one") }),
	}, Transport: slowly, Bot: bot.Config{PollInterval: time.Hour}}, func(w *bottest.World) {
		once := sync.OnceFunc(func() { w.Platform().Expire(w.Account("bot").ID()) })
		expire.Store(&once)
		w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "go"})
		w.Advance(1500 * time.Millisecond)
		decides(t, w, aboutRule(event.WishPause, ""), bot.OutcomeHandled, "the account is paused")
		w.Advance(5 * time.Minute)
		if got := postsOf(w); len(got) > 0 {
			t.Errorf("published %q in a pause", got)
		}
	})
}
