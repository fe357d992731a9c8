package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// planned prepares two posts that are approved together, with a label beside them: the first leaves after six hours, and
// within ten minutes, the second ten minutes later, whenever that is. They may be approved until two hours before.
func planned(by time.Duration) bottest.Config {
	return bottest.Config{Bot: rarely(), Routes: []bot.Route{on("plan", func(_ context.Context, t *bot.Turn) error {
		slot := t.Now.Add(6 * time.Hour)
		p := event.Approval{Group: t.Trigger.ID() + "/on-plan/0"}
		if by > 0 {
			p.Expires = slot.Add(-by)
		}
		first := p
		first.Effects = event.Effects{Labels: []string{"planned"}}
		uses := event.LimitUse{Limit: "posts", Max: 100, GiveBack: true}
		if err := t.Publish("spring", bot.Awaits("needs approval", first), bot.In(6*time.Hour), bot.Before(slot.Add(10*time.Minute)), engine.Claiming(uses)); err != nil {
			return err
		}
		return t.Publish("and more", bot.In(6*time.Hour+10*time.Minute), bot.Awaits("needs approval", p))
	})}}
}

// aways are ways of the bot to be away, from now on until it comes back.
func aways() map[string]func(w *bottest.World, d time.Duration) {
	return map[string]func(w *bottest.World, d time.Duration){
		"there": (*bottest.World).Advance,
		"stopped": func(w *bottest.World, d time.Duration) {
			w.Stop()
			w.Advance(d)
			w.Start()
			w.Advance(30 * time.Second)
		},
		"killed": func(w *bottest.World, d time.Duration) {
			w.CrashStop()
			w.Advance(d)
			w.Start()
			w.Advance(30 * time.Second)
		},
	}
}

// becameOf tells what became of what was planned.
func becameOf(t *testing.T, w *bottest.World, p *bottest.Person, ruling event.Ruling, by string, labels int, endings ...string) {
	t.Helper()
	var got []string
	all := actionsOf(w, p)
	for _, a := range all {
		got = append(got, strings.TrimSpace(string(a.State)+" "+a.Reason))
	}
	if len(got) != len(endings) {
		t.Fatalf("they ended as %q", got)
	}
	for i := range got {
		if !strings.HasPrefix(got[i], endings[i]) {
			t.Errorf("one ended as %q, want %q", got[i], endings[i])
		}
	}
	verdicts(t, w, all, ruling, by)
	if c := w.Conversation(p); len(c.Labels) != labels {
		t.Errorf("the labels are %v", c.Labels)
	}
	if n := usesLeft(t, w); n != labels {
		t.Errorf("%d uses of the limit count", n)
	}
}

// Nobody decides: at the latest departure of the first all of it is withdrawn by itself, with what waits beside it; and
// before that, when nobody may approve it any more.
func TestNobodyApprovesInTime(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, away := range aways() {
		for _, by := range []time.Duration{0, 2 * time.Hour} {
			t.Run(fmt.Sprint(name, " ", by), func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, planned(by), func(w *bottest.World) {
					ana := w.Person("ana")
					slot := time.Now().Add(6 * time.Hour)
					ana.Says("plan")
					seen(w, ana)
					over, why := slot.Add(10*time.Minute), "withdrawn its time was over at "
					if by > 0 {
						over, why = slot.Add(-by), "withdrawn nobody approved it by "
					}
					w.Advance(time.Until(over) - time.Minute)
					if n := len(heldBack(w, event.StateHeld)); n != 2 {
						t.Fatalf("%d are held a minute before", n)
					}
					away(w, 2*time.Minute)
					becameOf(t, w, ana, event.Expired, "", 0, why, why)
					decides(t, w, decided(ana, event.WishRelease, actionsOf(w, ana)[0].Key), bot.OutcomeObsolete, "it is withdrawn")
					w.Advance(time.Hour)
					if texts, _ := published(w); len(texts) > 0 {
						t.Errorf("published is %v", texts)
					}
				})
			})
		}
	}
}

