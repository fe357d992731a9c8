package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A stop at any time, in the middle of any wait, changes nothing: the next incarnation goes on. So does a
// crash.
func TestStopAtAnyTime(t *testing.T) {
	t.Parallel()
	var times []time.Duration
	for d := time.Millisecond; d < 40*time.Second; d = d*3/2 + time.Millisecond {
		times = append(times, d)
	}
	for name, again := range map[string]func(*world){
		"stop":  (*world).restart,
		"crash": func(w *world) { w.crash(); w.start() },
	} {
		for i, d := range times {
			if effort.Few() && i%4 != 0 {
				continue
			}
			t.Run(fmt.Sprint(name, " after ", d), func(t *testing.T) {
				effort.Case(t)
				s := setup{
					concurrency: 2, commit: 2 * time.Millisecond, trip: 30 * time.Millisecond,
					pace: event.Pace{Account: event.Rate{PerSecond: 20, Burst: 10}}, config: outbox.Config{Window: 4},
				}
				inWorld(t, s, func(w *world) {
					ana, leo := w.person("ana"), w.person("leo")
					w.p.Disturb("send_message", emulator.NoFault, emulator.CutBefore, emulator.TooMany, emulator.CutAfter)
					w.p.Disturb("like_post", emulator.Err500Before)
					w.p.Disturb("publish_post", emulator.CutAfter)
					post := w.p.Post(ana, "news")
					for i := range 10 {
						w.decide(w.message(ana, fmt.Sprint(2*i)), w.message(ana, fmt.Sprint(2*i+1)), w.withoutBaseline(leo, fmt.Sprint(i)))
					}
					timed := w.message(leo, "timed")
					timed.Due = time.Now().Add(17 * time.Second)
					w.decide(w.like(ana, post, true), w.post(ana, 0, "hello"), w.post(ana, post, "hello"), timed)
					time.Sleep(d)
					again(w)
					time.Sleep(d)
					again(w)
					w.rest(time.Hour)
					w.same("to ana", numbers(20), w.arrived(ana))
					toLeo := w.arrived(leo)
					at := slices.Index(toLeo, "timed")
					if at < 0 {
						w.Fatalf("to leo: %q", toLeo)
					}
					w.same("to leo", numbers(10), slices.Delete(toLeo, at, at+1))
					w.same("published", []string{"hello", "hello"}, w.published())
					w.same("switched", 1, len(w.entries(toggles...)))
				})
			})
		}
	}
}

// A stop lets requests in flight end, makes due again what never left, and leaves what is in doubt.
func TestDrain(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{trip: 2 * time.Second, config: outbox.Config{FirstLook: 10 * time.Second}}, func(w *world) {
		ana, leo := w.person("ana"), w.person("leo")
		w.p.Disturb("send_message", emulator.CutAfter)
		inDoubt := w.message(leo, "unsure")
		w.decide(inDoubt)
		time.Sleep(5 * time.Second) // it signs in before it sends
		actions := w.messages(ana, "in flight", "behind it", "behind that")
		w.decide(actions...)
		time.Sleep(500 * time.Millisecond)
		waiting := w.message(w.person("max"), "waits for a slot")
		w.decide(waiting)
		time.Sleep(500 * time.Millisecond)
		begun := time.Now()
		w.stop()
		if took := time.Since(begun); took > 1100*time.Millisecond {
			w.Errorf("it took %v", took)
		}
		w.same("arrived", []string{"in flight"}, w.arrived(ana))
		w.same("states", []event.State{event.StateDone, event.StateDue, event.StateDue, event.StateInDoubt, event.StateDue},
			[]event.State{w.state(actions[0]), w.state(actions[1]), w.state(actions[2]), w.state(inDoubt), w.state(waiting)})

		late := w.messages(ana, "late") // a turn that ends after the stop
		w.outbox.Reserve(late, time.Now())
		w.same("state of what comes late", event.StateDue, late[0].State)
		w.start()
		w.rest(time.Minute)
		w.same("arrived", []string{"in flight", "behind it", "behind that"}, w.arrived(ana))
		w.same("arrived", []string{"unsure"}, w.arrived(leo))
	})
}

