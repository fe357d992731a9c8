package outbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// obstacle keeps actions from leaving, as long as it lasts.
type obstacle struct {
	begin, end func(w *world)
	away       bool // nobody can decide meanwhile
}

func obstacles() map[string]obstacle {
	halt := func(w *world) { w.halted = true; w.outbox.HaltAll() }
	resume := func(w *world) { w.halted = false; w.outbox.Resume(w.ctx) }
	return map[string]obstacle{
		"halted":     {halt, resume, false},
		"no network": {func(w *world) { w.net.Cut(true) }, func(w *world) { w.net.Cut(false) }, false},
		"stopped":    {(*world).stop, (*world).start, true},
		"killed":     {(*world).crash, (*world).start, true},
		"shut":       {func(w *world) { w.p.SetFaults(emulator.Faults{TooMany: 1}) }, func(w *world) { w.p.SetFaults(emulator.Faults{}) }, false},
		"no session": {func(w *world) { w.parked(true) }, func(w *world) { w.parked(false) }, false},
		"full disk":  {func(w *world) { w.ledger.refuse(true) }, func(w *world) { w.ledger.refuse(false) }, true},
		"halted on the way": {func(w *world) {
			w.net.Cut(true)
			time.Sleep(61 * time.Second)
			halt(w)
			w.net.Cut(false)
		}, resume, false},
		"halted and killed": {func(w *world) { halt(w); w.crash(); w.start() }, resume, false},
	}
}

// parked takes the account's session and its password away, or gives it back.
func (w *world) parked(parked bool) {
	if !parked {
		w.p.SetPassword(w.bot, password)
		return
	}
	w.p.SetPassword(w.bot, "changed")
	w.p.Revoke(w.bot)
}

// one returns an action of each verb, on targets of its own.
func (w *world) one(verb event.Verb, who platform.UserID) event.Action {
	post := w.p.Post(who, "news")
	switch verb {
	case event.VerbMessage:
		return w.message(who, "hello")
	case event.VerbPost:
		return w.post(0, 0, "hello") // of nobody's conversation
	case event.VerbLike:
		return w.like(who, post, true)
	case event.VerbRepost:
		a := w.like(0, post, true)
		a.Verb = event.VerbRepost
		return a
	case event.VerbDeletePost:
		return event.Action{Key: w.key(), Account: account, Verb: verb, Post: w.p.Post(w.bot, "old news")}
	default:
		return event.Action{Key: w.key(), Account: account, Peer: who, Verb: event.VerbFollow, User: who, Want: true}
	}
}

// Whatever keeps an action from leaving: after its latest departure nothing leaves, it is withdrawn by itself, and says
// so. What has time left leaves.
func TestUntil(t *testing.T) {
	t.Parallel()
	for what, o := range obstacles() {
		for _, verb := range []event.Verb{event.VerbMessage, event.VerbPost, event.VerbLike, event.VerbRepost, event.VerbFollow, event.VerbDeletePost} {
			for _, due := range []time.Duration{0, time.Minute} {
				if due == 0 && o.away {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s in %v", what, verb, due), func(t *testing.T) {
					effort.Case(t)
					inWorld(t, setup{concurrency: 2, commit: 2 * time.Millisecond, trip: 40 * time.Millisecond}, func(w *world) { w.keptBy(o, verb, due) })
				})
			}
		}
	}
}

func (w *world) keptBy(o obstacle, verb event.Verb, due time.Duration) {
	w.Helper()
	ana, leo := w.person("ana"), w.person("leo")
	if _, err := w.broker.Me(w.ctx); err != nil {
		w.Fatal(err)
	}
	short, long := w.one(verb, ana), w.one(verb, leo)
	decide := func() {
		w.due(&short, due, due+2*time.Minute)
		w.due(&long, due, due+2*time.Hour)
		w.decide(short)
		w.decide(long)
	}
	if due > 0 { // otherwise they meet the obstacle at once
		decide()
	}
	if o.begin(w); due == 0 {
		decide()
	}
	time.Sleep(5 * time.Minute)
	if n := len(w.entries(emulator.Arrived, emulator.Published, emulator.Liked, emulator.Reposted, emulator.Followed, emulator.Deleted)); n > 0 {
		w.Fatalf("%d left over the obstacle", n)
	}
	if a := w.disk.action(short.Key); !o.away && a.State != event.StateWithdrawn { // over the obstacle
		w.Errorf("meanwhile it is %s (%s)", a.State, a.Reason)
	}
	if o.end(w); !w.until(time.Hour, func() bool { return w.quiet() }) {
		w.Errorf("not everything ended: %+v", w.disk.all())
	}
	if a := w.disk.action(short.Key); a.State != event.StateWithdrawn || a.Why.Code() != reason.Late {
		w.Errorf("what is too late is %s (%s)", a.State, a.Reason)
	}
	if a := w.disk.action(long.Key); a.State != event.StateDone {
		w.Errorf("what has time is %s (%s)", a.State, a.Reason)
	}
	if n := len(w.entries(emulator.Arrived, emulator.Published, emulator.Liked, emulator.Reposted, emulator.Followed, emulator.Deleted)); n != 1 {
		w.Errorf("%d have left", n)
	}
}

// due sets when an action may leave.
func (w *world) due(a *event.Action, in, until time.Duration) {
	if in > 0 {
		a.Due = time.Now().Add(in)
	}
	a.Until = time.UnixMicro(time.Now().Add(until).UnixMicro())
}

// What was in time when it came to its turn and is not when it would leave stays: it waited for a slot that another request had, or
// for a session.
func TestUntilAtTheLastLook(t *testing.T) {
	t.Parallel()
	for name, concurrency := range map[string]int{"for a slot": 1, "for a session": 2} {
		t.Run(name, func(t *testing.T) {
			slow := func(p outbox.Platform) outbox.Platform {
				return &stub{Platform: p, send: func(ctx context.Context, m platform.SendMessageParams) (platform.Message, error) {
					time.Sleep(3 * time.Minute) // virtual
					return p.SendMessage(ctx, m)
				}}
			}
			inWorld(t, setup{concurrency: concurrency, wrap: slow}, func(w *world) {
				ana, leo := w.person("ana"), w.person("leo")
				first, soon := w.message(leo, "has time"), w.message(ana, "soon")
				w.due(&soon, 0, 2*time.Minute)
				w.decide(first)
				time.Sleep(time.Second)
				w.decide(soon)
				w.rest(time.Hour)
				w.same("to leo", []string{"has time"}, w.arrived(leo))
				w.same("to ana", []string(nil), w.arrived(ana))
				w.same("state", event.StateWithdrawn, w.state(soon))
			})
		})
	}
}
