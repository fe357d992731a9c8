package bot_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// dated publishes what people want, as campaigns do: "NAME AFTER WINDOW" is a post NAME that leaves after a time, and
// within a window from then on. Each takes a use of a limit, and gives it back when it does not come about.
func dated(options ...bot.Option) bottest.Config {
	return bottest.Config{Bot: rarely(), Routes: []bot.Route{bot.On("dated", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		for line := range strings.SplitSeq(m.Text, ", ") {
			var name, after, window string
			if _, err := fmt.Sscan(line, &name, &after, &window); err != nil {
				return err
			}
			in, _ := time.ParseDuration(after)
			within, _ := time.ParseDuration(window)
			use := event.LimitUse{Limit: "posts", Max: 100, GiveBack: true}
			all := append([]bot.Option{bot.In(in), bot.Before(t.Now.Add(in + within)), bot.As(event.Scheduled), engine.Claiming(use)}, options...)
			if err := t.Publish(name, all...); err != nil {
				return err
			}
		}
		return nil
	})}}
}

// each is n posts, one after another from now on, each within a window.
func each(n int, every, window time.Duration) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("post-%d %v %v", i, time.Duration(i+1)*every, window)
	}
	return strings.Join(lines, ", ")
}

// published returns what the account has published, and when.
func published(w *bottest.World) (texts []string, at map[string]time.Time) {
	at = map[string]time.Time{}
	for _, e := range w.Platform().Ledger().Since(0) {
		if e.Kind == emulator.Published {
			texts, at[e.Text] = append(texts, e.Text), e.At
		}
	}
	return texts, at
}

// endings counts how actions for a person ended: by state, with what their reasons begin with.
func endings(w *bottest.World, p *bottest.Person) map[string]int {
	all := map[string]int{}
	for _, a := range actionsOf(w, p) {
		reason := a.Reason
		if rest, ok := strings.CutPrefix(reason, "its time was over at "); ok {
			reason = "its time was over at " + rest[:len("2006-01-02 15:04 UTC")]
			if rest[:len("2006-01-02 15:04 UTC")] == a.Until.UTC().Format("2006-01-02 15:04 UTC") {
				reason = "too late"
			}
		}
		all[strings.TrimSpace(string(a.State)+" "+reason)]++
	}
	return all
}

// expects compares how actions for a person ended.
func expectsEndings(t *testing.T, w *bottest.World, p *bottest.Person, want map[string]int) {
	t.Helper()
	if got := endings(w, p); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("they ended as %v, want %v", got, want)
	}
}

// usesLeft counts the uses of limits that a database has.
func usesLeft(t *testing.T, w *bottest.World) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", w.Database())
	if err != nil {
		t.Fatal(err)
	}
	err = db.QueryRowContext(context.Background(), "SELECT count(*) FROM claim WHERE name = 'posts'").Scan(&n)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return n
}

// An account survives an outage of any length: of what was to leave at its time nothing leaves after it, whoever was
// away, and it says so.
func TestOutageOverDatedActions(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, away := range map[string]func(w *bottest.World, s *network, d time.Duration){
		"stopped": func(w *bottest.World, _ *network, d time.Duration) { w.Stop(); w.Advance(d); w.Start() },
		"killed":  func(w *bottest.World, _ *network, d time.Duration) { w.CrashStop(); w.Advance(d); w.Start() },
		"platform down": func(w *bottest.World, s *network, d time.Duration) {
			s.turn(down)
			w.Advance(d)
			s.turn(fair)
		},
		"both down": func(w *bottest.World, s *network, d time.Duration) {
			w.CrashStop()
			w.Advance(d - time.Hour)
			s.turn(down)
			start := time.AfterFunc(time.Hour, func() { s.turn(fair) })
			defer start.Stop()
			w.Start()
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			long, then := 19*day, day
			if effort.Few() || name == "platform down" { // a bot that tries all the while takes half a minute for as many days
				long, then = 19*time.Hour, 2*time.Hour
			}
			var s network
			cfg := dated()
			cfg.Transport, cfg.Patience = s.over, 2*time.Hour
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says(each(18, long/19, 10*time.Minute) + fmt.Sprintf(", after %v 10m", long+then))
				w.Advance(time.Minute)
				back := time.Now().Add(long)
				away(w, &s, long)
				w.Advance(time.Hour)
				if texts, at := published(w); len(texts) > 0 {
					t.Errorf("%d were published, within %v of the end: %v", len(texts), at[texts[len(texts)-1]].Sub(back), texts)
				}
				expectsEndings(t, w, ana, map[string]int{"withdrawn too late": 18, "due": 1})
				if n := usesLeft(t, w); n != 1 {
					t.Errorf("%d uses of the limit count", n)
				}
				w.Advance(then)
				if texts, _ := published(w); !slices.Equal(texts, []string{"after"}) {
					t.Errorf("published is %v", texts)
				}
			})
		})
	}
}

