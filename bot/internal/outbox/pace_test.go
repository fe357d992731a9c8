package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// keeps reports whether times stay within so many a second, with so many at once.
func keeps(times []time.Time, r event.Rate) error {
	for i := range times {
		for j := i; j < len(times); j++ {
			most := float64(r.Burst) + times[j].Sub(times[i]).Seconds()*r.PerSecond + 1e-6
			if n := j - i + 1; float64(n) > most {
				return fmt.Errorf("%d calls within %v from %v on", n, times[j].Sub(times[i]), times[i])
			}
		}
	}
	return nil
}

// The pace holds: as fast as it allows, and no faster.
func TestPace(t *testing.T) {
	t.Parallel()
	r := event.Rate{PerSecond: 2, Burst: 3}
	for _, c := range []struct {
		name string
		pace event.Pace
		took time.Duration
	}{
		{"account", event.Pace{Account: r}, 18500 * time.Millisecond},
		{"conversation", event.Pace{Conversation: r}, 8500 * time.Millisecond},
		{"verb", event.Pace{Verb: map[event.Verb]event.Rate{event.VerbMessage: r}}, 18500 * time.Millisecond},
		{"other verb", event.Pace{Verb: map[event.Verb]event.Rate{event.VerbLike: r}}, 0},
		{"none", event.Pace{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{pace: c.pace}, func(w *world) {
				ana, leo := w.person("ana"), w.person("leo")
				for i := range 20 {
					w.decide(w.message(ana, fmt.Sprint(i)), w.message(leo, fmt.Sprint(i)))
				}
				w.rest(time.Minute)
				times := w.net.Times("send_message")
				if took := times[39].Sub(times[0]); took < c.took || took > c.took+200*time.Millisecond {
					w.Errorf("it took %v, want %v", took, c.took)
				}
				if c.pace.Account == r {
					if err := keeps(times, r); err != nil {
						w.Error(err)
					}
				}
			})
		})
	}
}

// What has its token and has to wait behind something else does not leave together with what gets tokens meanwhile: after a request of
// which nothing is heard for long, the pace holds as ever.
func TestPaceAfterALongRequest(t *testing.T) {
	t.Parallel()
	r := event.Rate{PerSecond: 2, Burst: 20}
	for _, c := range []struct {
		name   string
		people int
	}{{"in its conversation", 1}, {"in all of them", 5}} {
		t.Run(c.name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{pace: event.Pace{Account: r}, concurrency: 5}, func(w *world) {
				people := make([]platform.UserID, c.people)
				for i := range people {
					people[i] = w.person(fmt.Sprint("person", i))
				}
				w.decide(w.message(people[0], "sign in"))
				w.rest(time.Minute)
				time.Sleep(time.Minute)
				w.net.Wait(12 * time.Second) // the answers are late
				for i := range people {
					w.decide(w.message(people[i], "long"))
				}
				time.Sleep(time.Second)
				w.net.Wait(0)
				for i := range 60 {
					w.decide(w.message(people[i%len(people)], fmt.Sprint(i)))
				}
				w.rest(5 * time.Minute)
				if err := keeps(w.net.Times("send_message"), r); err != nil {
					w.Error(err)
				}
			})
		})
	}
}

// Trouble lowers the pace of the account, and it recovers by itself.
func TestPaceSlowsDownAndRecovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		trouble func(w *world)
	}{
		{"5xx", func(w *world) { w.p.Disturb("send_message", emulator.Err500After) }},
		{"429", func(w *world) { w.p.Disturb("send_message", emulator.TooMany) }},
		{"slow answers", func(w *world) { w.net.Wait(4 * time.Second) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{pace: event.Pace{Account: event.Rate{PerSecond: 8, Burst: 1}}, concurrency: 2}, func(w *world) {
				ana, leo := w.person("ana"), w.person("leo")
				c.trouble(w)
				w.decide(w.message(ana, "trouble"))
				w.rest(time.Minute)
				w.net.Wait(0)
				rate := func() float64 {
					begun, before := time.Now(), len(w.arrived(leo))
					for i := range 20 {
						w.decide(w.message(leo, fmt.Sprint(i)))
					}
					w.rest(time.Minute)
					return float64(len(w.arrived(leo))-before-1) / time.Since(begun).Seconds()
				}
				if r := rate(); r > 6 {
					w.Errorf("right after it, it is %.1f a second", r)
				}
				time.Sleep(time.Minute)
				if r := rate(); r < 7.5 {
					w.Errorf("later, it is %.1f a second", r)
				}
			})
		})
	}
}

