package outbox_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// An account that is halted, at any time, lets nothing leave, also after a stop or a crash: it waits in the store. When it
// goes on, everything leaves once and in its order.
func TestHalted(t *testing.T) {
	t.Parallel()
	times := 0
	for name, again := range map[string]func(*world){
		"":          func(*world) {},
		"and stop":  (*world).restart,
		"and crash": func(w *world) { w.crash(); w.start() },
	} {
		for d := time.Millisecond; d < 40*time.Second; d = d*2 + time.Millisecond {
			if times++; effort.Few() && times%4 != 0 {
				continue
			}
			for _, trip := range []time.Duration{30 * time.Millisecond, 2 * time.Second} {
				t.Run(fmt.Sprint("after ", d, name, ", far ", trip), func(t *testing.T) {
					effort.Case(t)
					halted(t, d, trip, again)
				})
			}
		}
	}
}

func halted(t *testing.T, d, trip time.Duration, again func(*world)) {
	t.Helper()
	s := setup{
		concurrency: 2, commit: 2 * time.Millisecond, trip: trip,
		pace: event.Pace{Account: event.Rate{PerSecond: 20, Burst: 10}}, config: outbox.Config{Window: 4},
	}
	if trip > time.Second { // then all of it is on its way to the platform when it is halted
		s.pace, s.config.Window = event.Pace{}, 64
	}
	inWorld(t, s, func(w *world) {
		ana, leo := w.person("ana"), w.person("leo")
		if _, err := w.broker.Me(w.ctx); err != nil { // a call waits for its session
			t.Fatal(err)
		}
		w.p.Disturb("send_message", emulator.NoFault, emulator.CutBefore, emulator.TooMany, emulator.CutAfter)
		w.p.Disturb("publish_post", emulator.CutAfter)
		post := w.p.Post(ana, "news")
		decide := func(from int) {
			for i := from; i < from+5; i++ {
				w.decide(w.message(ana, fmt.Sprint(2*i)), w.message(ana, fmt.Sprint(2*i+1)), w.withoutBaseline(leo, fmt.Sprint(i)))
			}
		}
		decide(0)
		w.decide(w.like(ana, post, true), w.post(ana, 0, "hello"), w.post(ana, post, "hello"))
		time.Sleep(d)
		w.outbox.HaltAll()
		w.halted = true
		since := time.Now().Add(trip) // what is out is out
		again(w)
		until := 5
		if d > 100*time.Millisecond {
			decide(5)
			until = 10
		}
		time.Sleep(time.Hour)
		for _, e := range w.p.Ledger().Since(0) {
			late := since
			if e.Kind == emulator.Liked { // it reads first
				late = since.Add(2 * trip)
			}
			if e.At.After(late) && e.Kind != emulator.LoggedIn {
				t.Errorf("%s left", e.Kind)
			}
		}
		must(w.ledger.MarkNow(w.ctx))
		for _, a := range w.disk.all() {
			if a.State != event.StateDue && !a.State.Final() {
				t.Errorf("%s is %s", a.Key, a.State)
			}
		}
		w.halted = false
		w.outbox.Resume(w.ctx)
		if d > 10*time.Millisecond {
			decide(until)
			until += 5
		}
		w.rest(time.Hour)
		w.same("to ana", numbers(2*until), w.arrived(ana))
		w.same("to leo", numbers(until), w.arrived(leo))
		if n := len(w.entries(emulator.Published)); n != 2 {
			t.Errorf("%d posts", n)
		}
		if likes := w.entries(emulator.Liked, emulator.Unliked); len(likes) != 1 || !slices.ContainsFunc(likes, func(e emulator.Entry) bool { return e.Kind == emulator.Liked }) {
			t.Errorf("the likes are %v", likes)
		}
	})
}
