package poll_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"pgregory.net/rapid"
)

// lively is people who write again as soon as they are answered, mostly the same words, and answers
// that leave while the poller reads. It takes what the poller delivers.
type lively struct {
	model  *model
	poller *poll.Poller
	dice   *rand.Rand
	left   map[platform.UserID]int // messages that a person still writes
	got    map[int64]bool
	open   []answer
}

// answer is an answer on its way: told to the poller, written, told to the poller with its id.
type answer struct {
	peer platform.UserID
	text string
	step int
	id   platform.MessageID
}

// Deliver implements poll.Sink: each message gets an answer.
func (l *lively) Deliver(_ context.Context, b poll.Batch) error {
	for _, e := range b.Events {
		if !l.got[e.ID.Number] {
			l.got[e.ID.Number] = true
			l.open = append(l.open, answer{peer: e.Peer, text: "You wrote: " + e.Text})
		}
	}
	return nil
}

// say lets a person write the next message, if there is one left.
func (l *lively) say(peer platform.UserID) {
	if l.left[peer] > 0 {
		l.left[peer]--
		l.model.say(peer, []string{"ok", "yes"}[l.dice.IntN(4)/3])
	}
}

// meanwhile takes some of the answers some steps further.
func (l *lively) meanwhile() {
	for range l.dice.IntN(8) {
		if len(l.open) == 0 {
			return
		}
		i := l.dice.IntN(min(len(l.open), 20))
		a := &l.open[i]
		switch a.step++; a.step {
		case 1:
			l.poller.NoteSent(a.peer, 0, a.text)
		case 2:
			a.id = platform.MessageID(l.model.write(a.peer, a.text, true, false).id)
			l.say(a.peer)
		default:
			l.poller.NoteSent(a.peer, a.id, a.text)
			l.open = append(l.open[:i], l.open[i+1:]...)
		}
	}
}

// missed returns the messages of people that were not delivered.
func (l *lively) missed() (ids []int64) {
	l.model.set(func(w *model) {
		for _, t := range w.talks {
			for _, m := range t.messages {
				if !m.own && !l.got[m.id] && m.text != "before" {
					ids = append(ids, m.id)
				}
			}
		}
	})
	return ids
}

// converse lets so many people write so many messages each, and returns what no hint in the chat list
// led to: the poller has to find everything without its sweep.
func converse(t *testing.T, h habits, seed uint64, people, messages int) (problems []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &lively{model: newModel(h), dice: rand.New(rand.NewPCG(seed, 1)), left: map[platform.UserID]int{}, got: map[int64]bool{}}
		pipe := emulator.NewPipe(l.model)
		defer func() { _ = pipe.Close() }()
		client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		l.poller, err = poll.New(poll.Config{
			Account: "shop", Client: client.WithSession(open{}), Cursors: nothingStored{}, Sink: l,
			Sources: poll.Sources{Messages: true}, SweepAfter: 24 * time.Hour,
		})
		if err != nil {
			t.Fatal(err)
		}
		cycle := func() event.PollResult {
			result, err := l.poller.Poll(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond) // virtual
			return result
		}
		l.model.say(49, "before")
		cycle()
		for i := range people {
			peer := platform.UserID(50 + i)
			l.left[peer] = messages
			l.say(peer)
		}
		l.model.meanwhile = l.meanwhile
		late, quiet := 0, 0
		for range 10000 {
			late += cycle().Late
			if quiet++; len(l.open) > 0 {
				quiet = 0
			}
			if quiet > 3 {
				break
			}
		}
		if ids := l.missed(); len(ids) > 0 {
			problems = append(problems, fmt.Sprintf("%d messages were not found: %v", len(ids), ids[:min(9, len(ids))]))
		}
		if late > 0 {
			problems = append(problems, fmt.Sprintf("%d messages were found by a sweep only", late))
		}
	})
	return problems
}

// A chat that was read one cycle after its hint, from another place in the list, then looks the same
// again: the same words, one message unread. It is the chat alone that moved nothing it overtook.
func TestChatReadLaterThanItsHint(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	play(t, habits{Localised: true}, func(r *world) {
		r.model.say(49, "before")
		r.start(func(c *poll.Config) { c.Sources, c.SweepAfter = poll.Sources{Messages: true}, 24*time.Hour })
		r.cycle()
		const many, late = platform.UserID(700), platform.UserID(200) // neither among the newest nor among the oldest
		for peer := range many {
			r.model.say(1000+peer, "ok") // more than one cycle reads
		}
		r.cycle()
		r.model.say(1000, "hello?") // the chats above it stand one place lower now
		r.cycle()
		r.model.write(1000+late, "You wrote: ok", true, false)
		for peer := range many {
			if peer != late {
				r.model.say(1000+peer, "well")
			}
		}
		r.model.say(1000+late, "ok")
		r.run(time.Minute)
		n := 0
		for _, e := range r.memory.of(event.Messages) {
			if e.Peer == 1000+late {
				n++
			}
		}
		if n != 2 {
			t.Errorf("of two messages, %d were found without a sweep", n)
		}
	})
}

// More chats move at once than one cycle reads: those of which it reads later must not be forgotten
// when their rows then look as before.
func TestLivelyPeopleAreHeardWithoutSweeps(t *testing.T) {
	t.Parallel()
	for _, h := range []habits{{}, {KeepsUnseen: true}, {SendSees: true, Cut: 30}} {
		t.Run(fmt.Sprintf("%+v", h), func(t *testing.T) {
			effort.Case(t)
			for _, p := range converse(t, h, 1, 560, 3) {
				t.Error(p)
			}
		})
	}
}

func TestFewLivelyPeopleAreHeardWithoutSweeps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(draw *rapid.T) {
		flag := rapid.Bool()
		h := habits{
			NewestFirst: flag.Draw(draw, "newest first"), Descending: flag.Draw(draw, "descending"), Inclusive: flag.Draw(draw, "inclusive"),
			KeepsUnseen: flag.Draw(draw, "keeps unseen"), Localised: flag.Draw(draw, "localised"), Unsorted: flag.Draw(draw, "unsorted"),
			Cap: rapid.SampledFrom([]int{0, 2, 20}).Draw(draw, "cap"), Cut: rapid.SampledFrom([]int{0, 30}).Draw(draw, "cut"),
		}
		if h.Inclusive && h.Cap == 2 {
			h.Cap = 20 // one new row a page: only the sweep finds that there are more
		}
		people := rapid.IntRange(1, 12).Draw(draw, "people")
		for _, p := range converse(t, h, rapid.Uint64().Draw(draw, "seed"), people, 5) {
			draw.Errorf("%+v: %s", h, p)
		}
	})
}
