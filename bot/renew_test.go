package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// renews reposts anew what people name.
func renews() bottest.Config {
	return bottest.Config{Latency: time.Second, Routes: []bot.Route{bot.On("renew", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		var post platform.PostID
		if _, err := fmt.Sscan(m.Text, &post); err != nil {
			return err
		}
		t.Renew(post, bot.Before(t.Now.Add(10*time.Second)))
		return nil
	})}}
}

// flips is what became of the reposts of a post.
func flips(w *bottest.World, post platform.PostID) (s string) {
	for _, e := range w.Platform().Ledger().Since(0) {
		if e.Post == post && (e.Kind == emulator.Reposted || e.Kind == emulator.Unreposted) {
			s += map[bool]string{true: "+", false: "-"}[e.Kind == emulator.Reposted]
		}
	}
	return s
}

// takesBack lets the bot renew a post, and returns when the repost was taken back, and not made again.
func takesBack(w *bottest.World, ana *bottest.Person) platform.PostID {
	post := w.Platform().Post(ana.ID(), "news")
	w.Platform().Repost(w.Account("bot").ID(), post)
	w.Disturb("publication_repost", emulator.NoFault, emulator.CutBefore)
	ana.Says(fmt.Sprint(post))
	for flips(w, post) != "+-" {
		w.Pass(100 * time.Millisecond)
	}
	return post
}

// What a renewal owes comes also over a pause, and over its time, wherever a crash comes.
func TestRenewalInAPause(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bottest.Run(t, renews(), func(w *bottest.World) {
				ana := w.Person("ana")
				post := takesBack(w, ana)
				w.Ask(aboutRule(event.WishPause, ""))
				w.Pass(1500 * time.Millisecond)
				meanwhile(w)
				w.Pass(5 * time.Minute)
				if got := flips(w, post); got != "+-+" {
					t.Errorf("the repost went %s", got)
				}
				expectsEndings(t, w, ana, map[string]int{"done": 1})
				ana.Says(fmt.Sprint(post))
				w.Pass(5 * time.Minute)
				decides(t, w, aboutRule(event.WishGoOn, ""), bot.OutcomeHandled, "goes on")
				w.Pass(time.Minute)
				if got := flips(w, post); got != "+-+" {
					t.Errorf("after the pause it went %s", got)
				}
			})
		})
	}
}

// A post that is gone by then is told of.
func TestRenewalThatCannotEnd(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bottest.Run(t, renews(), func(w *bottest.World) {
				ana := w.Person("ana")
				post := takesBack(w, ana)
				w.Platform().DeletePost(ana.ID(), post)
				meanwhile(w)
				w.Pass(5 * time.Minute)
				w.AtDesk(func(d *store.Desk) {
					notices, err := d.Unsent(context.Background(), 9)
					want := fmt.Sprintf("Account bot: post %d is not reposted any more: the repost ", post)
					if err != nil || len(notices) != 1 || !strings.HasPrefix(notices[0].Text, want) || !strings.Contains(notices[0].Text, "cannot be made again") {
						t.Errorf("notices: %+v, %v", notices, err)
					}
				})
			})
		})
	}
}
