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
)

func TestReplyAnswersWhereItWasSaid(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("all", bot.AnyEvent(), says[event.Event]("hello")),
	}}, func(w *bottest.World) {
		ana, menu := w.Person("ana"), w.Posts("spring menu")
		ana.Says("hi")
		ana.Expects("hello")
		ana.Mentions("look")
		ana.ExpectsReply("hello")
		ana.Replies(menu, "tasty")
		ana.ExpectsReply("hello")
		ana.Likes(menu)
		ana.Expects("hello")
		ana.ExpectsNothing(time.Hour)
	})
}

func TestToggles(t *testing.T) {
	t.Parallel()
	var post event.Mention
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			post = m
			t.Like(m.Post)
			t.Like(m.Post) // the wish is the same, so it is not taken back
			t.Repost(m.Post)
			t.Follow()
			return nil
		}),
		on("undo", func(_ context.Context, t *bot.Turn) error {
			t.Unlike(post.Post)
			t.Unrepost(post.Post)
			t.Unfollow()
			return nil
		}),
	}}, func(w *bottest.World) {
		ana, me := w.Person("ana"), w.Account("bot").ID()
		p := ana.Mentions("look")
		ana.ExpectsLike()
		ana.ExpectsRepost()
		ana.ExpectsFollow()
		ana.ExpectsNothing(time.Hour)
		ana.Says("undo")
		w.Advance(time.Minute)
		if w.Platform().Liked(me, p) || w.Platform().Reposted(me, p) || w.Platform().Following(me, ana.ID()) {
			t.Error("something was not taken back")
		}
	})
}

func TestLongTextsAreCutBetweenWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 2*bot.MaxMessage/5) + "end"
	solid := strings.Repeat("ж", bot.MaxMessage+1)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("long", func(_ context.Context, t *bot.Turn) error { return t.Reply(long) }),
		on("solid", func(_ context.Context, t *bot.Turn) error { return t.Reply(solid) }),
		on("exact", func(_ context.Context, t *bot.Turn) error { return t.Reply(solid[len("ж"):]) }),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("long")
		parts := []string{ana.Hears(), ana.Hears(), ana.Hears()}
		if got := strings.Join(parts, " "); got != long {
			t.Errorf("the parts are not the text: %d of %d bytes", len(got), len(long))
		}
		for _, p := range parts {
			if n := len([]rune(p)); n > bot.MaxMessage {
				t.Errorf("a part has %d characters", n)
			}
		}
		ana.Says("solid")
		if got := ana.Hears() + ana.Hears(); got != solid {
			t.Errorf("the parts are not the text: %d of %d bytes", len(got), len(solid))
		}
		ana.Says("exact")
		ana.Expects(solid[len("ж"):])
		ana.ExpectsNothing(time.Minute)
	})
}

func TestTextsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("try", func(_ context.Context, t *bot.Turn) error {
			for name, err := range map[string]error{
				"empty message": t.Message(" \n"), "empty post": t.Publish("  "), "long post": t.Publish(strings.Repeat("x", bot.MaxPost+1)),
			} {
				if err == nil {
					return fmt.Errorf("%s: no error", name)
				}
			}
			return t.Publish(strings.Repeat("x", bot.MaxPost))
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("try")
		w.Account("bot").ExpectsPost(strings.Repeat("x", bot.MaxPost))
		ana.ExpectsNothing(time.Minute)
	})
}

func TestInDelaysAnAction(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for name, meanwhile := range map[string]func(*bottest.World){
		"running": func(*bottest.World) {}, "restart": (*bottest.World).Restart, "crash": (*bottest.World).Crash,
	} {
		if !effort.Some(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{
				on("hi", func(_ context.Context, t *bot.Turn) error {
					if err := t.Reply("later", bot.In(time.Hour)); err != nil {
						return err
					}
					return t.Reply("now")
				}),
			}, Patience: 2 * time.Hour}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("hi")
				ana.Expects("now")
				began := time.Now()
				meanwhile(w)
				ana.ExpectsNothing(59 * time.Minute)
				meanwhile(w)
				ana.Expects("later")
				if took := time.Since(began); took < time.Hour-time.Second || took > time.Hour+time.Minute {
					t.Errorf("it came after %v", took)
				}
				meanwhile(w)
				ana.ExpectsNothing(3 * time.Hour)
			})
		})
	}
}

func TestTimers(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("hi", func(_ context.Context, t *bot.Turn) error {
			t.After(time.Hour, "reminder")
			t.After(2*time.Hour, "other")
			return nil
		}),
		on("later", func(_ context.Context, t *bot.Turn) error { t.After(5*time.Hour, "reminder"); return nil }),
		on("stop", func(_ context.Context, t *bot.Turn) error { t.Cancel("reminder"); return nil }),
		bot.On("reminder", bot.Timer("reminder"), func(_ context.Context, t *bot.Turn, timer event.Timer) error {
			return t.Message(timer.Name)
		}),
		bot.On("other", bot.Timer("other"), says[event.Timer]("other")),
	}, Patience: 10 * time.Hour, Bot: rarely()}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("hi")
		leo.Says("hi")
		ana.ExpectsNothing(50 * time.Minute)
		leo.Says("later")
		w.Crash()
		ana.Expects("reminder")
		w.Restart()
		ana.Expects("other")
		leo.Expects("other")
		ana.ExpectsNothing(2 * time.Hour)
		leo.Expects("reminder")
		leo.Says("hi")
		w.Advance(time.Minute)
		leo.Says("stop")
		leo.Expects("other")
		leo.ExpectsNothing(10 * time.Hour)
	})
}

