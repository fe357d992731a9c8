package outbox_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/outbox"
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
		for f := emulator.NoFault; f <= emulator.Revoke; f++ {
			t.Run(fmt.Sprint(verb, ", ", f), func(t *testing.T) {
				t.Parallel()
				inWorld(t, setup{}, func(w *world) {
					a := w.target(verb)
					w.p.Disturb(string(verb), f, f)
					before := w.p.Calls(read)
					w.decide(a)
					w.settled(time.Hour)
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
		w.settled(time.Minute)
		w.same("states", []event.State{event.StateDone, event.StateDone, event.StateRefused},
			[]event.State{w.state(message), w.state(post), w.state(foreign)})
	})
}

// What may have been made by an action that is not settled yet is deleted after that: otherwise it
// would not be found, and be made again.
func TestDeletedAfterItWasSettled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb event.Verb
		call string
	}{{event.VerbDeleteMessage, "send_message"}, {event.VerbDeletePost, "publish_post"}} {
		t.Run(string(c.verb), func(t *testing.T) {
			t.Parallel()
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
				w.settled(time.Hour)
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
			t.Parallel()
			inWorld(t, setup{emulator: emulator.Config{Dialect: emulator.Dialect{Messages: absent}}}, func(w *world) {
				a := w.target(event.VerbDeleteMessage)
				w.p.Disturb("delete_message", emulator.Err500Before)
				w.decide(a)
				w.until(time.Minute, func() bool { return len(w.entries(emulator.Deleted)) == 1 })
				w.settled(time.Hour)
				w.same("deleted", 1, len(w.entries(emulator.Deleted)))
			})
		})
	}
}

// A platform that puts markup into texts is understood. Where it changes them beyond that, what may be
// ours is not sent again: it is held with its reason, and what follows goes on.
func TestTextsThatThePlatformChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent, shown string
		state       event.State
	}{
		"markup":       {"see #spring\nnow", `see <a href="https://social.example/spring">#spring</a><br>now`, event.StateDone},
		"a link":       {"order at https://shop.example/tea?x=1 today", "order at https://sho.rt/x7 today", event.StateHeld},
		"cut":          {"the first part, and the rest of it", "the first part…", event.StateHeld},
		"unlike":       {"well then", "*** ****", event.StateHeld},
		"the same":     {"well then", "well then", event.StateDone},
		"another word": {"well then", "oh", event.StateHeld},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			swap := func(text string) string { return map[string]string{c.sent: c.shown, "before": "before?"}[text] }
			if name == "markup" || name == "the same" {
				swap = func(text string) string { return map[string]string{c.sent: c.shown, "before": "before"}[text] }
			}
			inWorld(t, setup{wrap: func(p outbox.Platform) outbox.Platform { return rewriting{p, swap} }}, func(w *world) {
				ana := w.person("ana")
				w.decide(w.message(ana, "before"))
				w.settled(time.Minute)
				w.p.Disturb("send_message", emulator.CutAfter)
				a := w.message(ana, c.sent)
				w.decide(a, w.message(ana, "after"))
				w.settled(time.Hour)
				w.same("state", c.state, w.state(a))
				w.same("arrived", []string{"before", c.sent, "after"}, unchanged(w.arrived(ana), c.shown, c.sent))
				m := w.p.Messages(w.bot, ana)
				w.same("result", int64(m[len(m)-2].ID), w.disk.action(a.Key).Result)
			})
		})
	}
}

// unchanged returns texts with one of them put back.
func unchanged(texts []string, changed, back string) []string {
	for i := range texts {
		if texts[i] == changed {
			texts[i] = back
		}
	}
	return texts
}

// rewriting is a platform that shows texts otherwise than they were sent.
type rewriting struct {
	outbox.Platform
	swap func(string) string
}

func (r rewriting) rewrite(m platform.Message) platform.Message {
	if text := r.swap(m.Text); m.Own && text != "" {
		m.Text = text
	}
	return m
}

// SendMessage sends, and answers with the text as it is shown.
func (r rewriting) SendMessage(ctx context.Context, p platform.SendMessageParams) (platform.Message, error) {
	m, err := r.Platform.SendMessage(ctx, p)
	return r.rewrite(m), err
}

// AllMessages shows the texts otherwise.
func (r rewriting) AllMessages(ctx context.Context, p platform.MessagesParams) iter.Seq2[platform.Message, error] {
	return func(yield func(platform.Message, error) bool) {
		for m, err := range r.Platform.AllMessages(ctx, p) {
			if !yield(r.rewrite(m), err) {
				return
			}
		}
	}
}
