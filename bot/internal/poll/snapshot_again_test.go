package poll_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// remembers lets an incarnation ask what was delivered before, and what the account was about to say.
func (r *world) remembers(peer platform.UserID, open ...string) func(*poll.Config) {
	return func(c *poll.Config) {
		c.Delivered = r.memory.restore()
		c.Bot = owner{sent: func(_ platform.MessageID, each func(poll.Own)) error {
			for _, text := range open {
				each(poll.Own{Peer: peer, Text: text})
			}
			return nil
		}}
	}
}

// forget undoes that a chat's cursor was stored: its event was, just before a crash.
func (m *memory) forget(peer platform.UserID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.cursors, place{event.Snapshots, peer})
}

// counted returns how many messages the row of a chat says that were shown.
func (r *world) counted() int64 {
	row, _ := r.poller.SnapshotRow(50, "")
	return row.Mark >> 16 & 0xffff
}

// Words that left more than once, since the first request got lost, are known as having arrived when they have: who
// says them later is heard.
func TestSnapshotOfWordsThatLeftTwice(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint(restart), func(t *testing.T) {
			play(t, habits{}, func(r *world) {
				r.model.say(51, "somebody else")
				r.start(without)
				r.cycle()
				r.run(2 * time.Minute)
				r.model.say(52, "hello")
				r.cycle()
				r.poller.NoteSent(52, 0, ourWords)
				if r.memory.commit(); restart {
					r.start(without, r.remembers(52, ourWords))
				}
				r.run(40 * time.Second)
				r.poller.NoteSent(52, 0, ourWords)
				r.model.write(52, ourWords, true, false)
				r.poller.NoteSent(52, 7000, ourWords)
				r.run(30 * time.Second)
				r.model.drop(52)
				r.run(time.Minute)
				r.model.say(52, ourWords)
				r.run(time.Minute)
				r.wantSaid("hello", ourWords)
			})
		})
	}
}

// What was stored just before a crash, without its cursor, counts as told also where the row might show words of ours:
// the same words said anew are heard.
func TestSnapshotThatWasStoredWithoutItsCursor(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.model.say(51, "somebody else")
		r.start(without)
		r.cycle()
		r.run(2 * time.Minute)
		r.model.say(50, "hello")
		r.run(10 * time.Second)
		before := r.counted()
		r.memory.forget(50)
		r.start(without, r.remembers(50, ourWords))
		r.run(30 * time.Second)
		if after := r.counted(); after != before {
			t.Errorf("the row counts %d messages, before the crash %d", after, before)
		}
		r.model.write(50, ourWords, true, false)
		r.poller.NoteSent(50, 7000, ourWords)
		r.run(90 * time.Second)
		r.model.drop(50)
		r.run(time.Minute)
		r.model.say(50, "hello")
		r.run(time.Minute)
		r.wantSaid("hello", "hello")
	})
}

// A chat that comes back as it was, although two lists did not show it, brings no news as long as its age may be the old
// one; nor does what comes to light behind our words then.
func TestSnapshotsOfListsThatLagTwice(t *testing.T) {
	for _, h := range []habits{{}, {Minutes: true}, {SendSees: true}} {
		for _, after := range []time.Duration{time.Second, 5 * time.Minute} {
			t.Run(fmt.Sprintf("%+v %v", h, after), func(t *testing.T) {
				play(t, h, func(r *world) {
					r.answered(after, func(c *poll.Config) { c.Interval = 2 * time.Second })
					r.model.unlist(50)
					r.cycle()
					r.cycle()
					r.model.unlist()
					r.run(3 * time.Minute)
					r.wantSaid("hello")
					r.model.erase(50, 0) // the owner deletes our words
					r.run(3 * time.Minute)
					r.wantSaid("hello")
					r.model.say(50, "news")
					r.run(time.Minute)
					r.wantSaid("hello", "news")
				})
			})
		}
	}
}

// Words of ours that an earlier list had to show, and that now stand where others stood, may be the person's as well.
func TestRowOfOldWordsOfOurs(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.answered(20 * time.Second)
		if row, _ := r.poller.SnapshotRow(50, ourWords); !row.Ours {
			t.Errorf("what we sent is not ours: %+v", row)
		}
		r.model.say(50, "line")
		r.model.say(50, "another line")
		r.cycle()
		r.model.see(50)
		r.model.say(50, ourWords)
		r.cycle()
		if row, _ := r.poller.SnapshotRow(50, ourWords); row.Ours {
			t.Errorf("what they said is ours: %+v", row)
		}
	})
}

// The same words, said again while the bot was down and the owner read, count as one more message as far as clocks tell.
// They are not told of: a clock that was set would bring them all.
func TestSnapshotOfTheSameWordsOverAStart(t *testing.T) {
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprint(again), func(t *testing.T) {
			play(t, habits{}, func(r *world) {
				r.start(without)
				r.cycle()
				r.model.say(50, "hello")
				r.run(time.Minute)
				before := r.counted()
				time.Sleep(time.Minute)
				if again {
					r.model.see(50)
					r.model.say(50, "hello")
				}
				r.start(without)
				r.run(10 * time.Second)
				if more := r.counted() > before; more != again {
					t.Errorf("it counts one more: %v", more)
				}
				r.wantSaid("hello")
			})
		})
	}
}
