package poll_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// unsay lets a peer delete an unread message, counted from the newest.
func (r *world) unsay(peer platform.UserID, back int) {
	r.model.erase(peer, back)
	r.model.set(func(w *model) { w.talks[peer].unread-- })
}

// What comes to light when something is deleted was told of before.
func TestSnapshotsOfWhatWasDeleted(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start(without)
		r.cycle()
		for _, text := range []string{"one", "two", "three"} {
			r.model.say(50, text)
			r.run(time.Minute)
		}
		r.unsay(50, 1) // only the count shows it
		r.run(time.Minute)
		r.unsay(50, 0)
		r.run(time.Minute)
		r.model.say(50, "four")
		r.run(time.Minute)
		r.model.write(50, "our answer", true, false)
		r.poller.NoteSent(50, 0, "our answer")
		r.poller.NoteSent(50, 7000, "our answer")
		r.run(5 * time.Minute)
		r.unsay(50, 1) // below our own words
		r.run(time.Minute)
		r.model.erase(50, 0) // the owner deletes them
		r.run(time.Minute)
		r.model.say(50, "four")
		r.run(time.Minute)
		r.wantSaid("one", "two", "three", "four", "four")
	})
}

// A chat that was cleared, and one that came back, are no news; what is said then is.
func TestSnapshotsOfAChatThatVanished(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start(without)
		r.cycle()
		r.model.say(50, "one")
		r.model.say(51, "one")
		r.run(time.Minute)
		r.model.see(50)
		r.run(time.Minute)
		before, _ := r.poller.SnapshotRow(50, "")
		r.model.erase(50, 0)
		r.run(time.Minute)
		if now, ok := r.poller.SnapshotRow(50, ""); !ok || now.Mark == before.Mark || now.Shows {
			t.Errorf("the row of a chat that is gone: %+v, and before %+v", now, before)
		}
		r.model.say(50, "one")
		r.run(time.Minute)
		r.wantSaid("one", "one", "one")
	})
}

// Words of ours are known as such however many there are between two lists.
func TestSnapshotsOfManyOwnWords(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start(without)
		r.cycle()
		r.model.say(50, "hello")
		r.run(time.Minute)
		r.model.say(50, "which our words hide")
		r.model.write(50, "part 0", true, false)
		for i := range 40 { // the list was made before the others arrived
			r.poller.NoteSent(50, 0, fmt.Sprint("part ", i))
		}
		r.run(time.Minute)
		r.wantSaid("hello")
	})
}

// Words of ours are known as such however late the list comes that shows them.
func TestSnapshotsAfterAnOutage(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start(without)
		r.cycle()
		r.model.say(50, "hello")
		r.run(time.Minute)
		r.model.set(func(w *model) { w.down["get_chats"] = true })
		r.poller.NoteSent(50, 0, "our answer")
		r.model.write(50, "our answer", true, false)
		r.poller.NoteSent(50, 7000, "our answer")
		for until := time.Now().Add(30 * time.Minute); time.Now().Before(until); {
			_, _ = r.try()
		}
		r.model.set(func(w *model) { w.down["get_chats"] = false })
		r.run(10 * time.Minute)
		r.wantSaid("hello")
	})
}

// What could not be delivered is delivered later, also where nothing but the age shows it.
func TestSnapshotsThatOnlyTheAgeShows(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start(without)
		r.cycle()
		r.model.say(50, "again")
		r.run(10 * time.Minute)
		r.model.see(50)
		r.model.say(50, "again")
		r.memory.fail(1)
		for range 3 {
			_, _ = r.try()
		}
		r.wantSaid("again", "again")
	})
}

// Where the platform does not count, a new name is no news, also in a chat of which nothing was told yet.
func TestSnapshotsOfANewName(t *testing.T) {
	play(t, habits{NoCount: true}, func(r *world) {
		r.model.say(50, "before")
		r.start(without)
		r.cycle()
		r.model.set(func(w *model) { w.renamed = "Somebody " })
		r.run(time.Minute)
		r.model.say(50, "after")
		r.run(time.Minute)
		r.wantSaid("after")
	})
}

// A platform that changes what the bot says shows the account's own words all the same: no more messages
// are unread than before.
func TestSnapshotsOfChangedWords(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start(without)
		r.cycle()
		r.model.say(50, "hello")
		r.run(time.Minute)
		r.poller.NoteSent(50, 0, "see https://example.org")
		r.model.write(50, "see <link removed>", true, false)
		r.poller.NoteSent(50, 7000, "see https://example.org")
		r.run(10 * time.Minute)
		r.wantSaid("hello")
	})
}

// The first list of an incarnation waits for what earlier incarnations sent.
func TestSnapshotsWithoutAMemory(t *testing.T) {
	play(t, habits{Cut: 30}, func(r *world) {
		r.start(without)
		r.cycle()
		r.model.say(50, "hello")
		r.run(3 * time.Minute)
		const answer = "good morning, what can I do for you today?"
		m := r.model.write(50, answer, true, false)
		r.memory.commit()
		fails, after := 2, platform.MessageID(-1)
		r.start(without, func(c *poll.Config) {
			c.Bot = owner{sent: func(above platform.MessageID, each func(poll.Own)) error {
				after = above
				each(poll.Own{Peer: 50, ID: platform.MessageID(m.id), Text: answer})
				if fails--; fails >= 0 {
					return errors.New("the store cannot be read")
				}
				return nil
			}}
		})
		for range 5 {
			_, _ = r.try()
		}
		r.run(time.Minute)
		r.wantSaid("hello")
		if after != 0 {
			t.Errorf("asked for what was sent above %d, want 0", after)
		}
	})
}
