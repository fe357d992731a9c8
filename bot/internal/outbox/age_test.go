package outbox_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// machine is what dispatchers run on, one after another.
type machine struct {
	boot    string        // "": it does not tell
	started time.Time     // zero: when the test began
	ahead   time.Duration // how much the clock on the wall was set forward since
}

// now returns what an incarnation is told of it.
func (m *machine) now() (boot string, steady func() time.Duration) {
	if m.started.IsZero() {
		m.started = time.Now()
	}
	started, ahead := m.started, m.ahead
	return m.boot, func() time.Duration { return time.Since(started) - ahead }
}

// reboot starts the machine anew.
func (m *machine) reboot() { m.boot, m.started, m.ahead = m.boot+"'", time.Now(), 0 }

// setForward sets its clock forward: to a process that begins later, time has passed.
func (m *machine) setForward(by time.Duration) {
	m.ahead += by
	time.Sleep(by)
}

// doubtful is an action whose call goes wrong.
type doubtful struct {
	name   string
	call   string // the endpoint
	before []emulator.Fault
	calls  int64 // of the endpoint until it is in doubt
	decide func(w *world) (a event.Action, happened func() string)
	want   string // what happened in the end
}

// doubtfuls are all that can be called again: messages, posts, toggles, and either call of a renewal.
func doubtfuls() []doubtful {
	of := func(verb event.Verb, call string, kind emulator.EntryKind) doubtful {
		return doubtful{name: string(verb), call: call, calls: 1, want: "1", decide: func(w *world) (event.Action, func() string) {
			a := w.one(verb, w.person("ana"))
			return a, func() string {
				undone := len(w.entries(emulator.Unliked, emulator.Unreposted, emulator.Unfollowed))
				return fmt.Sprint(len(w.entries(kind)) - 10*undone)
			}
		}}
	}
	renewal := func(name string, calls int64, before ...emulator.Fault) doubtful {
		return doubtful{name: name, call: "publication_repost", before: before, calls: calls, want: "-+", decide: func(w *world) (event.Action, func() string) {
			post := w.reposted()
			return w.renewal(post), func() string { return w.flips(post) }
		}}
	}
	return []doubtful{
		of(event.VerbMessage, "send_message", emulator.Arrived), of(event.VerbPost, "publish_post", emulator.Published),
		of(event.VerbLike, "like_post", emulator.Liked), of(event.VerbRepost, "publication_repost", emulator.Reposted), of(event.VerbFollow, "follow", emulator.Followed),
		renewal("take a repost back", 1), renewal("repost anew", 2, emulator.NoFault),
	}
}

// begin decides it, and returns when its call has gone wrong, and no answer came.
func (d *doubtful) begin(w *world, faults ...emulator.Fault) (a event.Action, happened func() string) {
	w.Helper()
	if _, err := w.broker.Me(w.ctx); err != nil {
		w.Fatal(err)
	}
	a, happened = d.decide(w)
	w.p.Disturb(d.call, append(d.before, faults...)...)
	w.decide(a)
	if !w.until(time.Minute, func() bool { return w.p.Calls(d.call) == d.calls }) {
		w.Fatal("it was never called")
	}
	return a, happened
}

// ends checks that it came about once.
func (d *doubtful) ends(w *world, a event.Action, happened func() string) {
	w.Helper()
	w.rest(time.Hour)
	time.Sleep(time.Minute) // what is late arrives
	w.same("it happened", d.want, happened())
	w.same("state", event.StateDone, w.state(a))
}

// TestShortIncarnations: a bot that is ended again and again gets on: what is in doubt leaves again when its request cannot arrive any more, and not
// before, however short the lives of the bot are. The time between two of them counts where the machine tells it.
func TestShortIncarnations(t *testing.T) {
	t.Parallel()
	ends := map[string]func(*world){"killed": (*world).crash, "stopped": (*world).stop}
	for _, d := range doubtfuls() {
		for how, end := range ends {
			for _, span := range []time.Duration{8 * time.Second, 20 * time.Second, 24 * time.Second} {
				for _, fault := range []emulator.Fault{emulator.CutBefore, emulator.Late} {
					t.Run(fmt.Sprint(d.name, " ", how, " every ", span, " ", fault), func(t *testing.T) {
						effort.Case(t)
						inWorld(t, setup{trip: 40 * time.Millisecond}, func(w *world) { d.inIncarnationsOf(w, span, fault, end) })
					})
				}
			}
		}
	}
}

