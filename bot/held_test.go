package bot_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
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
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// unreadable is a network on which chats cannot be read for a while.
type unreadable struct {
	http.RoundTripper
	now *atomic.Bool
}

func (u unreadable) RoundTrip(r *http.Request) (*http.Response, error) {
	if u.now.Load() && strings.HasSuffix(r.URL.Path, "/get_messages") {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		body := io.NopCloser(strings.NewReader(`{"code":500,"message":"internal error"}`))
		return &http.Response{StatusCode: http.StatusInternalServerError, Header: http.Header{}, Body: body, Request: r}, nil
	}
	return u.RoundTripper.RoundTrip(r)
}

// holding runs a test in a world in which a message to ana, "one", is held: it left, nobody knows what
// became of it, and the chat could not be read for long.
func holding(t *testing.T, fault emulator.Fault, test func(w *bottest.World, ana *bottest.Person, held event.Action)) {
	t.Helper()
	var broken atomic.Bool
	bottest.Run(t, bottest.Config{
		Routes:    []bot.Route{echo()},
		Transport: func(next http.RoundTripper) http.RoundTripper { return unreadable{next, &broken} },
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("zero")
		ana.Expects("zero")
		w.Disturb("send_message", fault)
		ana.Says("one")
		for range 100 {
			w.Advance(100 * time.Millisecond)
			if len(heldBack(w, event.StateInDoubt)) > 0 {
				break
			}
		}
		broken.Store(true)
		w.Advance(15 * time.Minute)
		broken.Store(false)
		held := heldBack(w, event.StateHeld)
		if len(held) != 1 || held[0].Text != "one" {
			t.Fatalf("held are %+v\n%s", held, w.Log())
		}
		if fault == emulator.CutAfter {
			ana.Expects("one")
		}
		ana.Says("two")
		ana.Expects("two") // the conversation goes on without it
		w.Advance(time.Minute)
		test(w, ana, held[0])
	})
}

// heldBack returns the actions in a state.
func heldBack(w *bottest.World, state event.State) (actions []event.Action) {
	w.Inspect(func(d inspect.Inspector) {
		var err error
		if actions, err = d.Actions(context.Background(), record.ActionQuery{Account: "bot", State: state, Limit: 100}); err != nil {
			panic(err)
		}
	})
	return actions
}

// A held action that is released leaves once, behind what was said meanwhile, wherever a crash comes.
func TestReleaseWhatIsHeld(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		if !effort.Some(fmt.Sprint(m)) {
			continue
		}
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			effort.Case(t)
			holding(t, emulator.CutBefore, func(w *bottest.World, ana *bottest.Person, held event.Action) {
				q := about(ana, event.WishRelease)
				q.Action = held.Key
				q = crashes(w, q, m.committed, m.after)
				ana.Expects("one")
				ana.Says("three")
				ana.Expects("three")
				ana.ExpectsNothing(5 * time.Minute)
				if a := w.Answer(q); a.Outcome != bot.OutcomeHandled || a.Note != "released "+held.Key {
					t.Errorf("the answer is %+v", a)
				}
				again := about(ana, event.WishRelease)
				again.Action = held.Key
				decides(t, w, again, bot.OutcomeObsolete, "was released before")
				again.Wish, again.Action = event.WishDrop, "message:0/nothing/0"
				decides(t, w, again, bot.OutcomeObsolete, "there is no action message:0/nothing/0")
			})
		})
	}
}

// Of two decisions about one action at the same moment, the first one holds.
func TestReleaseAndDrop(t *testing.T) {
	t.Parallel()
	holding(t, emulator.CutBefore, func(w *bottest.World, ana *bottest.Person, held event.Action) {
		release, drop := about(ana, event.WishRelease), about(ana, event.WishDrop)
		release.Action, drop.Action = held.Key, held.Key
		asked := w.Ask(drop, release)
		w.Advance(time.Minute)
		second, _, _ := strings.Cut(w.Answer(asked[1]).Note, ",")
		got := []string{w.Answer(asked[0]).Note, second}
		want := []string{"dropped " + held.Key, held.Key + " was dropped before"}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		w.Crash()
		ana.ExpectsNothing(5 * time.Minute)
		w.Inspect(func(d inspect.Inspector) {
			a, _, err := d.Action(context.Background(), "bot", held.Key)
			if err != nil || a.State != event.StateWithdrawn || a.Reason != "dropped by a person" || a.EndedAt.IsZero() {
				t.Errorf("the action is %+v, %v", a, err)
			}
		})
	})
}

// One that had arrived all the same arrives again, as the person wanted: what is found after a crash is
// the new one, never the old one.
func TestReleaseWhatHadArrived(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		if !effort.Some(fmt.Sprint(m)) {
			continue
		}
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			effort.Case(t)
			holding(t, emulator.CutAfter, func(w *bottest.World, ana *bottest.Person, held event.Action) {
				q := about(ana, event.WishRelease)
				q.Action = held.Key
				w.Disturb("send_message", emulator.CutBefore) // it is looked for again, and is not its first copy
				crashes(w, q, m.committed, m.after)
				ana.Expects("one")
				ana.ExpectsNothing(5 * time.Minute)
			})
		})
	}
}

// A message that was held and then shows up is not a person's, also for the next incarnation.
func TestHeldIsNoTakeoverOverARestart(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{false, true} {
		t.Run(fmt.Sprint("crash ", crash), func(t *testing.T) {
			effort.Case(t)
			var broken atomic.Bool
			bottest.Run(t, bottest.Config{
				Routes: []bot.Route{echo()}, Bot: bot.Config{PollInterval: 500 * time.Millisecond}, Patience: time.Hour,
				Transport: func(next http.RoundTripper) http.RoundTripper { return unreadable{next, &broken} },
			}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("hi")
				ana.Expects("hi")
				w.Advance(time.Minute)
				w.Disturb("send_message", emulator.CutAfter)
				ana.Says("hello")
				ana.Expects("hello")
				broken.Store(true)
				w.Advance(15 * time.Minute)
				if crash {
					w.Crash()
				} else {
					w.Restart()
				}
				broken.Store(false)
				w.Advance(time.Minute)
				if n := len(heldBack(w, event.StateHeld)); n != 1 {
					t.Errorf("%d actions are held", n)
				}
				if c := w.Conversation(ana); c.Owner != "" {
					t.Errorf("the conversation belongs to %q", c.Owner)
				}
			})
		})
	}
}
