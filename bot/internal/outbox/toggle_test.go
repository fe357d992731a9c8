package outbox_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// However the calls of a toggle go wrong, its state is switched once.
func TestToggleIsSwitchedOnce(t *testing.T) {
	t.Parallel()
	for _, verb := range []event.Verb{event.VerbLike, event.VerbRepost, event.VerbFollow} {
		read, call := "thread_data", map[event.Verb]string{
			event.VerbLike: "like_post", event.VerbRepost: "publication_repost", event.VerbFollow: "follow",
		}[verb]
		if verb == event.VerbFollow {
			read = "profile"
		}
		for f := emulator.CutBefore; f <= emulator.Late; f++ {
			for _, endpoint := range []string{read, call} {
				t.Run(fmt.Sprint(verb, ", ", endpoint, " ", f), func(t *testing.T) {
					effort.Case(t)
					inWorld(t, setup{}, func(w *world) {
						ana := w.person("ana")
						a := event.Action{
							Key: w.key(), Account: account, Peer: ana, Verb: verb, Post: w.p.Post(ana, "news"), User: ana, Want: true,
						}
						w.p.Disturb(endpoint, f)
						w.decide(a)
						w.rest(time.Hour)
						w.same("state", event.StateDone, w.state(a))
						w.same("switched", 1, len(w.entries(toggles...)))
						calls := w.p.Calls(call)
						if endpoint == read && calls != 1 || calls > 2 {
							w.Errorf("%s was called %d times", call, calls)
						}
					})
				})
			}
		}
	}
}

var toggles = []emulator.EntryKind{
	emulator.Liked, emulator.Unliked, emulator.Reposted, emulator.Unreposted,
	emulator.Followed, emulator.Unfollowed, emulator.FollowRequested,
}

// Whatever the answer to a toggle looks like, it is called once.
func TestToggleAnswers(t *testing.T) {
	t.Parallel()
	for _, shape := range []emulator.Toggle{emulator.ToggleFlat, emulator.ToggleNested, emulator.ToggleBare, emulator.ToggleSilent} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{emulator: emulator.Config{Dialect: emulator.Dialect{Toggle: shape}}}, func(w *world) {
				ana := w.person("ana")
				post := w.p.Post(ana, "news")
				w.decide(w.like(ana, post, true))
				w.rest(time.Minute)
				w.same("liked", true, w.p.Liked(w.bot, post))
				w.decide(w.like(ana, post, false))
				w.rest(time.Minute)
				w.same("liked", false, w.p.Liked(w.bot, post))
				w.same("calls", int64(2), w.p.Calls("like_post"))
			})
		})
	}
}

// A wish that is true already takes no call, in whatever state the last call left the world.
func TestToggleThatIsSoAlready(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		post := w.p.Post(ana, "news")
		w.p.Like(w.bot, post)
		a := w.like(ana, post, true)
		w.decide(a)
		w.rest(time.Minute)
		w.same("state", event.StateDone, w.state(a))
		w.same("calls", int64(0), w.p.Calls("like_post"))
	})
}

// Following a private person is asking, once: the answer 201 is the end of it.
func TestFollowPrivate(t *testing.T) {
	t.Parallel()
	for _, f := range []emulator.Fault{emulator.NoFault, emulator.CutAfter} {
		t.Run(f.String(), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{}, func(w *world) {
				ana := w.person("ana")
				w.p.SetPrivacy(ana, true, false)
				w.p.Disturb("follow", f)
				follow := event.Action{Account: account, Peer: ana, Verb: event.VerbFollow, User: ana, Want: true}
				for range 2 {
					follow.Key = w.key()
					w.decide(follow)
					w.rest(time.Minute)
				}
				w.same("requested", true, w.p.Requested(w.bot, ana))
				w.same("calls", int64(1), w.p.Calls("follow"))
				w.same("reason", "requested: the other person has to agree", w.disk.action(follow.Key).Reason)
				follow.Key, follow.Want = w.key(), false
				w.decide(follow)
				w.rest(time.Minute)
				w.same("requested", false, w.p.Requested(w.bot, ana))
			})
		})
	}
}