// What was reserved before the stop and is committed after it is due again.
func TestCommitAfterDrain(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		actions := w.messages(ana, "one", "two")
		reserved := w.outbox.Reserve(actions, time.Now())
		must(w.outbox.Drain(w.ctx))
		must(w.ledger.commit(w.ctx, actions, nil))
		reserved.Commit(w.ctx)
		timed := w.messages(ana, "three")
		reserved = w.outbox.Reserve(timed, time.Now())
		must(w.ledger.commit(w.ctx, timed, nil))
		reserved.Commit(w.ctx)
		w.restart()
		begun := time.Now()
		w.rest(time.Minute)
		w.same("arrived", []string{"one", "two", "three"}, w.arrived(ana))
		if took := time.Since(begun); took > time.Second {
			w.Errorf("it took %v", took)
		}
	})
}

// What was given back keeps its place, also behind something that was given back less often.
func TestGivenBackAgain(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		w.p.Disturb("send_message", emulator.CutBefore, emulator.TooMany)
		w.decide(w.messages(ana, numbers(10)...)...)
		for n := range int64(2) { // the first one is in doubt, then it waits
			w.until(time.Minute, func() bool { return w.p.Calls("send_message") == n+1 })
			time.Sleep(10 * time.Millisecond)
			w.restart()
		}
		w.rest(time.Hour)
		w.same("arrived", numbers(10), w.arrived(ana))
	})
}

// A stop that catches actions between two of its steps, and a crash before it is over, leave a
// conversation in its order.
func TestCrashInAStop(t *testing.T) {
	t.Parallel()
	const before = 6 // messages, of which the window lets four leave
	turn := func(w *world, ana platform.UserID, text string) (enqueue func()) {
		actions := w.messages(ana, text)
		reserved := w.outbox.Reserve(actions, time.Now())
		w.same("it may leave", event.StateSending, actions[0].State)
		return func() {
			must(w.ledger.commit(w.ctx, actions, nil))
			reserved.Commit(w.ctx)
		}
	}
	for name, stop := range map[string]func(w *world, ana platform.UserID){
		"the pump, and the commit lands": func(w *world, _ platform.UserID) {
			land := w.ledger.catch()
			w.until(time.Minute, w.ledger.catches)
			go func() {
				time.Sleep(2 * time.Second) // the queue has come to rest
				land()
			}()
			must(w.outbox.Drain(w.ctx))
		},
		"the pump, and nobody waits for its commit": func(w *world, _ platform.UserID) {
			land := w.ledger.catch()
			w.until(time.Minute, w.ledger.catches)
			ctx, cancel := context.WithTimeout(w.ctx, 5*time.Second)
			defer cancel()
			w.same("drain", context.DeadlineExceeded, w.outbox.Drain(ctx), cmpopts.EquateErrors())
			w.cancel()
			land()
		},
		"a turn": func(w *world, ana platform.UserID) {
			w.until(time.Minute, func() bool { return len(w.arrived(ana)) == before-2 })
			enqueue := turn(w, ana, fmt.Sprint(before))
			must(w.outbox.Drain(w.ctx))
			enqueue()
		},
		"two turns": func(w *world, ana platform.UserID) {
			w.until(time.Minute, func() bool { return len(w.arrived(ana)) == before-1 })
			first, second := turn(w, ana, fmt.Sprint(before)), turn(w, ana, fmt.Sprint(before+1))
			must(w.outbox.Drain(w.ctx))
			first()
			second()
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{trip: time.Second, config: outbox.Config{Window: 4}}, func(w *world) {
				ana := w.person("ana")
				w.decide(w.messages(ana, numbers(before)...)...)
				stop(w, ana)
				synctest.Wait()
				w.crash()
				w.start()
				w.rest(time.Hour)
				got := w.arrived(ana)
				w.same("arrived", numbers(max(before, len(got))), got)
			})
		})
	}
}

