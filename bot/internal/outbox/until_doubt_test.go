package outbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Of a request that left in time and had no answer is found out what became of it. When it did not arrive, and its time is
// over, it is not sent again.
func TestUntilInDoubt(t *testing.T) {
	t.Parallel()
	incarnations := map[string]func(*world){"": func(*world) {}, " killed": func(w *world) { w.crash(); w.start() }, " stopped": (*world).restart}
	for _, fault := range []emulator.Fault{emulator.CutBefore, emulator.CutAfter, emulator.Err500Before, emulator.Err500After, emulator.Truncated, emulator.Late} {
		for verb, call := range map[event.Verb]string{
			event.VerbMessage: "send_message", event.VerbPost: "publish_post", event.VerbLike: "like_post", event.VerbRepost: "publication_repost",
			event.VerbFollow: "follow",
		} {
			for lifecycle, again := range incarnations {
				t.Run(fmt.Sprint(fault, " ", verb, lifecycle), func(t *testing.T) {
					effort.Case(t)
					inWorld(t, setup{concurrency: 2, commit: 2 * time.Millisecond, trip: 40 * time.Millisecond}, func(w *world) {
						w.inDoubt(verb, call, fault, again)
					})
				})
			}
		}
	}
}

func (w *world) inDoubt(verb event.Verb, call string, fault emulator.Fault, again func(*world)) {
	w.Helper()
	ana, leo := w.person("ana"), w.person("leo")
	if _, err := w.broker.Me(w.ctx); err != nil {
		w.Fatal(err)
	}
	arrives := fault != emulator.CutBefore && fault != emulator.Err500Before
	for _, c := range []struct {
		who  platform.UserID
		has  time.Duration
		left int
		ends event.State
	}{
		{ana, 5 * time.Second, map[bool]int{true: 1}[arrives], map[bool]event.State{true: event.StateDone, false: event.StateWithdrawn}[arrives]},
		{leo, time.Hour, 1, event.StateDone},
	} {
		a := w.one(verb, c.who)
		a.Text = strings.Replace(a.Text, "hello", fmt.Sprint("hello within ", c.has), 1)
		w.due(&a, 0, c.has)
		w.p.Disturb(call, fault)
		before := len(w.entries(emulator.Arrived, emulator.Published, emulator.Liked, emulator.Reposted, emulator.Followed))
		w.decide(a)
		time.Sleep(time.Second)
		again(w)
		w.rest(10 * time.Minute)
		got := w.disk.action(a.Key)
		if got.State != c.ends || got.State == event.StateWithdrawn && got.Why.Code() != reason.Late {
			w.Errorf("with %v it is %s (%s)", c.has, got.State, got.Reason)
		}
		if n := len(w.entries(emulator.Arrived, emulator.Published, emulator.Liked, emulator.Reposted, emulator.Followed)) - before; n != c.left {
			w.Errorf("with %v %d have left", c.has, n)
		}
		if n := len(w.entries(emulator.Unliked, emulator.Unreposted, emulator.Unfollowed)); n > 0 {
			w.Errorf("%d were taken back", n)
		}
	}
}

// Who switches between our reading and our call is not undone because our time is over meanwhile: what a call has taken
// back comes again.
func TestUntilAndTheOwner(t *testing.T) {
	t.Parallel()
	for _, silent := range []bool{false, true} {
		var w *world
		var post platform.PostID
		meddle := 1
		between := func(p outbox.Platform) outbox.Platform {
			return &stub{Platform: p, like: func(ctx context.Context, id platform.PostID) (platform.Toggled, error) {
				if meddle > 0 {
					meddle--
					w.p.Like(w.bot, post)
				}
				return p.LikePost(ctx, id)
			}}
		}
		s := setup{wrap: between, trip: 2 * time.Second}
		if silent { // then the state has to be read again
			s.emulator.Dialect.Toggle = emulator.ToggleSilent
		}
		inWorld(t, s, func(world *world) {
			w = world
			ana := w.person("ana")
			if _, err := w.broker.Me(w.ctx); err != nil {
				t.Fatal(err)
			}
			post = w.p.Post(ana, "news")
			a := w.like(ana, post, true)
			w.due(&a, 0, 3*time.Second) // between the first call and its answer
			w.decide(a)
			w.rest(time.Minute)
			w.same("liked", true, w.p.Liked(w.bot, post))
			w.same("calls", int64(2), w.p.Calls("like_post"))
			w.same("state", event.StateDone, w.state(a))
		})
	}
}

