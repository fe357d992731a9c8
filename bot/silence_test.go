package bot_test

import (
	"context"
	"errors"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Somebody who answered in time is not told that they did not, although the bot learns of it late: the timer waits until
// what was written before has been read. A stop of a minute is enough, if the timer comes due in it.
func TestTimersAfterMessages(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, away := range map[string]func(w *bottest.World, down *brokenLine, meanwhile func()){
		"stopped": func(w *bottest.World, _ *brokenLine, meanwhile func()) { w.Stop(); meanwhile(); w.Start() },
		"killed":  func(w *bottest.World, _ *brokenLine, meanwhile func()) { w.CrashStop(); meanwhile(); w.Start() },
		"outage":  func(_ *bottest.World, d *brokenLine, meanwhile func()) { d.set("."); meanwhile(); d.set("") },
		"chats cannot be read": func(_ *bottest.World, d *brokenLine, meanwhile func()) {
			d.set("get_messages")
			meanwhile()
			d.set("")
		},
	} {
		for _, long := range []time.Duration{3 * time.Hour, time.Minute} {
			if long > time.Hour && name == "chats cannot be read" {
				continue // for so long nobody waits
			}
			name := name + " for " + long.String()
			if !effort.Some(name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				effort.Case(t)
				down := &brokenLine{}
				cfg := greets(t)
				cfg.Transport = down.on
				bottest.Run(t, cfg, func(w *bottest.World) {
					ana := w.Person("ana")
					ana.Says("hi")
					ana.Expects("what is your name?")
					w.Advance(time.Hour - min(long, time.Hour)/2)
					away(w, down, func() {
						ana.Says("Ana")
						w.Advance(long)
					})
					ana.Expects("hello Ana, which colour?")
				})
			})
		}
	}
}

// What a Go program counts on as silence is heard out, too; a timer that judges nothing comes when it is due.
func TestTimersThatDoNotWait(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("set", saying("start"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			t.After(time.Hour, "at-once/note")
			t.After(time.Hour, "nag")
			return nil
		}),
		bot.On("note", bot.Timer("at-once/note"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			return t.Message("at once")
		}).AtOnce("at-once/"),
		bot.On("nag", bot.Timer("nag"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Message("nag") }),
		bot.On("word", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			t.Cancel("nag")
			return nil
		}).Ordered(1),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("start")
		w.Advance(time.Minute)
		w.Stop()
		ana.Says("here I am")
		w.Advance(2 * time.Hour)
		w.Start()
		ana.Expects("at once")
		ana.ExpectsNothing(time.Hour)
	})
}

// A conversation that cannot be read holds its timers up for half an hour while others are read, and the decision record says so.
// A source that the conversation never used holds up nothing.
func TestTimerOfAnUnreadableConversation(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, c := range map[string]struct {
		broken      string
		after, upTo time.Duration
		note        string
	}{
		"its chat":             {"get_messages", 29 * time.Minute, 32 * time.Minute, "could not be read"},
		"the chat list":        {"get_chats", 29 * time.Minute, 32 * time.Minute, "could not be read"},
		"another source":       {"get_notifications", 0, time.Minute, ""},
		"everything, for long": {".", 2 * time.Hour, 2*time.Hour + 5*time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			down := &brokenLine{}
			cfg := greets(t)
			cfg.Transport = down.on
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("hi")
				ana.Expects("what is your name?")
				w.Advance(59 * time.Minute)
				ana.Says("menu") // the list shows that there is something to read
				down.set(c.broken)
				if c.broken == "get_notifications" {
					w.Advance(2 * time.Minute)
					ana.Expects("tea and cake", "are you still there?")
					return
				}
				w.Advance(time.Minute + c.after)
				if n := len(timerDecisions(w, ana)); n > 0 {
					t.Fatalf("the timer had its turn %v after it was due", c.after)
				}
				if c.broken == "." {
					down.set("")
				}
				w.Advance(c.upTo - c.after)
				if c.broken == "." {
					ana.Expects("tea and cake", "are you still there?")
				}
				got := timerDecisions(w, ana)
				if len(got) == 0 || !strings.Contains(got[0].Note, c.note) {
					t.Errorf("the timer's turns are %v", got)
				}
			})
		})
	}
}

// timerDecisions returns what was decided about a person's timers.
func timerDecisions(w *bottest.World, p *bottest.Person) (decisions []bottest.Decision) {
	for _, tr := range w.Decisions(p) {
		if strings.HasPrefix(tr.Trigger, "timer:") {
			decisions = append(decisions, tr)
		}
	}
	return decisions
}

// brokenLine is a network on which the calls of an endpoint, "." for all, do not come through.
type brokenLine struct{ endpoint atomic.Value }

func (d *brokenLine) set(endpoint string) { d.endpoint.Store(endpoint) }

func (d *brokenLine) on(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		broken, _ := d.endpoint.Load().(string)
		if broken == "." || broken != "" && path.Base(r.URL.Path) == broken {
			return nil, errors.New("no route to host")
		}
		return next.RoundTrip(r)
	})
}

// A timer hears its conversation also where a list is cut, and what stays on top of it hides that the chat has moved.
func TestTimerBehindRowsThatStay(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Bot: bot.Config{Pace: &event.Pace{}, ListLimit: 3000},
		Routes: []bot.Route{
			bot.On("begin", saying("begin"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
				t.After(time.Minute, "limit")
				return t.Reply("got it")
			}),
			bot.On("answer", saying("answer"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
				t.Cancel("limit")
				return t.Reply("thanks")
			}),
			bot.On("limit", bot.Timer("limit"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Message("too late") }),
			echo(),
		},
	}, func(w *bottest.World) {
		for _, p := range longAgo(w, 30) {
			p.Says("hi")
			p.Expects("hi")
		}
		ana := w.Person("ana")
		ana.Says("begin")
		ana.Expects("got it")
		w.Platform().TroubleLists(emulator.ListTrouble{Phantoms: 150})
		w.Advance(50 * time.Second)
		ana.Says("answer")
		ana.Expects("thanks")
		ana.ExpectsNothing(time.Minute)
	})
}
