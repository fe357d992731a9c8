package outbox_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"pgregory.net/rapid"
)

// step is one thing that happens in a story.
type step struct {
	Wait time.Duration
	What string // message, timed, like, post, reply, says, phone, flush, refuse, stop, crash, hold, deaf, drop, free
	Who  int
	Text string
	N    int // messages of one turn
	Want bool
	Late bool // it is an answer to what was said first
	Rank event.Priority
}

// story is a random course of events.
type story struct {
	Seed            uint64
	Faults          string
	Newest          bool
	WithoutBaseline bool // no event told an id
	Window          int
	Concurrency     int
	Pace            int
	Held            bool // what cannot be read for a while is held
	Rewrites        bool // the platform shows some texts otherwise
	Nameless        bool // answers tell no id
	Steps           []step
}

// The same texts come again and again: nothing but its id tells one from the other.
var texts = []string{"twin", " twin", "twin & twin", "other", "third\n"}

// stories draws a story in which nothing can be held, or one in which it can.
func stories(t *rapid.T, held bool) story {
	waits := []time.Duration{
		0, 0, 0, time.Millisecond, 20 * time.Millisecond, 300 * time.Millisecond, 2 * time.Second, 9 * time.Second, 21 * time.Second,
	}
	whats := []string{
		"message", "message", "message", "message", "timed", "like", "like", "post", "reply", "says", "phone", "flush", "refuse", "stop", "crash",
	}
	said, people := texts, 3
	if held {
		waits = append(waits, 5*time.Minute)
		whats = append(whats, "reply", "reply", "hold", "hold", "deaf", "drop", "free")
		said, people = parts, 2
	}
	draw := rapid.Custom(func(t *rapid.T) step {
		return step{
			Wait: rapid.SampledFrom(waits).Draw(t, "wait"),
			What: rapid.SampledFrom(whats).Draw(t, "what"),
			Who:  rapid.IntRange(0, people-1).Draw(t, "who"),
			Text: rapid.SampledFrom(said).Draw(t, "text"),
			N:    rapid.IntRange(1, 4).Draw(t, "n"),
			Want: rapid.Bool().Draw(t, "want"),
			Late: rapid.Bool().Draw(t, "late"),
			Rank: rapid.SampledFrom([]event.Priority{event.Answer, event.Answer, event.Scheduled, event.Broadcast}).Draw(t, "rank"),
		}
	})
	return story{
		Seed:            rapid.Uint64().Draw(t, "seed"),
		Faults:          rapid.SampledFrom([]string{"none", "rough", "hostile", "worse"}).Draw(t, "faults"),
		Newest:          rapid.Bool().Draw(t, "newest page first"),
		WithoutBaseline: rapid.Bool().Draw(t, "unanchored"),
		Window:          rapid.IntRange(1, 8).Draw(t, "window"),
		Concurrency:     rapid.IntRange(1, 4).Draw(t, "concurrency"),
		Pace:            rapid.IntRange(0, 3).Draw(t, "pace"),
		Held:            held,
		Rewrites:        held && rapid.Bool().Draw(t, "rewrites"),
		Nameless:        rapid.IntRange(0, 3).Draw(t, "nameless") == 0,
		Steps:           rapid.SliceOfN(draw, 1, 40).Draw(t, "steps"),
	}
}

var paces = []event.Pace{
	{},
	{Account: event.Rate{PerSecond: 20, Burst: 3}},
	{Conversation: event.Rate{PerSecond: 2, Burst: 2}, Account: event.Rate{PerSecond: 50, Burst: 10}},
	{Verb: map[event.Verb]event.Rate{event.VerbMessage: {PerSecond: 4, Burst: 1}}},
}

// telling is a story being told.
type telling struct {
	*world
	story      story
	unreadable *unreadability
	people     []platform.UserID
	posts      []platform.PostID
	timers     int
	wishes     [][]bool // of each post
	ranks      map[string]event.Priority
	dues       map[string]time.Time // when they were to leave, of those that were to wait
	there      map[string]bool      // what is known to be there, whether it is held or not
}

