package outbox_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"pgregory.net/rapid"
)

// publication is something that the platform saw published: a renewal from when its repost was taken back.
type publication struct {
	event.Action
	begun, at time.Time
}

// publications returns what the platform saw of actions, in its order.
func (w *world) publications(actions []event.Action) (all []publication) {
	w.Helper()
	undone := map[platform.PostID]time.Time{}
	for _, e := range w.entries(emulator.Published, emulator.Reposted, emulator.Unreposted) {
		if e.Kind == emulator.Unreposted {
			undone[e.Post] = e.At
			continue
		}
		for _, a := range actions {
			if e.Kind == emulator.Published && a.Verb == event.VerbPost && a.Text == e.Text || e.Kind == emulator.Reposted && a.Verb != event.VerbPost && a.Post == e.Post {
				p := publication{a, e.At, e.At}
				if a.Verb == event.VerbRenew {
					p.begun = undone[e.Post]
				}
				all = append(all, p)
			}
		}
	}
	return all
}

// judges tells what of the publications breaks the limit. The repost that a renewal owes is made whatever was published meanwhile.
func (w *world) judges(limit outbox.Publishing, all []publication) {
	w.Helper()
	for i, p := range all {
		for _, q := range all[:i] {
			need := max(limit.Apart, p.Apart, q.Apart)
			if p.begun.Before(q.at) { // it was owed
				if d := q.begun.Sub(p.begun); d < need && -d < need {
					w.Errorf("%s began %v after %s, and %v are to be between them", q.Key, d, p.Key, need)
				}
				continue
			}
			if d := p.begun.Sub(q.at); d < need {
				w.Errorf("%s left %v after %s, and %v are to be between them", p.Key, d, q.Key, need)
			}
		}
		n := 1
		for _, q := range all[:i] {
			if p.at.Sub(q.at) < limit.Within {
				n++
			}
		}
		if limit.Most > 0 && n > limit.Most {
			w.Errorf("%s at %v is number %d within %v, and %d are the most", p.Key, p.at, n, limit.Within, limit.Most)
		}
		if !p.Until.IsZero() && !p.begun.Before(p.Until.Add(35*time.Second)) { // a request that left in time may arrive so late
			w.Errorf("%s left at %v, after its time: %v", p.Key, p.begun, p.Until)
		}
	}
}

// Whatever is due at once, and whatever happens to the dispatcher, the network and the platform: nothing is published closer to
// something else, or in greater number, than the limit says, and what has no latest departure is published in the end.
func TestPublishingLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		limit := outbox.Publishing{
			Most: rapid.SampledFrom([]int{0, 1, 2, 5}).Draw(rt, "most"), Within: 20 * time.Minute,
			Apart: rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute, 7 * time.Minute}).Draw(rt, "apart"),
		}
		faults := rapid.SampledFrom([]string{"none", "rough", "hostile"}).Draw(rt, "faults")
		seed := rapid.Uint64().Draw(rt, "seed")
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{
				What: rapid.SampledFrom([]string{"post", "post", "repost", "repost", "renew", "two", "crash", "stop", "halt", "cut", "limit"}).Draw(t, "what"),
				N:    rapid.SampledFrom([]int{0, 0, 0, 1, 30}).Draw(t, "due"), Want: rapid.IntRange(0, 3).Draw(t, "until") == 0,
				Who:  rapid.SampledFrom([]int{0, 0, 0, 3}).Draw(t, "apart"),
				Wait: rapid.SampledFrom([]time.Duration{0, 0, 50 * time.Millisecond, 2 * time.Second, 25 * time.Second, 3 * time.Minute}).Draw(t, "wait"),
			}
		}), 3, 14).Draw(rt, "steps")
		synctest.Test(t, func(t *testing.T) {
			share, err := emulator.ParseFaults(faults)
			must(err)
			w := newWorld(setup{concurrency: 2, commit: 2 * time.Millisecond, trip: 20 * time.Millisecond, limit: &limit, emulator: emulator.Config{Seed: seed, Faults: share}})
			w.T = t
			defer w.close()
			w.start()
			defer w.crash()
			ana := w.person("ana")
			var actions []event.Action
			decide := func(s step, verb event.Verb) {
				a := w.publishes(ana, verb, fmt.Sprintf("post %d", len(actions)))
				if s.Want {
					w.due(&a, time.Duration(s.N)*time.Second, 10*time.Minute)
				} else if s.N > 0 {
					a.Due = time.Now().Add(time.Duration(s.N) * time.Second)
				}
				a.Apart = time.Duration(s.Who) * time.Minute
				actions = append(actions, a)
				w.decide(a)
			}
			for _, s := range steps {
				switch s.What {
				case "crash":
					w.kill()
				case "stop":
					w.restart()
				case "halt":
					w.outbox.HaltAll()
					time.Sleep(s.Wait)
					w.outbox.Resume(w.ctx)
				case "cut":
					w.net.Cut(true)
					time.Sleep(s.Wait)
					w.net.Cut(false)
				case "limit": // it was another one, and is put in force anew
					w.outbox.LimitPublishing(&outbox.Publishing{Most: limit.Most, Within: limit.Within, Apart: limit.Apart + time.Minute})
					w.outbox.LimitPublishing(w.limit)
				case "two":
					decide(s, event.VerbPost)
					decide(s, event.VerbRepost)
				default:
					decide(s, event.Verb(s.What))
				}
				time.Sleep(s.Wait)
			}
			w.p.SetFaults(emulator.Faults{})
			w.rest(24 * time.Hour)
			all := w.publications(actions)
			w.judges(limit, all)
			for _, a := range actions {
				if s := w.disk.action(a.Key); s.State != event.StateDone && (a.Until.IsZero() || s.State != event.StateWithdrawn) && s.State != event.StateHeld {
					t.Errorf("%s is %s: %s", a.Key, s.State, s.Reason)
				}
			}
			if t.Failed() {
				rt.Fatalf("%v", all)
			}
		})
	})
}

