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

// target is something of the account's own, and the action that deletes it.
func (w *world) target(verb event.Verb) event.Action {
	ana := w.person("ana")
	a := event.Action{Key: w.key(), Account: account, Peer: ana, Verb: verb}
	if verb == event.VerbDeletePost {
		a.Post = w.p.Post(w.bot, "news")
	} else {
		a.Message = w.p.SayAs(w.bot, ana, "hello")
	}
	return a
}

// However the calls of a deletion go wrong, it happens once, and the rest goes on.
func TestDeletedOnce(t *testing.T) {
	t.Parallel()
	reads := map[event.Verb]string{event.VerbDeleteMessage: "get_messages", event.VerbDeletePost: "thread_data"}
	for verb, read := range reads {
		for f := emulator.NoFault; f <= emulator.Late; f++ {
			t.Run(fmt.Sprint(verb, ", ", f), func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{}, func(w *world) {
					a := w.target(verb)
					w.p.Disturb(string(verb), f, f)
					before := w.p.Calls(read)
					w.decide(a)
					w.rest(time.Hour)
					w.same("state", event.StateDone, w.state(a))
					w.same("deleted", 1, len(w.entries(emulator.Deleted)))
					if got := w.p.Calls(read) - before; f == emulator.NoFault && got != 0 || got > 6 {
						w.Errorf("%s was called %d times", read, got)
					}
				})
			})
		}
	}
}

// What is gone already is as it was wished. What is somebody else's is refused, and stays.
func TestDeletionRefused(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		message, post := w.target(event.VerbDeleteMessage), w.target(event.VerbDeletePost)
		must(w.aside().DeleteMessage(context.Background(), message.Message))
		w.p.DeletePost(w.bot, post.Post)
		foreign := post
		foreign.Key, foreign.Post = w.key(), w.p.Post(w.person("leo"), "mine")
		w.decide(message, post, foreign)
		w.rest(time.Minute)
		w.same("states", []event.State{event.StateDone, event.StateDone, event.StateRefused},
			[]event.State{w.state(message), w.state(post), w.state(foreign)})
	})
}

// What may have been made by an action that is not reconciled yet is deleted after that: otherwise it
// would not be found, and be made again.
func TestDeletedAfterItWasReconciled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb event.Verb
		call string
	}{{event.VerbDeleteMessage, "send_message"}, {event.VerbDeletePost, "publish_post"}} {
		t.Run(string(c.verb), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{concurrency: 4}, func(w *world) {
				ana := w.person("ana")
				w.p.Disturb(c.call, emulator.Err500After)
				made := w.message(ana, "a slip")
				if c.verb == event.VerbDeletePost {
					made = w.post(ana, 0, "a slip")
				}
				w.decide(made)
				w.until(time.Minute, func() bool { return len(w.entries(emulator.Arrived, emulator.Published)) == 1 })
				e := w.entries(emulator.Arrived, emulator.Published)[0]
				gone := event.Action{Key: w.key(), Account: account, Peer: ana, Verb: c.verb, Message: e.Message, Post: e.Post}
				w.decide(gone)
				w.rest(time.Hour)
				w.same("states", []event.State{event.StateDone, event.StateDone}, []event.State{w.state(made), w.state(gone)})
				w.same("made", 1, len(w.entries(emulator.Arrived, emulator.Published)))
				w.same("deleted", 1, len(w.entries(emulator.Deleted)))
			})
		})
	}
}

// Where messages cannot be read, one is deleted all the same: to do it again does no harm.
func TestDeletedUnseen(t *testing.T) {
	t.Parallel()
	for _, absent := range []emulator.Absent{emulator.AbsentPage, emulator.AbsentCode} {
		t.Run(fmt.Sprint(absent), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{emulator: emulator.Config{Dialect: emulator.Dialect{Messages: absent}}}, func(w *world) {
				a := w.target(event.VerbDeleteMessage)
				w.p.Disturb("delete_message", emulator.Err500Before)
				w.decide(a)
				w.until(time.Minute, func() bool { return len(w.entries(emulator.Deleted)) == 1 })
				w.rest(time.Hour)
				w.same("deleted", 1, len(w.entries(emulator.Deleted)))
			})
		})
	}
}

// A post that may not be read is not gone: that it was not deleted is told. What nobody understands may pass; when it
// does not, a person decides.
func TestDeletionRefusedUnseen(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]event.State{
		400: event.StateDone, 404: event.StateDone, 403: event.StateRefused, 410: event.StateRefused, 418: event.StateHeld,
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			effort.Case(t)
			hidden := func(p outbox.Platform) outbox.Platform {
				return &stub{Platform: p, thread: func(context.Context, platform.PostID) (platform.Thread, error) {
					return platform.Thread{}, &platform.Refused{Endpoint: "thread_data", Code: code}
				}}
			}
			inWorld(t, setup{wrap: hidden}, func(w *world) {
				a := w.target(event.VerbDeletePost)
				a.Post = w.p.Post(w.person("leo"), "mine")
				w.decide(a)
				w.rest(time.Hour)
				w.same("state", want, w.state(a))
			})
		})
	}
}

// What cannot come from an action that is not reconciled yet is deleted at once.
func TestDeletedBesideWhatIsInDoubt(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{concurrency: 4}, func(w *world) {
		old, thread := w.target(event.VerbDeletePost), w.p.Post(w.person("leo"), "what do you think?")
		w.p.Disturb("publish_post", emulator.Err500Before)
		reply := w.post(old.Peer, thread, "well then")
		w.decide(reply)
		time.Sleep(time.Second)
		w.decide(old)
		time.Sleep(5 * time.Second)
		w.same("deleted", 1, len(w.entries(emulator.Deleted)))
		w.same("state of the reply", event.StateInDoubt, w.state(reply))
		w.rest(time.Hour)
	})
}
