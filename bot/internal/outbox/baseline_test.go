package outbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// withoutBaseline is a message that no event told an id for.
func (w *world) withoutBaseline(to platform.UserID, text string) event.Action {
	a := w.message(to, text)
	a.ReconcileFrom = 0
	return a
}

// Without an id to be reconciled from, the newest one is read and stored before the message leaves: what
// looks the same and was there before is something else.
func TestBaseline(t *testing.T) {
	t.Parallel()
	for _, f := range []emulator.Fault{emulator.NoFault, emulator.CutBefore, emulator.CutAfter} {
		t.Run(f.String(), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{trip: 10 * time.Millisecond}, func(w *world) {
				ana := w.person("ana")
				w.p.SayAs(w.bot, ana, "twin")
				w.p.Disturb("send_message", f)
				w.decide(w.withoutBaseline(ana, "twin"), w.withoutBaseline(ana, "other"), w.withoutBaseline(ana, "twin"))
				w.until(time.Minute, func() bool { return w.p.Calls("send_message") == 1 })
				w.same("readings before the first one leaves", int64(1), w.p.Calls("get_messages"))
				for _, a := range w.disk.all() {
					if a.ReconcileFrom == 0 {
						w.Errorf("%q may leave, and has nothing to settle from", a.Text)
					}
				}
				w.crash()
				w.start()
				w.rest(time.Hour)
				w.same("arrived", []string{"twin", "other", "twin"}, w.arrived(ana))
			})
		})
	}
}

// Somebody with whom nothing was ever said can be written to, and it can be reconciled.
func TestBaselineOfNothing(t *testing.T) {
	t.Parallel()
	for _, d := range []emulator.Dialect{{}, {Empty: emulator.EmptyIsList}, {Empty: emulator.EmptyIs204}} {
		t.Run(fmt.Sprint(d.Empty), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{emulator: emulator.Config{Dialect: d}}, func(w *world) {
				ana := w.p.AddPerson(emulator.Person{Username: "ana"})
				w.p.Disturb("send_message", emulator.CutBefore, emulator.CutAfter)
				w.decide(w.withoutBaseline(ana, "hello"), w.withoutBaseline(ana, "hello"))
				w.p.Disturb("publish_post", emulator.CutBefore, emulator.CutAfter)
				w.decide(w.post(ana, 0, "hello"), w.post(ana, 0, "hello"))
				w.rest(time.Hour)
				w.same("arrived", []string{"hello", "hello"}, w.arrived(ana))
				w.same("published", []string{"hello", "hello"}, w.published())
			})
		})
	}
}

// A conversation that cannot be read delays no other, and itself only for a while.
func TestBaselineThatCannotBeRead(t *testing.T) {
	t.Parallel()
	var ana platform.UserID
	unreadable := func(p outbox.Platform) outbox.Platform {
		return &stub{Platform: p, messages: func(ctx context.Context, m platform.MessagesParams) ([]platform.Message, error) {
			if m.Peer == ana {
				return nil, &platform.Unreadable{Endpoint: "get_messages", HTTPStatus: 500, Err: fmt.Errorf("no JSON")}
			}
			return p.Messages(ctx, m)
		}}
	}
	inWorld(t, setup{wrap: unreadable, concurrency: 2}, func(w *world) {
		ana = w.person("ana")
		leo := w.person("leo")
		w.decide(w.withoutBaseline(ana, "one"), w.withoutBaseline(ana, "two"), w.withoutBaseline(ana, "three"))
		for i := range 10 {
			begun := time.Now()
			w.decide(w.withoutBaseline(leo, fmt.Sprint(i)))
			w.until(time.Minute, func() bool { return len(w.arrived(leo)) == i+1 })
			if took := time.Since(begun); took > time.Second {
				w.Errorf("message %d took %v", i, took)
			}
			time.Sleep(20 * time.Second)
		}
		w.same("not sent yet", int64(10), w.p.Calls("send_message"))
		w.rest(10 * time.Minute)
		w.same("arrived", []string{"one", "two", "three"}, w.arrived(ana))
	})
}

// Where the platform cannot be read at all, messages are sent all the same; what is in doubt then is
// left to a person, and never sent blindly.
func TestWithoutGetMessages(t *testing.T) {
	t.Parallel()
	for _, absent := range []emulator.Absent{emulator.AbsentPage, emulator.AbsentCode} {
		t.Run(fmt.Sprint(absent), func(t *testing.T) {
			effort.Case(t)
			d := emulator.Dialect{Messages: absent}
			inWorld(t, setup{emulator: emulator.Config{Dialect: d}}, func(w *world) {
				ana := w.person("ana")
				w.p.Disturb("send_message", emulator.NoFault, emulator.CutAfter)
				actions := []event.Action{w.withoutBaseline(ana, "one"), w.withoutBaseline(ana, "two"), w.withoutBaseline(ana, "three")}
				w.decide(actions...)
				w.rest(time.Hour)
				w.same("arrived", []string{"one", "two", "three"}, w.arrived(ana))
				w.same("states", []event.State{event.StateDone, event.StateHeld, event.StateDone},
					[]event.State{w.state(actions[0]), w.state(actions[1]), w.state(actions[2])})
			})
		})
	}
}

// Where answers do not tell the id of what was sent, the next twin is told from it all the same.
func TestAnswersWithoutID(t *testing.T) {
	t.Parallel()
	silent := func(p outbox.Platform) outbox.Platform {
		return &stub{
			Platform: p,
			send: func(ctx context.Context, m platform.SendMessageParams) (platform.Message, error) {
				_, err := p.SendMessage(ctx, m)
				return platform.Message{}, err
			},
			publish: func(ctx context.Context, m platform.PublishPostParams) (platform.Post, error) {
				_, err := p.PublishPost(ctx, m)
				return platform.Post{}, err
			},
		}
	}
	inWorld(t, setup{wrap: silent}, func(w *world) {
		ana := w.person("ana")
		thread := w.p.Post(ana, "news")
		for _, endpoint := range []string{"send_message", "publish_post"} {
			w.p.Disturb(endpoint, emulator.NoFault, emulator.CutBefore, emulator.NoFault, emulator.CutAfter)
		}
		w.decide(w.messages(ana, "twin", "twin", "twin")...)
		w.decide(w.post(ana, 0, "twin"), w.post(ana, 0, "twin"), w.post(ana, 0, "twin"))
		w.rest(time.Hour)
		w.same("arrived", []string{"twin", "twin", "twin"}, w.arrived(ana))
		w.p.Disturb("publish_post", emulator.NoFault, emulator.CutBefore)
		w.decide(w.post(ana, thread, "twin"), w.post(ana, thread, "twin"))
		w.rest(time.Hour)
		w.same("published", []string{"twin", "twin", "twin", "twin", "twin"}, w.published())
	})
}