// When the owner switches between our reading and our call, one more call puts it right.
func TestToggleIsCorrectedOnce(t *testing.T) {
	t.Parallel()
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
	inWorld(t, setup{wrap: between}, func(world *world) {
		w = world
		ana := w.person("ana")
		post = w.p.Post(ana, "news")
		a := w.like(ana, post, true)
		w.decide(a)
		w.rest(time.Minute)
		w.same("liked", true, w.p.Liked(w.bot, post))
		w.same("calls", int64(2), w.p.Calls("like_post"))
	})
}

// A platform that does not take a wish in two calls is left to a person.
func TestToggleThatDoesNotSwitch(t *testing.T) {
	t.Parallel()
	calls := 0
	stubborn := func(p outbox.Platform) outbox.Platform {
		return &stub{Platform: p, like: func(context.Context, platform.PostID) (platform.Toggled, error) {
			calls++
			return platform.Toggled{Known: true}, nil
		}}
	}
	inWorld(t, setup{wrap: stubborn}, func(w *world) {
		ana := w.person("ana")
		a := w.like(ana, w.p.Post(ana, "news"), true)
		w.decide(a)
		w.rest(time.Minute)
		w.same("state", event.StateHeld, w.state(a))
		w.same("calls", 2, calls)
	})
}

// A state that cannot be read is no doubt: nothing was called. After a while it is left to a person,
// and neither the person's messages nor other people wait for it.
func TestToggleThatCannotBeRead(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{concurrency: 2}, func(w *world) {
		ana, leo := w.person("ana"), w.person("leo")
		for range 1000 {
			w.p.Disturb("thread_data", emulator.Err500Before)
		}
		begun := time.Now()
		a := w.like(ana, w.p.Post(ana, "news"), true)
		w.decide(a)
		for range 30 {
			time.Sleep(10 * time.Second)
			for _, who := range []platform.UserID{ana, leo} {
				asked, n := time.Now(), len(w.arrived(who))
				w.decide(w.message(who, "hello"))
				w.until(time.Hour, func() bool { return len(w.arrived(who)) > n })
				if took := time.Since(asked); took > time.Second {
					w.Errorf("a message waited for %v", took)
				}
			}
		}
		w.rest(time.Hour)
		w.same("state", event.StateHeld, w.state(a))
		w.same("tries", 0, w.disk.action(a.Key).Tries)
		w.same("calls", int64(0), w.p.Calls("like_post"))
		if took := time.Since(begun); took < 10*time.Minute || took > 11*time.Minute {
			w.Errorf("it was held after %v", took)
		}
	})
}

// A post that is gone refuses what was wished of it.
func TestToggleOfWhatIsGone(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		post := w.p.Post(ana, "news")
		w.p.DeletePost(ana, post)
		a := w.like(ana, post, true)
		w.decide(a)
		w.rest(time.Minute)
		w.same("state", event.StateRefused, w.state(a))
	})
}

// The later of opposite wishes wins, and the earlier one is not carried out in vain.
func TestOppositeWishes(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		post := w.p.Post(ana, "news")
		wishes := []event.Action{w.like(ana, post, true), w.like(ana, post, false), w.like(ana, post, true)}
		w.decide(wishes...)
		w.rest(time.Minute)
		w.same("liked", true, w.p.Liked(w.bot, post))
		w.same("calls", int64(1), w.p.Calls("like_post"))
		w.same("states", []event.State{event.StateWithdrawn, event.StateWithdrawn, event.StateDone},
			[]event.State{w.state(wishes[0]), w.state(wishes[1]), w.state(wishes[2])})
	})
}

// After a crash only the last of the wishes that may have left matters.
func TestRecoveredWishes(t *testing.T) {
	t.Parallel()
	for _, liked := range []bool{false, true} {
		for _, wants := range [][]bool{{true}, {false}, {true, false}, {false, true}, {true, false, true}} {
			t.Run(fmt.Sprint(liked, wants), func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{}, func(w *world) {
					ana := w.person("ana")
					post := w.p.Post(ana, "news")
					if liked {
						w.p.Like(w.bot, post)
					}
					var wishes []event.Action
					for _, want := range wants {
						wishes = append(wishes, w.like(ana, post, want))
					}
					w.outbox.Reserve(wishes, time.Now())
					must(w.ledger.commit(w.ctx, wishes, nil))
					w.crash()
					w.start()
					w.rest(time.Hour)
					last := wants[len(wants)-1]
					w.same("liked", last, w.p.Liked(w.bot, post))
					switches := 0
					if liked != last {
						switches = 1
					}
					w.same("switched", switches, len(w.entries(toggles...)))
				})
			})
		}
	}
}

