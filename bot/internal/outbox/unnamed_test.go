package outbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// codeless is a platform whose answers have no code, and name nothing.
var codeless = emulator.Dialect{Code: emulator.CodeAbsent, Empty: emulator.EmptyIsList, Nameless: true}

// What an answer without a code claims and does not name is looked for, until readings have shown that answers here never name anything.
// Each message arrives once all the same, and each post.
func TestAnswersThatNameNothing(t *testing.T) {
	t.Parallel()
	for _, verb := range []event.Verb{event.VerbMessage, event.VerbPost} {
		t.Run(string(verb), func(t *testing.T) {
			t.Parallel()
			inWorld(t, setup{emulator: emulator.Config{Dialect: codeless}}, func(w *world) {
				ana := w.person("ana")
				var said []string
				doubted := 0
				for i := range 6 {
					said = append(said, fmt.Sprint("line ", i))
					a := w.message(ana, said[i])
					if verb == event.VerbPost {
						a = w.post(ana, 0, said[i])
					}
					w.decide(a)
					w.rest(time.Minute)
					w.same("state", event.StateDone, w.state(a))
					if w.disk.action(a.Key).Result != 0 { // only a reading tells it
						doubted++
					}
				}
				if verb == event.VerbMessage {
					w.same("arrived", said, w.arrived(ana))
				} else {
					w.same("published", said, w.published())
				}
				w.same("looked for", 3, doubted)
			})
		})
	}
}

// An answer without a code may also be a refusal that says nothing: what it claims and is not there leaves again, and once only.
func TestAnswersThatNameInVain(t *testing.T) {
	t.Parallel()
	for _, learned := range []int{0, 5} {
		lies := 0
		wrap := func(p outbox.Platform) outbox.Platform {
			return &stub{Platform: p, send: func(ctx context.Context, m platform.SendMessageParams) (platform.Message, error) {
				if m.Text == "hello" && lies < 4 {
					lies++
					return platform.Message{}, &platform.Unreadable{Endpoint: "send_message", HTTPStatus: 200, Err: platform.ErrUnnamed}
				}
				return p.SendMessage(ctx, m)
			}}
		}
		inWorld(t, setup{wrap: wrap}, func(w *world) {
			ana := w.person("ana")
			for i := range learned { // these name what they made, so one that does not is doubted
				w.decide(w.message(ana, fmt.Sprint(i)))
				w.rest(time.Minute)
			}
			a := w.message(ana, "hello")
			w.decide(a)
			w.rest(time.Hour)
			w.same("state", event.StateDone, w.state(a))
			said := make([]string, learned)
			for i := range said {
				said[i] = fmt.Sprint(i)
			}
			w.same("arrived", append(said, "hello"), w.arrived(ana))
		})
	}
}

// A deletion that an answer without a code claims is believed by reading.
func TestDeletionWithoutACode(t *testing.T) {
	t.Parallel()
	for _, d := range []emulator.Dialect{codeless, {Code: emulator.CodeInStatus}, {}} {
		for _, verb := range []event.Verb{event.VerbDeleteMessage, event.VerbDeletePost} {
			inWorld(t, setup{emulator: emulator.Config{Dialect: d}}, func(w *world) {
				ana := w.person("ana")
				m, p := w.p.Say(w.bot, ana, "oops"), w.p.Post(w.bot, "oops")
				before := w.p.Calls("get_messages") + w.p.Calls("thread_data")
				a := event.Action{Key: w.key(), Account: account, Peer: ana, Verb: verb, Message: m, Post: p}
				w.decide(a)
				w.rest(time.Minute)
				w.same("state", event.StateDone, w.state(a))
				reads := map[emulator.Code]int64{emulator.CodeAbsent: 1, emulator.CodeInStatus: 1}[d.Code]
				w.same("readings", reads, w.p.Calls("get_messages")+w.p.Calls("thread_data")-before)
			})
		}
	}
}
