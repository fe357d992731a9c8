package bot_test

import (
	"context"
	"io"
	"net/http"
	"path"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// A mention that a person of ours answers by hand while its turn waits for something else of the platform is hers, also over a crash: what an
// earlier try has read below it is too old by then.
func TestMentionAnsweredByHandWhileItsTurnWaits(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]bool{"in one life": false, "over a crash": true} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var broken atomic.Bool
			broken.Store(true)
			withoutProfiles := func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if path.Base(r.URL.Path) == "profile" && broken.Load() {
						return nil, io.ErrUnexpectedEOF
					}
					return next.RoundTrip(r)
				})
			}
			bottest.Run(t, bottest.Config{Transport: withoutProfiles, Routes: []bot.Route{
				bot.On("mention", bot.AnyMention(), func(ctx context.Context, t *bot.Turn, _ event.Mention) error {
					if _, err := t.Profile(ctx); err != nil {
						return err
					}
					return t.Reply("we are open")
				}),
			}}, func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				asked := ana.Mentions("@bot are you open?")
				leo.Mentions("@bot and you?")
				w.Advance(time.Minute)
				w.Platform().Reply(w.Account("bot").ID(), asked, "yes, until six")
				if crash {
					w.Crash()
				}
				w.Advance(5 * time.Minute)
				broken.Store(false)
				ana.ExpectsNothing(time.Hour)
				leo.ExpectsReply("we are open")
			})
		})
	}
}
