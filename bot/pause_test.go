package bot_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

// aboutRule is a request about an account, or a rule of it.
func aboutRule(wish event.Wish, rule string) event.Request {
	return event.Request{Key: event.Key{Account: "bot"}, Wish: wish, Action: rule}
}

// ruled answers as rules do: what people write begins with the rule that answers, and how long the answer waits. It
// is stale ten minutes after that, and what the rule early decides two minutes.
func ruled() bottest.Config {
	return bottest.Config{Routes: []bot.Route{
		bot.On("ruled", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			rule, wait, _ := strings.Cut(m.Text, " ")
			d, err := time.ParseDuration(wait)
			if err != nil {
				return err
			}
			t.Label("seen")
			t.After(30*time.Second, "later")
			return t.Reply("by "+rule, bot.In(d), engine.Decided(rule, t.Now.Add(d+map[bool]time.Duration{true: 2, false: 10}[rule == "early"]*time.Minute)))
		}),
		bot.On("timer", bot.Timer("later"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			return t.Message("still there?")
		}),
	}}
}

// outcomes are how turns about what a person wrote ended.
func outcomes(w *bottest.World, p *bottest.Person) (all []string) {
	for _, t := range w.Decisions(p) {
		if t.Text != "" {
			all = append(all, t.Outcome)
		}
	}
	return all
}

// actionsOf returns what was decided for a person, oldest first.
func actionsOf(w *bottest.World, p *bottest.Person) (all []event.Action) {
	w.Inspect(func(d inspect.Inspector) {
		var err error
		if all, err = d.Actions(context.Background(), record.ActionQuery{Account: "bot", Peer: p.ID(), Limit: 100}); err != nil {
			panic(err)
		}
	})
	slices.Reverse(all)
	return all
}

// seen waits until what people wrote is handled.
func seen(w *bottest.World, people ...*bottest.Person) {
	for _, p := range people {
		for n := len(actionsOf(w, p)); len(actionsOf(w, p)) == n; {
			w.Advance(time.Second)
		}
	}
}

// meanwhiles are what may happen to a bot at any time.
var meanwhiles = map[string]func(*bottest.World){
	"running": func(*bottest.World) {}, "restart": (*bottest.World).Restart, "crash": (*bottest.World).Crash,
}

// Nothing of an account that is paused leaves, over any restart; what comes is recorded and not done; and what waited
// leaves when the account goes on, unless it has become too late for it.
func TestPauseOfAnAccount(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, ruled(), func(w *bottest.World) {
				ana, leo, mia := w.Person("ana"), w.Person("leo"), w.Person("mia")
				leo.Says("early 20s")
				ana.Says("soon 1m")
				seen(w, ana)
				decides(t, w, aboutRule(event.WishPause, ""), bot.OutcomeHandled, "the account is paused")
				meanwhile(w)
				mia.Says("meanwhile 0s")
				for _, p := range []*bottest.Person{ana, leo, mia} {
					p.ExpectsNothing(time.Minute)
				}
				meanwhile(w)
				decides(t, w, aboutRule(event.WishPause, ""), bot.OutcomeObsolete, "paused already")
				if got := outcomes(w, mia); !slices.Equal(got, []string{bot.OutcomePaused}) {
					t.Errorf("what came in the pause ended as %q", got)
				}
				if c := w.Conversation(mia); len(c.Labels) > 0 {
					t.Errorf("the conversation has the labels %q", c.Labels)
				}
				decides(t, w, aboutRule(event.WishGoOn, ""), bot.OutcomeHandled, "goes on")
				ana.Expects("by soon")
				w.Advance(2 * time.Minute)
				for p, want := range map[*bottest.Person][]string{ana: {"done ", "done "}, leo: {"withdrawn " + "it had become too late for it while the account is paused", "done "}, mia: {"withdrawn the account is paused"}} {
					var got []string
					for _, a := range actionsOf(w, p) {
						got = append(got, string(a.State)+" "+a.Reason)
					}
					if !slices.Equal(got, want) {
						t.Errorf("it ended as %q, want %q", got, want)
					}
				}
				mia.Says("again 0s")
				mia.Expects("by again")
				decides(t, w, aboutRule(event.WishGoOn, ""), bot.OutcomeObsolete, "was not paused")
			})
		})
	}
}

// What a rule decided does not leave while the rule is paused; others answer.
func TestPauseOfARule(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			cfg := ruled()
			cfg.Routes = cfg.Routes[:1]
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				ana.Says("prices 1m")
				leo.Says("prices 9m")
				seen(w, leo)
				ana.Says("hours 2m")
				seen(w, ana)
				decides(t, w, aboutRule(event.WishPause, "prices"), bot.OutcomeHandled, "the rule prices is paused")
				meanwhile(w)
				ana.Expects("by hours")
				ana.ExpectsNothing(time.Minute)
				held := actionsOf(w, ana)[0]
				if held.State != event.StateHeld || held.Why != reason.PausedBy("prices") || held.Rule != "prices" {
					t.Errorf("what waits is %+v", held)
				}
				meanwhile(w)
				decides(t, w, aboutRule(event.WishGoOn, "prices"), bot.OutcomeHandled, "the rule prices goes on")
				ana.Expects("by prices")
				leo.Expects("by prices")
				decides(t, w, aboutRule(event.WishPause, "prices"), bot.OutcomeHandled, "is paused")
				ana.Says("prices 5s")
				ana.ExpectsNothing(11 * time.Minute)
				meanwhile(w)
				decides(t, w, aboutRule(event.WishGoOn, "prices"), bot.OutcomeHandled, "goes on")
				ana.ExpectsNothing(time.Minute)
				last := actionsOf(w, ana)[2]
				if last.State != event.StateWithdrawn || last.Why != reason.LapsedPause("prices") {
					t.Errorf("what had become too late is %+v", last)
				}
			})
		})
	}
}