// inIncarnationsOf lets it go on in lives of a length, until it has come about.
func (d *doubtful) inIncarnationsOf(w *world, span time.Duration, fault emulator.Fault, end func(*world)) {
	w.Helper()
	w.machine.boot = "boot"
	w.crash()
	w.start()
	a, happened := d.begin(w, fault)
	for begun := time.Now(); happened() != d.want; {
		if time.Since(begun) > 90*time.Second {
			w.Errorf("after %v it is %s", time.Since(begun), w.state(a))
			break
		}
		time.Sleep(span)
		end(w)
		time.Sleep(time.Second)
		w.start()
	}
	d.ends(w, a, happened)
}

// TestCrashBehindTheSecondRequest: how long ago the first request was given up says nothing of the second one, which may arrive after a crash
// right behind it. Nothing is called a third time before that.
func TestCrashBehindTheSecondRequest(t *testing.T) {
	t.Parallel()
	for _, d := range doubtfuls() {
		for _, trip := range []time.Duration{0, time.Second} {
			t.Run(fmt.Sprint(d.name, " ", trip), func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{trip: trip}, func(w *world) {
					w.machine.boot = "boot"
					w.crash()
					w.start()
					a, happened := d.begin(w, emulator.CutBefore, emulator.Late)
					if !w.until(time.Hour, func() bool { return w.p.Calls(d.call) == d.calls+1 }) {
						t.Fatal("it was not called again")
					}
					w.crash()
					w.start()
					d.ends(w, a, happened)
				})
			})
		}
	}
}

// TestTimeBetweenIncarnations: what the clock on the wall says of the time between two incarnations does not count, nor does that of another boot of the
// machine. What the steady clock of one boot says does.
func TestTimeBetweenIncarnations(t *testing.T) {
	t.Parallel()
	const lived = 5 * time.Second
	for name, c := range map[string]struct {
		boot    string
		between func(w *world)
		waits   time.Duration // from the start until it leaves again
	}{
		"clock forward": {"boot", func(w *world) { w.machine.setForward(time.Hour) }, again - lived},
		"reboot":        {"boot", func(w *world) { w.machine.reboot(); time.Sleep(time.Hour) }, again - lived},
		"unknown":       {"", func(*world) { time.Sleep(time.Hour) }, again - lived},
		"same boot":     {"boot", func(*world) { time.Sleep(10 * time.Second) }, again - lived - 10*time.Second},
		"long ago":      {"boot", func(*world) { time.Sleep(time.Hour) }, 3500 * time.Millisecond},
	} {
		for how, end := range map[string]func(*world){"killed": (*world).crash, "stopped": (*world).stop} {
			t.Run(name+" "+how, func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{}, func(w *world) {
					w.machine.boot = c.boot
					w.crash()
					w.start()
					d := doubtfuls()[0]
					a, happened := d.begin(w, emulator.CutBefore)
					time.Sleep(lived)
					end(w)
					c.between(w)
					begun := time.Now()
					w.start()
					d.ends(w, a, happened)
					left := w.disk.action(a.Key).EndedAt.Sub(begun)
					unknown := 600 * time.Millisecond // readings take their time
					if how == "killed" {
						unknown += 2 * time.Second
					}
					if left < c.waits-100*time.Millisecond || left > c.waits+unknown {
						t.Errorf("it leaves again %v after the start, want %v", left, c.waits)
					}
				})
			})
		}
	}
}

// TestAgesCostNothing: nothing is stored of what is found before two seconds have passed, and nothing more once that a request cannot arrive any more
// is stored.
func TestAgesCostNothing(t *testing.T) {
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		w.p.Disturb("send_message", emulator.CutAfter)
		w.decide(w.message(ana, "hello"))
		w.rest(time.Minute)
		w.same("ages", 0, w.ledger.ageMarks())
		w.p.Disturb("send_message", emulator.CutBefore)
		w.net.Hang("get_messages", lost)
		w.decide(w.message(ana, "again"))
		time.Sleep(9 * time.Minute)
		if n := w.ledger.ageMarks(); n < 9 || n > 11 {
			t.Errorf("%d ages were stored", n)
		}
		w.net.Hang("get_messages", 0)
	})
}
