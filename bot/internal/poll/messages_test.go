package poll_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

func TestFirstStartSkipsTheBacklog(t *testing.T) {
	play(t, habits{KeepsUnseen: true}, func(r *world) {
		var newest *message
		for peer := range platform.UserID(40) {
			newest = r.model.say(100+peer, "long ago")
		}
		time.Sleep(time.Hour)
		r.start()
		result := r.cycle()
		if result.Events != 0 || result.Calls > 8 {
			t.Errorf("the first cycle: %+v, want no events and few calls", result)
		}
		r.memory.commit()
		if got := r.memory.cursors[place{event.Messages, 0}]; got.ID != newest.id || got.PolledAt.IsZero() {
			t.Errorf("watermark %+v, want id %d", got, newest.id)
		}
		if r.run(time.Minute); len(r.memory.texts()) != 0 {
			t.Errorf("the backlog became events: %q", r.memory.texts())
		}
		r.model.say(103, "news")
		r.cycle()
		if got, want := r.memory.texts(), []string{"news"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

func TestFirstStartUnread(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.model.say(50, "seen")
		r.model.see(50)
		r.model.say(50, "one")
		r.model.write(50, "own", true, false)
		for i := range 60 {
			r.model.say(50, fmt.Sprint("more ", i))
		}
		r.model.say(51, "seen, too")
		r.model.see(51)
		time.Sleep(time.Hour)
		unread := func(c *poll.Config) { c.Backlog = event.Unread }
		r.start(unread)
		r.cycle()
		r.memory.commit() // and crash: the unread messages are still to be read
		r.start(unread)
		r.run(time.Minute)
		got := r.memory.texts()
		if len(got) != 61 || got[0] != "one" || got[60] != "more 59" {
			t.Errorf("%d events %q, want the 61 unread messages", len(got), got)
		}
		again := r.reads(func() {
			time.Sleep(time.Hour)
			r.start(unread)
			r.run(time.Minute)
		})
		if again != 0 {
			t.Errorf("%d reads after a restart, want none", again)
		}
	})
}

func TestEventOfAMessage(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start(func(c *poll.Config) { c.Interval = time.Second })
		r.cycle()
		last := time.Now()
		r.cycle()
		m := r.model.say(50, "fish &amp; chips")
		r.cycle()
		r.memory.commit()
		id := event.ID{Source: event.Messages, Number: m.id}
		got := r.memory.events[id]
		if got.SeenAt.Before(m.at) || got.NotBefore.After(m.at) || got.NotBefore.Before(last) || got.SaidAt.After(m.at) {
			t.Errorf("seen at %v, not before %v; it was written at %v", got.SeenAt, got.NotBefore, m.at)
		}
		got.SeenAt, got.NotBefore, got.SaidAt = time.Time{}, time.Time{}, time.Time{}
		want := event.Event{
			Account: "shop", ID: id, Kind: event.KindMessage, Peer: 50, Name: "Person 50", User: "p50", Text: "fish & chips",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOwnMessagesAreSetApart(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.say(50, "hello")
		own := r.model.write(50, "typed on the phone", true, false)
		var found []platform.Message
		r.memory.check = func(b poll.Batch) { found = append(found, b.Own...) }
		r.cycle()
		if len(found) != 1 || found[0].ID != platform.MessageID(own.id) {
			t.Errorf("own messages %+v, want the one with id %d", found, own.id)
		}
		if got, want := r.memory.texts(), []string{"hello"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

// A row that changes because of an own message needs no read, whatever the platform makes of the text.
func TestOwnMessagesAreNoNews(t *testing.T) {
	long := "this is a long answer of which the list shows the beginning only, and then some"
	for _, c := range []struct {
		name, sent, shown string
		cut               int
		read              bool
	}{
		{"same", "thank you", "thank you", 0, false},
		{"trimmed", "  thank\n you ", "thank you", 0, false},
		{"escaped", "<b> & co", "&lt;b&gt; &amp; co", 0, false},
		{"cut", long, long, 30, false},
		{"another text", "thank you", "thank you very much", 0, true},
		{"nothing sent", "", "from the phone", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, habits{Cut: c.cut}, func(r *world) {
				r.model.say(50, "before")
				time.Sleep(time.Hour)
				r.start()
				r.cycle()
				r.model.say(50, "a question")
				r.run(20 * time.Minute)
				m := r.model.write(50, c.shown, true, false)
				if c.sent != "" {
					r.poller.NoteSent(50, platform.MessageID(m.id), c.sent)
				}
				found := 0
				r.memory.check = func(b poll.Batch) { found += len(b.Own) }
				if got := r.reads(func() { r.cycle() }); got > 0 != c.read || (found == 1) != c.read {
					t.Errorf("%d reads, which found %d messages", got, found)
				}
				// It is read back in any case, somewhat later.
				if r.run(2 * time.Minute); found != 1 {
					t.Errorf("%d own messages were read back, want 1", found)
				}
			})
		})
	}
}

// An own message does not hide one of the peer that came just before.
func TestOwnMessageBehindNews(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.say(50, "one")
		r.run(20 * time.Minute)
		r.model.say(50, "two")
		m := r.model.write(50, "an answer", true, false)
		r.poller.NoteSent(50, platform.MessageID(m.id), "an answer")
		if got := r.cycle(); got.Events != 1 {
			t.Errorf("%+v, want 1 event", got)
		}
	})
}

// Where reading does not mark messages as seen, the unread count stays: one read finds that out.
func TestUnreadCountThatStays(t *testing.T) {
	play(t, habits{KeepsUnseen: true}, func(r *world) {
		r.start()
		r.cycle()
		turn := func(i int) {
			r.model.say(50, fmt.Sprint("question ", i))
			r.cycle()
			text := fmt.Sprint("answer ", i)
			m := r.model.write(50, text, true, false)
			r.poller.NoteSent(50, platform.MessageID(m.id), text)
			r.cycle()
		}
		for i := range 3 {
			turn(i) // it is learned
		}
		if got := r.reads(func() { turn(3) }); got != 1 {
			t.Errorf("%d reads for a question and its answer, want 1", got)
		}
	})
}

func TestBurstOfMessages(t *testing.T) {
	for _, c := range []struct {
		name   string
		habits habits
		most   int // reads
	}{
		{"documented", habits{}, 10},
		{"newest page first", habits{NewestFirst: true}, 12},
		{"offset_down not known", habits{IgnoresAfter: true}, 12},
		{"capped", habits{Cap: 20}, 20},
		{"capped, newest page first", habits{Cap: 20, NewestFirst: true}, 21},
		{"offsets repeat the row", habits{Cap: 20, Inclusive: true}, 22},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, c.habits, func(r *world) {
				for i := range 40 {
					r.model.say(50, fmt.Sprint("before ", i))
				}
				time.Sleep(time.Hour)
				r.start()
				r.cycle()
				var want []string
				for i := range 300 {
					r.model.say(50, "hi") // all the same
					want = append(want, "hi")
					if i%7 == 0 {
						r.model.write(50, "hi", true, false)
					}
				}
				if got := r.reads(func() { r.cycle() }); got > c.most {
					t.Errorf("%d reads, want at most %d", got, c.most)
				}
				if got := r.memory.texts(); !slices.Equal(got, want) {
					t.Errorf("%d events, want %d", len(got), len(want))
				}
				r.model.say(50, "one more")
				if got := r.reads(func() { r.cycle() }); got != 1 {
					t.Errorf("%d reads for one message, want 1", got)
				}
			})
		})
	}
}