// A stop does not wait for ever for what hangs, and may be asked to wait on.
func TestDrainGivesUp(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		w.net.Hang("send_message", handled)
		actions := w.messages(ana, "one", "two")
		w.decide(actions...)
		time.Sleep(time.Second)
		enough, cancel := context.WithTimeout(w.ctx, 3*time.Second)
		defer cancel()
		if err := w.outbox.Drain(enough); !errors.Is(err, context.DeadlineExceeded) {
			w.Errorf("drain: %v", err)
		}
		w.cancel() // cuts it
		must(w.outbox.Drain(context.Background()))
		must(w.ledger.MarkNow(context.Background()))
		w.same("states", []event.State{event.StateInDoubt, event.StateDue}, []event.State{w.state(actions[0]), w.state(actions[1])})
		w.net.Hang("send_message", 0)
		w.start()
		w.rest(time.Minute)
		w.same("arrived", []string{"one", "two"}, w.arrived(ana))
	})
}

// While the store refuses, nothing is lost, and nothing is sent that is not stored as sending.
func TestStoreThatRefuses(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{pace: event.Pace{Account: event.Rate{PerSecond: 5, Burst: 2}}}, func(w *world) {
		ana, leo := w.person("ana"), w.person("leo")
		w.p.Disturb("send_message", emulator.CutAfter)
		actions := append(w.messages(ana, numbers(10)...), w.withoutBaseline(leo, "one"), w.withoutBaseline(leo, "two"))
		w.decide(actions...)
		w.ledger.refuse(true)
		time.Sleep(20 * time.Minute)
		if n := w.p.Calls("send_message"); n > 2 {
			w.Errorf("%d messages were sent", n)
		}
		w.ledger.refuse(false)
		w.rest(time.Hour)
		w.same("to ana", numbers(10), w.arrived(ana))
		w.same("to leo", []string{"one", "two"}, w.arrived(leo))
		w.same("told once", 1, w.log.count("cannot take due actions"))
	})
}

// At rest there are no goroutines, also while something waits for its time; and each end was told.
func TestNoGoroutinesAtRest(t *testing.T) { //nolint:paralleltest // it counts goroutines
	inWorld(t, setup{wrap: func(p outbox.Platform) outbox.Platform { return instant{p} }}, func(w *world) {
		ana := w.person("ana")
		told := func() int {
			w.mu.Lock()
			defer w.mu.Unlock()
			return len(w.ended)
		}
		synctest.Wait() // what the start began has come to rest
		before := inBubble()
		timed := w.message(ana, "timed")
		timed.Due = time.Now().Add(24 * time.Hour)
		w.decide(append(w.messages(ana, numbers(100)...), timed)...)
		atRest := func() bool { return inBubble() == before }
		w.until(time.Minute, func() bool { return told() == 100 })
		w.same("at rest", true, w.until(time.Minute, atRest))
		w.until(25*time.Hour, func() bool { return told() == 101 })
		w.same("at rest again", true, w.until(time.Minute, atRest))
	})
}

// inBubble counts the goroutines of the running synctest bubble: those outside it, which belong to
// the test binary and to tests that end, come and go at times of their own.
func inBubble() int {
	stacks := make([]byte, 1<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte(", synctest bubble "))
}

// What a person's words have taken back does not leave after a stop, either: the stop gives back what waits, also where it is not known
// yet whether more was said. So it is with what an earlier incarnation has decided.
func TestStopBehindAPersonsWords(t *testing.T) {
	t.Parallel()
	for name, crashes := range map[string]bool{"decided by this one": false, "decided by one before": true} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var silent, spoken atomic.Bool
			inWorld(t, setup{
				hush: func(platform.UserID) <-chan struct{} {
					if silent.Load() {
						return make(chan struct{})
					}
					return nil
				},
				revoked: func(_ *event.Action, earlier bool) string { // the next incarnation knows nothing of it but what is stored
					if spoken.Load() && (silent.Load() || earlier) {
						return "a person answered"
					}
					return ""
				},
			}, func(w *world) {
				ana := w.person("ana")
				silent.Store(true)
				w.decide(w.withoutBaseline(ana, "one"), w.withoutBaseline(ana, "two"))
				time.Sleep(time.Second)
				if crashes {
					w.crash()
					w.start()
				}
				spoken.Store(true)
				time.Sleep(time.Second)
				w.stop()
				silent.Store(false)
				w.start()
				w.rest(time.Minute)
				w.same("arrived", 0, len(w.arrived(ana)))
				w.decide(w.message(ana, "three"))
			})
		})
	}
}
