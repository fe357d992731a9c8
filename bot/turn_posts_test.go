package bot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// meter counts requests by their endpoints.
type meter struct {
	mu    sync.Mutex
	calls map[string]int
}

func (m *meter) transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		m.mu.Lock()
		if m.calls == nil {
			m.calls = map[string]int{}
		}
		m.calls[path.Base(r.URL.Path)]++
		m.mu.Unlock()
		return next.RoundTrip(r)
	})
}

func (m *meter) of(endpoint string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls[endpoint]
}

// reads is a bot that does something when it is told to look, and says in its answer what came of it. Its first try fails.
func reads(look func(ctx context.Context, t *bot.Turn) (any, error)) []bot.Route {
	var mu sync.Mutex
	tried := map[string]bool{}
	return []bot.Route{bot.On("look", bot.Asked("look"), func(ctx context.Context, t *bot.Turn, _ event.Told) error {
		got, err := look(ctx, t)
		if platform.Final(err) {
			t.Note("never: %v", err)
			return nil
		}
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if id := t.Trigger.ID(); !tried[id] {
			tried[id] = true
			return errors.New("not yet")
		}
		t.Note("%v", got)
		return nil
	})}
}

// brief tells of posts what a test looks at.
func brief(posts []platform.Post) string {
	var all []string
	for i := range posts {
		p := &posts[i]
		line, _, _ := strings.Cut(p.Text, " ä")
		if p.IsRepost {
			line += " by " + p.Owner.Username
		}
		if len(p.Answers)+len(p.Media) > 0 {
			line += " with more"
		}
		all = append(all, line)
	}
	return strings.Join(all, ", ")
}

// What a turn reads of lists of posts is read once, is kept with it, and is bounded.
func TestPostsAreFacts(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	var ana, leo platform.UserID
	var thread, gone platform.PostID
	for name, c := range map[string]struct {
		look     func(ctx context.Context, t *bot.Turn) ([]platform.Post, error)
		endpoint string
		calls    int
		want     string // the answer; of what can never be read its beginning
		fact     string // the beginning of its name
	}{
		"posts of a person": {
			func(ctx context.Context, t *bot.Turn) ([]platform.Post, error) { return t.PostsOf(ctx, ana, 3) },
			"profile_posts", 1, "post 44, post 43, post 42", "posts-of:",
		},
		"pages": {func(ctx context.Context, t *bot.Turn) ([]platform.Post, error) {
			all, err := t.PostsOf(ctx, ana, 41)
			if len(all) > 0 {
				all = all[len(all)-1:]
			}
			return all, err
		}, "profile_posts", 3, "post 4", "posts-of:"},
		"nobody's posts": {
			func(ctx context.Context, t *bot.Turn) ([]platform.Post, error) { return t.PostsOf(ctx, leo, 3) },
			"profile_posts", 1, "", "posts-of:",
		},
		"search": {
			func(ctx context.Context, t *bot.Turn) ([]platform.Post, error) { return t.Search(ctx, "bread", 2) },
			"search_posts", 1, "fresh bread", "search:",
		},
		"search in vain": {
			func(ctx context.Context, t *bot.Turn) ([]platform.Post, error) { return t.Search(ctx, "caviar", 2) },
			"search_posts", 1, "", "search:",
		},
		"own page": {
			func(ctx context.Context, t *bot.Turn) ([]platform.Post, error) { return t.OwnPage(ctx, 5) },
			"profile_posts", 1, "post 44 by ana, fresh bread", "own-page/5",
		},
		"thread": {func(ctx context.Context, t *bot.Turn) ([]platform.Post, error) {
			th, err := t.Thread(ctx, thread)
			return append([]platform.Post{th.Post}, th.Next...), err
		}, "thread_data", 1, "fresh bread, yum 1, yum 0", "thread:"},
		"thread that is gone": {func(ctx context.Context, t *bot.Turn) ([]platform.Post, error) {
			_, err := t.Thread(ctx, gone)
			return nil, err
		}, "thread_data", 1, "never: read the thread of the post", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var m meter
			bottest.Run(t, bottest.Config{
				Transport: m.transport, Routes: reads(func(ctx context.Context, t *bot.Turn) (any, error) {
					all, err := c.look(ctx, t)
					return brief(all), err
				}),
				Before: func(w *bottest.World) {
					me, p := w.Account("bot"), w.Platform()
					ana = w.Person("ana").ID()
					leo = p.AddPerson(emulator.Person{Username: "leo"})
					thread = me.Posts("fresh bread")
					for i := range 2 {
						p.Reply(ana, thread, fmt.Sprintf("yum %d", i))
					}
					gone = me.Posts("stale")
					p.DeletePost(me.ID(), gone)
					var last platform.PostID
					for i := range 45 {
						last = p.Post(ana, fmt.Sprintf("post %d ä", i))
					}
					p.Repost(me.ID(), last)
				},
			}, func(w *bottest.World) {
				before := m.of(c.endpoint)
				asked := w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "look"})
				w.Advance(10 * time.Second)
				got := w.Answer(asked[0])
				if got.Outcome != bot.OutcomeHandled || c.fact != "" && got.Note != c.want || !strings.HasPrefix(got.Note, c.want) {
					t.Errorf("the answer is %+v, want %q", got, c.want)
				}
				if n := m.of(c.endpoint) - before; n != c.calls {
					t.Errorf("%d calls", n)
				}
				w.Inspect(func(d inspect.Inspector) {
					facts, err := d.Facts(context.Background(), "bot", asked[0].Trigger().ID())
					var names []string
					for _, f := range facts {
						names = append(names, f.Name)
					}
					if all := strings.Join(names, " "); err != nil || !strings.Contains(all, c.fact) || !strings.Contains(all, "told") {
						t.Errorf("the facts are %q, %v", names, err)
					}
				})
			})
		})
	}
}

