package poll_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
)

// without returns a world's configuration for a platform that is known to have no get_messages.
func without(c *poll.Config) { c.NoMessages = event.Always }

// said returns the texts of the stored snapshots in the order in which they were seen.
func (r *world) said() []string {
	list := r.memory.of(event.Snapshots)
	slices.SortFunc(list, func(a, b event.Event) int { return a.SeenAt.Compare(b.SeenAt) })
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.Text
	}
	return texts
}

func (r *world) wantSaid(want ...string) {
	r.Helper()
	if got := r.said(); !slices.Equal(got, want) {
		r.Errorf("events %q, want %q", got, want)
	}
}

func TestPlatformWithoutGetMessages(t *testing.T) {
	for _, missing := range []string{"page", "code"} {
		t.Run(missing, func(t *testing.T) {
			play(t, habits{Missing: missing}, func(r *world) {
				r.start()
				r.cycle()
				r.model.say(50, "hello")
				for range 5 {
					_, _ = r.try()
				}
				r.wantSaid("hello")
				if got := r.log.with("get_messages does not exist"); len(got) != 1 {
					t.Errorf("log lines %q, want one", got)
				}
				time.Sleep(time.Minute)
				r.run(2 * time.Minute)
				r.memory.commit()
				r.start()
				asked := r.reads(func() {
					r.model.say(51, "after a restart")
					r.run(time.Minute)
				})
				if asked != 0 {
					t.Errorf("get_messages was called %d times after the restart", asked)
				}
				r.wantSaid("hello", "after a restart")
			})
		})
	}
}

// A chat that waited to be read when that was given up is heard as all others are: by the lists alone.
func TestHeardWithoutGetMessages(t *testing.T) {
	play(t, habits{Missing: "page"}, func(r *world) {
		r.start()
		r.cycle()
		r.model.say(50, "hello")
		for range 5 {
			_, _ = r.try()
		}
		r.wantSaid("hello")
		time.Sleep(time.Minute)
		asked := time.Now()
		r.cycle()
		if got := r.poller.HeardUntil(50); got.Before(asked) {
			t.Errorf("the chat is heard until %v, want %v or later", got, asked)
		}
	})
}

// An endpoint that worked once is not given up because it fails.
func TestGetMessagesThatFailsForSomeTime(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.model.say(50, "before")
		time.Sleep(time.Hour)
		r.start()
		r.cycle()
		r.memory.commit()
		r.model.set(func(w *model) { w.habits.Missing = "page" })
		r.model.say(50, "hello")
		r.start() // it never worked in this incarnation
		for range 10 {
			_, _ = r.try()
		}
		r.model.set(func(w *model) { w.habits.Missing = "" })
		time.Sleep(time.Minute)
		r.cycle()
		if got, want := r.memory.texts(), []string{"hello"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
		r.wantSaid()
	})
}

func TestModeNever(t *testing.T) {
	play(t, habits{Missing: "page"}, func(r *world) {
		r.start(func(c *poll.Config) { c.NoMessages = event.Never })
		r.cycle()
		r.model.say(50, "hello")
		if _, err := r.try(); err == nil {
			t.Error("the cycle did not fail")
		}
		for range 10 {
			_, _ = r.try()
		}
		r.wantSaid()
	})
}

func TestSnapshots(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.model.say(50, "before")
		r.start(without)
		r.cycle()
		r.model.say(50, "one")
		r.cycle()
		r.cycle()
		answer := r.model.write(50, "one", true, false) // the bot says the same
		r.poller.NoteSent(50, 0, "one")
		r.cycle()
		r.model.say(50, "two")
		r.model.say(50, "three") // only the last one is visible
		r.cycle()
		r.model.see(50)
		r.cycle()
		r.model.write(50, "typed on the phone", true, false)
		r.cycle()
		r.model.say(50, "three")
		r.cycle()
		r.run(10 * time.Minute)
		r.wantSaid("one", "three", "three")
		for id := range r.memory.events {
			if id.Number <= 0 || id.Number == answer.id {
				t.Errorf("event %v", id)
			}
		}
	})
}

// The bot's own words raise no event, also where they do not lower the unread count, and also when the
// start is told of them.
func TestSnapshotsOfOwnWords(t *testing.T) {
	play(t, habits{Cut: 30}, func(r *world) {
		r.start(without)
		r.cycle()
		r.model.say(50, "hello")
		r.cycle()
		const answer = "good morning, what can I do for you today?"
		r.model.write(50, answer, true, false)
		r.poller.NoteSent(50, 0, answer)
		r.cycle()
		r.memory.commit()
		r.start(without)
		r.run(time.Minute)

		const last = "this was sent just before the crash, and never listed"
		r.model.write(50, last, true, false)
		r.memory.commit()
		r.start(without)
		r.poller.NoteSent(50, 0, last)
		r.run(time.Minute)
		r.wantSaid("hello")
	})
}

// The number of an event is the same after a crash, and another one for the same words said again.
func TestSnapshotNumbers(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start(without)
		r.cycle()
		r.memory.commit()
		r.model.say(50, "hello")
		var numbers []int64
		r.memory.check = func(b poll.Batch) {
			for _, e := range b.Events {
				numbers = append(numbers, e.ID.Number)
			}
		}
		r.cycle()
		r.start(without) // nothing was stored
		r.cycle()
		r.memory.commit()
		r.model.see(50)
		r.cycle()
		r.model.say(50, "hello")
		r.cycle()
		if len(numbers) != 3 || numbers[0] != numbers[1] || numbers[1] == numbers[2] {
			t.Errorf("numbers %v, want the first two the same, and another one", numbers)
		}
	})
}

func TestSnapshotsWithoutUnreadCounts(t *testing.T) {
	play(t, habits{NoCount: true}, func(r *world) {
		r.model.say(50, "before")
		r.start(without)
		r.cycle()
		r.model.say(50, "one")
		r.cycle()
		r.model.write(50, "answer", true, false)
		r.poller.NoteSent(50, 0, "answer")
		r.cycle()
		r.memory.commit()
		r.start(without)
		r.run(time.Minute)
		r.model.say(51, "two")
		r.cycle()
		r.wantSaid("one", "two")
	})
}

func TestSnapshotsOfTheBacklog(t *testing.T) {
	for _, c := range []struct {
		name    string
		backlog event.Backlog
		want    []string
	}{{"skip", event.Skip, []string{"later"}}, {"unread", event.Unread, []string{"unread", "later"}}} {
		t.Run(c.name, func(t *testing.T) {
			play(t, habits{}, func(r *world) {
				r.model.say(50, "unread")
				r.model.say(51, "read")
				r.model.see(51)
				change := func(cfg *poll.Config) { without(cfg); cfg.Backlog = c.backlog }
				r.start(change)
				r.cycle()
				r.cycle()
				r.memory.commit()
				r.start(change)
				r.run(time.Minute)
				r.model.say(51, "later")
				r.cycle()
				r.wantSaid(c.want...)
			})
		})
	}
}

func TestSnapshotsWhenDeliveryFails(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start(without)
		r.cycle()
		r.model.say(50, "one")
		r.model.say(51, "two")
		r.memory.fail(3)
		for range 6 {
			_, _ = r.try()
		}
		r.model.write(50, "answer", true, false)
		r.poller.NoteSent(50, 0, "answer")
		r.memory.fail(2)
		for range 6 {
			_, _ = r.try()
		}
		if got := r.said(); len(got) != 2 {
			t.Errorf("events %q, want 2", got)
		}
	})
}
