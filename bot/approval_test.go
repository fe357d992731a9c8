package bot_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// together prepares two answers that wait together, with everything that can wait beside them, for two hours. Each
// conversation may have it once.
func together() bot.Route {
	return bot.On("lead", saying("lead"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		trigger := t.Trigger.ID()
		p := event.Approval{Group: trigger + "/lead/0", Within: 2 * time.Hour, Expires: t.Now.Add(2 * time.Hour)}
		first := p
		first.Effects = event.Effects{
			Labels:  []string{"lead"},
			Entries: []event.HeldEntry{{List: "leads", Key: trigger, Trigger: trigger, Text: "wants a quote"}},
			Notices: []event.HeldNotice{{Who: "sales", Text: "call them"}},
			Handoff: &event.HeldHandoff{To: "sales"},
			Timers:  []event.HeldTimer{{Name: bot.OwnedTimer + "nobody", After: time.Hour, Data: []byte(`{"who":"sales"}`), Stamp: "since"}},
			Stamps:  []event.Stamp{{Value: "shop/memory", Path: []string{"waiting", "lead"}}},
		}
		if err := t.Reply("an offer", bot.Awaits("needs approval", first), engine.Claiming(perPerson(t, "lead", 1))); err != nil {
			return err
		}
		return t.Message("and more", bot.In(8*time.Minute), bot.Awaits("needs approval", p))
	})
}

// reminds says what the timer of together was set with.
func reminds() bot.Route {
	return bot.On("nobody", bot.Timer(bot.OwnedTimer+"nobody"), func(_ context.Context, t *bot.Turn, timer event.Timer) error {
		t.Note("nobody: %s", timer.Data)
		return nil
	})
}

func leads() bottest.Config {
	return bottest.Config{Routes: []bot.Route{together(), reminds(), echo().Ordered(1)}}
}

// effects checks whether what waits beside a person's answers has happened, and no more than once.
func effects(t *testing.T, w *bottest.World, p *bottest.Person, happened bool) {
	t.Helper()
	n, owner := 0, ""
	if happened {
		n, owner = 1, "sales"
	}
	c := w.Conversation(p)
	if len(c.Labels) != n || c.Owner != owner || (len(c.Values["shop/memory"]) > 0) != happened {
		t.Errorf("labels %v, owner %q, memory %s", c.Labels, c.Owner, c.Values["shop/memory"])
	}
	w.Inspect(func(d inspect.Inspector) {
		entries, err := d.Entries(context.Background(), "bot", "leads", "", 9)
		if err != nil || len(entries) != n {
			t.Errorf("entries: %+v, %v", entries, err)
		}
		notices, err := d.Unsent(context.Background(), 9)
		notices = slices.DeleteFunc(notices, func(n event.Notice) bool { return n.Who != "sales" })
		if err != nil || len(notices) != n {
			t.Errorf("notices: %+v, %v", notices, err)
		}
	})
}

// awaited lets a person ask for what waits, and returns it.
func awaited(t *testing.T, w *bottest.World, p *bottest.Person) []event.Action {
	t.Helper()
	p.Says("lead")
	w.Advance(time.Minute)
	held := heldBack(w, event.StateHeld)
	if len(held) != 2 {
		t.Fatalf("held are %+v", held)
	}
	slices.Reverse(held)
	effects(t, w, p, false)
	return held
}

func decided(p *bottest.Person, wish event.Wish, key string) event.Request {
	q := about(p, wish)
	q.Action, q.By = key, "ines"
	return q
}

// What waits together leaves together, in its order and with its pauses, and what waits beside it happens once, wherever a
// crash comes; whichever of them is approved.
func TestApprovedTogether(t *testing.T) {
	t.Parallel()
	for i, m := range moments {
		if !effort.Some(fmt.Sprint(m)) {
			continue
		}
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, leads(), func(w *bottest.World) {
				ana := w.Person("ana")
				held := awaited(t, w, ana)
				q := crashes(w, decided(ana, event.WishRelease, held[i%2].Key), m.committed, m.after)
				ana.Expects("an offer")
				effects(t, w, ana, true)
				ana.ExpectsNothing(5 * time.Minute)
				w.Advance(time.Minute)
				ana.Expects("and more")
				if a := w.Answer(q); a.Outcome != bot.OutcomeHandled || a.Note != "released "+held[i%2].Key {
					t.Errorf("the answer is %+v", a)
				}
				w.Advance(3 * time.Hour)
				effects(t, w, ana, true)
				ana.ExpectsNothing(0)
				verdicts(t, w, held, event.Released, "ines")
			})
		})
	}
}

