package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// hurried is a bot that answers as fast as it can, with a list limit.
func hurried(limit int64) bot.Config {
	return bot.Config{Pace: &event.Pace{}, Concurrency: 8, ListLimit: limit}
}

// longAgo returns people who wrote long ago, in this order.
func longAgo(w *bottest.World, n int) []*bottest.Person {
	people := make([]*bottest.Person, n)
	for i := range people {
		people[i] = w.Person(fmt.Sprint("person", i))
	}
	return people
}

// 240 strangers with a message of emoji each make a list of more than 8 MiB. Nothing keeps the bot from answering.
func TestUnattributedWithEmoji(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	const unattributed = 240
	short := func(_ context.Context, t *bot.Turn, m event.Message) error { return t.Reply(fmt.Sprint(len(m.Text))) }
	bottest.Run(t, bottest.Config{
		Bot: hurried(0), Routes: []bot.Route{bot.On("count", bot.AnyMessage(), short)},
		Platform: emulator.Config{Dialect: emulator.Dialect{UnicodeEscapes: true}},
	}, func(w *bottest.World) {
		people := longAgo(w, unattributed)
		for _, p := range people {
			p.Says(strings.Repeat("😀", 2990))
		}
		for _, p := range people {
			p.Expects("11960")
		}
		w.Restart()
		w.Person("ana").Says("hi")
		w.Person("ana").Expects("2")
	})
}

// Of a list above its limit the newest chats are heard: at a start, behind it, and after a restart. That is said once.
func TestListAboveItsLimit(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{
		Bot: hurried(3000), Routes: []bot.Route{echo()},
		Before: func(w *bottest.World) {
			for _, p := range longAgo(w, 40) {
				p.Says("long ago")
			}
		},
	}, func(w *bottest.World) {
		people := longAgo(w, 50)
		for i, p := range people[30:] {
			p.Says(fmt.Sprint("hi ", i))
			p.Expects(fmt.Sprint("hi ", i))
		}
		w.Restart()
		for i, p := range people {
			p.Says(fmt.Sprint("ho ", i))
			p.Expects(fmt.Sprint("ho ", i))
		}
		w.Advance(time.Hour)
		if n := strings.Count(w.Log(), "only the newest chats of the list arrive"); n != 2 { // once in each incarnation
			t.Errorf("the log says %d times that the list is cut:\n%s", n, w.Log())
		}
		h := w.Bot().Health()[0]
		if h.Cut != platform.CutByLimit || h.CutSince.IsZero() || h.List.Bytes != 3000 || h.List.Limit != 3000 || h.List.Rows < 5 || h.Unhealthy != "" || h.Failures > 0 {
			t.Errorf("health %+v", h)
		}
		w.Deploy(func(c *bottest.Config) { c.Bot.ListLimit = 0 })
		people[0].Says("bye")
		people[0].Expects("bye")
		w.Advance(time.Hour)
		if h := w.Bot().Health()[0]; h.Cut != "" || h.List.Rows != 50 || h.List.Limit != 256<<20 {
			t.Errorf("health %+v", h)
		}
		for _, p := range people {
			p.ExpectsNothing(0)
		}
	})
}

