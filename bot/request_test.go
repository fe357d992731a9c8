package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// about is a request about the conversation with a person.
func about(p *bottest.Person, wish event.Wish) event.Request {
	return event.Request{Key: event.Key{Account: "bot", Peer: p.ID()}, Wish: wish}
}

// decides asks for something and checks how it ended.
func decides(t *testing.T, w *bottest.World, q event.Request, outcome, note string) {
	t.Helper()
	q = w.Ask(q)[0]
	w.Advance(3 * time.Second)
	if a := w.Answer(q); a.Outcome != outcome || !strings.Contains(a.Note, note) {
		t.Errorf("the request to %s ended as %q (%s), want %q (%s)", q.Wish, a.Outcome, a.Note, outcome, note)
	}
}

// moments are when a crash may come: before a request is taken up, and from its commit on.
var moments = []struct {
	committed bool
	after     time.Duration
}{
	{false, 0},
	{false, 400 * time.Millisecond},
	{true, 0},
	{true, 10 * time.Millisecond},
	{true, 30 * time.Millisecond},
	{true, 60 * time.Millisecond},
	{true, 100 * time.Millisecond},
	{true, time.Minute},
}

// crashes asks for something and lets the bot crash at a moment, twice.
func crashes(w *bottest.World, q event.Request, committed bool, after time.Duration) event.Request {
	q = w.Ask(q)[0]
	w.Inspect(func(d inspect.Inspector) {
		for committed {
			_, ok, err := d.Answer(context.Background(), q)
			if ok || err != nil {
				return
			}
			w.Advance(2 * time.Millisecond)
		}
	})
	for range 2 {
		w.Advance(after)
		w.Crash()
	}
	return q
}

// quarantined returns the events of a person that are quarantined, newest first.
func quarantined(w *bottest.World, p *bottest.Person) (rows []record.EventRow) {
	w.Inspect(func(d inspect.Inspector) {
		var err error
		rows, err = d.Events(context.Background(), record.EventQuery{Account: "bot", Peer: p.ID(), State: record.EventQuarantined, Limit: 100})
		if err != nil {
			panic(err)
		}
	})
	return rows
}

// repaired is a bot whose handler for what begins with "boom" fails until it is repaired, and says what
// it knows then.
func repaired(broken *atomic.Bool) bottest.Config {
	broken.Store(true)
	boom := bot.NewMatcher(func(_ context.Context, t *bot.Turn) (event.Message, bool) {
		m, ok := t.Event.Message()
		return m, ok && strings.HasPrefix(m.Text, "boom")
	}, event.KindMessage)
	return bottest.Config{Routes: []bot.Route{bot.On("boom", boom, func(_ context.Context, t *bot.Turn, m event.Message) error {
		if broken.Load() {
			return errors.New("no idea")
		}
		return t.Reply(fmt.Sprintf("%s, late %v", m.Text, t.Trigger.Late))
	}), echo().Ordered(1)}}
}

// sayBoom lets a person say what the bot cannot handle, a few times, and waits until all of it is
// quarantined.
func sayBoom(w *bottest.World, p *bottest.Person, texts ...string) {
	p.Says(texts...)
	p.Says("next")
	p.Expects("next")
	w.Advance(time.Second)
}

// What was quarantined is handled in the order in which it was said, marked late, however old it is,
// and once.
func TestRetryAfterQuarantine(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*bottest.World){
		"running": func(*bottest.World) {}, "restart": (*bottest.World).Restart, "crash": (*bottest.World).Crash,
	} {
		if !effort.Some(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var broken atomic.Bool
			bottest.Run(t, repaired(&broken), func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				sayBoom(w, leo, "boom")
				sayBoom(w, ana, "boom", "boom 2", "boom 3")
				w.Advance(7 * time.Hour) // longer than routes answer
				broken.Store(false)
				ana.ExpectsNothing(5 * time.Minute)
				meanwhile(w)
				decides(t, w, about(ana, event.WishRetry), bot.OutcomeHandled, "3 events are tried again, from message:")
				ana.Expects("boom, late true", "boom 2, late true", "boom 3, late true")
				meanwhile(w)
				ana.ExpectsNothing(5 * time.Minute)
				ana.Says("boom 4")
				ana.Expects("boom 4, late false")
				leo.ExpectsNothing(0)
				if n := len(quarantined(w, ana)); n != 0 {
					t.Errorf("%d events are still quarantined", n)
				}
				decides(t, w, about(ana, event.WishRetry), bot.OutcomeObsolete, "none of it is quarantined any more")
			})
		})
	}
}

// Some of it, in whatever order it is named.
func TestRetrySome(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	bottest.Run(t, repaired(&broken), func(w *bottest.World) {
		ana := w.Person("ana")
		sayBoom(w, ana, "boom", "boom 2", "boom 3")
		broken.Store(false)
		q := about(ana, event.WishRetry)
		for _, e := range quarantined(w, ana) {
			if e.Text != "boom 2" {
				q.Events = append(q.Events, e.ID)
			}
		}
		decides(t, w, q, bot.OutcomeHandled, "2 events")
		ana.Expects("boom, late true", "boom 3, late true")
		ana.ExpectsNothing(5 * time.Minute)
	})
}

