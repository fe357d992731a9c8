package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// listOnly are deployments on which the chat list is all that tells of messages.
var listOnly = []emulator.Dialect{
	{Messages: emulator.AbsentPage},
	{Messages: emulator.AbsentCode, LastCut: 50, RawText: true, KeepsSpaces: true},
}

// listed is a bot on one of them, that answers each message in this way.
func listed(d emulator.Dialect, line *line, answer func(said string) string) bottest.Config {
	return bottest.Config{
		Platform: emulator.Config{Dialect: d},
		Bot:      bot.Config{PollInterval: 5 * time.Second, NoMessages: event.Always},
		Routes: []bot.Route{bot.On("answer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply(answer(m.Text))
		})},
		Transport: func(next http.RoundTripper) http.RoundTripper { return line.on(next) },
	}
}

// However an answer goes missing, the chat list tells what became of the message: it arrives once, soon,
// and nothing of it is taken for the person's.
func TestReconciledByTheChatList(t *testing.T) {
	t.Parallel()
	for i, m := range mishaps {
		for n, d := range listOnly {
			text := []string{"noted", "  <b>noted</b> & \"read\" "}[(i+n)%2]
			if !effort.Sampled(i + n) {
				continue
			}
			t.Run(fmt.Sprint(m.name, n, text), func(t *testing.T) {
				effort.Case(t)
				line := &line{endpoint: "send_message", way: m.way}
				bottest.Run(t, listed(d, line, func(said string) string { return text + strings.Repeat(" as it was meant", 4) + ": " + said }), func(w *bottest.World) {
					ana := w.Person("ana")
					w.Advance(time.Minute)
					w.Disturb("send_message", m.fault)
					line.watch(w)
					for k, says := range []string{"hello", "and now?"} {
						ana.Says(says)
						if k == 0 && (m.crash || m.stop) {
							<-line.reached
							if m.crash {
								w.Crash()
							} else {
								w.Restart()
							}
						}
						w.Advance(2 * time.Minute)
						if heard := said(w, w.Account("bot").ID(), ana.ID()); heard != k+1 {
							t.Errorf("after %q: %d messages came", says, heard)
						}
						for _, state := range []event.State{event.StateInDoubt, event.StateSending, event.StateHeld} {
							if left := heldBack(w, state); len(left) > 0 {
								t.Errorf("after %q: %s: %s", says, state, left[0].Reason)
							}
						}
					}
					if n := len(w.Decisions(ana)); n != 2 {
						t.Errorf("%d messages were decided", n)
					}
				})
			})
		}
	}
}

// What the person wrote meanwhile hides whether a message arrived. That cannot be known any more, so it is
// held as soon as nothing can change it, and the conversation goes on.
func TestHeldBehindTheChatList(t *testing.T) {
	t.Parallel()
	for _, fault := range []emulator.Fault{emulator.CutBefore, emulator.CutAfter} {
		for _, crash := range []bool{false, true} {
			t.Run(fmt.Sprint(fault, crash), func(t *testing.T) {
				effort.Case(t)
				line := &line{endpoint: "send_message"}
				bottest.Run(t, listed(listOnly[0], line, func(said string) string { return "re: " + said }), func(w *bottest.World) {
					ana := w.Person("ana")
					w.Advance(time.Minute)
					w.Disturb("send_message", fault)
					ana.Says("hello")
					for len(heldBack(w, event.StateInDoubt)) == 0 {
						w.Advance(100 * time.Millisecond)
					}
					ana.Says("more")
					if crash {
						w.Crash()
					}
					w.Advance(time.Minute)
					held := heldBack(w, event.StateHeld)
					if len(held) != 1 || held[0].Text != "re: hello" || !strings.Contains(held[0].Reason, "chat list") {
						t.Errorf("held are %+v", held)
					}
					if fault == emulator.CutAfter {
						ana.Expects("re: hello")
					}
					ana.Expects("re: more")
					ana.ExpectsNothing(20 * time.Minute)
				})
			})
		}
	}
}

// Whoever says what the bot meant to say is not taken for the bot: one more message is unread.
func TestTheirWordsAreNotOurs(t *testing.T) {
	t.Parallel()
	bottest.Run(t, listed(listOnly[0], &line{endpoint: "send_message"}, func(said string) string { return "re: " + said }), func(w *bottest.World) {
		ana := w.Person("ana")
		w.Advance(time.Minute)
		w.Disturb("send_message", emulator.CutBefore)
		ana.Says("hello")
		for len(heldBack(w, event.StateInDoubt)) == 0 {
			w.Advance(100 * time.Millisecond)
		}
		ana.Says("re: hello")
		ana.ExpectsNothing(20 * time.Minute)
		if held := heldBack(w, event.StateHeld); len(held) != 1 {
			t.Errorf("held are %+v", held)
		}
	})
}

