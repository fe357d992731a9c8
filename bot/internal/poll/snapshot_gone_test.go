package poll_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// drop deletes a chat, for both sides.
func (w *model) drop(peer platform.UserID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.talks, peer)
}

// unlist lets lists leave out chats, and no others, as they do that come from a replica that lags.
func (w *model) unlist(peers ...platform.UserID) {
	w.set(func(w *model) {
		for _, t := range w.talks {
			t.unlisted = slices.Contains(peers, t.peer)
		}
	})
}

const ourWords = "and your name?"

// answered begins an incarnation in which somebody was answered a while ago.
func (r *world) answered(while time.Duration, change ...func(*poll.Config)) {
	r.Helper()
	r.model.say(51, "somebody else")
	r.start(append(change, without)...)
	r.cycle()
	r.run(2 * time.Minute)
	r.model.say(50, "hello")
	r.cycle()
	r.model.write(50, ourWords, true, false)
	r.poller.NoteSent(50, 0, ourWords)
	r.poller.NoteSent(50, 7000, ourWords)
	r.run(while)
}

// Somebody who deletes the chat and writes again is heard, whatever the words, once two lists have shown that the chat
// was gone.
func TestSnapshotOfAChatThatWasDeleted(t *testing.T) {
	effort.Shared(t)
	restarts := []string{"no restart", "before", "meanwhile", "after"}
	for _, h := range []habits{{}, {NoCount: true}, {Localised: true}, {SendSees: true}, {Unsorted: true}, {Minutes: true}, {NoCount: true, Localised: true}} {
		for _, text := range []string{"hello", "hello again", ourWords} {
			for _, gone := range []int{2, 5} {
				for _, restart := range restarts {
					if effort.Few() && restart != restarts[gone%4] {
						continue
					}
					t.Run(fmt.Sprintf("%+v %s %d %s", h, text, gone, restart), func(t *testing.T) {
						play(t, h, func(r *world) {
							r.answered(90 * time.Second)
							again := func(when string) {
								if r.memory.commit(); when == restart {
									r.start(without)
								}
							}
							again("before")
							r.cycle()
							r.model.drop(50)
							for range gone {
								r.cycle()
							}
							again("meanwhile")
							r.cycle()
							r.model.say(50, text)
							again("after")
							r.run(3 * time.Minute)
							r.memory.commit()
							r.start(without)
							r.run(time.Minute)
							r.wantSaid("hello", text)
						})
					})
				}
			}
		}
	}
}

// A chat that comes back as it was brings no news: not from a replica that lags, nor after lists without rows.
func TestSnapshotsOfListsThatLag(t *testing.T) {
	effort.Shared(t)
	for name, hide := range map[string]struct {
		peers []platform.UserID
		lists int
	}{
		"one list":                    {[]platform.UserID{50}, 1},
		"one list without rows":       {[]platform.UserID{50, 51}, 1},
		"many lists without rows":     {[]platform.UserID{50, 51}, 20},
		"many lists, and an old chat": {[]platform.UserID{50}, 20},
	} {
		for _, h := range []habits{{}, {NoCount: true}, {Minutes: true}, {SendSees: true}, {Localised: true}} {
			if h.Localised && hide.lists > 1 && len(hide.peers) == 1 {
				continue // no age tells that the chat is the old one
			}
			for _, restart := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %+v %v", name, h, restart), func(t *testing.T) {
					play(t, h, func(r *world) {
						r.answered(10 * time.Minute)
						r.model.unlist(hide.peers...)
						for range hide.lists {
							r.cycle()
						}
						r.memory.commit()
						if restart {
							r.start(without)
						}
						r.model.unlist()
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
}

// While a chat is missing nothing is known of it; then, nothing is shown of it.
func TestRowOfAMissingChat(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.answered(10 * time.Minute)
		before, _ := r.poller.SnapshotRow(50, ourWords)
		r.model.unlist(50)
		r.cycle()
		if row, ok := r.poller.SnapshotRow(50, ourWords); !ok || !row.At.IsZero() {
			t.Errorf("after one list without it: %+v", row)
		}
		r.model.unlist(50, 51)
		r.cycle()
		if row, ok := r.poller.SnapshotRow(50, ourWords); !ok || !row.At.IsZero() {
			t.Errorf("after one without rows: %+v", row)
		}
		r.model.unlist(50)
		r.cycle()
		if row, ok := r.poller.SnapshotRow(50, ourWords); !ok || row.At.IsZero() || row.Mark == before.Mark || row.Shows {
			t.Errorf("after two lists without it: %+v", row)
		}
		r.model.unlist()
		r.cycle()
		if row, ok := r.poller.SnapshotRow(50, ourWords); !ok || row.Mark != before.Mark || !row.Shows {
			t.Errorf("when it is back: %+v, before %+v", row, before)
		}
	})
}

// Other words are news although ages cannot tell them from what was there before, when no list has shown them.
func TestSnapshotOfAChatWrittenAgainAtOnce(t *testing.T) {
	play(t, habits{Minutes: true}, func(r *world) {
		r.answered(20 * time.Second)
		r.model.drop(50)
		r.model.say(50, "hello again")
		r.run(20 * time.Second)
		r.wantSaid("hello", "hello again")
		r.model.say(50, "and again")
		r.cycle()
		r.model.erase(50, 0) // what comes to light was heard
		r.run(20 * time.Second)
		for i := range 20 { // more than is remembered
			r.model.drop(50)
			r.model.say(50, fmt.Sprint("number ", i%10))
			r.run(6 * time.Second)
		}
		said := r.said()
		if len(said) < 3 || said[2] != "and again" {
			t.Fatalf("events %q", said)
		}
		for i := range said[3:] {
			for k := range i {
				if said[3+i] == said[3+k] && i-k < 10 {
					t.Errorf("%q comes again: %q", said[3+i], said)
				}
			}
		}
	})
}
