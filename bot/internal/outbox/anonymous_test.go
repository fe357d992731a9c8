package outbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Public endpoints may answer a session that has ended as if none was sent: they show no like, no repost and no follow of the account. What is
// there is not undone by that, for a moment either, and what is to be undone does not stay.
func TestStateThatIsReadWithoutASession(t *testing.T) {
	t.Parallel()
	for _, verb := range []event.Verb{event.VerbLike, event.VerbRepost, event.VerbFollow, event.VerbRenew} {
		for _, want := range []bool{true, false} {
			if verb == event.VerbRenew && !want {
				continue
			}
			t.Run(string(verb)+map[bool]string{true: "", false: ", undone"}[want], func(t *testing.T) {
				effort.Case(t)
				d := emulator.Dialect{StaleIsAnonymous: true}
				inWorld(t, setup{emulator: emulator.Config{Dialect: d}}, func(w *world) {
					ana := w.person("ana")
					post := w.p.Post(ana, "news")
					w.p.Like(w.bot, post)
					w.p.Repost(w.bot, post)
					w.p.Follow(w.bot, ana)
					w.decide(w.message(ana, "hello")) // it has a session
					w.rest(time.Minute)
					before := len(w.entries(toggles...))
					w.p.Expire(w.bot)
					a := event.Action{Key: w.key(), Account: account, Peer: ana, Verb: verb, Post: post, User: ana, Want: want}
					w.decide(a)
					w.rest(time.Hour)
					w.same("state", event.StateDone, w.state(a))
					switches := map[bool]int{true: 0, false: 1}[want]
					if verb == event.VerbRenew {
						switches = 2
					}
					w.same("switched", switches, len(w.entries(toggles...))-before)
				})
			})
		}
	}
}

// Where there is no feed, which would tell whether the session has ended, states are believed as they are read: nothing waits for it.
func TestStateWithoutAFeed(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]error{
		"forbidden":   &platform.Refused{Endpoint: "feeds", Code: 403},
		"not found":   &platform.Refused{Endpoint: "feeds", Code: 404},
		"no endpoint": &platform.Unreadable{Endpoint: "feeds", HTTPStatus: 404},
	} {
		for _, verb := range []event.Verb{event.VerbLike, event.VerbRepost, event.VerbFollow, event.VerbRenew} {
			t.Run(name+", "+string(verb), func(t *testing.T) {
				t.Parallel()
				without := func(p outbox.Platform) outbox.Platform {
					return &stub{Platform: p, feed: func(context.Context, platform.PageParams) ([]platform.Post, error) { return nil, refusal }}
				}
				inWorld(t, setup{wrap: without}, func(w *world) {
					ana := w.person("ana")
					a := event.Action{Key: w.key(), Account: account, Peer: ana, Verb: verb, Post: w.p.Post(ana, "news"), User: ana}
					w.decide(a)
					w.rest(time.Hour)
					want := map[bool]event.State{true: event.StateWithdrawn, false: event.StateDone}[verb == event.VerbRenew]
					w.same("state", want, w.state(a))
					w.same("switched", 0, len(w.entries(toggles...)))
				})
			})
		}
	}
}

// So a post is told from an older one of the same text, although its baseline was read without a session: of a private account that shows
// nothing.
func TestBaselineThatIsReadWithoutASession(t *testing.T) {
	t.Parallel()
	for _, reply := range []bool{false, true} {
		t.Run(map[bool]string{false: "post", true: "reply"}[reply], func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{emulator: emulator.Config{Dialect: emulator.Dialect{StaleIsAnonymous: true}}}, func(w *world) {
				w.p.SetPrivacy(w.bot, true, false)
				ana := w.person("ana")
				thread := platform.PostID(0)
				if reply {
					thread = w.p.Post(ana, "news")
				}
				w.decide(w.post(ana, thread, "hello"))
				w.rest(time.Hour)
				w.p.Expire(w.bot)
				w.restart()
				w.p.Expire(w.bot)
				w.p.Disturb("publish_post", emulator.NoFault, emulator.CutBefore)
				w.decide(w.post(ana, thread, "hello"))
				w.rest(time.Hour)
				w.same("published", []string{"hello", "hello"}, w.published())
			})
		})
	}
}