// What was approved early leaves at its time, and not before.
func TestApprovalKeepsTheTime(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, options := range map[string][]bot.Option{
		"held":     {bot.Held("needs approval")},
		"approval": {bot.Awaits("needs approval", event.Approval{})},
		"undated":  {bot.Before(time.Time{}), bot.Held("needs approval")},
	} {
		for how, meanwhile := range meanwhiles {
			if !effort.Some(name + " " + how) {
				continue
			}
			t.Run(name+" "+how, func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, dated(options...), func(w *bottest.World) {
					ana := w.Person("ana")
					begun := time.Now()
					ana.Says("spring 6h 10m")
					seen(w, ana)
					decides(t, w, decided(ana, event.WishRelease, heldBack(w, event.StateHeld)[0].Key), bot.OutcomeHandled, "released")
					w.Advance(time.Hour)
					meanwhile(w)
					w.Advance(6 * time.Hour)
					texts, at := published(w)
					if len(texts) != 1 || at["spring"].Before(begun.Add(6*time.Hour)) || at["spring"].After(begun.Add(6*time.Hour+time.Minute)) {
						t.Errorf("published is %v, %v after it was decided", texts, at["spring"].Sub(begun))
					}
				})
			})
		}
	}
}

// What is due is withdrawn at its time also while people have stopped the account, or the rule that decided it; and
// gives its use back. What goes on in time leaves.
func TestPausedOverTheTime(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, rule := range []string{"", "spring"} {
		for name, meanwhile := range meanwhiles {
			t.Run(rule+" "+name, func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, dated(engine.Decided("spring", time.Time{})), func(w *bottest.World) {
					ana := w.Person("ana")
					ana.Says("one 1m 2m, two 1m 2h, three 3h 2m, four 3h 4h")
					seen(w, ana)
					decides(t, w, aboutRule(event.WishPause, rule), bot.OutcomeHandled, "is paused")
					meanwhile(w)
					w.Advance(4 * time.Minute)
					if got := endings(w, ana); got["withdrawn too late"] != 1 {
						t.Errorf("in the pause they are %v", got)
					}
					if n := usesLeft(t, w); n != 3 {
						t.Errorf("%d uses of the limit count", n)
					}
					decides(t, w, aboutRule(event.WishGoOn, rule), bot.OutcomeHandled, "goes on")
					w.Advance(time.Minute)
					if texts, _ := published(w); !slices.Equal(texts, []string{"two"}) {
						t.Errorf("published is %v", texts)
					}
					decides(t, w, aboutRule(event.WishPause, rule), bot.OutcomeHandled, "is paused")
					w.Advance(4 * time.Hour)
					meanwhile(w)
					decides(t, w, aboutRule(event.WishGoOn, rule), bot.OutcomeHandled, "goes on")
					w.Advance(time.Minute)
					expectsEndings(t, w, ana, map[string]int{"withdrawn too late": 2, "done": 2})
				})
			})
		}
	}
}

// A clock that is set while the bot does not run: by the new one, what is due leaves within its time, and what is not in time
// any more does not.
func TestUntilByAnotherClock(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, c := range map[string]struct {
		by   time.Duration
		want map[string]int
	}{
		"back":         {-day, map[string]int{"done": 2}},
		"forward":      {day, map[string]int{"withdrawn too late": 2}},
		"a little":     {10 * time.Minute, map[string]int{"done": 1, "withdrawn too late": 1}},
		"a bit back":   {-10 * time.Minute, map[string]int{"done": 2}},
		"not even set": {0, map[string]int{"done": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, dated(), func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("one 2m 5m, two 1h 5m")
				seen(w, ana)
				w.CrashStop()
				setClock(t, w, c.by)
				w.Start()
				w.Advance(max(0, -c.by) + 2*time.Hour)
				expectsEndings(t, w, ana, c.want)
				_, at := published(w)
				for _, a := range actionsOf(w, ana) {
					if left, ok := at[a.Text]; ok && (left.Before(a.Due) || !left.Before(a.Until)) {
						t.Errorf("%s was published %v after it was due, %v before its time was over", a.Text, left.Sub(a.Due), a.Until.Sub(left))
					}
				}
			})
		})
	}
}

// What is decided when its time is over already never leaves, and takes no use.
func TestDecidedTooLate(t *testing.T) {
	t.Parallel()
	bottest.Run(t, dated(), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("one 0s -1m, two 0s 0s, three 0s 1m")
		w.Advance(time.Minute)
		expectsEndings(t, w, ana, map[string]int{"withdrawn too late": 2, "done": 1})
		if n := usesLeft(t, w); n != 1 {
			t.Errorf("%d uses of the limit count", n)
		}
	})
}
