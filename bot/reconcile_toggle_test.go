package bot_test

import (
	"context"
	"net/http"
	"path"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// meddler does something on the platform around the calls of an endpoint.
type meddler struct {
	endpoint      string
	before, after func(nth int64) // the call comes in; its answer is on its way
	calls         atomic.Int64
}

func (m *meddler) on(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if path.Base(r.URL.Path) != m.endpoint {
			return next.RoundTrip(r)
		}
		n := m.calls.Add(1)
		if m.before != nil {
			m.before(n)
		}
		resp, err := next.RoundTrip(r)
		if m.after != nil {
			m.after(n)
		}
		return resp, err
	})
}

// first does something around the first call only.
func first(do func()) func(int64) {
	return func(nth int64) {
		if nth == 1 {
			do()
		}
	}
}

// The owner's phone switches the same like at the worst moments: the bot calls once, and corrects once at
// most; what the owner does afterwards is left alone.
func TestToggleBesideThePhone(t *testing.T) {
	t.Parallel()
	type phone struct{ like, unlike func() }
	for name, c := range map[string]struct {
		dialect emulator.Dialect
		fault   emulator.Fault // of the first call
		meddle  func(m *meddler, p phone)
		liked   bool
		calls   int64 // at most
	}{
		"likes between reading and call": {
			meddle: func(m *meddler, p phone) { m.endpoint, m.before = "like_post", first(p.like) }, liked: true, calls: 2,
		},
		"likes between reading and call, answers tell nothing": {
			dialect: emulator.Dialect{Toggle: emulator.ToggleSilent},
			meddle:  func(m *meddler, p phone) { m.endpoint, m.before = "like_post", first(p.like) }, liked: true, calls: 2,
		},
		"likes before the reading": {
			meddle: func(m *meddler, p phone) { m.endpoint, m.before = "thread_data", first(p.like) }, liked: true, calls: 0,
		},
		"likes between an unsure call and its reading": {
			fault:  emulator.CutBefore,
			meddle: func(m *meddler, p phone) { m.endpoint, m.after = "like_post", first(p.like) }, liked: true, calls: 1,
		},
		"unlikes right after": {
			meddle: func(m *meddler, p phone) { m.endpoint, m.after = "like_post", first(p.unlike) }, liked: false, calls: 1,
		},
		"unlikes between call and reading, answers tell nothing": {
			dialect: emulator.Dialect{Toggle: emulator.ToggleSilent},
			meddle:  func(m *meddler, p phone) { m.endpoint, m.after = "like_post", first(p.unlike) }, liked: true, calls: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			m := &meddler{}
			var look atomic.Int64
			bottest.Run(t, bottest.Config{
				Routes: []bot.Route{bot.On("like", bot.AnyMention(), func(_ context.Context, t *bot.Turn, e event.Mention) error {
					t.Like(e.Post)
					return nil
				}), echo()},
				Platform: emulator.Config{Dialect: c.dialect}, Transport: m.on,
				Before: func(w *bottest.World) {
					account := w.Account("bot").ID()
					c.meddle(m, phone{
						like:   func() { w.Platform().Like(account, platform.PostID(look.Load())) },
						unlike: func() { w.Platform().Unlike(account, platform.PostID(look.Load())) },
					})
				},
			}, func(w *bottest.World) {
				ana, account := w.Person("ana"), w.Account("bot").ID()
				w.Disturb("like_post", c.fault)
				post := ana.Mentions("look")
				look.Store(int64(post))
				w.Advance(5 * time.Minute)
				if got := w.Platform().Liked(account, post); got != c.liked {
					t.Errorf("liked is %t", got)
				}
				if n := w.Platform().Calls("like_post"); n > c.calls {
					t.Errorf("like_post was called %d times", n)
				}
				w.Restart()
				ana.Says("hi")
				ana.Expects("hi")
				if got := w.Platform().Liked(account, post); got != c.liked {
					t.Errorf("later, liked is %t", got)
				}
			})
		})
	}
}

// Two bots on one account wish the same at the same moment: it is so in the end, and nobody goes on
// switching.
func TestToggleBesideAnotherBot(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	routes := []bot.Route{
		bot.On("like", bot.AnyMention(), func(_ context.Context, t *bot.Turn, e event.Mention) error {
			t.Like(e.Post)
			return nil
		}),
		bot.On("follow", bot.AnyFollow(), func(_ context.Context, t *bot.Turn, _ event.Follow) error {
			t.Follow()
			return nil
		}),
	}
	bottest.Run(t, bottest.Config{Routes: routes, Bot: bot.Config{PollInterval: time.Second}}, func(w *bottest.World) {
		account := w.Account("bot").ID()
		defer another(t, w, "bot", bot.Config{PollInterval: time.Second}, routes...)()
		var posts []platform.PostID
		var people []*bottest.Person
		for _, name := range []string{"ana", "leo", "max", "ines", "tom", "eva"} {
			p := w.Person(name)
			people = append(people, p)
			posts = append(posts, p.Mentions("look"))
			p.Follows()
			w.Advance(7 * time.Second)
		}
		w.Advance(5 * time.Minute)
		for i, post := range posts {
			if !w.Platform().Liked(account, post) || !w.Platform().Following(account, people[i].ID()) {
				t.Errorf("liked %t, followed %t", w.Platform().Liked(account, post), w.Platform().Following(account, people[i].ID()))
			}
		}
		if n := w.Platform().Calls("like_post"); n > int64(4*len(posts)) {
			t.Errorf("like_post was called %d times for %d posts", n, len(posts))
		}
	})
}