// verdicts checks what is kept of a decision.
func verdicts(t *testing.T, w *bottest.World, held []event.Action, ruling event.Ruling, by string) {
	t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		for _, a := range held {
			p, ok, err := d.Approval(context.Background(), a.Account, a.Key)
			if v := p.Verdict; err != nil || !ok || v.Ruling != ruling || v.By != by || v.At.IsZero() {
				t.Errorf("%s: %+v, %v, %v", a.Key, v, ok, err)
			}
		}
	})
}

// A refusal takes all of it back.
func TestRefusedTogether(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for i, m := range moments {
		if !effort.Some(fmt.Sprint(m)) {
			continue
		}
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, leads(), func(w *bottest.World) {
				ana := w.Person("ana")
				held := awaited(t, w, ana)
				crashes(w, decided(ana, event.WishDrop, held[i%2].Key), m.committed, m.after)
				ana.ExpectsNothing(3 * time.Hour)
				effects(t, w, ana, false)
				verdicts(t, w, held, event.Dropped, "ines")
				if left := heldBack(w, event.StateHeld); len(left) > 0 {
					t.Errorf("still held: %+v", left)
				}
				decides(t, w, decided(ana, event.WishRelease, held[1-i%2].Key), bot.OutcomeObsolete, "it is withdrawn")
			})
		})
	}
}

// Another text is that of one of them; all of them leave.
func TestEditedTogether(t *testing.T) {
	t.Parallel()
	bottest.Run(t, leads(), func(w *bottest.World) {
		ana := w.Person("ana")
		held := awaited(t, w, ana)
		q := decided(ana, event.WishEdit, held[1].Key)
		decides(t, w, q, bot.OutcomeObsolete, "still held: the new text is empty")
		effects(t, w, ana, false)
		q.Text = "and a better one"
		decides(t, w, q, bot.OutcomeHandled, "with another text")
		ana.Expects("an offer", "and a better one")
		effects(t, w, ana, true)
		verdicts(t, w, held[:1], event.Released, "ines")
		verdicts(t, w, held[1:], event.Edited, "ines")
	})
}

// What a limit does not allow any more comes to nothing, with all that waits with it.
func TestLimitOfWhatWaitsTogether(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("lead", saying("lead"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			p := event.Approval{Effects: event.Effects{Labels: []string{t.Trigger.ID()}}}
			if err := t.Reply("an offer", bot.Awaits("needs approval", p)); err != nil {
				return err
			}
			p = event.Approval{Group: t.Trigger.ID() + "/lead/0"}
			return t.Message("and more", bot.Awaits("needs approval", p), engine.Claiming(perPerson(t, "lead", 1)))
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("lead", "lead")
		w.Advance(time.Minute)
		held := heldBack(w, event.StateHeld)
		if len(held) != 4 {
			t.Fatalf("held are %+v", held)
		}
		decides(t, w, decided(ana, event.WishRelease, held[3].Key), bot.OutcomeHandled, "released")
		ana.Expects("an offer", "and more")
		decides(t, w, decided(ana, event.WishRelease, held[1].Key), bot.OutcomeObsolete, "is withdrawn: the limit lead is used up")
		ana.ExpectsNothing(time.Hour)
		if c := w.Conversation(ana); len(c.Labels) != 1 {
			t.Errorf("labels %v", c.Labels)
		}
		if left := heldBack(w, event.StateHeld); len(left) > 0 {
			t.Errorf("still held: %+v", left)
		}
	})
}

// What nobody approves in time is withdrawn by itself, also when the bot does not run then, and an approval that comes
// after that is too late.
func TestApprovalExpires(t *testing.T) {
	t.Parallel()
	for _, down := range []bool{false, true} {
		t.Run(fmt.Sprintf("down %v", down), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, leads(), func(w *bottest.World) {
				ana := w.Person("ana")
				held := awaited(t, w, ana)
				if down {
					w.Stop()
				}
				w.Advance(118 * time.Minute)
				if left := heldBack(w, event.StateHeld); len(left) != 2 {
					t.Errorf("still held: %+v", left)
				}
				w.Advance(3 * time.Minute)
				if down {
					w.Start()
					w.Advance(time.Minute)
				}
				verdicts(t, w, held, event.Expired, "")
				w.Inspect(func(d inspect.Inspector) {
					for _, a := range held {
						if x, _, err := d.Action(context.Background(), "bot", a.Key); x.State != event.StateWithdrawn || x.Reason != "nobody approved it within 2h" {
							t.Errorf("%+v, %v", x, err)
						}
					}
				})
				decides(t, w, decided(ana, event.WishRelease, held[0].Key), bot.OutcomeObsolete, "it is withdrawn")
				ana.ExpectsNothing(3 * time.Hour)
				effects(t, w, ana, false)
			})
		})
	}
}

