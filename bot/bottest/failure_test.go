package bottest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// A failure says what was expected and shows how it came about.
func TestFailureShowsTheWay(t *testing.T) {
	t.Parallel()
	routes := []bot.Route{bot.On("hello", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		if m.Text == "fail" {
			return errors.New("no idea")
		}
		t.Note("said politely")
		return t.Reply("hello")
	})}
	got := bottest.Failure(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello")
		ana.Says("fail")
		ana.Expects("hello")
	})
	want, err := os.ReadFile(filepath.Join("testdata", "failure.txt"))
	if err != nil {
		t.Fatal(err)
	}
	// The times of the transcript are local ones, and polls come a little earlier or later.
	clock := regexp.MustCompile(`(?m)\d\d:\d\d:\d\d |time=\S+ | expiry=\S+$`)
	if diff := cmp.Diff(string(want), clock.ReplaceAllString(got, "")); diff != "" {
		t.Error(diff)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cfg  bottest.Config
		test func(w *bottest.World)
		want string
	}{
		"another text": {
			test: func(w *bottest.World) { w.Person("ana").Says("hi"); w.Person("ana").Expects("bye") },
			want: `expected "bye" to ana, and the bot wrote "hello, ana: hi"`,
		},
		"another part": {
			test: func(w *bottest.World) { w.Person("ana").Says("hi"); w.Person("ana").ExpectsPart("bye") },
			want: `expected a message with "bye" to ana, and the bot wrote "hello, ana: hi"`,
		},
		"not nothing": {
			test: func(w *bottest.World) { w.Person("ana").Says("hi"); w.Person("ana").ExpectsNothing(time.Minute) },
			want: `expected nothing for ana, and there was: arrived "hello, ana: hi"`,
		},
		"nothing": {
			cfg:  bottest.Config{Patience: time.Minute},
			test: func(w *bottest.World) { w.Person("ana").Hears() },
			want: `expected a message to ana, and nothing of the kind came within 1m0s`,
		},
		"no like": {
			test: func(w *bottest.World) { w.Person("ana").ExpectsLike() },
			want: `expected a like of ana's last post`,
		},
		"no repost": {
			test: func(w *bottest.World) { w.Person("ana").ExpectsRepost() },
			want: `expected a repost of ana's last post`,
		},
		"not followed": {
			test: func(w *bottest.World) { w.Person("ana").ExpectsFollow() },
			want: `expected ana to be followed`,
		},
		"another reply": {
			test: func(w *bottest.World) { w.Person("ana").Mentions("look"); w.Person("ana").ExpectsReply("what?") },
			want: `expected the public reply "what?" to ana, and the bot replied "seen"`,
		},
		"no post": {
			test: func(w *bottest.World) { w.Account("bot").ExpectsPost("news") },
			want: `expected a post`,
		},
		"what cannot be done": {
			test: func(w *bottest.World) { w.Person("ana").Likes(99) },
			want: `ana cannot like post 99, or likes it already: the platform refused, or nothing changed`,
		},
		"no account": {
			test: func(w *bottest.World) { w.Account("shop") },
			want: `there is no account "shop"`,
		},
		"running": {
			test: func(w *bottest.World) { w.Start() },
			want: `the bot is running already`,
		},
		"stopped": {
			test: func(w *bottest.World) { w.Stop(); w.Crash() },
			want: `the bot has been stopped already`,
		},
		"wrong routes": {
			cfg:  bottest.Config{Routes: append(greeter(), greeter()...)},
			test: func(*bottest.World) {},
			want: `the bot cannot start: two routes are named "follow"`,
		},
		"refused sign-in": {
			cfg:  bottest.Config{Before: func(w *bottest.World) { w.Platform().SetPassword(w.Account("bot").ID(), "changed") }},
			test: func(*bottest.World) {},
			want: `no poll has succeeded within 10m0s`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.cfg.Routes == nil {
				c.cfg.Routes = greeter()
			}
			got := bottest.Failure(t, c.cfg, c.test)
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("the test failed with %q, want %q", got, c.want)
			}
		})
	}
}
