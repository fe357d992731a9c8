package bot_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// asks prepares an answer for a person's approval, which each conversation may have once.
func approved() bot.Route {
	return bot.On("ask", saying("offer"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		return t.Reply("an offer", bot.Held("needs approval"), engine.Claiming(perPerson(t, "offer", 1)), engine.Private())
	})
}

// What needs approval waits for it, for as long as it takes, and stands in nobody's way; the limit counts what
// was approved.
func TestApproval(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		if !effort.Some(fmt.Sprint(m)) {
			continue
		}
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{approved(), echo().Ordered(1)}}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("offer", "offer", "offer", "hi")
				ana.Expects("hi")
				ana.ExpectsNothing(aDay())
				held := heldBack(w, event.StateHeld)
				if len(held) != 3 || held[0].Reason != "needs approval" || held[0].Text != "an offer" || !held[0].Private {
					t.Fatalf("held are %+v", held)
				}
				first, second, third := about(ana, event.WishRelease), about(ana, event.WishEdit), about(ana, event.WishDrop)
				first.Action, second.Action, second.Text, third.Action = held[2].Key, held[1].Key, "a better one", held[0].Key
				q := crashes(w, first, m.committed, m.after)
				ana.Expects("an offer")
				if a := w.Answer(q); a.Outcome != bot.OutcomeHandled || a.Note != "released "+held[2].Key {
					t.Errorf("the answer is %+v", a)
				}
				decides(t, w, second, bot.OutcomeObsolete, "withdrawn: the limit offer is used up")
				decides(t, w, third, bot.OutcomeHandled, "dropped")
				ana.ExpectsNothing(time.Hour)
				decides(t, w, second, bot.OutcomeObsolete, "it is withdrawn")
			})
		})
	}
}

// aDay is more than a day; where few are enough, less.
func aDay() time.Duration {
	if effort.Few() {
		return time.Hour
	}
	return 30 * time.Hour
}

// A person gives an answer other words.
func TestApprovalWithOtherWords(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		approved(),
		bot.On("like", saying("like"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			t.Like(1, bot.Held("needs approval"))
			return nil
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("offer", "like")
		w.Advance(time.Minute)
		held := heldBack(w, event.StateHeld)
		if len(held) != 2 {
			t.Fatalf("held are %+v", held)
		}
		edit, like := about(ana, event.WishEdit), about(ana, event.WishEdit)
		edit.Action, like.Action, like.Text = held[1].Key, held[0].Key, "what?"
		decides(t, w, edit, bot.OutcomeObsolete, "still held: the new text is empty")
		edit.Text = strings.Repeat("x", bot.MaxMessage+1)
		decides(t, w, edit, bot.OutcomeObsolete, "still held: the new text has 3001 characters, and may have 3000")
		decides(t, w, like, bot.OutcomeObsolete, "still held: it has no text")
		edit.Text = "a better one"
		decides(t, w, edit, bot.OutcomeHandled, "with another text")
		w.Crash()
		ana.Expects("a better one")
		ana.ExpectsNothing(time.Hour)
	})
}

// What a person of ours writes is theirs, also when it is what waits for approval.
func TestHeldForApprovalIsNotOnItsWay(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{approved()}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("offer")
		w.Advance(time.Minute)
		w.Restart()
		w.Account("bot").Tells(ana, "an offer")
		w.Advance(time.Minute)
		if c := w.Conversation(ana); c.Owner != bot.OwnedByPerson {
			t.Errorf("the owner is %q", c.Owner)
		}
	})
}

// What a bot would have done is recorded and uses nothing up.
func TestWatched(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("watch", saying("offer"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			t.Follow(bot.Watched("watch"))
			return t.Reply("an offer", bot.Watched("watch"), bot.Once("offer"))
		}),
		bot.On("live", saying("now"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			return t.Reply("an offer", bot.Once("offer"))
		}),
	}, Bot: bot.Config{Ceiling: bot.Ceiling{Max: 1, Within: time.Hour}}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("offer", "offer")
		ana.ExpectsNothing(time.Hour)
		w.Crash()
		w.Inspect(func(d inspect.Inspector) {
			actions, err := d.Actions(context.Background(), record.ActionQuery{Account: "bot", Peer: ana.ID(), Limit: 10})
			if err != nil || len(actions) != 4 {
				t.Fatalf("%d actions, %v", len(actions), err)
			}
			for _, a := range actions {
				if a.State != event.StateWithdrawn || a.Reason != "watch" || a.EndedAt.IsZero() || a.DecidedAt.IsZero() {
					t.Errorf("the action is %+v", a)
				}
			}
		})
		ana.Says("now")
		ana.Expects("an offer")
	})
}

// What rules leave behind is there when somebody asks why, and what was said in private is not.
func TestWhatATurnLeaves(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("lead", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, m event.Message) error {
			engine.Of(t).Explain("lead", "abc", []byte(`{"state":"ask"}`))
			engine.Of(t).Mask("(private)")
			t.Record(event.Entry{List: "leads", Key: m.From.User, Text: m.Text})
			t.Notify(event.Notice{Who: "team", Text: "a lead"})
			t.Notify(event.Notice{Who: "boss", Text: "a lead, too"})
			if err := t.Reply("thank you"); err != nil {
				return err
			}
			a, ok, err := t.ActionState(ctx, "message:1/nothing/0")
			t.Note("%v %v", a.State, ok)
			t.SetTimer("later", t.Now.Add(time.Hour), []byte(`{"said":"thank you"}`))
			return err
		}),
		bot.On("later", bot.Timer("later"), func(ctx context.Context, t *bot.Turn, timer event.Timer) error {
			engine.Of(t).Explain("later", "abc", nil)
			last := t.Decided()
			t.Note("%d so far", len(last))
			return t.Message(string(timer.Data), engine.WithBaseline(1))
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("my number is 555")
		ana.Expects("thank you")
		w.Crash()
		w.Advance(time.Hour)
		ana.Expects(`{"said":"thank you"}`)
		w.Advance(time.Minute)
		w.Inspect(func(d inspect.Inspector) {
			ctx := context.Background()
			var got []string
			if err := d.Recorded(ctx, "bot", time.Time{}, func(r record.Recorded) error {
				line := r.Turn
				if r.Event != nil {
					got = append(got, fmt.Sprint(r.Event.Text, " ", r.Event.Record.Rule, " ", r.Event.Record.Version, " ", string(r.Event.Record.Before)))
				} else {
					got = append(got, fmt.Sprint(line.Record.Rule, " ", line.Record.Note))
				}
				for _, a := range r.Actions {
					got = append(got, a.Text+" "+string(a.State))
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			want := []string{`(private) lead abc {"state":"ask"}`, "thank you done", "later 0 so far", `{"said":"thank you"} done`}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			entries, err := d.Entries(ctx, "bot", "leads", "", 10)
			if err != nil || len(entries) != 1 || entries[0].Key != "ana" || entries[0].Peer != ana.ID() || entries[0].Text != "my number is 555" {
				t.Errorf("the leads are %+v, %v", entries, err)
			}
			notices, err := d.Unsent(ctx, 10)
			notices = slices.DeleteFunc(notices, func(n event.Notice) bool { return n.Kind == event.CallCrashed })
			if err != nil || len(notices) != 2 || notices[0].Who+notices[1].Who != "teamboss" && notices[0].Who+notices[1].Who != "bossteam" {
				t.Errorf("the notices are %+v, %v", notices, err)
			}
		})
	})
}
