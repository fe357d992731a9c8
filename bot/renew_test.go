package bot_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
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
		w.Advance(100 * time.Millisecond)
	}
	return post
}

// What a renewal owes comes also over a pause, and over its time, wherever a crash comes.
func TestRenewalInAPause(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, renews(), func(w *bottest.World) {
				ana := w.Person("ana")
				post := takesBack(w, ana)
				w.Ask(aboutRule(event.WishPause, ""))
				w.Advance(1500 * time.Millisecond)
				meanwhile(w)
				w.Advance(5 * time.Minute)
				if got := flips(w, post); got != "+-+" {
					t.Errorf("the repost went %s", got)
				}
				expectsEndings(t, w, ana, map[string]int{"done": 1})
				ana.Says(fmt.Sprint(post))
				w.Advance(5 * time.Minute)
				decides(t, w, aboutRule(event.WishGoOn, ""), bot.OutcomeHandled, "goes on")
				w.Advance(time.Minute)
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
			effort.Case(t)
			bottest.Run(t, renews(), func(w *bottest.World) {
				ana := w.Person("ana")
				post := takesBack(w, ana)
				w.Platform().DeletePost(ana.ID(), post)
				meanwhile(w)
				w.Advance(5 * time.Minute)
				w.Inspect(func(d inspect.Inspector) {
					notices, err := d.Unsent(context.Background(), 9)
					notices = slices.DeleteFunc(notices, func(n event.Notice) bool { return n.Kind == event.CallCrashed })
					want := fmt.Sprintf("Account bot: post %d is not reposted any more: the repost ", post)
					if err != nil || len(notices) != 1 || !strings.HasPrefix(notices[0].Text, want) || !strings.Contains(notices[0].Text, "cannot be made again") {
						t.Errorf("notices: %+v, %v", notices, err)
					}
				})
			})
		})
	}
}

// A repost that is owed for a day is told of, once, whatever keeps it, and however often the bot starts.
func TestRenewalIsOwedForLong(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			cfg := renews()
			cfg.Bot = bot.Config{PollInterval: 30 * time.Minute, RequestPause: time.Minute}
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Person("ana")
				w.Advance(time.Second)
				post := takesBack(w, ana)
				broken := emulator.Faults{Err500Before: 1}
				again := func() { // it starts where it can read, and still cannot repost
					w.Disturb("publication_repost", emulator.CutBefore, emulator.CutBefore)
					w.Faults(emulator.Faults{})
					meanwhile(w)
					w.Faults(broken)
				}
				again()
				w.Advance(23 * time.Hour)
				told := func() (n int) {
					w.Inspect(func(d inspect.Inspector) {
						notices, err := d.Unsent(context.Background(), 99)
						for i := range notices {
							n += strings.Count(notices[i].Text, fmt.Sprintf("Account bot: the repost of %d was taken back, or may have been, to be made anew, and could not be made for a day", post))
						}
						if err != nil {
							t.Error(err)
						}
					})
					return n
				}
				if n := told(); n != 0 {
					t.Errorf("after 23 hours it is told %d times", n)
				}
				w.Advance(3 * time.Hour)
				again()
				w.Advance(2 * time.Hour)
				if n := told(); n != 1 {
					t.Errorf("after 28 hours it is told %d times", n)
				}
				w.Faults(emulator.Faults{})
				w.Advance(time.Hour)
				if got := flips(w, post); got != "+-+" || told() != 1 {
					t.Errorf("the repost went %s, told %d times", got, told())
				}
			})
		})
	}
}
