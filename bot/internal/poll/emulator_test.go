package poll_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// town is an account on the emulator, with people who write to it and a bot that answers.
type town struct {
	*testing.T
	people  *emulator.Platform
	peers   []platform.UserID
	account platform.UserID
	post    platform.PostID
	memory  *memory
	client  *platform.Client
	dice    *rand.Rand
	answers chan event.Event
	config  poll.Config
	poller  *poll.Poller
}

// build sets a town up. Its account has a past.
func build(t *testing.T, pipe *emulator.Server, people *emulator.Platform) *town {
	t.Helper()
	const email, password = "shop@example.org", platform.Secret("correct-horse")
	w := &town{
		T: t, people: people, memory: newMemory(), dice: rand.New(rand.NewPCG(1, 2)), answers: make(chan event.Event, 10_000),
	}
	w.account = people.AddAccount(emulator.Person{Username: "shop"}, email, password)
	w.post = people.Post(w.account, "we are open")
	for i := range 12 {
		w.peers = append(w.peers, people.AddPerson(emulator.Person{Username: fmt.Sprint("person", i)}))
		if i < 6 {
			people.Say(w.peers[i], w.account, "long ago")
			people.Like(w.peers[i], w.post)
		}
	}
	base, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	broker := session.New(session.Config{
		Client: base, Credentials: session.Credentials{Email: email, Password: password}, MinPause: time.Second, MaxPause: time.Second,
	})
	w.client = base.WithSession(broker)
	w.config = poll.Config{
		Account: "shop", Me: broker.Me, Client: w.client, Cursors: w.memory,
		Sink: sinkFunc(w.deliver), Slots: newSlots(2), Interval: 2 * time.Second,
	}
	w.start()
	return w
}

// start begins an incarnation of the poller.
func (w *town) start() {
	w.Helper()
	p, err := poll.New(w.config)
	if err != nil {
		w.Fatal(err)
	}
	w.poller = p
}

func (w *town) deliver(ctx context.Context, b poll.Batch) error {
	if err := w.memory.Deliver(ctx, b); err != nil {
		return err
	}
	w.memory.commit()
	for _, e := range b.Events {
		if e.Kind == event.KindMessage {
			w.answers <- e
		}
	}
	return nil
}

// answer lets the bot answer some of what is said.
func (w *town) answer(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-w.answers:
			if e.ID.Number%3 == 0 {
				continue
			}
			text := "you said: " + e.Text
			w.poller.NoteSent(e.Peer, 0, text)
			if sent, err := w.client.SendMessage(ctx, platform.SendMessageParams{To: e.Peer, Text: text}); err == nil {
				w.poller.NoteSent(e.Peer, sent.ID, text)
			}
		}
	}
}

// live lets people do things.
func (w *town) live(acts int, phone bool) {
	texts := []string{"hi", "hi", "  where are you? ", "<b>prices</b> & hours", "ответьте, пожалуйста", "a text that is so long that a list cuts it off somewhere"}
	for range acts {
		peer := w.peers[w.dice.IntN(len(w.peers))]
		switch n := w.dice.IntN(20); {
		case n < 9:
			w.people.Say(peer, w.account, texts[w.dice.IntN(len(texts))])
		case n == 9:
			for range w.dice.IntN(80) {
				w.people.Say(peer, w.account, texts[w.dice.IntN(len(texts))])
			}
		case n == 10:
			w.people.SayImage(peer, w.account)
		case n == 11:
			w.people.Like(peer, w.people.Post(w.account, "news"))
		case n == 12:
			w.people.Follow(peer, w.account)
		case n == 13:
			w.people.Mention(peer, w.account, "thank you")
		case n == 14:
			w.people.Reply(peer, w.post, "great")
		case n == 15 && phone:
			w.people.MarkSeen(w.account, peer)
		case n == 16 && phone:
			w.people.SayAs(w.account, peer, "I am on it")
		default:
			time.Sleep(time.Duration(w.dice.IntN(3000)) * time.Millisecond)
		}
	}
}

// started waits for the first start of every source.
func (w *town) started(first event.Source) {
	for {
		time.Sleep(time.Second)
		w.memory.mu.Lock()
		done := true
		for _, source := range []event.Source{first, event.Notifs, event.Mentions} {
			_, found := w.memory.cursors[place{source, 0}]
			done = done && found
		}
		w.memory.mu.Unlock()
		if done {
			return
		}
	}
}