// A wish that does not leave any more takes no other one's place.
func TestUntilOfALaterWish(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{concurrency: 1}, func(w *world) {
		ana := w.person("ana")
		post := w.p.Post(ana, "news")
		w.net.Cut(true)
		like, unlike := w.like(ana, post, true), w.like(ana, post, false)
		w.due(&unlike, 0, time.Minute)
		w.decide(like, unlike)
		time.Sleep(2 * time.Minute)
		w.net.Cut(false)
		w.rest(10 * time.Minute)
		w.same("liked", true, w.p.Liked(w.bot, post))
		w.same("states", []event.State{event.StateDone, event.StateWithdrawn}, []event.State{w.state(like), w.state(unlike)})
	})
}

// What comes too late takes no token of what is in time, and what waits for one is in time as far as the pace allows.
func TestUntilAndPace(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{concurrency: 1, pace: event.Pace{Account: event.Rate{PerSecond: 1. / 60, Burst: 1}}}, func(w *world) {
		ana := w.person("ana")
		var late, soon []event.Action
		for i := range 20 {
			a := w.post(0, 0, fmt.Sprint("late ", i))
			w.due(&a, time.Hour, time.Hour+5*time.Minute)
			late = append(late, a)
		}
		for i := range 5 {
			a := w.message(ana, fmt.Sprint("soon ", i))
			w.due(&a, 2*time.Hour, 2*time.Hour+150*time.Second)
			soon = append(soon, a)
		}
		w.decide(late...)
		w.decide(soon...)
		w.crash()
		time.Sleep(2*time.Hour - time.Second)
		w.start()
		w.rest(time.Hour)
		w.same("in time", []string{"soon 0", "soon 1", "soon 2"}, w.arrived(ana))
		if n := len(w.entries(emulator.Published)); n > 0 {
			t.Errorf("%d were too late", n)
		}
		for _, a := range append(late, soon[3:]...) {
			w.same(a.Text, event.StateWithdrawn, w.state(a))
		}
	})
}

// A disk that takes nothing at a start lets the start be: what is too late is withdrawn when it takes writes again.
func TestUntilAndADiskThatRefuses(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		a := w.post(0, 0, "late")
		w.due(&a, time.Hour, time.Hour+5*time.Minute)
		w.decide(a)
		w.crash()
		time.Sleep(2 * time.Hour)
		w.refuses = true
		w.start()
		time.Sleep(time.Minute)
		w.ledger.refuse(false)
		w.rest(time.Minute)
		w.same("what was too late", event.StateWithdrawn, w.state(a))
		if n := len(w.entries(emulator.Published)); n > 0 {
			t.Error("it left")
		}
	})
}

// Whoever is to find out whether the platform is back, and waits for that until its time is over, lets another one do so.
func TestUntilOfWhoeverFindsOut(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{concurrency: 1, pace: event.Pace{Account: event.Rate{PerSecond: 1. / 300, Burst: 8}}}, func(w *world) {
		mia := w.person("mia")
		w.p.Disturb("send_message", emulator.TooMany) // it shuts the breaker, and the tokens of those that wait for a slot are gone
		var all []event.Action
		for i := range 8 {
			a := w.message(w.person(fmt.Sprint("guest", i)), "soon")
			w.due(&a, 0, 2*time.Minute)
			all = append(all, a)
		}
		w.decide(all...)
		time.Sleep(time.Minute) // one of them finds out by now
		w.decide(w.message(mia, "has time"))
		w.rest(2 * time.Hour)
		w.same("to mia", []string{"has time"}, w.arrived(mia))
		for _, e := range w.entries(emulator.Arrived) {
			if late := e.At.Sub(all[0].Until); e.Text == "soon" && late >= 0 {
				t.Errorf("one arrived %v after its time", late)
			}
		}
	})
}
