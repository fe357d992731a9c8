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
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What a person approves after somebody of ours has spoken is no more taken back by those words: a crash while it leaves does not
// bring them up again.
func TestApprovedAfterAPersonsWords(t *testing.T) {
	t.Parallel()
	for _, cut := range []emulator.Fault{emulator.CutBefore, emulator.CutAfter} {
		t.Run(cut.String(), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, leads(), func(w *bottest.World) {
				ana := w.Person("ana")
				held := awaited(t, w, ana)
				w.Account("bot").Tells(ana, "a moment please")
				w.Advance(time.Minute)
				w.Disturb("send_message", cut)
				decides(t, w, decided(ana, event.WishInsist, held[0].Key), bot.OutcomeHandled, "released")
				w.Crash()
				ana.Expects("an offer")
				w.Advance(time.Minute)
				ana.Expects("and more")
				ana.ExpectsNothing(5 * time.Minute)
			})
		})
	}
}

// While no bot runs, a person of ours writes in the conversation and approves. Nobody knows what came first: it stays held, and she
// is asked again.
func TestApprovedWhileDown(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*bottest.World){"stop": (*bottest.World).Stop, "crash": (*bottest.World).CrashStop} {
		for _, approvedLast := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, approved last %v", name, approvedLast), func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, leads(), func(w *bottest.World) {
					ana := w.Person("ana")
					held := awaited(t, w, ana)
					end(w)
					w.Advance(time.Minute)
					words := func() { w.Account("bot").Tells(ana, "a moment please") }
					var asked []event.Request
					approve := func() {
						asked = w.Ask(decided(ana, event.WishRelease, held[0].Key), decided(ana, event.WishGiveBack, ""))
					}
					if approvedLast {
						words()
						w.Advance(time.Minute)
						approve()
					} else {
						approve()
						w.Advance(time.Minute)
						words()
					}
					w.Advance(time.Minute)
					w.Start()
					ana.ExpectsNothing(5 * time.Minute)
					if a := w.Answer(asked[0]); a.Outcome != bot.OutcomeObsolete || !strings.Contains(a.Note, "is still held: somebody of ours wrote") {
						t.Errorf("the answer is %+v", a)
					}
					if c := w.Conversation(ana); c.Owner != "" {
						t.Errorf("it was given back behind that, and is with %q", c.Owner)
					}
					decides(t, w, decided(ana, event.WishRelease, held[0].Key), bot.OutcomeObsolete, "is still held: somebody of ours has written")
					decides(t, w, decided(ana, event.WishInsist, held[0].Key), bot.OutcomeHandled, "released")
					ana.Expects("an offer")
					w.Advance(time.Minute)
					ana.Expects("and more")
				})
			})
		}
	}
}

// The bot reads a chat now and then. Whoever of ours writes there and approves in between has her way, too: it stays held, and she is asked again.
func TestApprovedBetweenReadings(t *testing.T) {
	t.Parallel()
	for _, approvedLast := range []bool{true, false} {
		for name, more := range map[string][]bot.Option{"at once": nil, "later": {bot.In(time.Hour)}} {
			t.Run(fmt.Sprintf("%s, approved last %v", name, approvedLast), func(t *testing.T) {
				t.Parallel()
				offers := bot.On("offers", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
					return t.Reply("an offer", append([]bot.Option{bot.Held("asks")}, more...)...)
				})
				cfg := bottest.Config{Routes: []bot.Route{offers}, Bot: bot.Config{PollInterval: time.Minute}}
				bottest.Run(t, cfg, func(w *bottest.World) {
					ana := w.Person("ana")
					ana.Says("hi")
					w.Advance(3 * time.Minute)
					held := heldBack(w, event.StateHeld)
					if len(held) != 1 {
						t.Fatalf("held are %+v", held)
					}
					w.Advance(2 * time.Second)
					words := func() { w.Account("bot").Tells(ana, "a moment please") }
					if approvedLast {
						words()
					}
					asked := w.Ask(decided(ana, event.WishRelease, held[0].Key))
					if !approvedLast {
						words()
					}
					ana.ExpectsNothing(2 * time.Hour)
					if a := w.Answer(asked[0]); a.Outcome != bot.OutcomeObsolete || !strings.Contains(a.Note, "is still held: somebody of ours wrote") {
						t.Errorf("the answer is %+v", a)
					}
					asked = w.Ask(decided(ana, event.WishRelease, held[0].Key))
					w.Advance(3 * time.Minute)
					if a := w.Answer(asked[0]); a.Outcome != bot.OutcomeHandled {
						t.Errorf("the second answer is %+v", a)
					}
					ana.Expects("an offer")
				})
			})
		}
	}
}

// An approval is done within seconds also where there is no chat to be read, and when the person has blocked the account meanwhile.
func TestApprovalWithLittleToHear(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]bottest.Config{
		"chats": {},
		"lists": {Bot: bot.Config{NoMessages: event.Always}, Platform: emulator.Config{Dialect: emulator.Dialect{Messages: emulator.AbsentPage}}},
	} {
		for _, blocks := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, blocked %v", name, blocks), func(t *testing.T) {
				t.Parallel()
				c.Routes = []bot.Route{bot.On("offers", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
					return t.Reply("an offer", bot.Held("asks"))
				})}
				c.Bot.PollInterval = 5 * time.Second
				bottest.Run(t, c, func(w *bottest.World) {
					ana := w.Person("ana")
					ana.Says("hi")
					w.Advance(time.Minute)
					if blocks {
						ana.Says("bye")
						ana.Blocks()
						w.Advance(time.Minute)
					}
					held := heldBack(w, event.StateHeld)
					if len(held) == 0 {
						t.Fatal("nothing is held")
					}
					decides(t, w, decided(ana, event.WishRelease, held[len(held)-1].Key), bot.OutcomeHandled, "released")
					if !blocks {
						ana.Expects("an offer")
					}
				})
			})
		}
	}
}
