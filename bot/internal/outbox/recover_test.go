package outbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A crash leaves a run of messages as sending, of which any number happened. Each arrives once, in
// order.
func TestRecoveredRun(t *testing.T) {
	t.Parallel()
	long := make([]string, 64)
	for i := range long {
		long[i] = fmt.Sprint("message ", i)
	}
	for _, c := range []struct {
		name  string
		texts []string
	}{
		{"different", []string{"a", "b", "c", "d"}},
		{"twins", []string{"twin", "twin", "twin", "twin"}},
		{"twins apart", []string{"x", "twin", "y", "twin", "z"}},
		{"changed by the platform", []string{" a & b ", "<b>", "c", "a & b"}},
		{"one", []string{"a"}},
		{"a whole window", long},
	} {
		for happened := range len(c.texts) + 1 {
			if len(c.texts) > 10 && happened%13 != 0 {
				continue
			}
			t.Run(fmt.Sprint(c.name, " ", happened), func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{}, func(w *world) {
					ana := w.person("ana")
					actions := w.messages(ana, c.texts...)
					w.outbox.Reserve(actions, time.Now())
					must(w.ledger.commit(w.ctx, actions, nil))
					w.crash()
					for _, a := range actions[:happened] { // the earlier incarnation got so far
						w.sent(a)
						if happened%2 == 1 { // people go on talking
							w.p.SayAs(w.bot, ana, "by phone")
							w.p.Say(ana, w.bot, "twin")
						}
					}
					w.start()
					w.rest(time.Hour)
					want := make([]string, len(c.texts))
					for i := range want {
						want[i] = strings.TrimSpace(c.texts[i])
					}
					w.same("arrived", want, w.arrived(ana))
					for _, a := range actions {
						w.same("state of "+a.Text, event.StateDone, w.state(a))
					}
				})
			})
		}
	}
}

// What left before a crash and never arrived leaves again when its request cannot arrive any more: it counts as given
// up a deadline after the start.
func TestRecoveryWaitsForTheRequest(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		actions := w.messages(ana, "hello")
		w.outbox.Reserve(actions, time.Now())
		must(w.ledger.commit(w.ctx, actions, nil))
		w.crash()
		begun := time.Now()
		w.start()
		w.rest(time.Hour)
		w.same("arrived", []string{"hello"}, w.arrived(ana))
		if took := time.Since(begun); took < deadline+again || took > deadline+again+time.Second {
			w.Errorf("it took %v, want %v", took, deadline+again)
		}
	})
}

// Results are stored lazily. When they are lost, and when they are not, twins are told apart.
func TestResultsAreNotTakenForOthers(t *testing.T) {
	t.Parallel()
	for _, flushed := range []bool{false, true} {
		t.Run(fmt.Sprint("flushed ", flushed), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{}, func(w *world) {
				ana := w.person("ana")
				actions := w.messages(ana, "twin", "twin", "twin")
				w.p.Disturb("send_message", emulator.NoFault, emulator.CutBefore)
				w.decide(actions...)
				w.until(time.Minute, func() bool { return len(w.arrived(ana)) == 1 })
				if flushed {
					must(w.ledger.commit(w.ctx, nil, nil))
				}
				w.crash()
				w.start()
				w.rest(time.Hour)
				w.same("arrived", []string{"twin", "twin", "twin"}, w.arrived(ana))
			})
		})
	}
}

// What an earlier action of the same event produced is not taken for what a later one did.
func TestTwinsOfOneEvent(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		first, second := w.message(ana, "twin"), w.message(ana, "twin")
		w.decide(first)
		w.until(time.Minute, func() bool { return len(w.arrived(ana)) == 1 })
		w.p.Disturb("send_message", emulator.CutBefore)
		w.decide(second)
		w.rest(time.Hour)
		w.same("arrived", []string{"twin", "twin"}, w.arrived(ana))
	})
}