// An approval counts from when it was given: too late, and in time, while the bot does not run.
func TestApprovalWhileDown(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprintf("late %v", late), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, leads(), func(w *bottest.World) {
				ana := w.Person("ana")
				held := awaited(t, w, ana)
				w.Stop()
				if w.Advance(time.Hour); late {
					w.Advance(time.Hour)
				}
				q := w.Ask(decided(ana, event.WishRelease, held[0].Key))[0]
				w.Advance(5 * time.Hour)
				w.Start()
				if late {
					w.Advance(time.Minute)
					verdicts(t, w, held, event.Expired, "")
					if a := w.Answer(q); a.Outcome != bot.OutcomeObsolete {
						t.Errorf("the answer is %+v", a)
					}
				} else {
					ana.Expects("an offer", "and more")
					verdicts(t, w, held, event.Released, "ines")
				}
				ana.ExpectsNothing(3 * time.Hour)
				effects(t, w, ana, !late)
			})
		})
	}
}

// An approval that comes a moment after its time, before anybody has looked whether it is over, comes too late.
func TestApprovalJustOverItsTime(t *testing.T) {
	t.Parallel()
	bottest.Run(t, leads(), func(w *bottest.World) {
		ana := w.Person("ana")
		held := awaited(t, w, ana)
		w.Advance(time.Until(held[0].DecidedAt.Add(2*time.Hour + time.Second)))
		q := w.Ask(decided(ana, event.WishRelease, held[0].Key))[0]
		w.Advance(time.Minute)
		verdicts(t, w, held, event.Expired, "")
		if a := w.Answer(q); a.Outcome != bot.OutcomeObsolete {
			t.Errorf("the answer is %+v", a)
		}
		ana.ExpectsNothing(3 * time.Hour)
		effects(t, w, ana, false)
	})
}

// An approval counts from when it was given also when the bot has much else to decide before.
func TestApprovalBehindManyOthers(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, leads(), func(w *bottest.World) {
		ana := w.Person("ana")
		held := awaited(t, w, ana)
		w.Advance(time.Until(held[0].DecidedAt.Add(2*time.Hour - time.Second)))
		others := make([]event.Request, 20*256) // as many as are read in 20 seconds
		for i := range others {
			others[i] = decided(w.Person("leo"), event.WishDrop, "nothing")
		}
		w.Ask(append(others, decided(ana, event.WishRelease, held[0].Key))...)
		ana.Expects("an offer", "and more")
		effects(t, w, ana, true)
		verdicts(t, w, held, event.Released, "ines")
		w.Advance(10 * time.Minute) // and nothing is left of the timer
		w.Inspect(func(d inspect.Inspector) {
			timers, err := d.Timers(context.Background(), record.TimerQuery{Account: "bot", Peer: ana.ID(), State: record.TimerWaiting, Until: time.Now().Add(9 * time.Hour), Limit: 9})
			if err != nil || slices.ContainsFunc(timers, func(x record.TimerRow) bool { return x.Name != bot.OwnedTimer+"nobody" }) {
				t.Errorf("timers: %+v, %v", timers, err)
			}
		})
	})
}

// What concerns nobody but us waits, too; also while a person of ours has the conversation, who keeps it.
func TestBooksAlone(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	books := bot.On("books", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		engine.Of(t).Books(bot.Awaits("needs approval", event.Approval{Effects: event.Effects{
			Labels: []string{"seen"}, Handoff: &event.HeldHandoff{To: "sales", For: time.Hour},
		}}))
		return nil
	})
	always := engine.Ways{LooksOn: func(event.Account, event.Kind) bool { return true }}
	bottest.Run(t, bottest.Config{Routes: []bot.Route{engine.Route(books, always)}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		w.Advance(aDay()) // it never expires
		w.Account("bot").Tells(ana, "it is me")
		w.Advance(time.Minute)
		ana.Says("oh")
		w.Advance(time.Minute)
		held := heldBack(w, event.StateHeld)
		if len(held) != 2 || held[0].Verb != event.VerbBooks || len(w.Conversation(ana).Labels) > 0 {
			t.Fatalf("held are %+v", held)
		}
		decides(t, w, decided(ana, event.WishRelease, held[1].Key), bot.OutcomeHandled, "the conversation stays with person")
		w.Restart()
		w.Inspect(func(d inspect.Inspector) {
			if a, _, err := d.Action(context.Background(), "bot", held[1].Key); a.State != event.StateDone || a.EndedAt.IsZero() {
				t.Errorf("%+v, %v", a, err)
			}
		})
		if c := w.Conversation(ana); !c.HasLabel("seen") || c.Owner != bot.OwnedByPerson {
			t.Errorf("labels %v, owner %q", c.Labels, c.Owner)
		}
		decides(t, w, decided(ana, event.WishDrop, held[0].Key), bot.OutcomeHandled, "dropped")
	})
}