// publishes is an action that publishes something.
func (w *world) publishes(author platform.UserID, verb event.Verb, text string) event.Action {
	if verb == event.VerbPost {
		return w.post(0, 0, text)
	}
	a := event.Action{Key: w.key(), Account: account, Verb: verb, Post: w.p.Post(author, text), Want: true}
	if verb == event.VerbRenew {
		for _, err := w.broker.Me(w.ctx); err != nil; _, err = w.broker.Me(w.ctx) {
			time.Sleep(time.Second)
		}
		w.p.Repost(w.bot, a.Post)
	}
	return a
}

// limited runs a test with a limit.
func limited(t *testing.T, limit outbox.Publishing, test func(w *world, publishes func(n int, change func(*event.Action)) []event.Action)) {
	t.Helper()
	inWorld(t, setup{concurrency: 2, trip: 20 * time.Millisecond, limit: &limit}, func(w *world) {
		ana := w.person("ana")
		test(w, func(n int, change func(*event.Action)) []event.Action {
			some := make([]event.Action, n)
			for i := range some {
				some[i] = w.publishes(ana, []event.Verb{event.VerbRepost, event.VerbPost}[i%2], fmt.Sprintf("text %d", w.keys))
				change(&some[i])
			}
			w.decide(some...)
			return some
		})
	})
}

// What is too close waits for its turn, says why and until when, and leaves then, to the second, over any restart.
func TestPublishingWaits(t *testing.T) {
	t.Parallel()
	for name, befalls := range map[string]func(*world){"": func(*world) {}, "killed": (*world).kill, "stopped": (*world).restart} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			limited(t, outbox.Publishing{Apart: 2 * time.Minute}, func(w *world, publishes func(int, func(*event.Action)) []event.Action) {
				begun := time.Now()
				some := publishes(4, func(*event.Action) {})
				time.Sleep(30 * time.Second)
				befalls(w)
				time.Sleep(10 * time.Second)
				w.flush()
				at := begun.Add(2 * time.Minute)
				want := "waits: 2 minutes between publications, until " + at.UTC().Format("2006-01-02 15:")
				for _, a := range some[1:] {
					if s := w.disk.action(a.Key); s.State != event.StateDue || !strings.HasPrefix(s.Reason, want) {
						t.Errorf("%s is %s: %s", a.Key, s.State, s.Reason)
					}
				}
				w.rest(time.Hour)
				all := w.publications(some)
				w.judges(outbox.Publishing{Apart: 2 * time.Minute}, all)
				slack := 2 * time.Second
				if name == "killed" { // the first was not stored as done: it may have left until the kill
					slack += 30 * time.Second
				}
				for i, p := range all {
					if late := p.at.Sub(begun) - time.Duration(i)*2*time.Minute; late > slack {
						t.Errorf("number %d left %v too late", i, late)
					}
					if s := w.disk.action(p.Key); s.Reason != "" {
						t.Errorf("%s is done: %s", p.Key, s.Reason)
					}
				}
				w.same("what was published", 4, len(all))
			})
		})
	}
}

