package poll_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/poll"
	"github.com/nectar-bot/nectar/platform"
)

func TestFirstStartSkipsTheBacklog(t *testing.T) {
	play(t, habits{KeepsUnseen: true}, func(r *rig) {
		var newest *message
		for peer := range platform.UserID(40) {
			newest = r.world.say(100+peer, "long ago")
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
		r.world.say(103, "news")
		r.cycle()
		if got, want := r.memory.texts(), []string{"news"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

func TestFirstStartUnread(t *testing.T) {
	play(t, habits{}, func(r *rig) {
		r.world.say(50, "seen")
		r.world.see(50)
		r.world.say(50, "one")
		r.world.write(50, "own", true, false)
		for i := range 60 {
			r.world.say(50, fmt.Sprint("more ", i))
		}
		r.world.say(51, "seen, too")
		r.world.see(51)
		time.Sleep(time.Hour)
		unread := func(c *poll.Config) { c.Backlog = poll.Unread }
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
	play(t, habits{}, func(r *rig) {
		r.start(func(c *poll.Config) { c.Interval = time.Second })
		r.cycle()
		last := time.Now()
		r.cycle()
		m := r.world.say(50, "fish &amp; chips")
		r.cycle()
		r.memory.commit()
		id := event.ID{Source: event.Messages, Number: m.id}
		got := r.memory.events[id]
		if got.SeenAt.Before(m.at) || got.NotBefore.After(m.at) || got.NotBefore.Before(last) {
			t.Errorf("seen at %v, not before %v; it was written at %v", got.SeenAt, got.NotBefore, m.at)
		}
		got.SeenAt, got.NotBefore = time.Time{}, time.Time{}
		want := event.Event{
			Account: "shop", ID: id, Kind: event.KindMessage, Peer: 50, Name: "Person 50", User: "p50", Text: "fish & chips",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOwnMessagesAreSetApart(t *testing.T) {
	play(t, habits{}, func(r *rig) {
		r.start()
		r.cycle()
		r.world.say(50, "hello")
		own := r.world.write(50, "typed on the phone", true, false)
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
			play(t, habits{Cut: c.cut}, func(r *rig) {
				r.world.say(50, "before")
				time.Sleep(time.Hour)
				r.start()
				r.cycle()
				r.world.say(50, "a question")
				r.run(20 * time.Minute)
				m := r.world.write(50, c.shown, true, false)
				if c.sent != "" {
					r.poller.Sent(50, platform.MessageID(m.id), c.sent)
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
	play(t, habits{}, func(r *rig) {
		r.start()
		r.cycle()
		r.world.say(50, "one")
		r.run(20 * time.Minute)
		r.world.say(50, "two")
		m := r.world.write(50, "an answer", true, false)
		r.poller.Sent(50, platform.MessageID(m.id), "an answer")
		if got := r.cycle(); got.Events != 1 {
			t.Errorf("%+v, want 1 event", got)
		}
	})
}

// Where reading does not mark messages as seen, the unread count stays: one read finds that out.
func TestUnreadCountThatStays(t *testing.T) {
	play(t, habits{KeepsUnseen: true}, func(r *rig) {
		r.start()
		r.cycle()
		turn := func(i int) {
			r.world.say(50, fmt.Sprint("question ", i))
			r.cycle()
			text := fmt.Sprint("answer ", i)
			m := r.world.write(50, text, true, false)
			r.poller.Sent(50, platform.MessageID(m.id), text)
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
			play(t, c.habits, func(r *rig) {
				for i := range 40 {
					r.world.say(50, fmt.Sprint("before ", i))
				}
				time.Sleep(time.Hour)
				r.start()
				r.cycle()
				var want []string
				for i := range 300 {
					r.world.say(50, "hi") // all the same
					want = append(want, "hi")
					if i%7 == 0 {
						r.world.write(50, "hi", true, false)
					}
				}
				if got := r.reads(func() { r.cycle() }); got > c.most {
					t.Errorf("%d reads, want at most %d", got, c.most)
				}
				if got := r.memory.texts(); !slices.Equal(got, want) {
					t.Errorf("%d events, want %d", len(got), len(want))
				}
				r.world.say(50, "one more")
				if got := r.reads(func() { r.cycle() }); got != 1 {
					t.Errorf("%d reads for one message, want 1", got)
				}
			})
		})
	}
}

// Twins, with the phone reading in between, in a language whose times cannot be read: the row looks
// as before. The sweep finds them.
func TestSweepFindsWhatNothingShows(t *testing.T) {
	play(t, habits{Localised: true}, func(r *rig) {
		r.start()
		r.cycle()
		r.world.say(50, "hi")
		r.cycle()
		r.cycle()
		for range 3 {
			r.world.say(50, "hi")
			r.world.see(50)
		}
		if got := r.cycle(); got.Events != 0 {
			t.Fatalf("%+v: the list shows more than it should", got)
		}
		if got := r.run(2 * time.Minute); got.Events != 3 || got.Late != 3 {
			t.Errorf("%+v, want 3 events that came late", got)
		}
		quiet := r.run(15 * time.Minute)
		if again := r.reads(func() { r.run(15 * time.Minute) }); quiet.Events != 0 || again != 0 {
			t.Errorf("%d events and %d reads in the silence afterwards", quiet.Events, again)
		}
	})
}

// An English age that falls, or grows too slowly, betrays the same words said again.
func TestAgeOfARow(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after time.Duration // ages at the first start, and of the second message when it is listed
		interval      time.Duration
	}{
		{"falls by much", time.Hour, 2 * time.Second, 5 * time.Second},
		{"falls to just now", 20 * time.Second, 100 * time.Millisecond, 400 * time.Millisecond},
		{"grows too slowly", 3 * time.Second, 4500 * time.Millisecond, 10 * time.Second},
		{"stays", 70 * time.Second, 100 * time.Second, 2 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, habits{}, func(r *rig) {
				r.world.say(50, "hi")
				r.world.see(50)
				time.Sleep(c.before)
				r.start(func(cfg *poll.Config) { cfg.Interval = c.interval; cfg.SweepAfter = time.Hour })
				r.cycle()
				time.Sleep(time.Until(r.poller.Next(time.Now())) - c.after)
				r.world.say(50, "hi")
				r.world.see(50)
				time.Sleep(c.after)
				if got, err := r.poller.Poll(r.Context()); err != nil || got.Events != 1 || got.Late != 0 {
					t.Errorf("%+v, %v, want 1 event at once", got, err)
				}
			})
		})
	}
}

// A chat that overtakes others has news, even if its row looks as before.
func TestRowThatMovesUp(t *testing.T) {
	play(t, habits{Localised: true}, func(r *rig) {
		for peer := range platform.UserID(30) {
			r.world.say(100+peer, "hi")
			r.world.see(100 + peer)
		}
		time.Sleep(time.Hour)
		r.start()
		r.run(20 * time.Minute)
		r.world.say(103, "hi")
		r.world.see(103)
		if got := r.cycle(); got.Events != 1 {
			t.Errorf("%+v, want 1 event", got)
		}
	})
}

func TestDeliveryThatFails(t *testing.T) {
	play(t, habits{}, func(r *rig) {
		r.start()
		r.cycle()
		for peer := range platform.UserID(20) {
			r.world.say(100+peer, "hello")
		}
		r.memory.fail(3)
		if _, err := r.try(); !errors.Is(err, errFull) {
			t.Errorf("error %v, want %v", err, errFull)
		}
		for range 6 {
			_, _ = r.try()
		}
		if got := len(r.memory.texts()); got != 20 {
			t.Errorf("%d events, want 20", got)
		}
	})
}

// A chat that the platform refuses to show stops neither the others nor the pace.
func TestRefusedChat(t *testing.T) {
	play(t, habits{}, func(r *rig) {
		r.world.say(50, "before")
		time.Sleep(time.Hour)
		r.start()
		r.cycle()
		r.world.set(func(w *world) { w.refused[51] = true })
		r.world.say(51, "to nobody")
		r.world.say(50, "hello")
		if _, err := r.try(); !errors.Is(err, platform.ErrInvalid) {
			t.Errorf("error %v, want a refusal", err)
		}
		refused := r.reads(func() {
			for end := time.Now().Add(time.Hour); time.Now().Before(end); {
				_, _ = r.try()
			}
		})
		if refused > 100 {
			t.Errorf("the chat was asked for %d times in an hour", refused)
		}
		if got, want := r.memory.texts(), []string{"hello"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
		if got := r.log.with("a chat cannot be read"); len(got) != 1 {
			t.Errorf("log lines %q, want one", got)
		}
		r.world.set(func(w *world) { delete(w.refused, 51) })
		for range 20 {
			_, _ = r.try()
		}
		if got, want := r.memory.texts(), []string{"to nobody", "hello"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

func TestChatsAreReadInParallel(t *testing.T) {
	play(t, habits{}, func(r *rig) {
		free := newSlots(4)
		r.start(func(c *poll.Config) {
			c.Slots = free
			c.Sink = sinkFunc(func(ctx context.Context, b poll.Batch) error {
				// Who delivers must not keep a slot from others, who may be waited for.
				if err := free.Acquire(ctx); err != nil {
					return err
				}
				defer free.Release()
				return r.memory.Deliver(ctx, b)
			})
		})
		r.cycle()
		for peer := range platform.UserID(40) {
			r.world.say(100+peer, "hello")
		}
		r.world.set(func(w *world) { w.slow = time.Second })
		if got := r.cycle(); got.Events != 40 {
			t.Errorf("%+v, want 40 events", got)
		}
		if r.world.most != 4 {
			t.Errorf("%d calls at once, want 4", r.world.most)
		}
	})
}

func TestTimeOfTheLastPollIsKept(t *testing.T) {
	play(t, habits{}, func(r *rig) {
		r.start()
		r.cycle()
		r.run(10 * time.Minute)
		before := r.memory.batches
		r.run(10 * time.Minute)
		if got := r.memory.batches - before; got < 15 || got > 33 {
			t.Errorf("%d batches in 10 minutes of silence, want about one per minute and source", got)
		}
		r.memory.commit()
		for _, source := range []event.Source{event.Messages, event.Notifs, event.Mentions} {
			if got := time.Since(r.memory.cursors[place{source, 0}].PolledAt); got > 2*time.Minute {
				t.Errorf("%v was polled %v ago, says the store", source, got)
			}
		}
	})
}

// When nothing works any more, a cycle gives up after a few calls instead of asking for every chat.
func TestOutage(t *testing.T) {
	play(t, habits{}, func(r *rig) {
		r.start()
		r.cycle()
		for peer := range platform.UserID(100) {
			r.world.say(100+peer, "hello")
		}
		r.world.set(func(w *world) { w.down["get_messages"] = true })
		if got := r.reads(func() { _, _ = r.try() }); got > 10 {
			t.Errorf("%d reads in a cycle, want few", got)
		}
		r.world.set(func(w *world) { w.down["get_messages"] = false })
		r.run(time.Minute)
		if got := len(r.memory.texts()); got != 100 {
			t.Errorf("%d events, want 100", got)
		}
	})
}

// A chat is forgotten when it is quiet, and its cursor then comes from the store; all of them with one
// query.
func TestQuietChatsAreForgotten(t *testing.T) {
	play(t, habits{}, func(r *rig) {
		r.start()
		r.cycle()
		queries := func(f func()) int {
			before := r.memory.queries
			f()
			return r.memory.queries - before
		}
		news := func() {
			for peer := range platform.UserID(30) {
				r.world.say(100+peer, "hello")
			}
			r.cycle()
		}
		if got := queries(news); got != 1 {
			t.Errorf("%d queries for 30 new chats, want 1", got)
		}
		if got := queries(news); got != 0 {
			t.Errorf("%d queries for 30 active chats, want none", got)
		}
		r.run(30 * time.Minute)
		if got := queries(news); got != 1 {
			t.Errorf("%d queries for 30 chats that were quiet, want 1", got)
		}
		if got := len(r.memory.texts()); got != 90 {
			t.Errorf("%d events, want 90", got)
		}
	})
}

// What was sent long ago explains nothing any more.
func TestSentLongAgo(t *testing.T) {
	play(t, habits{}, func(r *rig) {
		r.start()
		r.cycle()
		r.world.say(50, "hello")
		r.run(time.Minute)
		r.poller.Sent(50, 0, "see you") // it never arrived
		r.run(20 * time.Minute)
		r.world.say(50, "see you")
		r.world.see(50)
		if got := r.cycle(); got.Events != 1 {
			t.Errorf("%+v, want 1 event", got)
		}
	})
}

// While a chat cannot be read, the store does not claim that everything was seen: what is in it may be
// old when it is read at last.
func TestAgeOfWhatWasRefused(t *testing.T) {
	play(t, habits{}, func(r *rig) {
		r.world.say(51, "before")
		r.start()
		r.run(5 * time.Minute)
		r.world.set(func(w *world) { w.refused[50] = true })
		m := r.world.say(50, "hello")
		for range 50 {
			_, _ = r.try()
		}
		r.memory.commit()
		r.start()
		r.world.set(func(w *world) { w.refused[50] = false })
		r.cycle()
		if got := r.memory.of(event.Messages); len(got) != 1 || got[0].NotBefore.After(m.at) {
			t.Errorf("events %+v, want one that may be as old as %v", got, m.at)
		}
	})
}