// A list that arrives too slowly, or breaks, is no outage: what has arrived of it is heard.
func TestListThatIsCut(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, test := range map[string]struct {
		trouble emulator.ListTrouble
		by      platform.CutBy
	}{
		"by the deadline": {emulator.ListTrouble{Rate: 200}, platform.CutByDeadline},
		"by a fault":      {emulator.ListTrouble{Break: 3000}, platform.CutByFault},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Bot: hurried(0), Routes: []bot.Route{echo()}}, func(w *bottest.World) {
				people := longAgo(w, 40)
				for _, p := range people {
					p.Says("hello")
					p.Expects("hello")
				}
				w.Platform().TroubleLists(test.trouble)
				w.Advance(time.Minute)
				for i, p := range people {
					p.Says(fmt.Sprint("hi ", i))
					p.Expects(fmt.Sprint("hi ", i))
				}
				w.Advance(10 * time.Minute)
				h := w.Bot().Health()[0]
				if h.Cut != test.by || h.Unhealthy != "" || h.Failures > 0 || h.Failed > 0 {
					t.Errorf("health %+v", h)
				}
				if strings.Contains(w.Log(), "polling fails") || strings.Count(w.Log(), "only the newest chats of the list arrive") != 1 {
					t.Errorf("the log:\n%s", w.Log())
				}
				w.Platform().TroubleLists(emulator.ListTrouble{})
				w.Advance(time.Minute)
				if h := w.Bot().Health()[0]; h.Cut != "" || strings.Count(w.Log(), "the chat list arrives whole again") != 1 {
					t.Errorf("health %+v, the log:\n%s", h, w.Log())
				}
				for _, p := range people {
					p.ExpectsNothing(0)
				}
			})
		})
	}
}

// While the bot was down, or could not read the list, more people wrote than the list shows: those it knows are reached
// one after another.
func TestBehindTheCut(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, down := range map[string]func(w *bottest.World, write func()){
		"while it was down": func(w *bottest.World, write func()) {
			w.Stop()
			w.Advance(time.Minute)
			write()
			w.Advance(time.Minute)
			w.Start()
		},
		"while it was killed": func(w *bottest.World, write func()) {
			w.CrashStop()
			write()
			w.Start()
		},
		"in an outage": func(w *bottest.World, write func()) {
			w.Faults(emulator.Faults{CutBefore: 1})
			w.Advance(5 * time.Minute)
			write()
			w.Advance(5 * time.Minute)
			w.Faults(emulator.Faults{})
		},
		"between two polls": func(w *bottest.World, write func()) { write() },
	} {
		if !effort.Some(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Bot: hurried(3000), Routes: []bot.Route{echo()}}, func(w *bottest.World) {
				people := longAgo(w, 60)
				for _, p := range people {
					p.Says("hello")
					p.Expects("hello")
				}
				w.Advance(3 * time.Hour)
				down(w, func() {
					for i, p := range people {
						p.Says(fmt.Sprint("hi ", i))
					}
				})
				for i, p := range people {
					p.Expects(fmt.Sprint("hi ", i))
				}
				w.Advance(time.Hour)
				for _, p := range people {
					p.ExpectsNothing(0)
				}
				reads := w.Platform().Calls("get_messages")
				w.Advance(time.Hour)
				if n := w.Platform().Calls("get_messages") - reads; n > 400 {
					t.Errorf("%d chats were read in an hour of silence", n)
				}
			})
		})
	}
}

// What was there before the first start is no news when a cut does not hide it any more.
func TestBacklogBehindTheCut(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	for _, absent := range []emulator.Absent{emulator.Present, emulator.AbsentPage} {
		bottest.Run(t, bottest.Config{
			Bot: hurried(3000), Routes: []bot.Route{echo()},
			Platform: emulator.Config{Dialect: emulator.Dialect{Messages: absent}},
			Before: func(w *bottest.World) {
				for _, p := range longAgo(w, 40) {
					p.Says("long ago")
				}
				w.Advance(5 * time.Hour)
			},
		}, func(w *bottest.World) {
			people := longAgo(w, 42)
			for _, p := range people[40:] {
				p.Says("hi")
				p.Expects("hi")
			}
			w.Deploy(func(c *bottest.Config) { c.Bot.ListLimit = 6000 })
			w.Advance(time.Hour)
			people[41].Says("ho")
			people[41].Expects("ho")
			w.Platform().TroubleLists(emulator.ListTrouble{Break: 4000})
			w.Advance(time.Hour)
			w.Platform().TroubleLists(emulator.ListTrouble{})
			w.Deploy(func(c *bottest.Config) { c.Bot.ListLimit = 0 })
			w.Advance(time.Hour)
			for _, p := range people {
				p.ExpectsNothing(0)
			}
			people[0].Says("there you are")
			people[0].Expects("there you are")
		})
	}
}