// A timer may set itself again, and fires once each time.
func TestTimerThatRepeats(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("hi", func(_ context.Context, t *bot.Turn) error { t.After(0, "tick"); return nil }),
		bot.On("tick", bot.Timer("tick"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			t.After(aDay(), "tick")
			return t.Message("good morning")
		}),
	}, Patience: aDay() + time.Hour, Bot: rarely()}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		for range 2 {
			ana.Expects("good morning")
			ana.ExpectsNothing(aDay() / 2)
			w.Crash()
		}
		w.Stop()
		w.Advance(2 * aDay())
		w.Start()
		ana.Expects("good morning")
		ana.ExpectsNothing(aDay() / 2)
	})
}

// Where nothing takes any time, timers that set themselves again still fire each time.
func TestTimersInNoTime(t *testing.T) {
	t.Parallel()
	n := 0
	bottest.Run(t, bottest.Config{Latency: -1, CommitTime: -1, Routes: []bot.Route{
		on("hi", func(_ context.Context, t *bot.Turn) error { t.After(0, "tick"); return nil }),
		bot.On("tick", bot.Timer("tick"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			if n++; n < 5 {
				t.After(0, "tick")
			}
			return t.Message(fmt.Sprint(n))
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("1", "2", "3", "4", "5")
		ana.ExpectsNothing(time.Hour)
	})
}

func TestLabels(t *testing.T) {
	t.Parallel()
	labelled := func(_ context.Context, t *bot.Turn) bool { return t.Conversation.HasLabel("vip") }
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("up", func(_ context.Context, t *bot.Turn) error {
			t.Label("vip")
			t.Label("a\nb")
			t.Label("zebra")
			return nil
		}),
		on("down", func(_ context.Context, t *bot.Turn) error { t.Unlabel("vip"); t.Unlabel("never"); return nil }),
		bot.On("vip", saying("hi").If(labelled), says[event.Message]("your table is ready")),
		echo().Ordered(1),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi", "up", "hi")
		ana.Expects("hi", "your table is ready")
		w.Crash()
		ana.Says("hi", "down", "hi")
		ana.Expects("your table is ready", "hi")
		if c := w.Conversation(ana); c.HasLabel("vip") || !c.HasLabel("zebra") || !c.HasLabel("a\nb") {
			t.Errorf("the labels are %q", c.Labels)
		}
	})
}

func TestValues(t *testing.T) {
	t.Parallel()
	type order struct {
		Cakes int
		Notes []string
	}
	orders := bot.NewValue[order]("shop", "order")
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("cake", func(_ context.Context, t *bot.Turn) error {
			o, found, err := orders.Load(t)
			if err != nil {
				return err
			}
			o.Cakes++
			o.Notes = append(o.Notes, fmt.Sprintf("%v", found))
			if err := orders.Save(t, o); err != nil {
				return err
			}
			return t.Reply(fmt.Sprint(o.Cakes, o.Notes))
		}),
		on("fail", func(_ context.Context, t *bot.Turn) error {
			if err := orders.Save(t, order{Cakes: 99}); err != nil {
				return err
			}
			return fmt.Errorf("out of cake")
		}),
		on("none", func(_ context.Context, t *bot.Turn) error { orders.Delete(t); orders.Delete(t); return nil }),
	}}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("cake", "cake")
		ana.Expects("1 [false]", "2 [false true]")
		w.Crash()
		leo.Says("cake")
		leo.Expects("1 [false]")
		ana.Says("fail", "cake")
		ana.Expects("3 [false true true]")
		ana.Says("none", "cake")
		ana.Expects("1 [false]")
	})
}

func TestBursts(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Bot: bot.Config{Concurrency: 8, Ceiling: bot.Ceiling{Max: -1}}}, func(w *bottest.World) {
		people := []*bottest.Person{w.Person("ana"), w.Person("leo"), w.Person("mia"), w.Person("tom")}
		const n = 60
		for i := range n {
			for _, p := range people {
				p.Says(fmt.Sprint(i / 2)) // twins, too
			}
		}
		for _, p := range people {
			for i := range n {
				p.Expects(fmt.Sprint(i / 2))
			}
			p.ExpectsNothing(0)
		}
	})
}

func TestBacklog(t *testing.T) {
	t.Parallel()
	before := func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("long ago")
		w.Platform().MarkSeen(w.Account("bot").ID(), ana.ID())
		ana.Says("anybody?", "please?")
		leo.Says("seen")
		w.Platform().MarkSeen(w.Account("bot").ID(), leo.ID())
		w.Advance(time.Hour)
	}
	t.Run("skip", func(t *testing.T) {
		effort.Case(t)
		bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Before: before}, func(w *bottest.World) {
			w.Person("ana").ExpectsNothing(time.Hour)
			w.Person("leo").ExpectsNothing(0)
			w.Person("leo").Says("new")
			w.Person("leo").Expects("new")
		})
	})
	t.Run("unread", func(t *testing.T) {
		effort.Case(t)
		bottest.Run(t, bottest.Config{
			Routes: []bot.Route{echo()}, Before: before, Bot: bot.Config{Backlog: event.Unread},
		}, func(w *bottest.World) {
			w.Person("ana").Expects("anybody?", "please?")
			w.Restart()
			w.Person("ana").ExpectsNothing(time.Hour)
			w.Person("leo").ExpectsNothing(0)
		})
	})
}
