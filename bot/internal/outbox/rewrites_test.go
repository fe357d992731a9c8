package outbox_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

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
			effort.Case(t)
			swap := func(text string) string { return map[string]string{c.sent: c.shown, "before": "before?"}[text] }
			if name == "markup" || name == "the same" {
				swap = func(text string) string { return map[string]string{c.sent: c.shown, "before": "before"}[text] }
			}
			inWorld(t, setup{wrap: func(p outbox.Platform) outbox.Platform { return rewriting{p, swap} }}, func(w *world) {
				ana := w.person("ana")
				w.decide(w.message(ana, "before"))
				w.rest(time.Minute)
				w.p.Disturb("send_message", emulator.CutAfter)
				a := w.message(ana, c.sent)
				w.decide(a, w.message(ana, "after"))
				w.rest(time.Hour)
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

// What was learned of the platform survives a crash: a message that it changed is not sent again.
func TestTextsThatThePlatformChangesOverACrash(t *testing.T) {
	t.Parallel()
	stars := func(string) string { return "###" }
	inWorld(t, setup{wrap: func(p outbox.Platform) outbox.Platform { return rewriting{p, stars} }}, func(w *world) {
		ana := w.person("ana")
		w.decide(w.message(ana, "before"))
		time.Sleep(time.Second)
		w.crash()
		w.start()
		w.p.Disturb("send_message", emulator.CutAfter)
		a := w.message(ana, "tea")
		w.decide(a)
		time.Sleep(10 * time.Millisecond)
		w.crash()
		w.start()
		w.rest(time.Hour)
		w.same("arrived", []string{"before", "tea"}, w.arrived(ana))
		w.same("state", event.StateHeld, w.state(a))
	})
}
