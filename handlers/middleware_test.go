package handlers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers"
)

// lines is a log that several goroutines write.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestRecover(t *testing.T) {
	t.Parallel()
	log := &lines{}
	value := bot.NewValue[int]("test", "n")
	bottest.Run(t, bottest.Config{
		Middleware: []bot.Middleware{handlers.Recover(slog.New(slog.NewTextHandler(log, nil)), "sorry, {{first_name|friend}}")},
		Routes: []bot.Route{
			bot.On("boom", handlers.Text("boom"), func(_ context.Context, t *bot.Turn, m event.Message) error {
				t.Label("never")
				t.After(time.Minute, "never")
				if err := errors.Join(t.Reply("never said"), value.Save(t, 1)); err != nil {
					return err
				}
				panic("out of milk")
			}),
			bot.On("timer", bot.Timer("never"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Message("never") }),
			handlers.On("hi", handlers.Text("hi"), handlers.Reply("hello")),
		},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi", "boom", "hi")
		ana.Expects("hello", "sorry, Ana", "hello")
		ana.ExpectsNothing(time.Hour)
		if c := w.Conversation(ana); c.HasLabel("never") || len(c.Values) > 0 {
			t.Errorf("the panic left %+v", c)
		}
		for _, part := range []string{"out of milk", "route=boom", "middleware_test.go"} {
			if !strings.Contains(log.String(), part) {
				t.Errorf("the log does not tell %q:\n%s", part, log)
			}
		}
	})
}

func TestLog(t *testing.T) {
	t.Parallel()
	log := &lines{}
	tries := 0
	bottest.Run(t, bottest.Config{
		Middleware: []bot.Middleware{handlers.Log(slog.New(slog.NewJSONHandler(log, nil)))},
		Routes: []bot.Route{
			handlers.On("mention", bot.AnyMention(), handlers.LikeIt(), handlers.Reply("seen")),
			bot.On("secret", handlers.Text("my secret"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
				time.Sleep(time.Second)
				if tries++; tries == 1 {
					return errors.New("not yet")
				}
				return t.Reply("keep it")
			}),
		},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Mentions("look")
		ana.ExpectsLike()
		ana.ExpectsReply("seen")
		ana.Says("my secret")
		ana.Expects("keep it")
		var got []string
		for line := range strings.Lines(log.String()) {
			var l struct {
				Msg, Account, Trigger, Route, Actions string
				Peer                                  int64
				Took                                  time.Duration
				Failed                                bool
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			if l.Account != "bot" || l.Peer != int64(ana.ID()) || !strings.Contains(l.Trigger, ":") {
				t.Errorf("the line is %s", line)
			}
			got = append(got, fmt.Sprint(l.Msg, " ", l.Route, " ", l.Actions, " ", l.Took, " ", l.Failed))
		}
		want := []string{"turn mention like,post 0s false", "turn secret  1s true", "turn secret message 1s false"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if s := log.String(); strings.Contains(s, "my secret") || strings.Contains(s, "Ana") {
			t.Errorf("the log tells too much:\n%s", s)
		}
	})
}

// Two bots that answer each other come to an end.
func TestCeiling(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Middleware: []bot.Middleware{handlers.Ceiling(3, time.Hour)},
		Routes: []bot.Route{
			handlers.On("echo", bot.AnyMessage(), handlers.Reply("you said: {{text|nothing}}")),
			handlers.On("mention", bot.AnyMention(), handlers.LikeIt(), handlers.Reply("seen")),
		},
	}, func(w *bottest.World) {
		other, ana := w.Person("other-bot"), w.Person("ana")
		other.Says("hello")
		for range 3 {
			other.Says(other.Hears())
		}
		other.ExpectsNothing(30 * time.Minute)
		other.Mentions("you stopped")
		other.ExpectsLike() // a like is nothing said
		ana.Says("hi")
		ana.Expects("you said: hi")
		w.Crash()
		other.Says("still nothing?")
		other.ExpectsNothing(31 * time.Minute)
		other.Says("hello again")
		other.Expects("you said: hello again")
	})
}

func TestFallback(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Routes:   []bot.Route{handlers.On("hi", handlers.Text("hi"), handlers.Reply("hello"))},
		Fallback: handlers.Fallback("I do not know \"{{text|that}}\"", time.Hour),
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi", "hm", "let me see", "hi")
		ana.Expects("hello", `I do not know "hm"`, "hello")
		ana.Likes(w.Posts("spring menu"))
		ana.ExpectsNothing(2 * time.Hour)
		ana.SaysImage()
		ana.ExpectsPart("I do not know")
	})
}

func TestMenu(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Routes: handlers.Menu("What I can do:",
			handlers.Entry{Name: "start", About: "begin anew", Do: start},
			handlers.Entry{Name: "stop", Do: start},
		),
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("/help", "/start 1 2", "/Stop")
		ana.Expects("What I can do:\n/start – begin anew\n/stop", "start with 1 2: 1 2", "stop with :")
	})
}
