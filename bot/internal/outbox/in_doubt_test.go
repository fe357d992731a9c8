package outbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

const (
	deadline = 15 * time.Second // when a request is given up at the latest
	late     = 20 * time.Second // the grace, from when it was
	again    = late + 3*time.Second
)

// However a request goes wrong, its message arrives once. What may have been handled is sent again
// only after two late readings.
func TestMessageArrivesOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault    emulator.Fault
		sends    int64         // calls of send_message
		atLeast  time.Duration // until the message is there
		reads    int64         // calls of get_messages, at least
		atLatest time.Duration
	}{
		{fault: emulator.NoFault, sends: 1, atLatest: time.Second},
		{fault: emulator.Notice, sends: 1, atLatest: time.Second},
		{fault: emulator.Slow, sends: 1, atLatest: time.Second},
		{fault: emulator.CutAfter, sends: 1, reads: 1, atLatest: time.Second},
		{fault: emulator.Err500After, sends: 1, reads: 1, atLatest: time.Second},
		{fault: emulator.Truncated, sends: 1, reads: 1, atLatest: time.Second},
		{fault: emulator.Switched, sends: 1, reads: 1, atLatest: time.Second},
		{fault: emulator.Endless, sends: 1, reads: 1, atLeast: deadline, atLatest: deadline + time.Second},
		{fault: emulator.CutBefore, sends: 2, reads: 2, atLeast: again, atLatest: again + 2*time.Second},
		{fault: emulator.Err500Before, sends: 2, reads: 2, atLeast: again, atLatest: again + 2*time.Second},
		{fault: emulator.Bad502, sends: 2, reads: 2, atLeast: again, atLatest: again + 2*time.Second},
		{fault: emulator.TooMany, sends: 2, atLeast: time.Second, atLatest: 3 * time.Second},
		{fault: emulator.ExpireEarly, sends: 2, atLatest: time.Second},
		{fault: emulator.Revoke, sends: 2, atLatest: time.Second},
		{fault: emulator.Late, sends: 1, reads: 2, atLeast: late, atLatest: late + time.Second},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{}, func(w *world) {
				ana := w.person("ana")
				w.p.Disturb("send_message", c.fault)
				begun := time.Now()
				a := w.message(ana, "hello")
				w.decide(a)
				w.rest(time.Hour)
				took := time.Since(begun)
				w.same("arrived", []string{"hello"}, w.arrived(ana))
				w.same("calls of send_message", c.sends, w.p.Calls("send_message"))
				w.same("state", event.StateDone, w.state(a))
				if took < c.atLeast || took > c.atLatest {
					w.Errorf("it took %v, want %v to %v", took, c.atLeast, c.atLatest)
				}
				if got := w.p.Calls("get_messages"); got < c.reads {
					w.Errorf("the chat was read %d times, want at least %d", got, c.reads)
				}
				m := w.p.Messages(w.bot, ana)
				w.same("result", int64(m[len(m)-1].ID), w.disk.action(a.Key).Result)
			})
		})
	}
}

// A reading that fails is none: the message is sent again only after two that were late and worked.
func TestFailedReadingsDoNotCount(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		w.p.Disturb("send_message", emulator.CutBefore)
		w.p.Disturb("get_messages", emulator.Err500Before, emulator.NoFault, emulator.Bad502, emulator.CutAfter, emulator.Truncated, emulator.NoFault)
		w.decide(w.message(ana, "hello"))
		w.until(time.Hour, func() bool { return w.p.Calls("send_message") == 2 })
		w.same("readings before it was sent again", int64(7), w.p.Calls("get_messages"))
		w.rest(time.Hour)
		w.same("arrived", []string{"hello"}, w.arrived(ana))
	})
}

// What cannot be read for too long is held for a person, and the rest of the conversation goes on.
func TestHeldWhenItCannotBeRead(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		w.p.Disturb("send_message", emulator.CutAfter)
		for range 1000 {
			w.p.Disturb("get_messages", emulator.Bad502)
		}
		begun := time.Now()
		actions := w.messages(ana, "one", "two", "three")
		w.decide(actions...)
		w.until(time.Hour, func() bool { return w.p.Calls("send_message") > 1 })
		if took := time.Since(begun); took < 10*time.Minute || took > 13*time.Minute {
			w.Errorf("it was held after %v", took)
		}
		w.same("state", event.StateHeld, w.state(actions[0]))
		w.rest(time.Minute)
		w.same("arrived", []string{"one", "two", "three"}, w.arrived(ana))
		w.same("held: told once", 1, w.log.count("actions are held"))
	})
}

