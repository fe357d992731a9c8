package outbox_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// chat is a platform whose chats are read with an error, as long as there is one.
func chat(failure func(reading int) error) func(outbox.Platform) outbox.Platform {
	readings := 0
	return func(p outbox.Platform) outbox.Platform {
		return &stub{Platform: p, chat: func(ctx context.Context, m platform.MessagesParams) iter.Seq2[platform.Message, error] {
			readings++
			if err := failure(readings); err != nil {
				return func(yield func(platform.Message, error) bool) { yield(platform.Message{}, err) }
			}
			return p.AllMessages(ctx, m)
		}}
	}
}

// What is in doubt holds back its conversation for ten minutes in which it could have been read, whatever came
// between them.
func TestPatienceIsNotRenewed(t *testing.T) {
	t.Parallel()
	const most = 25 * time.Minute
	for name, c := range map[string]struct {
		failure func(reading int) error
		out     func() bool
	}{
		"the session pauses": {failure: every(5, errPaused)},
		"the network breaks": {failure: every(3, errNoRoute)},
		"too many requests":  {failure: every(4, &platform.Refused{Endpoint: "get_messages", Code: 429, RetryAfter: 10 * time.Second})},
		"polling stops for a moment": {
			failure: every(1000, errBadPage), out: func() bool { return time.Now().Minute()%5 == 0 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{wrap: chat(c.failure), out: c.out}, func(w *world) {
				ana := w.person("ana")
				w.p.Disturb("send_message", emulator.CutAfter)
				actions := w.messages(ana, "one", "two")
				begun := time.Now()
				w.decide(actions...)
				w.until(6*time.Hour, func() bool { return len(w.arrived(ana)) == 2 })
				took := time.Since(begun)
				w.rest(time.Minute)
				w.same("states", []event.State{event.StateHeld, event.StateDone}, []event.State{w.state(actions[0]), w.state(actions[1])})
				if took < 10*time.Minute || took > most {
					w.Errorf("it was held after %v", took)
				}
			})
		})
	}
}

// every fails each nth reading with err, and the others in another way.
func every(n int, err error) func(int) error {
	return func(reading int) error {
		if reading%n == 0 {
			return err
		}
		return errBadPage
	}
}

// A time in which nobody could read does not count, however long it is and however it ends.
func TestPatienceWaitsForTheSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failure error
		after   int // failures of another kind, when it is over
	}{
		"parked":                     {errPaused, 0},
		"parked, then a bad page":    {errPaused, 3},
		"cut off":                    {errNoRoute, 0},
		"cut off, then a bad page":   {errNoRoute, 3},
		"too many, then a bad page":  {&platform.Refused{Endpoint: "get_messages", Code: 429}, 3},
		"too many, for a whole hour": {&platform.Refused{Endpoint: "get_messages", Code: 429, RetryAfter: time.Hour}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var end time.Time
			failure := func(int) error {
				switch {
				case time.Now().Before(end):
					return c.failure
				case c.after > 0:
					c.after--
					return errBadPage
				}
				return nil
			}
			inWorld(t, setup{wrap: chat(failure)}, func(w *world) {
				end = time.Now().Add(72 * time.Hour)
				ana := w.person("ana")
				w.p.Disturb("send_message", emulator.CutAfter)
				a := w.message(ana, "one")
				w.decide(a)
				w.rest(73*time.Hour + time.Minute)
				w.same("state", event.StateDone, w.state(a))
			})
		})
	}
}

// That a call is not authorised is believed when the platform says so for a while, not when it says so once after
// other troubles.
func TestUnauthorizedAfterTroubles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		denials int
		want    event.State
	}{{1, event.StateDone}, {5, event.StateDone}, {1000, event.StateRefused}} {
		t.Run(fmt.Sprint(c.denials), func(t *testing.T) {
			effort.Case(t)
			begun, denials := time.Time{}, c.denials
			troubled := func(p outbox.Platform) outbox.Platform {
				return &stub{
					Platform: p,
					thread: func(ctx context.Context, id platform.PostID) (platform.Thread, error) {
						if time.Since(begun) < 5*time.Minute {
							return platform.Thread{}, errBadPage
						}
						return p.Thread(ctx, id)
					},
					like: func(ctx context.Context, id platform.PostID) (platform.Toggled, error) {
						if denials--; denials >= 0 {
							return platform.Toggled{}, &platform.Refused{Endpoint: "like_post", Code: 401}
						}
						return p.LikePost(ctx, id)
					},
				}
			}
			inWorld(t, setup{wrap: troubled}, func(w *world) {
				begun = time.Now()
				ana := w.person("ana")
				a := w.like(ana, w.p.Post(ana, "news"), true)
				w.decide(a)
				w.rest(time.Hour)
				w.same("state", c.want, w.state(a))
			})
		})
	}
}

// A time in which the account's pace allows no reading does not count: what did not happen is sent again, and is no
// matter for a person.
func TestPatienceWaitsForThePace(t *testing.T) {
	t.Parallel()
	pace := event.Pace{Account: event.Rate{PerSecond: 1 / (15 * time.Minute).Seconds(), Burst: 1}}
	inWorld(t, setup{pace: pace}, func(w *world) {
		ana := w.person("ana")
		post := w.p.Post(ana, "news")
		w.p.Disturb("like_post", emulator.CutBefore)
		a := w.like(ana, post, true)
		w.decide(a)
		w.rest(12 * time.Hour)
		w.same("state", event.StateDone, w.state(a))
		w.same("liked", true, w.p.Liked(w.bot, post))
	})
}
