package outbox_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

func numbers(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprint(i)
	}
	return texts
}

// Messages of a conversation arrive in the order in which they were decided, whether they go at once
// or through the store: because there are more than a window, because of the pace, or because an
// earlier one does not get on.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		setup setup
		fault []emulator.Fault
	}{
		{name: "at once"},
		{name: "small window", setup: setup{config: outbox.Config{Window: 3}}},
		{name: "small window, many slots", setup: setup{config: outbox.Config{Window: 2}, concurrency: 8}},
		{name: "pace", setup: setup{pace: event.Pace{Account: event.Rate{PerSecond: 10, Burst: 3}}}},
		{name: "pace of a conversation", setup: setup{pace: event.Pace{Conversation: event.Rate{PerSecond: 10, Burst: 3}}}},
		{name: "pace of a verb", setup: setup{pace: event.Pace{Verb: map[event.Verb]event.Rate{event.VerbMessage: {PerSecond: 10}}}}},
		{name: "unsure", fault: []emulator.Fault{emulator.NoFault, emulator.CutBefore, emulator.CutAfter, emulator.NoFault, emulator.Err500Before}},
		{name: "limited", fault: []emulator.Fault{emulator.NoFault, emulator.TooMany, emulator.NoFault, emulator.TooMany, emulator.TooMany}},
		{name: "unsure, small window", setup: setup{config: outbox.Config{Window: 3}}, fault: []emulator.Fault{emulator.CutBefore}},
	} {
		t.Run(c.name, func(t *testing.T) {
			effort.Case(t)
			c.setup.commit, c.setup.trip = 3*time.Millisecond, 10*time.Millisecond
			inWorld(t, c.setup, func(w *world) {
				ana, leo := w.person("ana"), w.person("leo")
				w.p.Disturb("send_message", c.fault...)
				for i := range 40 {
					w.decide(w.messages(ana, fmt.Sprint(2*i), fmt.Sprint(2*i+1))...)
					w.decide(w.message(leo, fmt.Sprint(i)))
					time.Sleep(time.Duration(i%5) * 7 * time.Millisecond)
				}
				w.rest(time.Hour)
				w.same("to ana", numbers(80), w.arrived(ana))
				w.same("to leo", numbers(40), w.arrived(leo))
			})
		})
	}
}

// An action goes through the store while an earlier one of its conversation is still on its way into
// the store, to leave at once. The fetcher finds the later one first.
func TestFetcherWaitsForWhatIsReserved(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{pace: event.Pace{Account: event.Rate{PerSecond: 1000, Burst: 1}}}, func(w *world) {
		ana, leo := w.person("ana"), w.person("leo")
		first, second := w.messages(ana, "first"), w.messages(ana, "second")
		reserved, behind := w.outbox.Reserve(first, time.Now()), w.outbox.Reserve(second, time.Now()) // no token left
		w.same("states", []event.State{event.StateSending, event.StateDue}, []event.State{first[0].State, second[0].State})
		w.decide(w.message(leo, "hello")) // starts the fetcher
		must(w.ledger.commit(w.ctx, slices.Concat(first, second), nil))
		w.until(time.Minute, func() bool { return len(w.arrived(leo)) == 1 })
		time.Sleep(5 * time.Second) // until the receipts come
		w.same("before it is enqueued", 0, len(w.arrived(ana)))
		reserved.Commit(w.ctx)
		behind.Commit(w.ctx)
		w.rest(time.Minute)
		w.same("arrived", []string{"first", "second"}, w.arrived(ana))
	})
}