// Whatever goes wrong, and whenever the dispatcher stops or crashes: each message is there once, those of
// a conversation in the order of their release, and each toggle is as it was wished last, without flickering.
func TestWhateverHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { told(t, rt, stories(rt, false)) })
}

// When the platform cannot be read for a long time, or shows other texts than those that were sent, actions may be
// held, and only those: each other one is there once, in its place. Nothing waits for ever for one that is in doubt.
func TestWhateverIsHeld(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { told(t, rt, stories(rt, true)) })
}

func told(t *testing.T, rt *rapid.T, s story) {
	t.Helper()
	var problems []string
	synctest.Test(t, func(*testing.T) { problems = tell(s) })
	if len(problems) > 0 {
		rt.Fatalf("%+v\n%s", s, strings.Join(problems, "\n"))
	}
}

// tell tells a story and returns what is wrong with it.
func tell(s story) []string {
	x := begin(s)
	defer x.close()
	x.start()
	x.startWriter(s.Seed)
	defer func() { x.writer.close(); x.crash() }()
	for i := range 3 {
		who := x.person(fmt.Sprint("p", i))
		x.people = append(x.people, who)
		x.posts = append(x.posts, x.p.Post(who, "news"))
		x.wishes = append(x.wishes, nil)
	}
	for _, st := range s.Steps {
		time.Sleep(st.Wait)
		x.step(st)
	}
	stored := func() bool { return len(x.disk.all()) == x.keys }
	if !x.until(2*time.Hour, stored) {
		return []string{"not everything was stored"}
	}
	problems := x.stuck()
	x.unreadable.turn(false)
	if !x.until(2*time.Hour, x.quiet) {
		return append(append(problems, x.open()...), "not everything came to an end")
	}
	return append(problems, x.judge()...)
}

func begin(s story) *telling {
	faults := emulator.Faults{CutBefore: 0.1, CutAfter: 0.1, Err500After: 0.05, Err500Before: 0.05, Truncated: 0.05, TooMany: 0.05, Late: 0.05}
	if s.Faults != "worse" {
		var err error
		faults, err = emulator.ParseFaults(s.Faults)
		must(err)
	}
	cfg := outbox.Config{Window: s.Window}
	if !s.Held {
		cfg.HoldAfter = 24 * time.Hour // nothing is left to a person
	}
	hearing := &unreadability{random: rand.New(rand.NewPCG(s.Seed, 1))}
	return &telling{story: s, unreadable: hearing, ranks: map[string]event.Priority{}, dues: map[string]time.Time{}, there: map[string]bool{}, world: newWorld(setup{
		emulator: emulator.Config{Seed: s.Seed, Faults: faults, Dialect: emulator.Dialect{NewestPageFirst: s.Newest}},
		config:   cfg, concurrency: s.Concurrency, pace: paces[s.Pace],
		commit: time.Millisecond, reading: time.Millisecond, trip: 5 * time.Millisecond,
		wrap: func(p outbox.Platform) outbox.Platform {
			if s.Nameless {
				p = mute(p)
			}
			if s.Rewrites {
				p = rewriting{p, cuts}
			}
			return unreadable{p, hearing}
		},
	})}
}

// The platform shows the one as the other, when it rewrites.
const whole, cut = "the first part, and the rest of it", "the first part…"

// parts are the texts of stories in which something is held.
var parts = []string{"twin", whole, cut, " twin"}

// after returns the text that comes n places behind another one, where texts differ in a turn.
func (x *telling) after(text string, n int) string {
	if i := slices.Index(parts, text); x.story.Held && i >= 0 {
		return parts[(i+n)%len(parts)]
	}
	return text
}

func cuts(text string) string { return map[string]string{whole: cut}[text] }