// Whoever says what the bot said before, after the owner has read, is not taken for what was there before an answer that
// nobody has seen arrive: that is held, and does not leave again.
func TestTheirWordsAreNotWhatWasThereBefore(t *testing.T) {
	t.Parallel()
	bottest.Run(t, listed(listOnly[0], &line{endpoint: "send_message"}, func(said string) string { return "re: " + said }), func(w *bottest.World) {
		ana := w.Person("ana")
		w.Advance(time.Minute)
		ana.Says("hello")
		ana.Expects("re: hello")
		w.Advance(20 * time.Second)
		w.Disturb("send_message", emulator.CutAfter)
		ana.Says("more")
		for len(heldBack(w, event.StateInDoubt)) == 0 {
			w.Advance(100 * time.Millisecond)
		}
		w.Platform().MarkSeen(w.Account("bot").ID(), ana.ID())
		ana.Says("re: hello")
		ana.Expects("re: more")
		ana.ExpectsNothing(20 * time.Minute)
		if held := heldBack(w, event.StateHeld); len(held) != 1 {
			t.Errorf("held are %+v", held)
		}
	})
}

// An answer that is the twin of what the list shows already leaves no mark there.
func TestTwinOfTheLastMessage(t *testing.T) {
	t.Parallel()
	for _, fault := range []emulator.Fault{emulator.CutBefore, emulator.CutAfter} {
		t.Run(fmt.Sprint(fault), func(t *testing.T) {
			effort.Case(t)
			line := &line{endpoint: "send_message"}
			bottest.Run(t, listed(listOnly[0], line, func(said string) string { return said }), func(w *bottest.World) {
				ana := w.Person("ana")
				w.Advance(time.Minute)
				w.Disturb("send_message", fault)
				ana.Says("hello")
				w.Advance(2 * time.Minute)
				if held := heldBack(w, event.StateHeld); len(held) != 1 {
					t.Errorf("held are %+v", held)
				}
				if fault == emulator.CutAfter {
					ana.Expects("hello")
				}
				ana.ExpectsNothing(20 * time.Minute)
			})
		})
	}
}

// What stands in one row with others is told from them as far as the list shows a difference: it arrives
// once, or is held where nobody can know.
func TestRowsReconciledByTheChatList(t *testing.T) {
	t.Parallel()
	both := []emulator.Fault{emulator.CutBefore, emulator.CutAfter}
	long := strings.Repeat("thank you for your message ", 3)
	for _, c := range []struct {
		texts   []string
		lost    int              // which one
		unknown []emulator.Fault // with which nobody can know
	}{
		{[]string{"a", "b"}, 0, nil},
		{[]string{"a", "b"}, 1, nil},
		{[]string{"a", "b", "a"}, 2, []emulator.Fault{emulator.CutAfter}},
		{[]string{"same", "same"}, 1, both},
		{[]string{long + "a", long + "b", "c"}, 1, both},
		{[]string{long + "a", "b", "c"}, 1, nil},
	} {
		for _, fault := range both {
			t.Run(fmt.Sprint(c.texts, c.lost, fault), func(t *testing.T) {
				effort.Case(t)
				cfg := listed(listOnly[1], &line{}, nil)
				cfg.Bot.PollInterval = time.Minute
				cfg.Routes = []bot.Route{bot.On("row", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
					for _, text := range c.texts {
						if err := t.Reply(text); err != nil {
							return err
						}
					}
					return nil
				})}
				bottest.Run(t, cfg, func(w *bottest.World) {
					ana := w.Person("ana")
					w.Advance(5 * time.Minute)
					faults := make([]emulator.Fault, c.lost+1)
					faults[c.lost] = fault
					w.Disturb("send_message", faults...)
					ana.Says("hello")
					want, held := slices.Clone(c.texts), 0
					if slices.Contains(c.unknown, fault) {
						held = 1
						if fault == emulator.CutBefore {
							want = slices.Delete(want, c.lost, c.lost+1)
						}
					}
					ana.Expects(want...)
					ana.ExpectsNothing(20 * time.Minute)
					if got := heldBack(w, event.StateHeld); len(got) != held {
						t.Errorf("held are %+v", got)
					}
				})
			})
		}
	}
}