// What waits for its time blocks nothing, and goes when its time has come.
func TestTimedActions(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		begun := time.Now()
		for i, d := range []time.Duration{5 * time.Second, time.Hour, time.Second, 24 * time.Hour} {
			a := w.message(ana, fmt.Sprint("timed ", i))
			a.Due = begun.Add(d)
			w.decide(a)
		}
		w.decide(w.message(ana, "at once"))
		w.rest(48 * time.Hour)
		w.same("arrived", []string{"at once", "timed 2", "timed 0", "timed 1", "timed 3"}, w.arrived(ana))
		for _, e := range w.entries(emulator.Arrived) {
			a := w.disk.action(map[string]string{"timed 2": "t/0003", "timed 0": "t/0001", "timed 1": "t/0002", "timed 3": "t/0004", "at once": "t/0005"}[e.Text])
			if late := e.At.Sub(a.Due); late < 0 || late > 50*time.Millisecond {
				w.Errorf("%q arrived %v after its time", e.Text, late)
			}
		}
	})
}

// A timed action that is stored while the fetcher looks around is not forgotten.
func TestNoWakeUpIsLost(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{commit: time.Millisecond, reading: time.Millisecond}, func(w *world) {
		ana := w.person("ana")
		timed := func(d time.Duration) event.Action {
			a := w.message(ana, "timed")
			a.Due = time.Now().Add(d)
			return a
		}
		for i := range 100 {
			w.decide(timed(2 * time.Millisecond))
			time.Sleep(time.Duration(i) * 100 * time.Microsecond)
			w.decide(timed(20 * time.Millisecond))
			if !w.until(time.Second, func() bool { return len(w.arrived(ana)) == 2*(i+1) }) {
				w.Fatalf("stored %v later, it was forgotten", time.Duration(i)*100*time.Microsecond)
			}
		}
	})
}

// An action decided while a timed one of the same conversation is due goes behind it.
func TestTimedActionKeepsItsPlace(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{commit: 50 * time.Millisecond}, func(w *world) {
		ana := w.person("ana")
		timed := w.message(ana, "timed")
		timed.Due = time.Now().Add(time.Millisecond)
		first, second := []event.Action{timed}, w.messages(ana, "answer")
		reserved := w.outbox.Reserve(first, time.Now())
		time.Sleep(10 * time.Millisecond) // its time comes while it is being stored
		behind := w.outbox.Reserve(second, time.Now())
		must(w.ledger.commit(w.ctx, first, nil))
		reserved.Commit(w.ctx)
		must(w.ledger.commit(w.ctx, second, nil))
		behind.Commit(w.ctx)
		w.rest(time.Minute)
		w.same("arrived", []string{"timed", "answer"}, w.arrived(ana))
	})
}

// So it does while the fetcher is about to find it, also when the fetcher only looks now and then because
// something else has to wait.
func TestTimedActionIsNotOvertaken(t *testing.T) {
	t.Parallel()
	for _, busy := range []bool{false, true} {
		t.Run(fmt.Sprint("busy ", busy), func(t *testing.T) {
			effort.Case(t)
			s := setup{pace: event.Pace{Conversation: event.Rate{PerSecond: 0.1, Burst: 5}}, reading: 20 * time.Millisecond}
			inWorld(t, s, func(w *world) {
				ana, leo := w.person("ana"), w.person("leo")
				if busy {
					w.decide(w.messages(leo, numbers(8)...)...)
				}
				timed := w.message(ana, "timed")
				timed.Due = time.Now().Add(3500 * time.Millisecond)
				w.decide(timed)
				time.Sleep(3505 * time.Millisecond)
				w.decide(w.message(ana, "answer"))
				w.until(time.Minute, func() bool { return len(w.arrived(ana)) == 2 })
				w.same("arrived", []string{"timed", "answer"}, w.arrived(ana))
				if late := w.entries(emulator.Arrived)[len(w.arrived(leo))].At.Sub(timed.Due); late > 200*time.Millisecond {
					w.Errorf("it arrived %v after its time", late)
				}
			})
		})
	}
}

// When the clock is set back, the order stays, and nothing waits until the clock has caught up.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{pace: event.Pace{Account: event.Rate{PerSecond: 10, Burst: 1}}}, func(w *world) {
		ana := w.person("ana")
		for i := range 20 {
			turn := w.messages(ana, fmt.Sprint(i))
			reserved := w.outbox.Reserve(turn, time.Now().Add(-time.Duration(i)*time.Hour))
			must(w.ledger.commit(w.ctx, turn, nil))
			reserved.Commit(w.ctx)
		}
		w.rest(3 * time.Second)
		w.same("arrived", numbers(20), w.arrived(ana))
	})
}

