package outbox_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// published returns the texts of the account's posts and replies, in their order.
func (w *world) published() []string {
	var texts []string
	for _, e := range w.entries(emulator.Published) {
		texts = append(texts, e.Text)
	}
	return texts
}

// However a request goes wrong, its post is published once: on the account's page, and as a reply.
func TestPostIsPublishedOnce(t *testing.T) {
	t.Parallel()
	for f := emulator.NoFault; f <= emulator.Late; f++ {
		for _, reply := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, reply %t", f, reply), func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{}, func(w *world) {
					ana := w.person("ana")
					thread := platform.PostID(0)
					if reply {
						thread = w.p.Post(ana, "news")
					}
					w.p.Disturb("publish_post", f)
					actions := []event.Action{w.post(ana, thread, " twin & more "), w.post(ana, thread, "twin & more"), w.post(ana, thread, "other")}
					w.decide(actions...)
					w.rest(time.Hour)
					w.same("published", []string{"twin & more", "twin & more", "other"}, w.published())
					for _, a := range actions {
						w.same("state", event.StateDone, w.state(a))
					}
				})
			})
		}
	}
}

// A post is found below everything that was posted and reposted since.
func TestPostIsFoundBelowOthers(t *testing.T) {
	t.Parallel()
	for _, d := range []emulator.Dialect{{}, {RepliesListed: true}, {PageCap: 20}, {Adverts: true}, {NullOwners: true}} {
		t.Run(fmt.Sprintf("%+v", d), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{emulator: emulator.Config{Dialect: d}}, func(w *world) {
				ana := w.person("ana")
				for i := range 30 {
					w.p.Post(w.bot, fmt.Sprint("old ", i))
				}
				w.net.Hang("publish_post", handled)
				a := w.post(ana, 0, "hello")
				w.decide(a)
				w.until(time.Minute, func() bool { return len(w.published()) == 1 })
				for i := range 60 {
					w.p.Repost(w.bot, w.p.Post(ana, fmt.Sprint("news ", i)))
					w.p.Reply(w.bot, w.p.Post(ana, "what now?"), "hello")
					if i%3 == 0 {
						w.p.Post(w.bot, fmt.Sprint("by phone ", i))
					}
				}
				w.rest(time.Hour)
				w.same("published", []string{"hello"}, w.published())
				w.same("result", int64(w.entries(emulator.Published)[0].Post), w.disk.action(a.Key).Result)
			})
		})
	}
}

// An old post that is pinned above the others is not the end of what is new.
func TestPostIsFoundBelowPinned(t *testing.T) {
	t.Parallel()
	pinned := func(p outbox.Platform) outbox.Platform {
		return &stub{Platform: p, page: func(ctx context.Context, params platform.ProfilePostsParams) iter.Seq2[platform.Post, error] {
			return func(yield func(platform.Post, error) bool) {
				if !yield(platform.Post{ID: 1, UserID: params.ID, Text: "hello"}, nil) {
					return
				}
				p.AllProfilePosts(ctx, params)(yield)
			}
		}}
	}
	inWorld(t, setup{wrap: pinned}, func(w *world) {
		w.p.Post(w.bot, "old")
		w.p.Disturb("publish_post", emulator.CutAfter)
		w.decide(w.post(w.person("ana"), 0, "hello"))
		w.rest(time.Minute)
		w.same("published", []string{"hello"}, w.published())
	})
}

// A reply of the same text is no post of the account's page, although some deployments list it there.
func TestReplyIsNoPost(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{emulator: emulator.Config{Dialect: emulator.Dialect{RepliesListed: true}}}, func(w *world) {
		ana := w.person("ana")
		w.p.Disturb("publish_post", emulator.CutBefore)
		w.decide(w.post(ana, 0, "hello"))
		time.Sleep(time.Second)
		w.p.Reply(w.bot, w.p.Post(ana, "what now?"), "hello")
		w.rest(time.Hour)
		w.same("published", []string{"hello"}, w.published())
	})
}

// A reply of the same text to another post, or a post of the same text, is something else.
func TestTwinPostsElsewhere(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{emulator: emulator.Config{Dialect: emulator.Dialect{RepliesListed: true}}, concurrency: 4}, func(w *world) {
		ana, leo := w.person("ana"), w.person("leo")
		one, two := w.p.Post(ana, "one"), w.p.Post(leo, "two")
		w.p.Disturb("publish_post", emulator.CutBefore, emulator.CutAfter, emulator.CutBefore, emulator.CutAfter)
		for _, thread := range []platform.PostID{one, 0, two, one, 0} {
			w.decide(w.post(ana, thread, "thanks"))
			w.decide(w.post(leo, thread, "thanks"))
		}
		w.rest(time.Hour)
		w.same("published", slices.Repeat([]string{"thanks"}, 10), w.published())
	})
}

// Public lists answer without a session as well, and then do not show everything: that is no reading.
func TestSessionEndsWhileReconciling(t *testing.T) {
	t.Parallel()
	d := emulator.Dialect{StaleIsAnonymous: true}
	inWorld(t, setup{emulator: emulator.Config{Dialect: d}}, func(w *world) {
		w.p.SetPrivacy(w.bot, true, false)
		w.p.Disturb("publish_post", emulator.CutAfter)
		w.decide(w.post(w.person("ana"), 0, "hello"))
		w.until(time.Minute, func() bool { return len(w.published()) == 1 })
		w.p.Expire(w.bot)
		w.rest(time.Hour)
		w.same("published", []string{"hello"}, w.published())
	})
}