func (x *telling) step(st step) {
	who, post := x.people[st.Who], x.posts[st.Who]
	switch st.What {
	case "message":
		var actions []event.Action
		for i := range st.N {
			actions = append(actions, x.withBaseline(x.message(who, x.after(st.Text, i)), st))
		}
		x.turn(actions...)
	case "timed":
		x.timers++
		a := x.withBaseline(x.message(who, fmt.Sprint("timed ", x.timers)), st)
		a.Due = time.Now().Add(min(st.Wait, 21*time.Second)*time.Duration(st.N) + 137*time.Microsecond)
		x.dues[a.Key] = a.Due
		x.turn(a)
	case "like":
		x.wishes[st.Who] = append(x.wishes[st.Who], st.Want)
		x.turn(x.like(who, post, st.Want))
	case "post":
		x.turn(x.post(who, 0, st.Text))
	case "reply":
		x.turn(x.post(who, post, st.Text))
	case "says":
		x.p.Say(who, x.bot, st.Text)
	case "phone":
		x.p.SayAs(x.bot, who, "by phone")
		x.p.Reply(x.bot, post, "by phone")
		x.p.Post(x.bot, "by phone")
	case "drop":
		x.drop(who)
	case "free":
		x.free(who)
	case "hold":
		x.hold(who, post, st)
	case "deaf":
		x.unreadable.turn(st.Want)
	default:
		x.shake(st)
	}
}

// shake does what happens to the dispatcher and its disk.
func (x *telling) shake(st step) {
	switch st.What {
	case "flush":
		_ = x.ledger.MarkNow(x.ctx) // it may refuse
	case "refuse":
		x.ledger.refuse(true)
		time.Sleep(time.Duration(st.N) * 100 * time.Millisecond)
		x.ledger.refuse(false)
	case "stop":
		x.writer.close()
		x.restart()
		x.startWriter(x.story.Seed)
	case "crash":
		x.ledger.crash()
		x.writer.close()
		x.crash()
		x.start()
		x.startWriter(x.story.Seed)
	}
}

// withBaseline is a message as an event of its kind tells where it is reconciled from.
func (x *telling) withBaseline(a event.Action, st step) event.Action {
	switch {
	case x.story.WithoutBaseline:
		a.ReconcileFrom = 0
	case st.Late:
		a.ReconcileFrom = int64(x.p.Messages(x.bot, a.Peer)[0].ID)
	}
	a.Priority = st.Rank
	x.ranks[a.Key] = st.Rank
	return a
}

// hold lets something be in doubt that cannot be read for hours.
func (x *telling) hold(who platform.UserID, post platform.PostID, st step) {
	decide := func(f emulator.Fault) (key string) {
		x.p.Disturb("send_message", f)
		x.p.Disturb("publish_post", f)
		var a event.Action
		if st.Want {
			a = x.withBaseline(x.message(who, st.Text), st)
		} else {
			a = x.post(who, post, st.Text)
		}
		x.turn(a)
		return a.Key
	}
	before, alone := len(x.made()), len(x.disk.all()) == x.keys && x.quiet()
	key := decide(emulator.CutAfter)
	time.Sleep(100 * time.Millisecond)
	x.there[key] = alone && len(x.made()) > before
	x.unreadable.turn(true)
	x.until(6*time.Hour, x.quiet)
	x.unreadable.turn(false)
	if st.Late { // a twin, which does not get there at once
		decide(emulator.CutBefore)
	}
}

// drop takes back what is held, as a person does.
func (x *telling) drop(who platform.UserID) {
	for _, a := range x.disk.all() {
		if a.Peer == who && a.State == event.StateHeld && a.Verb.Makes() {
			x.disk.withdraw(a.Key)
		}
	}
}

// free lets what is held leave again, as a person does.
func (x *telling) free(who platform.UserID) {
	for _, a := range x.disk.all() {
		if a.Peer == who && a.State == event.StateHeld && a.Verb.Makes() {
			again := fresh([]event.Action{a})
			again[0].Due, again[0].ReconcileFrom, again[0].Priority = time.Time{}, 0, x.ranks[a.Key] // a stop may have made it an answer
			x.disk.free(a.Key)
			x.turn(again...)
			x.until(time.Minute, func() bool { return x.disk.action(a.Key).State != event.StateHeld })
		}
	}
}