// A conversation may be very long by the time that an action is reconciled, and pages may come in either
// order.
func TestReconcileInLongConversation(t *testing.T) {
	t.Parallel()
	for _, d := range []emulator.Dialect{{}, {NewestPageFirst: true}, {PageCap: 20}, {MessagesDescending: true}} {
		t.Run(fmt.Sprintf("%+v", d), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{emulator: emulator.Config{Dialect: d}}, func(w *world) {
				ana := w.person("ana")
				actions := w.messages(ana, "one", "two", "three")
				w.outbox.Reserve(actions, time.Now())
				must(w.ledger.commit(w.ctx, actions, nil))
				w.crash()
				for i := range 450 {
					w.p.Say(ana, w.bot, fmt.Sprint("blah ", i))
					if i%150 == 100 {
						w.sent(actions[i/150])
					}
				}
				w.start()
				w.rest(time.Hour)
				w.same("arrived", []string{"one", "two", "three"}, w.arrived(ana))
			})
		})
	}
}

// What is shown no more although something that left later is, happened.
func TestDeletedSinceItWasSent(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		actions := w.messages(ana, "one", "two", "three")
		w.outbox.Reserve(actions, time.Now())
		must(w.ledger.commit(w.ctx, actions, nil))
		w.crash()
		must(w.aside().DeleteMessage(context.Background(), w.sent(actions[:2]...)[0]))
		w.start()
		w.rest(time.Hour)
		w.same("arrived", []string{"one", "two", "three"}, w.arrived(ana))
		w.same("state of the deleted one", event.StateDone, w.state(actions[0]))
	})
}

// Recovered actions of many conversations cost one reading each (a page, and the empty one behind it), and wait for each other only as far
// as the slots go.
func TestRecoverManyConversations(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{concurrency: 2}, func(w *world) {
		var actions []event.Action
		for i := range 128 {
			actions = append(actions, w.message(w.person(fmt.Sprint("p", i)), "hello"))
		}
		w.outbox.Reserve(actions, time.Now())
		must(w.ledger.commit(w.ctx, actions, nil))
		w.crash()
		for _, a := range actions {
			w.sent(a)
		}
		begun := time.Now()
		w.start()
		w.rest(time.Hour)
		w.same("calls of get_messages", int64(2*128), w.p.Calls("get_messages"))
		w.same("calls of send_message", int64(128), w.p.Calls("send_message"))
		if took := time.Since(begun); took > 2*time.Second {
			w.Errorf("it took %v", took)
		}
	})
}

// An action that has no id to be reconciled from has not left: it is sent, not looked for.
func TestRecoverWhatNeverLeft(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		a := w.message(ana, "hello")
		a.ReconcileFrom = 0
		w.sent(a) // an old one that looks the same
		actions := []event.Action{a}
		w.outbox.Reserve(actions, time.Now())
		must(w.ledger.commit(w.ctx, actions, nil))
		w.crash()
		begun := time.Now()
		w.start()
		w.rest(time.Hour)
		w.same("arrived", []string{"hello", "hello"}, w.arrived(ana))
		if took := time.Since(begun); took > time.Second {
			w.Errorf("it took %v", took)
		}
	})
}

// While an outage lasts nothing is held: when it is over, everything is reconciled by itself.
func TestRecoverDuringOutage(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{config: outbox.Config{}}, func(w *world) {
		ana := w.person("ana")
		actions := w.messages(ana, "one", "two")
		w.outbox.Reserve(actions, time.Now())
		must(w.ledger.commit(w.ctx, actions, nil))
		w.crash()
		w.sent(actions[0])
		w.net.Cut(true)
		w.start()
		time.Sleep(3 * time.Hour)
		w.net.Cut(false)
		w.rest(time.Hour)
		w.same("arrived", []string{"one", "two"}, w.arrived(ana))
	})
}

// What is behind something that has not left has not left either. When an incarnation after a crash is stopped before it gets anywhere, all of
// it goes back in its order.
func TestStopAfterACrash(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		actions := w.messages(ana, "one", "two", "three", "four")
		actions[0].ReconcileFrom, actions[1].ReconcileFrom = 0, 0 // the others came when it was known where to look for them
		w.outbox.Reserve(actions, time.Now())
		must(w.ledger.commit(w.ctx, actions, nil))
		w.crash()
		w.net.Cut(true)
		w.start()
		time.Sleep(time.Second)
		w.stop()
		w.net.Cut(false)
		w.start()
		w.rest(time.Hour)
		w.same("arrived", []string{"one", "two", "three", "four"}, w.arrived(ana))
	})
}