// Out of the store, answers go first, then what is planned, then what goes to many.
func TestPriorities(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{pace: event.Pace{Account: event.Rate{PerSecond: 1, Burst: 1}}}, func(w *world) {
		ana := w.person("ana")
		w.decide(w.message(ana, "first")) // takes the token
		for _, p := range []event.Priority{event.Broadcast, event.Scheduled, event.Answer} {
			for i := range 3 {
				a := w.message(ana, fmt.Sprint(p, " ", i))
				a.Priority = p
				w.decide(a)
			}
		}
		w.rest(time.Minute)
		w.same("arrived", []string{"first", "0 0", "0 1", "0 2", "1 0", "1 1", "1 2", "2 0", "2 1", "2 2"}, w.arrived(ana))
	})
}

// However many actions of one conversation, or of one verb, wait in the store, others get past them.
func TestOneLimitDelaysNoOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		pace event.Pace
	}{
		{"conversation", event.Pace{Conversation: event.Rate{PerSecond: 0.1, Burst: 2}}},
		{"verb", event.Pace{Verb: map[event.Verb]event.Rate{event.VerbLike: {PerSecond: 0.1, Burst: 1}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{pace: c.pace, config: outbox.Config{Window: 4}}, func(w *world) {
				ana, leo := w.person("ana"), w.person("leo")
				for i := range 50 {
					if c.name == "verb" {
						w.decide(w.like(ana, w.p.Post(ana, fmt.Sprint("news ", i)), true))
					} else {
						w.decide(w.message(ana, fmt.Sprint(i)))
					}
				}
				a := w.message(leo, "later")
				a.Due = time.Now().Add(3 * time.Second)
				w.decide(a)
				begun := time.Now()
				w.decide(w.message(leo, "hello"))
				w.until(time.Hour, func() bool { return len(w.arrived(leo)) == 2 })
				w.same("to leo", []string{"hello", "later"}, w.arrived(leo))
				if took := time.Since(begun); took > 4100*time.Millisecond {
					w.Errorf("it took %v", took)
				}
				w.rest(time.Hour)
				if c.name != "verb" {
					w.same("to ana", numbers(50), w.arrived(ana))
				}
			})
		})
	}
}

// Conversations that do not get on, each with all that it may queue, delay no other.
func TestStuckConversationsDelayNoOther(t *testing.T) {
	t.Parallel()
	unreadable := func(p outbox.Platform) outbox.Platform {
		return &stub{Platform: p, send: func(ctx context.Context, m platform.SendMessageParams) (platform.Message, error) {
			if m.Text[0] == '-' {
				time.Sleep(100 * time.Millisecond)
				return platform.Message{}, &platform.Unreachable{Endpoint: "send_message", Sent: true, Err: context.DeadlineExceeded}
			}
			return p.SendMessage(ctx, m)
		}}
	}
	for _, pace := range []event.Pace{{}, {Account: event.Rate{PerSecond: 20, Burst: 20}}} {
		t.Run(fmt.Sprintf("%+v", pace.Account), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{wrap: unreadable, concurrency: 2, pace: pace}, func(w *world) {
				for i := range 4 {
					who := w.person(fmt.Sprint("deaf", i))
					for n := range 100 {
						w.decide(w.message(who, fmt.Sprint("-", n)))
					}
				}
				time.Sleep(time.Second)
				leo := w.person("leo")
				for i := range 20 {
					begun := time.Now()
					w.decide(w.message(leo, fmt.Sprint(i)))
					w.until(time.Minute, func() bool { return len(w.arrived(leo)) == i+1 })
					if took := time.Since(begun); took > 5*time.Second { // trouble lowers the pace
						w.Errorf("message %d took %v", i, took)
					}
					time.Sleep(time.Second)
				}
				w.same("to leo", numbers(20), w.arrived(leo))
			})
		})
	}
}