// After something was held, what looks the same is told from it.
func TestTwinOfHeldIsNotLost(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		w.p.Disturb("send_message", emulator.CutAfter, emulator.CutBefore)
		broken := 0
		for range 25 { // 10 minutes of readings that fail
			w.p.Disturb("get_messages", emulator.Bad502)
			broken++
		}
		actions := w.messages(ana, "twin", "twin")
		w.decide(actions...)
		w.rest(time.Hour)
		w.same("state of the first", event.StateHeld, w.state(actions[0]))
		w.same("state of the second", event.StateDone, w.state(actions[1]))
		w.same("arrived", []string{"twin", "twin"}, w.arrived(ana))
	})
}

// An action that is never answered and never shown makes room after a while.
func TestHeldWhenNeverAnswered(t *testing.T) {
	t.Parallel()
	unreadable := func(p outbox.Platform) outbox.Platform {
		return &stub{Platform: p, send: func(ctx context.Context, m platform.SendMessageParams) (platform.Message, error) {
			if m.Text == "one" {
				return platform.Message{}, &platform.Unreachable{Endpoint: "send_message", Sent: true, Err: context.DeadlineExceeded}
			}
			return p.SendMessage(ctx, m)
		}}
	}
	inWorld(t, setup{wrap: unreadable}, func(w *world) {
		ana := w.person("ana")
		begun := time.Now()
		actions := w.messages(ana, "one", "two")
		w.decide(actions...)
		w.rest(time.Hour)
		w.same("states", []event.State{event.StateHeld, event.StateDone}, []event.State{w.state(actions[0]), w.state(actions[1])})
		if took := time.Since(begun); took > 11*time.Minute {
			w.Errorf("the rest went on after %v", took)
		}
	})
}

// The platform trims texts, folds white space and escapes markup; what was sent is found all the same.
func TestChangedTextsAreFound(t *testing.T) {
	t.Parallel()
	texts := []string{
		"  plain  ", "a\r\nb", `5 < 6 & "so" it's <b>bold</b>`, "&amp;", "&lt;script&gt;", "broken \xff\xfe text", "привет 🙂", "tab\there",
	}
	for _, d := range emulator.Dialects() {
		if d.Dialect.Messages != emulator.Present {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{emulator: emulator.Config{Dialect: d.Dialect}}, func(w *world) {
				ana := w.person("ana")
				for _, text := range texts {
					w.p.Disturb("send_message", emulator.CutAfter)
					a := w.message(ana, text)
					w.decide(a)
					w.rest(time.Minute)
				}
				w.same("messages", len(texts), len(w.arrived(ana)))
				w.same("calls of send_message", int64(len(texts)), w.p.Calls("send_message"))
			})
		})
	}
}

// Refusals end an action at once, durably, and the next one goes on.
func TestRefused(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		actions := w.messages(ana, strings.Repeat("x", 3001), "short")
		w.decide(actions...)
		w.until(time.Minute, func() bool { return len(w.arrived(ana)) == 1 })
		w.crash() // refused is on the disk before the next one leaves
		w.same("state", event.StateRefused, w.state(actions[0]))
		if reason := w.disk.action(actions[0].Key).Reason; !strings.Contains(reason, "too long") {
			w.Errorf("the reason is %q", reason)
		}
		w.start()
		w.rest(time.Hour)
		w.same("arrived", []string{"short"}, w.arrived(ana))
		w.same("calls of send_message", int64(2), w.p.Calls("send_message"))
	})
}

// An action of an unknown verb is given up, and does no harm.
func TestUnknownVerb(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		odd := w.message(ana, "x")
		odd.Verb = "dance"
		w.decide(odd, w.message(ana, "hello"))
		w.rest(time.Minute)
		w.same("state", event.StateDead, w.state(odd))
		w.same("arrived", []string{"hello"}, w.arrived(ana))
	})
}
