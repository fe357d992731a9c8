package outbox_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// No more actions are marked as sending than there is room for, all together and in a conversation,
// however many are decided.
func TestRoom(t *testing.T) {
	t.Parallel()
	for _, people := range []int{1, 30} {
		t.Run(fmt.Sprint(people, " people"), func(t *testing.T) {
			effort.Case(t)
			s := setup{concurrency: 2, config: outbox.Config{Window: 5}, trip: 20 * time.Millisecond, commit: time.Millisecond}
			inWorld(t, s, func(w *world) {
				for i := range people {
					w.decide(w.messages(w.person(fmt.Sprint("p", i)), numbers(120/people)...)...)
				}
				most := 0
				w.until(time.Hour, func() bool {
					must(w.ledger.commit(w.ctx, nil, nil))
					sending, open := 0, 0
					for _, a := range w.disk.all() {
						if a.State == event.StateSending {
							sending++
						}
						if !a.State.Final() {
							open++
						}
					}
					most = max(most, sending)
					return open == 0
				})
				if want := min(5*people, 10); most != want {
					w.Errorf("%d actions were sending at a time, want %d", most, want)
				}
			})
		})
	}
}

// A turn waits for room as long as the dispatcher gets on, but not for ever, and not when the dispatcher
// does not.
func TestEnter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before func(w *world)
		free   func(w *world, cancel func()) // after a second
		want   time.Duration
	}{
		{name: "room", before: func(w *world) { w.net.Hang("send_message", 0) }, want: 0},
		{name: "an end frees room", free: func(w *world, _ func()) { w.net.Hang("send_message", 0); w.net.Answer() }, want: time.Second},
		{name: "none in time", want: 2 * time.Second},
		{name: "a stop", free: func(w *world, _ func()) { go func() { must(w.outbox.Drain(context.Background())) }() }, want: time.Second},
		{name: "the end of its own time", free: func(_ *world, cancel func()) { cancel() }, want: time.Second},
		{name: "something is due", before: func(w *world) { w.decide(w.message(w.person("max"), "hello")) }, want: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{config: outbox.Config{Window: 2}, concurrency: 1}, func(w *world) {
				ana := w.person("ana")
				w.net.Hang("send_message", lost)
				w.decide(w.messages(ana, "one", "two")...)
				synctest.Wait()
				if c.before != nil {
					c.before(w)
				}
				if c.name == "room" {
					w.net.Answer()
					w.rest(time.Minute)
				}
				begun := time.Now()
				entered := make(chan time.Duration)
				ctx, cancel := context.WithCancel(w.ctx)
				defer cancel()
				go func() {
					w.outbox.WaitForRoom(ctx, 1)
					entered <- time.Since(begun)
				}()
				time.Sleep(time.Second)
				if c.free != nil {
					c.free(w, cancel)
				}
				if took := <-entered; took.Round(100*time.Millisecond) != c.want {
					w.Errorf("it took %v, want %v", took, c.want)
				}
				w.outbox.LeaveRoom()
			})
		})
	}
}

// A turn waits until the messages of its conversation have been carried to half the window, and not
// when they do not get on.
func TestEnterConversation(t *testing.T) {
	t.Parallel()
	s := setup{config: outbox.Config{Window: 8}, concurrency: 8, trip: 100 * time.Millisecond}
	inWorld(t, s, func(w *world) {
		ana, leo := w.person("ana"), w.person("leo")
		enter := func(who platform.UserID) time.Duration {
			begun := time.Now()
			w.outbox.WaitForRoom(w.ctx, who)
			w.outbox.LeaveRoom()
			return time.Since(begun)
		}
		w.same("with room", time.Duration(0), enter(ana))
		w.decide(w.messages(ana, numbers(8)...)...)
		w.same("another conversation", time.Duration(0), enter(leo))
		begun := time.Now()
		enter(ana)
		w.same("arrived when it is let in", 5, len(w.arrived(ana)))
		if took := time.Since(begun); took < 400*time.Millisecond || took > 700*time.Millisecond {
			w.Errorf("it took %v", took)
		}
		w.rest(time.Minute)

		w.net.Hang("send_message", lost)
		w.decide(w.messages(ana, numbers(8)...)...)
		if took := enter(ana); took != 2*time.Second {
			w.Errorf("behind something that hangs it took %v", took)
		}
		time.Sleep(14 * time.Second) // its time is over
		if took := enter(ana); took > 0 {
			w.Errorf("behind something unsure it took %v", took)
		}
		w.net.Hang("send_message", 0)
		w.rest(time.Hour)
		w.same("arrived", slices.Concat(numbers(8), numbers(8)), w.arrived(ana))
	})
}

// Turns that wait are let in in their order, as many as there is room for.
func TestEnterInOrder(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{config: outbox.Config{Window: 3}, trip: 100 * time.Millisecond}, func(w *world) {
		ana := w.person("ana")
		w.p.Disturb("send_message", emulator.NoFault)
		entered := make(chan int, 20)
		for i := range 20 {
			go func() {
				w.outbox.WaitForRoom(w.ctx, 1)
				entered <- i
				w.decide(w.message(ana, fmt.Sprint(i)))
				w.outbox.LeaveRoom()
			}()
			synctest.Wait()
		}
		for i := range 20 {
			w.same("turn", i, <-entered)
		}
		w.rest(time.Minute)
		w.same("arrived", numbers(20), w.arrived(ana))
		for _, a := range w.disk.all() {
			if !a.Due.Equal(a.LeftAt) {
				w.Errorf("%q went through the store", a.Text)
			}
		}
	})
}