// A turn that was not stored leaves nothing behind, and wakes who waits for its room.
func TestGiveBack(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{config: outbox.Config{Window: 2}}, func(w *world) {
		ana, leo, max := w.person("ana"), w.person("leo"), w.person("max")
		lost := slices.Concat(w.messages(ana, "lost"), w.messages(leo, "lost"))
		reserved := w.outbox.Reserve(lost, time.Now())
		w.decide(w.message(max, "hello")) // there is no room
		time.Sleep(time.Minute)
		w.same("while there is no room", 0, len(w.arrived(max)))
		w.ledger.refuse(true)
		w.decide(w.message(ana, "lost as well"))
		w.ledger.refuse(false)
		reserved.GiveBack()
		w.rest(time.Minute)
		w.same("to max", []string{"hello"}, w.arrived(max))
		w.decide(w.message(ana, "hello"), w.message(leo, "hello"))
		w.rest(time.Minute)
		w.same("to ana", []string{"hello"}, w.arrived(ana))
		w.same("to leo", []string{"hello"}, w.arrived(leo))
	})
}

// What is withdrawn while the fetcher has it in its hands does not leave, and delays nothing.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	s := setup{pace: event.Pace{Account: event.Rate{PerSecond: 1, Burst: 1}}, commit: 10 * time.Millisecond}
	inWorld(t, s, func(w *world) {
		ana, leo := w.person("ana"), w.person("leo")
		w.decide(w.message(ana, "first"))
		gone := w.message(ana, "withdrawn")
		w.decide(gone)
		w.decide(w.message(leo, "hello"))
		time.Sleep(975 * time.Millisecond) // the fetcher is about to mark it
		w.disk.withdraw(gone.Key)
		w.rest(3 * time.Second)
		w.same("to ana", []string{"first"}, w.arrived(ana))
		w.same("to leo", []string{"hello"}, w.arrived(leo))
		w.same("state", event.StateWithdrawn, w.state(gone))
		w.same("no trouble", 0, w.log.count("cannot take due actions"))
	})
}

// However often that happens in a row, it is no trouble with the store.
func TestWithdrawnInARow(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{commit: 10 * time.Millisecond, reading: time.Millisecond}, func(w *world) {
		var actions []event.Action
		for i := range 5 {
			a := w.message(w.person(fmt.Sprint("p", i)), "hello")
			a.Due = time.Now().Add(time.Second)
			actions = append(actions, a)
		}
		w.decide(actions...)
		begun := time.Now()
		for i := range 4 { // each time while the fetcher marks what is left
			time.Sleep(time.Until(begun.Add(time.Second)) + time.Duration(i)*11*time.Millisecond - 5*time.Millisecond)
			w.disk.withdraw(actions[i].Key)
		}
		w.rest(time.Minute)
		w.same("to the last one", []string{"hello"}, w.arrived(actions[4].Peer))
		w.same("messages", 1, len(w.entries(emulator.Arrived)))
		w.same("trouble", 0, w.log.count("cannot take due actions"))
	})
}

// What is withdrawn at the last moment costs the others nothing: their tokens are not lost.
func TestWithdrawnAmongMany(t *testing.T) {
	t.Parallel()
	s := setup{pace: event.Pace{Account: event.Rate{PerSecond: 0.001, Burst: 20}}, commit: 10 * time.Millisecond}
	inWorld(t, s, func(w *world) {
		var actions []event.Action
		for i := range 20 {
			a := w.message(w.person(fmt.Sprint("p", i)), "hello")
			a.Due = time.Now().Add(time.Second)
			actions = append(actions, a)
		}
		w.decide(actions...)
		time.Sleep(995 * time.Millisecond) // the fetcher is about to mark them
		w.disk.withdraw(actions[7].Key)
		w.rest(time.Minute)
		w.same("messages", 19, len(w.entries(emulator.Arrived)))
	})
}