// A read of too many posts, or of none, is refused at once; what the platform sends too much of is cut.
func TestPostsAreBounded(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{0: "read 0 posts: one read gets 1 to 100", 101: "read 101 posts: one read gets 1 to 100", 100: ""} {
		bottest.Run(t, bottest.Config{Routes: []bot.Route{
			bot.On("look", bot.Asked("look"), func(ctx context.Context, t *bot.Turn, _ event.Told) error {
				_, err := t.OwnPage(ctx, most)
				if err != nil {
					t.Note("%v", err)
				}
				return nil
			}),
		}}, func(w *bottest.World) {
			if got := w.Account("bot").Tell("look", ""); got.Note != want {
				t.Errorf("the answer is %q", got.Note)
			}
		})
	}
}

// While the platform cannot be read, the turn waits, also over a crash, and what it had read before is not read again.
func TestPostsOfAnOutage(t *testing.T) {
	t.Parallel()
	var m meter
	var ana platform.UserID
	bottest.Run(t, bottest.Config{Transport: m.transport, Routes: []bot.Route{
		bot.On("look", bot.Asked("look"), func(ctx context.Context, t *bot.Turn, _ event.Told) error {
			own, err := t.OwnPage(ctx, 5)
			if err != nil {
				return err
			}
			hers, err := t.PostsOf(ctx, ana, 5)
			if err != nil {
				return err
			}
			found, err := t.Search(ctx, "bread", 5)
			t.Note("%s; %s; %s", brief(own), brief(hers), brief(found))
			return err
		}),
	}}, func(w *bottest.World) {
		ana = w.Person("ana").ID()
		w.Posts("fresh bread")
		w.Platform().Post(ana, "soup")
		down := make([]emulator.Fault, 8)
		for i := range down {
			down[i] = emulator.CutBefore
		}
		w.Disturb("search_posts", down...)
		q := w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "look"})
		w.Advance(20 * time.Second)
		w.Crash()
		w.Advance(5 * time.Minute)
		if diff := cmp.Diff("fresh bread; soup; fresh bread", w.Answer(q[0]).Note); diff != "" {
			t.Error(diff)
		}
		if n := m.of("profile_posts"); n != 2 {
			t.Errorf("%d readings of pages", n)
		}
	})
}

// However much a platform sends of a post, so much of it is kept.
func TestPostsAreBrief(t *testing.T) {
	t.Parallel()
	longer := func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			answer, err := next.RoundTrip(r)
			if err != nil || path.Base(r.URL.Path) != "profile_posts" {
				return answer, err
			}
			body, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			body = bytes.ReplaceAll(body, []byte("fresh bread"), bytes.Repeat([]byte("fresh ä "), 5000))
			answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			return answer, err
		})
	}
	bottest.Run(t, bottest.Config{Transport: longer, Routes: []bot.Route{
		bot.On("look", bot.Asked("look"), func(ctx context.Context, t *bot.Turn, _ event.Told) error {
			own, err := t.OwnPage(ctx, 5)
			if len(own) == 1 {
				t.Note("%d", utf8.RuneCountInString(own[0].Text))
			}
			return err
		}),
	}}, func(w *bottest.World) {
		w.Posts("fresh bread")
		if got := w.Account("bot").Tell("look", ""); got.Note != "1000" {
			t.Errorf("of its text there are %s characters", got.Note)
		}
	})
}

// A thread is read as the account sees it, also when its session has ended just then, and the platform answers that as if none was sent; and
// where there is no feed, which would tell, it is read all the same.
func TestThreadAsTheAccountSeesIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		feed   string // what the platform answers in its place
		status int
	}{
		"a session that has ended": {},
		"no feed":                  {"<html>Not Found</html>", http.StatusNotFound},
		"a feed that is forbidden": {`{"code":403,"msg":"not for you","data":null}`, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *emulator.Platform
			var me platform.UserID
			var post platform.PostID
			bottest.Run(t, bottest.Config{
				Platform:  emulator.Config{Dialect: emulator.Dialect{StaleIsAnonymous: true}},
				Transport: answerInstead("feeds", c.feed, c.status),
				Routes: reads(func(ctx context.Context, t *bot.Turn) (any, error) {
					if c.feed == "" {
						p.Expire(me)
					}
					th, err := t.Thread(ctx, post)
					return fmt.Sprintf("reposted %v", th.Post.HasReposted), err
				}),
				Before: func(w *bottest.World) {
					p, me = w.Platform(), w.Account("bot").ID()
					post = p.Post(w.Person("ana").ID(), "news")
					p.Repost(me, post)
				},
			}, func(w *bottest.World) {
				asked := w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "look"})
				w.Advance(10 * time.Second)
				if got := w.Answer(asked[0]); got.Note != "reposted true" {
					t.Errorf("the answer is %+v", got)
				}
			})
		})
	}
}

// answerInstead answers requests of an endpoint in place of the platform, unless with nothing.
func answerInstead(endpoint, body string, status int) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if body == "" || path.Base(r.URL.Path) != endpoint {
				return next.RoundTrip(r)
			}
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
	}
}