// missed returns what was said and done after position seq and did not become an event.
func (w *town) missed(seq int64) (missed []emulator.Entry) {
	kinds := map[emulator.EntryKind]event.Kind{
		emulator.Liked: event.KindLike, emulator.Followed: event.KindFollow, emulator.Replied: event.KindReply,
		emulator.Mentioned: event.KindMention,
	}
	seen := map[string]int{}
	for _, e := range w.memory.events {
		seen[fmt.Sprint(e.Kind, e.Peer)]++
	}
	for _, e := range w.people.Ledger().Since(seq) {
		if e.To != w.account {
			continue
		}
		if e.Kind == emulator.Said {
			if _, ok := w.memory.events[event.ID{Source: event.Messages, Number: int64(e.Message)}]; !ok {
				missed = append(missed, e)
			}
			continue
		}
		if kind, ok := kinds[e.Kind]; ok {
			key := fmt.Sprint(kind, e.From)
			if seen[key]--; seen[key] < 0 {
				missed = append(missed, e)
			}
		}
	}
	return missed
}

// elsewhere are the beginnings of the names of dialects that do not show in what is polled.
var elsewhere = []string{
	"login", "tokens", "refresh", "expiry", "old-session", "stale", "toggle", "adverts", "null-owners", "visits", "profile",
	"replies", "search", "no-get-messages",
}

func TestOnTheEmulator(t *testing.T) {
	for _, d := range emulator.Dialects() {
		if slices.ContainsFunc(elsewhere, func(name string) bool { return strings.HasPrefix(d.Name, name) }) || effort.Few() && len(d.Name)%5 != 0 {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			effort.Case(t)
			synctest.Test(t, func(t *testing.T) { onEmulator(t, d.Dialect, emulator.Hostile()) })
		})
	}
	t.Run("no faults", func(t *testing.T) {
		effort.Case(t)
		synctest.Test(t, func(t *testing.T) { onEmulator(t, emulator.Dialect{}, emulator.Faults{}) })
	})
}

func onEmulator(t *testing.T, d emulator.Dialect, faults emulator.Faults) {
	t.Helper()
	time.Sleep(10 * 365 * 24 * time.Hour) // bubbles begin in 2000, which is no time on the platform
	people := emulator.New(emulator.Config{Seed: 1, Dialect: d, Faults: faults})
	pipe := emulator.NewPipe(people)
	defer func() { _ = pipe.Close() }()
	w := build(t, pipe, people)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	schedule := poll.NewSchedule(2)
	schedule.Add(w.poller)
	go func() { ended <- schedule.Run(ctx) }()
	go func() { w.answer(ctx); ended <- nil }()

	w.started(event.Messages)
	seq := people.Ledger().Len()
	w.live(200, true)
	people.SetFaults(emulator.Faults{})
	time.Sleep(16 * time.Minute)
	cancel()
	for range cap(ended) {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if missed := w.missed(seq); len(missed) > 0 {
		t.Errorf("%d were missed, the first is %+v", len(missed), missed[0])
	}
	for id := range w.memory.events {
		if watermark := w.memory.cursors[place{event.Messages, 0}].ID; id.Source == event.Messages && id.Number <= watermark {
			t.Errorf("%v is older than the first start", id)
		}
	}
}

// Where get_messages does not exist, of each chat the last message is seen.
func TestOnTheEmulatorWithoutGetMessages(t *testing.T) {
	effort.Shared(t)
	for _, absent := range []emulator.Absent{emulator.AbsentPage, emulator.AbsentCode} {
		for _, cut := range []int{0, 50} {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(10 * 365 * 24 * time.Hour)
				people := emulator.New(emulator.Config{Dialect: emulator.Dialect{Messages: absent, LastCut: cut}, Faults: emulator.Rough()})
				pipe := emulator.NewPipe(people)
				defer func() { _ = pipe.Close() }()
				w := build(t, pipe, people)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 2)
				schedule := poll.NewSchedule(2)
				schedule.Add(w.poller)
				go func() { ended <- schedule.Run(ctx) }()
				go func() { w.answer(ctx); ended <- nil }()
				w.started(event.Snapshots)
				w.live(200, false)
				for i, peer := range w.peers {
					time.Sleep(time.Minute)
					people.Say(peer, w.account, fmt.Sprint("goodbye ", i))
				}
				time.Sleep(2 * time.Minute)
				cancel()
				for range cap(ended) {
					if err := <-ended; err != nil {
						t.Error(err)
					}
				}
				var texts []string
				for _, e := range w.memory.events {
					texts = append(texts, e.Text)
				}
				for i := range w.peers {
					if !slices.Contains(texts, fmt.Sprint("goodbye ", i)) {
						t.Errorf("the last message of person %d was missed", i)
					}
				}
				for _, text := range texts {
					if len(text) > 10 && text[:10] == "you said: " {
						t.Errorf("the bot talks to itself: %q", text)
					}
				}
			})
		}
	}
}
