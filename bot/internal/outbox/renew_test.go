package outbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// reposted is a post of somebody that the account has reposted.
func (w *world) reposted() platform.PostID {
	w.Helper()
	if _, err := w.broker.Me(w.ctx); err != nil {
		w.Fatal(err)
	}
	post := w.p.Post(w.person("ana"), "news")
	w.p.Repost(w.bot, post)
	return post
}

func (w *world) renewal(post platform.PostID) event.Action {
	return event.Action{Key: w.key(), Account: account, Verb: event.VerbRenew, Post: post, Want: true}
}

// flips returns what became of the reposts of a post since it was reposted first, as + and -.
func (w *world) flips(post platform.PostID) string {
	var s strings.Builder
	for _, e := range w.p.Ledger().Since(0) {
		switch {
		case e.Post != post:
		case e.Kind == emulator.Reposted:
			s.WriteByte('+')
		case e.Kind == emulator.Unreposted:
			s.WriteByte('-')
		}
	}
	return strings.TrimPrefix(s.String(), "+")
}

// A renewal takes the repost back and makes it again, once each, whatever goes wrong with a call of it and whenever the
// dispatcher stops or crashes.
func TestRenewal(t *testing.T) {
	t.Parallel()
	faults := []emulator.Fault{
		emulator.NoFault, emulator.CutBefore, emulator.CutAfter, emulator.Err500Before, emulator.Err500After, emulator.Bad502, emulator.Slow,
		emulator.Truncated, emulator.Notice, emulator.TooMany, emulator.ExpireEarly, emulator.Revoke, emulator.Late, emulator.Switched,
	}
	const trip = 100 * time.Millisecond
	for _, dialect := range []emulator.Dialect{{}, {Toggle: emulator.ToggleSilent}} {
		for _, first := range faults {
			for _, second := range faults {
				silent := dialect.Toggle == emulator.ToggleSilent
				if silent && second != emulator.NoFault || first != emulator.NoFault && !slices.Contains([]emulator.Fault{emulator.NoFault, emulator.CutBefore, emulator.CutAfter, emulator.Late}, second) {
					continue
				}
				t.Run(fmt.Sprintf("%v, then %v, silent %v", first, second, silent), func(t *testing.T) {
					effort.Case(t)
					s := setup{concurrency: 2, commit: 2 * time.Millisecond, trip: trip, emulator: emulator.Config{Dialect: dialect}}
					for at := -10 * time.Millisecond; at < 6*trip; at += trip / 2 {
						inWorld(t, s, func(w *world) { w.renewed(at, first, second, (*world).kill) })
						if effort.Few() {
							at += 3 * trip
						}
					}
					inWorld(t, s, func(w *world) { w.renewed(25*time.Second, first, second, (*world).kill) })
					inWorld(t, s, func(w *world) { w.renewed(3*trip, first, second, (*world).restart) })
				})
			}
		}
	}
}

func (w *world) kill() { w.crash(); w.start() }

// renewed renews a post with faults of the first calls, and lets something befall the dispatcher at a time; below 0 at no
// time.
func (w *world) renewed(at time.Duration, first, second emulator.Fault, befalls func(*world)) {
	w.Helper()
	post := w.reposted()
	a := w.renewal(post)
	w.due(&a, 0, 10*time.Hour)
	w.p.Disturb("publication_repost", first, second)
	w.decide(a)
	if at >= 0 {
		time.Sleep(at)
		befalls(w)
	}
	w.rest(time.Hour)
	if got := w.flips(post); got != "-+" || !w.p.Reposted(w.bot, post) || w.state(a) != event.StateDone {
		w.Errorf("after %v: the repost went %s, the action is %s (%s)", at, got, w.state(a), w.disk.action(a.Key).Reason)
	}
}

// Once the repost was taken back, it is owed: neither the end of its time nor a pause stops it, and a halt delays it.
func TestRenewalIsOwed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keep, free func(*world)
		delayed    bool
	}{
		"late":                    {func(*world) {}, func(*world) {}, false},
		"paused":                  {func(w *world) { w.outbox.Pause() }, func(*world) {}, false},
		"paused and late":         {func(w *world) { w.outbox.Pause(); time.Sleep(time.Minute) }, func(*world) {}, false},
		"halted":                  {func(w *world) { w.halted = true; w.outbox.HaltAll() }, func(w *world) { w.halted = false; w.outbox.Resume(w.ctx) }, true},
		"halted, and then paused": {func(w *world) { w.halted = true; w.outbox.HaltAll() }, func(w *world) { w.outbox.OnlyPaused() }, true},
		"no network":              {func(w *world) { w.net.Cut(true) }, func(w *world) { w.net.Cut(false) }, true},
		"no session":              {func(w *world) { w.parked(true) }, func(w *world) { w.parked(false) }, true},
	} {
		for _, again := range []func(*world){func(*world) {}, (*world).kill, (*world).restart} {
			t.Run(name, func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{concurrency: 2, trip: 2 * time.Second}, func(w *world) {
					post := w.reposted()
					a := w.renewal(post)
					w.due(&a, 0, 7*time.Second) // the first call leaves after two seconds, the second after four
					w.p.Disturb("publication_repost", emulator.NoFault, emulator.CutBefore)
					w.decide(a)
					time.Sleep(5 * time.Second)
					c.keep(w)
					again(w)
					time.Sleep(48 * time.Hour)
					if c.delayed == w.p.Reposted(w.bot, post) {
						t.Errorf("meanwhile it is %s, %v", w.state(a), w.p.Reposted(w.bot, post))
					}
					c.free(w)
					w.rest(2 * time.Hour)
					w.same("the repost went", "-+", w.flips(post))
					w.same("state", event.StateDone, w.state(a))
				})
			})
		}
	}
}

