package poll_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// Where an account begins is found once: while that cannot be stored, what is said meanwhile is news.
func TestFirstStartThatCannotBeStored(t *testing.T) {
	t.Parallel()
	for _, before := range []int{0, 1, 40} {
		for _, source := range []event.Source{event.Messages, event.Snapshots} {
			for _, backlog := range []event.Backlog{event.Skip, event.Unread} {
				for _, crash := range []bool{false, true} {
					t.Run(fmt.Sprintf("%d chats, %v, backlog %d, crash %v", before, source, backlog, crash), func(t *testing.T) {
						effort.Case(t)
						play(t, habits{}, func(r *world) { beginLate(r, before, source, backlog, crash) })
					})
				}
			}
		}
	}
}

// beginLate starts an account with so many chats, which cannot be stored three times. A crash comes right
// behind, when nothing else is stored.
func beginLate(r *world, before int, source event.Source, backlog event.Backlog, crash bool) {
	r.Helper()
	for peer := range platform.UserID(before) {
		r.model.say(100+peer, "long ago")
		r.model.see(100 + peer)
	}
	time.Sleep(time.Hour)
	change := func(c *poll.Config) {
		c.Backlog = backlog
		if source == event.Snapshots {
			c.NoMessages = event.Always
		}
	}
	r.start(change)
	var want []string
	for i := range 3 {
		r.memory.refuse = 100 // whatever it is
		if _, err := r.try(); !errors.Is(err, errFull) {
			r.Fatalf("the error is %v", err)
		}
		for _, peer := range []platform.UserID{50, 100} {
			want = append(want, fmt.Sprintf("%d to %d", i, peer))
			r.model.say(peer+platform.UserID(i), want[len(want)-1])
		}
		r.model.notify("notifs", 50, platform.SubjectLike, false)
	}
	r.memory.refuse = 0
	if crash {
		r.cycle()
		r.memory.accepted = slices.DeleteFunc(r.memory.accepted, func(b poll.Batch) bool {
			return len(b.Events) > 0 || b.Cursor.Peer != 0 && b.Cursor.ID != 0 // the cursors of a backlog are stored at once
		})
		r.memory.commit()
		r.start(change)
	}
	r.run(2 * time.Minute)
	got := r.memory.texts()
	if source == event.Snapshots {
		got = r.said()
		slices.Sort(got)
		slices.Sort(want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.Errorf("events (-want +got):\n%s", diff)
	}
	if got := len(r.memory.notifs()); got != 3 {
		r.Errorf("%d notifications, want 3", got)
	}
}

// What was unread at the first start grows as long as that start does not come to its end.
func TestBacklogOfAFirstStartThatIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, h := range []habits{{}, {KeepsUnseen: true}} {
		t.Run(fmt.Sprintf("%+v", h), func(t *testing.T) {
			effort.Case(t)
			play(t, h, func(r *world) {
				r.model.say(50, "long ago")
				r.model.see(50)
				r.model.say(51, "one")
				r.model.say(50, "two")
				r.model.say(50, "three")
				time.Sleep(time.Hour)
				unread := func(c *poll.Config) { c.Backlog = event.Unread }
				r.start(unread)
				r.memory.check = func(poll.Batch) { r.memory.check, r.memory.refuse = nil, 100 } // but for one chat
				if _, err := r.try(); !errors.Is(err, errFull) {
					t.Fatalf("the error is %v", err)
				}
				r.memory.refuse = 0
				r.memory.commit()
				r.model.say(50, "four")
				r.model.say(51, "five")
				r.run(time.Minute)
				want := []string{"one", "two", "three", "four", "five"}
				if diff := cmp.Diff(want, r.memory.texts()); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
}