// Being told to slow down stops the whole account for as long as it says, and counts as nothing.
func TestTooMany(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{concurrency: 2}, func(w *world) {
		people := make([]platform.UserID, 10)
		for i := range people {
			people[i] = w.person(fmt.Sprint("p", i))
		}
		for range 8 { // with Retry-After and without, as JSON and as a page
			w.p.Disturb("send_message", emulator.TooMany)
		}
		var actions []event.Action
		for i := range 50 {
			actions = append(actions, w.message(people[i%10], fmt.Sprint(i)))
			w.decide(actions[i])
			time.Sleep(100 * time.Millisecond)
		}
		w.rest(time.Hour)
		for _, a := range actions {
			if got := w.disk.action(a.Key); got.State != event.StateDone || got.Tries != 1 {
				w.Errorf("%q: %s after %d tries", got.Text, got.State, got.Tries)
			}
		}
		w.same("calls", int64(58), w.p.Calls("send_message"))
		w.same("told once", []int{1, 1}, []int{w.log.count("takes no actions"), w.log.count("takes actions again")})
		times := w.net.Times("send_message")
		if err := keeps(times[:9], event.Rate{PerSecond: 1, Burst: 2}); err != nil {
			w.Errorf("while it is told to wait: %v", err)
		}
	})
}

// The platform may say for how long to wait. That holds for the whole account.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		&platform.Refused{Endpoint: "send_message", Code: 429, RetryAfter: 30 * time.Second},
		&platform.Unreadable{Endpoint: "send_message", HTTPStatus: 429, RetryAfter: 30 * time.Second, Err: errors.New("no JSON")},
	} {
		t.Run(fmt.Sprintf("%T", err), func(t *testing.T) {
			effort.Case(t)
			calls := 0
			busy := func(p outbox.Platform) outbox.Platform {
				return &stub{Platform: p, send: func(ctx context.Context, m platform.SendMessageParams) (platform.Message, error) {
					if calls++; calls == 1 {
						return platform.Message{}, err
					}
					return p.SendMessage(ctx, m)
				}}
			}
			inWorld(t, setup{wrap: busy}, func(w *world) {
				ana, leo := w.person("ana"), w.person("leo")
				begun := time.Now()
				w.decide(w.message(ana, "hello"))
				w.decide(w.message(leo, "hello"))
				time.Sleep(20 * time.Second)
				w.decide(w.message(leo, "and again"))
				w.rest(time.Minute)
				for _, e := range w.entries(emulator.Arrived) {
					if took := e.At.Sub(begun); took < 30*time.Second || took > 31*time.Second {
						w.Errorf("%q arrived after %v", e.Text, took)
					}
				}
			})
		})
	}
}

// During an outage one call at a time finds out whether it is over. After it nobody storms: all
// calls of the dispatcher stay within the pace.
func TestOutage(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"cut", "502", "hangs"} {
		for _, pace := range []event.Rate{{PerSecond: 5, Burst: 5}, {}} {
			if effort.Few() && (how == "502" || (pace.PerSecond == 0) != (how == "hangs")) {
				continue
			}
			t.Run(fmt.Sprint(how, pace), func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{pace: event.Pace{Account: pace}, concurrency: 4}, func(w *world) {
					people := make([]platform.UserID, 50)
					for i := range people {
						people[i] = w.person(fmt.Sprint("p", i))
						if i%2 == 0 {
							w.decide(w.message(people[i], "before"))
						}
					}
					w.rest(time.Minute)
					w.outage(how, true)
					begun := time.Now()
					for i := range 300 {
						w.decide(w.message(people[i%50], fmt.Sprint(i)))
						time.Sleep(time.Second)
					}
					during := len(w.net.Times("send_message", "get_messages")) - 25
					over := time.Now()
					w.outage(how, false)
					w.rest(time.Hour)
					if during > 150 {
						w.Errorf("%d calls during the outage of %v", during, over.Sub(begun))
					}
					for i, who := range people {
						want := []string{"before"}[i%2:]
						for n := i; n < 300; n += 50 {
							want = append(want, fmt.Sprint(n))
						}
						w.same("arrived", want, w.arrived(who))
					}
					var after []time.Time
					for _, at := range w.net.Times("send_message", "get_messages") {
						if at.After(over) {
							after = append(after, at)
						}
					}
					if pace.PerSecond > 0 {
						pace.PerSecond *= 2 // a reading takes two calls
						pace.Burst *= 2
						if err := keeps(after, pace); err != nil {
							w.Errorf("after the outage: %v", err)
						}
					}
					if n := w.log.count("takes no actions"); how != "hangs" && n != 1 {
						w.Errorf("it was told %d times", n)
					}
				})
			})
		}
	}
}

