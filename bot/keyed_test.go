package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
)

// slots is a bot that publishes what it is told, "name text", once for a name.
func slots(options ...bot.Option) []bot.Route {
	return []bot.Route{bot.On("slot", bot.Asked("slot"), func(_ context.Context, t *bot.Turn, a event.Told) error {
		name, text, _ := strings.Cut(a.Text, " ")
		t.Record(event.Entry{List: "told", Key: a.Text})
		return t.Publish(text, append([]bot.Option{bot.Keyed(name)}, options...)...)
	})}
}

// An action of a name is decided once, whichever turn decides it, whatever became of the first, over any restart; the turn
// of a second one does all else, and says so.
func TestKeyed(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: slots()}, func(w *bottest.World) {
				a := w.Account("bot")
				if got := a.Tell("slot", "spring@09:30 one"); got.Note != "" {
					t.Errorf("the answer is %+v", got)
				}
				meanwhile(w)
				a.ExpectsPost("one")
				meanwhile(w)
				if got := a.Tell("slot", "spring@09:30 two"); got.Note != "spring@09:30 was decided before, and is done: it is not done again" {
					t.Errorf("the answer is %+v", got)
				}
				a.Tell("slot", "spring@10:00 three")
				a.ExpectsPost("three")
				w.Advance(time.Minute)
				if diff := cmp.Diff([]string{"one", "three"}, postsOf(w)); diff != "" {
					t.Error(diff)
				}
				w.Inspect(func(d inspect.Inspector) {
					told, err := d.Entries(context.Background(), "bot", "told", "", 9)
					if err != nil || len(told) != 3 {
						t.Errorf("of all else there is %v, %v", told, err)
					}
					first, ok, err := d.Why(context.Background(), "bot", event.NamedKey("spring@09:30"))
					if err != nil || !ok || len(first.Actions) != 1 || first.Actions[0].Text != "one" || !strings.HasPrefix(first.Trigger(), "decision:request/") {
						t.Errorf("the turn of the first is %+v, %v", first, err)
					}
				})
			})
		})
	}
}

// Of turns that decide an action of one name at the same time, in one conversation or in many, one does; each says what it did.
func TestKeyedAtTheSameTime(t *testing.T) {
	t.Parallel()
	var began atomic.Int64
	bottest.Run(t, bottest.Config{
		CommitTime: 300 * time.Millisecond, Bot: bot.Config{Pace: &event.Pace{}, PollInterval: time.Second},
		Routes: []bot.Route{bot.On("once", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			began.Add(1)
			return errors.Join(t.Publish("by "+m.From.User, bot.Keyed("once")), t.Reply("heard "+m.Text))
		})},
	}, func(w *bottest.World) {
		people := []*bottest.Person{w.Person("ana"), w.Person("leo"), w.Person("mia")}
		for _, p := range people {
			p.Says("one", "two", "three")
		}
		for _, p := range people {
			p.Expects("heard one", "heard two", "heard three")
		}
		w.Advance(time.Minute)
		if got := postsOf(w); len(got) != 1 {
			t.Errorf("published %q", got)
		}
		said := 0
		for _, p := range people {
			for _, tr := range w.Decisions(p) {
				if strings.Contains(tr.Note, "once was decided before, and is ") {
					said++
				}
			}
		}
		if said != 8 {
			t.Errorf("%d turns say that it was decided before", said)
		}
	})
}

// What waits for an approval under a name is approved by it; a second one waits for nothing.
func TestKeyedThatWaits(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	expires := event.Approval{}
	bottest.Run(t, bottest.Config{Routes: []bot.Route{bot.On("slot", bot.Asked("slot"), func(_ context.Context, t *bot.Turn, a event.Told) error {
		p := expires
		p.Within, p.Expires = time.Hour, t.Now.Add(time.Hour)
		if err := t.Publish(a.Text, bot.Keyed("slot"), bot.Awaits("asks", p)); err != nil {
			return err
		}
		return t.Publish(a.Text + " at once")
	})}}, func(w *bottest.World) {
		a := w.Account("bot")
		a.Tell("slot", "one")
		a.ExpectsPost("one at once")
		a.Tell("slot", "two")
		a.ExpectsPost("two at once")
		q := w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishRelease, Action: event.NamedKey("slot")})
		a.ExpectsPost("one")
		w.Advance(2 * time.Hour)
		if got := w.Answer(q[0]); got.Outcome != bot.OutcomeHandled {
			t.Errorf("the answer is %+v", got)
		}
		if got := postsOf(w); len(got) != 3 {
			t.Errorf("published %q", got)
		}
	})
}

// What cannot have a name is an error of the handler.
func TestKeyedRefuses(t *testing.T) {
	t.Parallel()
	for want, do := range map[string]func(t *bot.Turn) error{
		"it is a message": func(t *bot.Turn) error { return t.Message("hello", bot.Keyed("x")) },
		"of that name already": func(t *bot.Turn) error {
			return errors.Join(t.Publish("one", bot.Keyed("x")), t.Publish("two", bot.Keyed("x")))
		},
		"before Awaits": func(t *bot.Turn) error { return t.Publish("one", bot.Awaits("asks", event.Approval{}), bot.Keyed("x")) },
		"waits for its approval alone": func(t *bot.Turn) error {
			one := event.Approval{Group: event.NamedKey("x")}
			return errors.Join(t.Publish("one", bot.Keyed("x"), bot.Awaits("asks", one)), t.Publish("two", bot.Awaits("asks", one)))
		},
		`name "": a name has 1`: func(t *bot.Turn) error { return t.Publish("one", bot.Keyed("")) },
		"a name has 1 to 200":   func(t *bot.Turn) error { return t.Publish("one", bot.Keyed(strings.Repeat("x", 201))) },
		"has a space in it":     func(t *bot.Turn) error { return t.Publish("one", bot.Keyed("a b")) },
	} {
		t.Run(want, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{on("do", func(_ context.Context, t *bot.Turn) error { return do(t) })}}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("do")
				w.Advance(5 * time.Minute)
				decisions := w.Decisions(ana)
				if last := decisions[len(decisions)-1]; last.Outcome != "quarantined" || !strings.Contains(last.Note, want) {
					t.Errorf("%v", last)
				}
			})
		})
	}
}

// Wherever the bot is killed, before or after each commit: of two turns that decide one name, one does.
func TestKilledAtEachCommitOfKeyed(t *testing.T) {
	t.Parallel()
	for _, made := range []bool{false, true} {
		for n := 1; n <= 5; n++ {
			t.Run(fmt.Sprintf("commit %d, made %v", n, made), func(t *testing.T) {
				effort.Case(t)
				b := &blade{made: made}
				bottest.Run(t, bottest.Config{Commit: b.commit, Routes: slots(), Bot: bot.Config{Pace: &event.Pace{}}}, func(w *bottest.World) {
					b.falls(w, n, func() {
						for _, text := range []string{"one", "two"} {
							w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "slot", Text: "s " + text})
						}
					})
					w.Advance(5 * time.Minute)
					if diff := cmp.Diff([]string{"one"}, postsOf(w)); diff != "" {
						t.Error(diff)
					}
				})
			})
		}
	}
}