// An approval counts from when it was given, whenever the bot reads it; the time that it is for holds all the same.
func TestApprovedInTime(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	const label = 1
	for name, c := range map[string]struct {
		asked   time.Duration // before the time of the first
		back    time.Duration // when the bot is there again, after that time; it leaves right after the approval
		ruling  event.Ruling
		labels  int
		endings [2]string
		at      [2]time.Duration // when they are published, after the time of the first
	}{
		"early, and the bot is there soon":         {3 * time.Hour, -150 * time.Minute, event.Released, label, [2]string{"done", "done"}, [2]time.Duration{0, 10 * time.Minute}},
		"early, and the bot is away over the end":  {3 * time.Hour, -time.Hour, event.Released, label, [2]string{"done", "done"}, [2]time.Duration{0, 10 * time.Minute}},
		"early, and the bot is away over the time": {3 * time.Hour, 5 * time.Minute, event.Released, label, [2]string{"done", "done"}, [2]time.Duration{5 * time.Minute, 15 * time.Minute}},
		"early, and the bot is away for too long":  {3 * time.Hour, time.Hour, event.Released, 0, [2]string{"withdrawn its time was over at ", "withdrawn its time was over at "}, [2]time.Duration{}},
		"late, and the bot is away over the end":   {time.Hour, -time.Minute, event.Expired, 0, [2]string{"withdrawn nobody approved it by ", "withdrawn nobody approved it by "}, [2]time.Duration{}},
	} {
		for _, how := range []string{"stopped", "killed"} {
			if !effort.Some(name + ", " + how) {
				continue
			}
			t.Run(name+", "+how, func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, planned(2*time.Hour), func(w *bottest.World) {
					ana := w.Person("ana")
					ana.Says("plan")
					seen(w, ana)
					held := heldBack(w, event.StateHeld)
					slot := held[1].Due
					w.Advance(time.Until(slot.Add(-max(c.asked, 150*time.Minute))))
					if how == "stopped" {
						w.Stop()
					} else {
						w.CrashStop()
					}
					w.Advance(time.Until(slot.Add(-c.asked)))
					w.Ask(decided(ana, event.WishRelease, held[0].Key))
					w.Advance(time.Until(slot.Add(c.back)))
					w.Start()
					w.Advance(10 * time.Hour)
					by := map[event.Ruling]string{event.Released: "ines"}[c.ruling]
					becameOf(t, w, ana, c.ruling, by, c.labels, c.endings[0], c.endings[1])
					texts, at := published(w)
					if len(texts) != 2*c.labels {
						t.Fatalf("published is %v", texts)
					}
					for i, text := range texts {
						if late := at[text].Sub(slot.Add(c.at[i])); late < 0 || late > time.Minute {
							t.Errorf("%s was published %v too late", text, late)
						}
					}
				})
			})
		}
	}
}

// What a program holds without an approval, and what a paused rule had decided, has a latest departure, too.
func TestHeldOverItsTime(t *testing.T) {
	t.Parallel()
	for name, away := range aways() {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, dated(bot.Held("a look at it")), func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("one 1h 10m, two 1h 5h")
				seen(w, ana)
				keys := heldBack(w, event.StateHeld)
				away(w, 2*time.Hour)
				expectsEndings(t, w, ana, map[string]int{"withdrawn too late": 1, "held a look at it": 1})
				decides(t, w, decided(ana, event.WishRelease, keys[1].Key), bot.OutcomeObsolete, "not held any more")
				decides(t, w, decided(ana, event.WishRelease, keys[0].Key), bot.OutcomeHandled, "released")
				w.Advance(time.Minute)
				if texts, _ := published(w); !slices.Equal(texts, []string{"two"}) {
					t.Errorf("published is %v", texts)
				}
			})
		})
	}
}

// What left, and nobody knows the fate of, stays for a person to look at; it is not sent again after its time, whoever wants
// that.
func TestReleasedTooLate(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	var broken atomic.Bool
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply(m.Text, bot.Before(t.Now.Add(5*time.Minute)))
		})},
		Transport: func(next http.RoundTripper) http.RoundTripper { return unreadable{next, &broken} },
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("zero")
		ana.Expects("zero")
		w.Disturb("send_message", emulator.CutBefore)
		ana.Says("one")
		for len(heldBack(w, event.StateInDoubt)) == 0 {
			w.Advance(100 * time.Millisecond)
		}
		broken.Store(true)
		w.Advance(15 * time.Minute)
		broken.Store(false)
		w.Restart()
		held := heldBack(w, event.StateHeld)
		if len(held) != 1 {
			t.Fatalf("it is not held: %v", endings(w, ana))
		}
		decides(t, w, decided(ana, event.WishRelease, held[0].Key), bot.OutcomeObsolete, "its time was over at")
		ana.ExpectsNothing(time.Hour)
		expectsEndings(t, w, ana, map[string]int{"withdrawn too late": 1, "done": 1})
	})
}