// A renewal that has not begun does not begin after its time, in a pause, or where there is no repost.
func TestRenewalThatDoesNotBegin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keep func(w *world, post platform.PostID)
		want string
	}{
		"late": {func(w *world, _ platform.PostID) {
			w.net.Cut(true)
			time.AfterFunc(time.Hour, func() { w.net.Cut(false) })
		}, "its time was over at "},
		"paused":       {func(w *world, _ platform.PostID) { w.outbox.Pause() }, "its time was over at "},
		"in doubt":     {func(w *world, _ platform.PostID) { w.p.Disturb("publication_repost", emulator.CutBefore) }, "its time was over at "},
		"not reposted": {func(w *world, post platform.PostID) { w.p.Unrepost(w.bot, post) }, "the post is not reposted"},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{concurrency: 2, trip: 40 * time.Millisecond}, func(w *world) {
				post := w.reposted()
				a := w.renewal(post)
				w.due(&a, 0, 10*time.Second)
				c.keep(w, post)
				before := w.flips(post)
				w.decide(a)
				w.rest(3 * time.Hour)
				w.same("the repost went", before, w.flips(post))
				if got := w.disk.action(a.Key); got.State != event.StateWithdrawn || !strings.HasPrefix(got.Reason, c.want) {
					t.Errorf("it is %s (%s)", got.State, got.Reason)
				}
			})
		})
	}
}

// A post that is gone once its repost was taken back ends the renewal, and it says so.
func TestRenewalOfWhatIsGone(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{concurrency: 2, trip: 2 * time.Second}, func(w *world) {
		ana := w.person("ana")
		if _, err := w.broker.Me(w.ctx); err != nil {
			t.Fatal(err)
		}
		post := w.p.Post(ana, "news")
		w.p.Repost(w.bot, post)
		a := w.renewal(post)
		w.decide(a)
		time.Sleep(3500 * time.Millisecond)
		w.p.DeletePost(ana, post)
		w.rest(time.Hour)
		if got := w.disk.action(a.Key); got.State != event.StateRefused || !strings.HasPrefix(got.Reason, "the repost was taken back, and cannot be made again") {
			t.Errorf("it is %s (%s)", got.State, got.Reason)
		}
	})
}

// A person on the phone, or another bot that renews, at any moment: the post ends reposted, but for when the last word was to
// take it back.
func TestRenewalBesideThePhone(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	for _, silent := range []bool{false, true} {
		for at := time.Duration(0); at < 12*time.Second; at += 500 * time.Millisecond {
			for _, again := range []time.Duration{0, time.Second, 3 * time.Second} {
				s := setup{concurrency: 2, trip: 2 * time.Second}
				if silent {
					s.emulator.Dialect.Toggle = emulator.ToggleSilent
				}
				inWorld(t, s, func(w *world) { w.besideThePhone(at, again) })
			}
		}
	}
}

// besideThePhone renews a post while somebody switches its repost at a time, and once more after another, if that is not 0.
func (w *world) besideThePhone(at, again time.Duration) {
	w.Helper()
	post := w.reposted()
	a := w.renewal(post)
	w.decide(a)
	press := func() {
		if !w.p.Unrepost(w.bot, post) {
			w.p.Repost(w.bot, post)
		}
	}
	time.Sleep(at)
	press()
	if again > 0 {
		time.Sleep(again)
		press()
	}
	before := w.flips(post)
	w.rest(time.Hour)
	got := w.disk.action(a.Key)
	stopped := got.State == event.StateWithdrawn && strings.HasPrefix(got.Reason, "the post is not reposted")
	hers := got.State == event.StateDone && before == w.flips(post) // nothing came behind what she did
	if !w.p.Reposted(w.bot, post) && !stopped && !hers {
		w.Errorf("after %v and %v: it went %s, and is %s (%s)", at, again, w.flips(post), got.State, got.Reason)
	}
}
