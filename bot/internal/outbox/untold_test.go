package outbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

func untold(answers emulator.Toggle) setup {
	return setup{concurrency: 2, emulator: emulator.Config{Dialect: emulator.Dialect{Untold: true, Toggle: answers}}}
}

func (w *world) repost(post platform.PostID, want bool) event.Action {
	return event.Action{Key: w.key(), Account: account, Verb: event.VerbRepost, Post: post, Want: want}
}

// Where posts do not tell whether they are reposted, a repost that is there stays, however its calls go wrong: our own page shows
// it. What nothing shows is not taken for what did not happen, so nothing is called again.
func TestUntoldRepost(t *testing.T) {
	t.Parallel()
	for _, answers := range []emulator.Toggle{emulator.ToggleFlat, emulator.ToggleSilent} {
		for f := emulator.NoFault; f <= emulator.Late; f++ {
			t.Run(fmt.Sprint(f, answers), func(t *testing.T) {
				effort.Case(t)
				inWorld(t, untold(answers), func(w *world) {
					post := w.p.Post(w.person("ana"), "news")
					w.p.Disturb("publication_repost", f)
					a := w.repost(post, true)
					w.decide(a)
					w.rest(time.Hour)
					left := len(w.entries(toggles...))
					switch w.same("reposted", left == 1, w.p.Reposted(w.bot, post)); {
					case left > 1:
						w.Errorf("it was switched %d times", left)
					case left == 0 && w.state(a) != event.StateHeld, left == 1 && w.state(a) != event.StateDone:
						w.Errorf("switched %d times, it is %s", left, w.state(a))
					}
					again := w.repost(post, true)
					before := w.p.Calls("publication_repost")
					if w.decide(again); left == 0 {
						return
					}
					w.rest(time.Hour)
					w.same("the second", event.StateDone, w.state(again))
					w.same("calls of the second", before, w.p.Calls("publication_repost"))
				})
			})
		}
	}
}

// Nor is taken back what nothing shows, and what our own page shows is.
func TestUntoldRepostIsTakenBack(t *testing.T) {
	t.Parallel()
	inWorld(t, untold(emulator.ToggleFlat), func(w *world) {
		shown, unknown := w.reposted(), w.p.Post(w.person("bob"), "more")
		a, b := w.repost(shown, false), w.repost(unknown, false)
		w.decide(a, b)
		w.rest(time.Hour)
		w.same("states", []event.State{event.StateDone, event.StateWithdrawn}, []event.State{w.state(a), w.state(b)})
		w.same("reposted", []bool{false, false}, []bool{w.p.Reposted(w.bot, shown), w.p.Reposted(w.bot, unknown)})
		w.same("calls", int64(1), w.p.Calls("publication_repost"))
	})
}

// Nothing is reposted anew there: a repost that cannot be read back is not taken back.
func TestUntoldRenewal(t *testing.T) {
	t.Parallel()
	inWorld(t, untold(emulator.ToggleFlat), func(w *world) {
		post := w.reposted()
		a := w.renewal(post)
		w.decide(a)
		w.rest(time.Hour)
		w.same("state", event.StateWithdrawn, w.state(a))
		w.same("the repost went", "", w.flips(post))
		if reason := w.disk.action(a.Key).Reason; !strings.Contains(reason, "does not tell") {
			w.Errorf("the reason is %q", reason)
		}
	})
}

// A like that nobody can read back is not called a second time, so none is undone.
func TestUntoldLike(t *testing.T) {
	t.Parallel()
	for f := emulator.NoFault; f <= emulator.Late; f++ {
		for _, liked := range []bool{false, true} {
			t.Run(fmt.Sprint(f, liked), func(t *testing.T) {
				effort.Case(t)
				inWorld(t, untold(emulator.ToggleFlat), func(w *world) {
					ana := w.person("ana")
					post := w.p.Post(ana, "news")
					if liked {
						if _, err := w.broker.Me(w.ctx); err != nil {
							w.Fatal(err)
						}
						w.p.Like(w.bot, post)
					}
					w.p.Disturb("like_post", f)
					a := w.like(ana, post, true)
					w.decide(a)
					w.rest(time.Hour)
					if s := w.state(a); s != event.StateHeld && s != event.StateDone || s == event.StateDone && !w.p.Liked(w.bot, post) {
						w.Errorf("%s, liked %v", s, w.p.Liked(w.bot, post))
					}
					if n := len(w.entries(emulator.Liked, emulator.Unliked)); n > 3 || !liked && n > 1 {
						w.Errorf("it was switched %d times", n)
					}
				})
			})
		}
	}
}

// A repost that our own page does not show, as one of our own posts is not, is not taken for one that is not there: it is not called
// again, which would take it back, and a person decides.
func TestUntoldRepostThatNoPageShows(t *testing.T) {
	t.Parallel()
	for _, f := range []emulator.Fault{emulator.CutAfter, emulator.Err500After, emulator.Truncated, emulator.Late} {
		t.Run(f.String(), func(t *testing.T) {
			effort.Case(t)
			inWorld(t, untold(emulator.ToggleFlat), func(w *world) {
				post := w.p.Post(w.bot, "our news")
				w.p.Disturb("publication_repost", f)
				a := w.repost(post, true)
				w.decide(a)
				w.rest(time.Hour)
				w.same("state", event.StateHeld, w.state(a))
				w.same("calls", int64(1), w.p.Calls("publication_repost"))
				w.same("reposted", true, w.p.Reposted(w.bot, post))
			})
		})
	}
}