// A pause that is asked for while no bot runs is there before anything leaves.
func TestPauseBeforeAStart(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	for _, rule := range []string{"", "prices"} {
		cfg := ruled()
		cfg.Bot.TakeoverFor = -1 // nothing else keeps what is due
		bottest.Run(t, cfg, func(w *bottest.World) {
			ana := w.Person("ana")
			ana.Says("prices 20s")
			seen(w, ana)
			w.Stop()
			w.Ask(aboutRule(event.WishPause, rule))
			w.Advance(25 * time.Second) // it is due at the start
			w.Start()
			if rule == "" {
				ana.ExpectsNothing(2 * time.Minute)
			} else {
				ana.Expects("still there?")
			}
			for range 3 {
				w.Ask(aboutRule(event.WishPause, "other"), aboutRule(event.WishPause, rule), aboutRule(event.WishGoOn, rule))
			}
			w.Advance(20 * time.Second)
			w.Restart()
			if rule == "" {
				ana.Expects("by prices", "still there?")
			} else {
				ana.Expects("by prices")
			}
		})
	}
}

// What has become too late in a pause gives its uses of limits back.
func TestPauseGivesUsesBack(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"", "once"} {
		once := event.LimitUse{Limit: "once", Scope: "all", Max: 1, Within: 24 * time.Hour, GiveBack: true}
		cfg := bottest.Config{Routes: []bot.Route{bot.On("once", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			if t.Denied(once.Limit) {
				return nil
			}
			t.UseLimit(once)
			return t.Reply("once", bot.In(20*time.Second), engine.Decided("once", t.Now.Add(time.Minute)))
		})}}
		bottest.Run(t, cfg, func(w *bottest.World) {
			ana := w.Person("ana")
			ana.Says("hi")
			seen(w, ana)
			decides(t, w, aboutRule(event.WishPause, rule), bot.OutcomeHandled, "is paused")
			ana.ExpectsNothing(2 * time.Minute)
			decides(t, w, aboutRule(event.WishGoOn, rule), bot.OutcomeHandled, "goes on")
			ana.Says("again")
			ana.Expects("once")
		})
	}
}

// Several wishes from before a start count from its beginning, each with the others.
func TestPausesBeforeAStart(t *testing.T) {
	t.Parallel()
	cfg := ruled()
	cfg.Bot.TakeoverFor = -1 // nothing else keeps what is due
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("prices 20s")
		seen(w, ana)
		w.Stop()
		w.Ask(aboutRule(event.WishPause, "other"), aboutRule(event.WishPause, "third"), aboutRule(event.WishPause, ""))
		w.Advance(25 * time.Second)
		w.Start()
		ana.ExpectsNothing(2 * time.Minute)
		decides(t, w, aboutRule(event.WishGoOn, ""), bot.OutcomeHandled, "goes on")
		ana.Expects("by prices")
	})
}

// An account that has stopped because of another bot, and is paused as well, goes on when both are over.
func TestPauseAndAnotherBot(t *testing.T) {
	t.Parallel()
	bottest.Run(t, ruled(), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("prices 20s")
		seen(w, ana)
		decides(t, w, aboutRule(event.WishPause, ""), bot.OutcomeHandled, "is paused")
		decides(t, w, aboutRule(event.WishResume, ""), bot.OutcomeHandled, "was not stopped")
		ana.ExpectsNothing(time.Minute)
		decides(t, w, aboutRule(event.WishGoOn, ""), bot.OutcomeHandled, "goes on")
		ana.Expects("by prices")
	})
}

// What is due may be taken back, and what is on its way not any more.
func TestDropWhatIsDue(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range meanwhiles {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			cfg := ruled()
			cfg.Routes = cfg.Routes[:1]
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("one 1m")
				seen(w, ana)
				ana.Says("two 1m")
				seen(w, ana)
				drop := about(ana, event.WishWithdraw)
				drop.Action = actionsOf(w, ana)[0].Key
				decides(t, w, drop, bot.OutcomeHandled, "dropped")
				meanwhile(w)
				ana.Expects("by two")
				if a := actionsOf(w, ana)[0]; a.State != event.StateWithdrawn || a.Reason != "dropped by a person" {
					t.Errorf("it is %+v", a)
				}
				decides(t, w, drop, bot.OutcomeObsolete, "is not due any more, it is withdrawn")
				drop.Action = actionsOf(w, ana)[1].Key
				decides(t, w, drop, bot.OutcomeObsolete, "is not due any more, it is done")
			})
		})
	}
}

// What a handler hides of what was said stays hidden in a pause.
func TestPauseKeepsWhatIsPrivate(t *testing.T) {
	t.Parallel()
	cfg := bottest.Config{Routes: []bot.Route{bot.On("secret", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		engine.Of(t).Mask("(private)")
		return t.Reply("noted")
	})}}
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		decides(t, w, aboutRule(event.WishPause, ""), bot.OutcomeHandled, "is paused")
		ana.Says("my zebra")
		seen(w, ana)
		if found := hasIn(t, w, "zebra"); len(found) > 0 {
			t.Error(found)
		}
	})
}
