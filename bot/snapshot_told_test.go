package bot_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// Where lists are all there is, words that were answered just before a crash, and that the person says again later, are
// answered again, whatever the lists show meanwhile.
func TestSnapshotOfWordsToldBeforeACrash(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w *bottest.World, ana *bottest.Person){
		"answered":                     func(*bottest.World, *bottest.Person) {},
		"answered, and a start":        func(w *bottest.World, _ *bottest.Person) { w.Restart() },
		"deleted":                      deletedChat,
		"deleted, and a start":         func(w *bottest.World, ana *bottest.Person) { deletedChat(w, ana); w.Restart() },
		"a start, and deleted":         func(w *bottest.World, ana *bottest.Person) { w.Restart(); deletedChat(w, ana) },
		"deleted, a start, and a list": func(w *bottest.World, ana *bottest.Person) { deletedChat(w, ana); w.Restart(); w.Advance(time.Minute) },
	} {
		for n, d := range listOnly {
			for _, seen := range []bool{true, false} { // a list shows the answer
				t.Run(fmt.Sprint(n, " ", name, " ", seen), func(t *testing.T) {
					effort.Case(t)
					line := &line{endpoint: "send_message", way: wayBack}
					bottest.Run(t, listed(d, line, func(said string) string { return "re: " + said }), func(w *bottest.World) {
						ana, leo := w.Person("ana"), w.Person("leo")
						leo.Says("hi")
						leo.Expects("re: hi")
						w.Advance(time.Minute)
						line.watch(w)
						ana.Says("hello")
						<-line.reached // the event is stored, how far the chat was read is not
						w.CrashStop()
						if !seen {
							w.Platform().DeleteChat(ana.ID(), w.Account("bot").ID())
						}
						w.Start()
						w.Advance(time.Minute)
						ana.Expects("re: hello")
						meanwhile(w, ana)
						ana.Says("hello")
						ana.Expects("re: hello")
						w.Restart()
						ana.ExpectsNothing(10 * time.Minute)
					})
				})
			}
		}
	}
}

// deletedChat lets a person delete her chat, and some lists show that it is gone.
func deletedChat(w *bottest.World, who *bottest.Person) {
	w.Platform().DeleteChat(who.ID(), w.Account("bot").ID())
	w.Advance(time.Minute)
}

// So are words that wait for their turn in the moment of the crash.
func TestSnapshotOfWordsThatWaitInACrash(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(ctx context.Context) error{
		"since a try failed": func(context.Context) error { return errors.New("not yet") },
		"for their turn":     func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var armed, tried atomic.Bool
			cfg := listed(listOnly[0], &line{}, nil)
			cfg.Routes = []bot.Route{bot.On("answer", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, m event.Message) error {
				if m.Text == "hello" && tried.CompareAndSwap(false, true) {
					return first(ctx)
				}
				return t.Reply("re: " + m.Text)
			})}
			var reached, gone chan struct{}
			cfg.Before = func(*bottest.World) { reached, gone = make(chan struct{}), make(chan struct{}) }
			cfg.Commit = func(commit func() error) error {
				err := commit()
				if armed.CompareAndSwap(true, false) {
					close(reached)
					<-gone
				}
				return err
			}
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				leo.Says("hi")
				leo.Expects("re: hi")
				w.Advance(10 * time.Second)
				armed.Store(true)
				ana.Says("hello")
				<-reached // the event is stored, and nothing behind it
				w.CrashStop()
				close(gone)
				w.Platform().DeleteChat(ana.ID(), w.Account("bot").ID())
				w.Start()
				ana.Expects("re: hello")
				w.Advance(time.Minute)
				ana.Says("hello")
				ana.Expects("re: hello")
				w.Restart()
				ana.ExpectsNothing(10 * time.Minute)
			})
		})
	}
}