// What cannot leave before its latest departure is withdrawn at once, and says why; likes, replies and what is taken back have
// nothing to do with it.
func TestPublishingInVain(t *testing.T) {
	t.Parallel()
	limited(t, outbox.Publishing{Most: 1, Within: time.Hour, Apart: 2 * time.Minute}, func(w *world, publishes func(int, func(*event.Action)) []event.Action) {
		some := publishes(2, func(a *event.Action) { w.due(a, 0, 90*time.Second) })
		bob := w.person("bob")
		news := w.p.Post(bob, "news")
		back := w.like(0, news, false)
		back.Verb = event.VerbRepost
		others := []event.Action{w.like(0, news, true), w.post(0, news, "thanks"), back, w.message(bob, "hello")}
		w.decide(others...)
		time.Sleep(5 * time.Second)
		w.flush()
		for _, a := range others {
			w.same(a.Key+" "+string(a.Verb), event.StateDone, w.state(a))
		}
		w.same("the first", event.StateDone, w.state(some[0]))
		s := w.disk.action(some[1].Key)
		if s.State != event.StateWithdrawn || !strings.HasPrefix(s.Reason, "1 publication in 1 hour, until ") || !strings.Contains(s.Reason, "its time is over at ") {
			t.Errorf("the second is %s: %s", s.State, s.Reason)
		}
	})
}

// What a renewal owes leaves, however close it comes to something else, over any crash; what comes after it keeps its distance
// from it.
func TestPublishingOwed(t *testing.T) {
	t.Parallel()
	for name, befalls := range map[string]func(*world){"": func(*world) {}, "killed": (*world).kill, "stopped": (*world).restart} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{concurrency: 2, trip: 20 * time.Millisecond}, func(w *world) {
				a := w.renewal(w.reposted())
				w.decide(w.post(0, 0, "news"))
				w.rest(time.Minute)
				w.p.Disturb("publication_repost", emulator.NoFault, emulator.CutBefore)
				w.decide(a)
				time.Sleep(5 * time.Second)
				w.same("halfway", "-", w.flips(a.Post))
				w.limit = &outbox.Publishing{Most: 1, Within: time.Hour, Apart: time.Hour}
				w.outbox.LimitPublishing(w.limit)
				befalls(w)
				next := w.post(0, 0, "more news")
				w.decide(next)
				time.Sleep(2 * time.Minute)
				w.same("in the end", "-+", w.flips(a.Post))
				w.same("what comes after it", event.StateDue, w.state(next))
				w.rest(2 * time.Hour)
				all := w.publications([]event.Action{a, next})
				if len(all) != 2 || all[1].at.Sub(all[0].at) < time.Hour {
					t.Errorf("what was published: %v", all)
				}
			})
		})
	}
}

// What left by a clock that was ahead, and is set back, left before this incarnation: others keep their distance from its start.
func TestPublishedByALaterClock(t *testing.T) {
	t.Parallel()
	limited(t, outbox.Publishing{Apart: 2 * time.Minute}, func(w *world, publishes func(int, func(*event.Action)) []event.Action) {
		ahead := time.Now().Add(5 * time.Hour)
		gone := w.post(0, 0, "old news")
		gone.State, gone.Due, gone.DecidedAt, gone.LeftAt, gone.EndedAt = event.StateDone, ahead, ahead, ahead, ahead
		must(w.ledger.commit(w.ctx, []event.Action{gone}, nil))
		w.restart()
		begun := time.Now()
		some := publishes(1, func(*event.Action) {})
		w.rest(time.Hour)
		all := w.publications(some)
		if len(all) != 1 || all[0].at.Sub(begun) < 2*time.Minute || all[0].at.Sub(begun) > 3*time.Minute {
			t.Errorf("what was published: %v, after %v", all, begun)
		}
	})
}

// flush stores what is to be stored at some time.
func (w *world) flush() {
	w.Helper()
	must(w.ledger.MarkNow(w.ctx))
}