// What fails again is quarantined again, after as many tries, and takes nothing with it.
func TestRetryThatFails(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	bottest.Run(t, repaired(&broken), func(w *bottest.World) {
		ana := w.Person("ana")
		sayBoom(w, ana, "boom")
		before := len(w.Decisions(ana))
		decides(t, w, about(ana, event.WishRetry), bot.OutcomeHandled, "is tried again")
		w.Advance(10 * time.Second)
		w.Crash()
		ana.Says("next")
		ana.Expects("next")
		rows := quarantined(w, ana)
		if len(rows) != 1 || rows[0].Tries != 5 || !rows[0].Late {
			t.Errorf("quarantined is %+v", rows)
		}
		tries := 0
		for _, rec := range w.Decisions(ana)[before:] {
			if rec.Text == "boom" {
				tries++
			}
		}
		if tries != 5 {
			t.Errorf("it was tried %d times", tries)
		}
	})
}

// A retry waits behind what is running, and delays nobody else.
func TestRetryBehindWhatIsRunning(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	cfg := repaired(&broken)
	cfg.Routes = append(cfg.Routes, on("slow", func(ctx context.Context, t *bot.Turn) error {
		select {
		case <-time.After(20 * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
		return t.Reply("done")
	}))
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		sayBoom(w, ana, "boom")
		broken.Store(false)
		ana.Says("slow", "quick")
		w.Advance(12 * time.Second) // polled, and under way
		w.Ask(about(ana, event.WishRetry))
		leo.Says("hi")
		leo.Expects("hi")
		ana.Expects("done", "quick", "boom, late true")
	})
}

// A crash at any moment between the request and its effect changes nothing: it takes effect once.
func TestRequestOverCrashes(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			effort.Case(t)
			var broken atomic.Bool
			cfg := repaired(&broken)
			cfg.CommitTime = 40 * time.Millisecond
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Person("ana")
				sayBoom(w, ana, "boom", "boom 2")
				broken.Store(false)
				q := crashes(w, about(ana, event.WishRetry), m.committed, m.after)
				ana.Expects("boom, late true", "boom 2, late true")
				ana.ExpectsNothing(5 * time.Minute)
				if a := w.Answer(q); a.Outcome != bot.OutcomeHandled {
					t.Errorf("the answer is %+v", a)
				}
			})
		})
	}
}

// A request waits for a bot, and those of one conversation keep their order.
func TestRequestsWaitForABot(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Bot: rarely(), Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
		w.Stop()
		takeOver := about(ana, event.WishTakeOver)
		takeOver.Owner = "team"
		asked := w.Ask(takeOver, about(ana, event.WishGiveBack), takeOver)
		w.Advance(time.Hour)
		if a := w.Answer(asked[0]); a != (record.Answer{}) {
			t.Errorf("there is an answer: %+v", a)
		}
		w.Start()
		w.Advance(3 * time.Second)
		ana.Says("anybody there?")
		ana.ExpectsNothing(13 * time.Hour) // for good
		if c := w.Conversation(ana); c.Owner != "team" {
			t.Errorf("the owner is %q", c.Owner)
		}
		decides(t, w, about(ana, event.WishGiveBack), bot.OutcomeHandled, "the bot has the conversation again, after team")
		ana.Says("and now?")
		ana.Expects("and now?")
		decides(t, w, about(ana, event.WishGiveBack), bot.OutcomeObsolete, "had the conversation already")
	})
}

// A person takes over: what is due is taken back, and the bot is silent until it gets the conversation
// back, at its time or when it is told.
func TestTakeOverAndGiveBack(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Bot: rarely(), Routes: []bot.Route{
		on("later", func(_ context.Context, t *bot.Turn) error { return t.Reply("here it is", bot.In(time.Hour)) }),
		echo().Ordered(1),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("later")
		w.Advance(time.Minute)
		q := about(ana, event.WishTakeOver)
		q.Owner, q.Until = "ines", time.Now().Add(6*time.Hour)
		decides(t, w, q, bot.OutcomeHandled, "ines has the conversation; the bot is silent until 2025-03-03T15:01:")
		ana.Says("hello?")
		ana.ExpectsNothing(2 * time.Hour)
		w.Account("bot").Tells(ana, "this is Ines") // a takeover of its own changes nothing
		ana.ExpectsNothing(3 * time.Hour)
		w.Restart()
		w.Advance(time.Hour)
		ana.Says("hello")
		ana.Expects("hello")

		decides(t, w, q, bot.OutcomeObsolete, "its time was over")
		q.Until = time.Now().Add(6 * time.Hour)
		decides(t, w, q, bot.OutcomeHandled, "ines has the conversation")
		q.Owner = "leo"
		decides(t, w, q, bot.OutcomeHandled, "leo (after ines) has the conversation")
		decides(t, w, about(ana, event.WishGiveBack), bot.OutcomeHandled, "after leo")
		q.Owner, q.Until = "ines", time.Time{}
		decides(t, w, q, bot.OutcomeHandled, "until it is given back")
		ana.Says("still there?")
		ana.ExpectsNothing(13 * time.Hour) // the alarm of the time before is gone
	})
}