// A call that is cut off may still be handled: it is not repeated before it could be. The read-back
// after a silent answer that fails is a doubt like any other, also when the dispatcher stops.
func TestToggleThatIsHandledLate(t *testing.T) {
	t.Parallel()
	dialect := emulator.Dialect{Toggle: emulator.ToggleSilent}
	for _, stop := range []time.Duration{0, 200 * time.Millisecond, 700 * time.Millisecond} {
		t.Run(fmt.Sprint("stopped after ", stop), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{emulator: emulator.Config{Dialect: dialect}}, func(w *world) {
				ana := w.person("ana")
				post := w.p.Post(ana, "news")
				w.p.Disturb("thread_data", emulator.NoFault, emulator.Bad502, emulator.Bad502)
				a := w.like(ana, post, true)
				w.decide(a)
				if stop > 0 {
					time.Sleep(stop)
					w.restart()
					w.same("state", event.StateInDoubt, w.state(a))
				}
				w.rest(time.Hour)
				w.same("liked", true, w.p.Liked(w.bot, post))
				w.same("switched", 1, len(w.entries(toggles...)))
			})
		})
	}
}

// A call of an earlier incarnation may still arrive after a later wish was found to be so: it is waited for.
func TestEarlierWishThatArrivesLate(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{6 * time.Second, deadline + late - time.Second} {
		t.Run(fmt.Sprint("after ", after), func(t *testing.T) {
			effort.Case(t)
			earlierWish(t, after)
		})
	}
}

// earlierWish lets a call arrive so long after it left.
func earlierWish(t *testing.T, after time.Duration) {
	t.Helper()
	hangs := true
	wrap := func(p outbox.Platform) outbox.Platform {
		return &stub{Platform: p, like: func(ctx context.Context, id platform.PostID) (platform.Toggled, error) {
			if !hangs {
				return p.LikePost(ctx, id)
			}
			<-ctx.Done()
			return platform.Toggled{}, &platform.Unreachable{Endpoint: "like_post", Sent: true, Err: ctx.Err()}
		}}
	}
	inWorld(t, setup{wrap: wrap}, func(w *world) {
		ana := w.person("ana")
		post := w.p.Post(ana, "news")
		w.decide(w.like(ana, post, true))
		time.Sleep(time.Second) // it is on its way
		w.decide(w.like(ana, post, false))
		w.crash()
		hangs = false
		w.start()
		time.Sleep(after - time.Second)
		w.p.Like(w.bot, post) // now it arrives
		w.rest(time.Hour)
		w.same("liked", false, w.p.Liked(w.bot, post))
	})
}

// What cannot be read is not held as long as it may arrive: the next wish would be called, and undone.
func TestNothingIsHeldThatMayArrive(t *testing.T) {
	t.Parallel()
	var blind atomic.Int64 // until then
	wrap := func(p outbox.Platform) outbox.Platform {
		return &stub{Platform: p, thread: func(ctx context.Context, id platform.PostID) (platform.Thread, error) {
			if time.Now().UnixNano() < blind.Load() {
				return platform.Thread{}, errBadPage
			}
			return p.Thread(ctx, id)
		}}
	}
	inWorld(t, setup{wrap: wrap, config: outbox.Config{HoldAfter: 5 * time.Second}}, func(w *world) {
		ana := w.person("ana")
		post := w.p.Post(ana, "news")
		w.p.Disturb("like_post", emulator.Late)
		first, second := w.like(ana, post, true), w.like(ana, post, true)
		w.decide(first)
		time.Sleep(100 * time.Millisecond) // it has left
		blind.Store(time.Now().Add(8 * time.Second).UnixNano())
		time.Sleep(8 * time.Second)
		w.decide(second)
		w.rest(time.Hour)
		time.Sleep(time.Minute) // for what may still arrive
		w.same("liked", true, w.p.Liked(w.bot, post))
		w.same("switched", 1, len(w.entries(toggles...)))
	})
}