// Who is to find out whether an outage is over, and cannot because the store refuses, does not keep
// the others from it.
func TestProbeThatCannot(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		var turns []event.Action
		for i := range 8 {
			who := w.person(fmt.Sprint("p", i))
			turns = append(turns, w.withoutBaseline(who, "one"), w.message(who, "two"))
		}
		reserved := w.outbox.Reserve(turns, time.Now())
		must(w.ledger.commit(w.ctx, turns, nil))
		ana := w.person("ana")
		w.p.Disturb("send_message", emulator.TooMany)
		w.decide(w.message(ana, "hello"))
		time.Sleep(500 * time.Millisecond)
		w.ledger.refuse(true)
		reserved.Commit(w.ctx)
		if !w.until(time.Hour, func() bool { return len(w.arrived(ana)) == 1 }) {
			w.Error("it never went")
		}
		w.ledger.refuse(false)
		w.rest(time.Minute)
	})
}

// outage begins or ends an outage of some kind.
func (w *world) outage(how string, on bool) {
	switch {
	case how == "cut":
		w.net.Cut(on)
	case how == "502" && on:
		w.p.SetFaults(emulator.Faults{Bad502: 1})
	case how == "502":
		w.p.SetFaults(emulator.Faults{})
	case on:
		w.net.Hang("send_message", lost)
		w.net.Hang("get_messages", lost)
	default:
		w.net.Hang("send_message", 0)
		w.net.Hang("get_messages", 0)
	}
}

// While there is no session nothing happens and nothing counts. When there is one again, everything
// goes on.
func TestNoSession(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		w.p.SetPassword(w.bot, "another")
		actions := append(w.messages(ana, numbers(20)...), w.like(ana, w.p.Post(ana, "news"), true), w.post(ana, 0, "hello"))
		w.decide(actions...)
		time.Sleep(6 * time.Hour)
		w.same("told here", 0, w.log.count("takes no actions")) // the keeper of the session tells it
		for _, a := range actions {
			if got := w.disk.action(a.Key); got.State != event.StateSending && got.State != event.StateDue || got.Tries != 0 {
				w.Errorf("%s: %s after %d tries", got.Key, got.State, got.Tries)
			}
		}
		w.p.SetPassword(w.bot, password)
		w.rest(2 * time.Minute)
		w.same("arrived", numbers(20), w.arrived(ana))
		w.same("published", []string{"hello"}, w.published())
		w.same("calls", []int64{20, 1}, []int64{w.p.Calls("send_message"), w.p.Calls("like_post")})
	})
}

// What had its tokens long before it left counts for the next incarnation, too: it has the burst that is left, not another one.
func TestPaceOverIncarnations(t *testing.T) {
	t.Parallel()
	r := event.Rate{PerSecond: 2, Burst: 20}
	inWorld(t, setup{pace: event.Pace{Account: r}}, func(w *world) {
		ana := w.person("ana")
		w.decide(w.message(ana, "sign in"))
		w.rest(time.Minute)
		time.Sleep(time.Minute)
		w.net.Wait(12 * time.Second) // the answer is late
		w.decide(w.messages(ana, numbers(20)...)...)
		time.Sleep(time.Second)
		w.net.Wait(0)
		w.rest(time.Minute)
		w.stop()
		spent, _ := w.outbox.SpentPace(time.Now())
		w.spent = &spent
		w.start()
		w.decide(w.messages(ana, numbers(30)...)...)
		w.rest(time.Minute)
		if err := keeps(w.net.Times("send_message"), r); err != nil {
			w.Error(err)
		}
	})
}

// What is taken out of the store behind something that does not get on has no token. It pays when it leaves, also when that has got on
// meanwhile.
func TestPaceBehindWhatGetsOn(t *testing.T) {
	t.Parallel()
	r := event.Rate{PerSecond: 0.5, Burst: 3}
	inWorld(t, setup{pace: event.Pace{Conversation: r}, commit: 2 * time.Second}, func(w *world) {
		ana := w.person("ana")
		inDoubt := w.messages(ana, "unsure")
		w.outbox.Reserve(inDoubt, time.Now())
		must(w.ledger.commit(w.ctx, inDoubt, nil))
		due := time.Now().Add(4 * time.Second)
		waiting := w.messages(ana, numbers(20)...)
		for i := range waiting {
			waiting[i].Due = due
		}
		w.decide(waiting...)
		w.crash()
		w.sent(inDoubt...) // the earlier incarnation got so far
		w.start()          // it is found while the others are stored as on their way
		w.rest(5 * time.Minute)
		w.same("arrived", append([]string{"unsure"}, numbers(20)...), w.arrived(ana))
		r.Burst++ // what has paid waits for a commit
		if err := keeps(w.net.Times("send_message"), r); err != nil {
			w.Error(err)
		}
	})
}
