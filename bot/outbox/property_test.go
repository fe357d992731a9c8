package outbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"pgregory.net/rapid"
)

// step is one thing that happens in a story.
type step struct {
	Wait time.Duration
	What string // message, timed, like, post, reply, says, phone, flush, refuse, stop, crash
	Who  int
	Text string
	N    int // messages of one turn
	Want bool
}

// story is a random course of events.
type story struct {
	Seed        uint64
	Faults      string
	Newest      bool
	Unanchored  bool // no event told an id
	Window      int
	Concurrency int
	Pace        int
	Steps       []step
}

// The same texts come again and again: nothing but its id tells one from the other.
var texts = []string{"twin", " twin", "twin & twin", "other", "third\n"}

func stories(t *rapid.T) story {
	draw := rapid.Custom(func(t *rapid.T) step {
		return step{
			Wait: rapid.SampledFrom([]time.Duration{
				0, 0, 0, time.Millisecond, 20 * time.Millisecond, 300 * time.Millisecond, 2 * time.Second, 9 * time.Second, 21 * time.Second,
			}).Draw(t, "wait"),
			What: rapid.SampledFrom([]string{
				"message", "message", "message", "message", "timed", "like", "like", "post", "reply", "says", "phone", "flush", "refuse", "stop", "crash",
			}).Draw(t, "what"),
			Who:  rapid.IntRange(0, 2).Draw(t, "who"),
			Text: rapid.SampledFrom(texts).Draw(t, "text"),
			N:    rapid.IntRange(1, 4).Draw(t, "n"),
			Want: rapid.Bool().Draw(t, "want"),
		}
	})
	return story{
		Seed:        rapid.Uint64().Draw(t, "seed"),
		Faults:      rapid.SampledFrom([]string{"none", "rough", "hostile", "worse"}).Draw(t, "faults"),
		Newest:      rapid.Bool().Draw(t, "newest page first"),
		Unanchored:  rapid.Bool().Draw(t, "unanchored"),
		Window:      rapid.IntRange(1, 8).Draw(t, "window"),
		Concurrency: rapid.IntRange(1, 4).Draw(t, "concurrency"),
		Pace:        rapid.IntRange(0, 3).Draw(t, "pace"),
		Steps:       rapid.SliceOfN(draw, 1, 40).Draw(t, "steps"),
	}
}

var paces = []outbox.Pace{
	{},
	{Account: outbox.Rate{PerSecond: 20, Burst: 3}},
	{Conversation: outbox.Rate{PerSecond: 2, Burst: 2}, Account: outbox.Rate{PerSecond: 50, Burst: 10}},
	{Verb: map[event.Verb]outbox.Rate{event.VerbMessage: {PerSecond: 4, Burst: 1}}},
}

// telling is a story being told.
type telling struct {
	*world
	story  story
	people []platform.UserID
	posts  []platform.PostID
	timers int
	wishes [][]bool // of each post
	pages  map[platform.PostID][]string
}

// Whatever goes wrong, and whenever the courier stops or crashes: each message is there once, those of
// a conversation in their order, and each toggle is as it was wished last, without flickering.
func TestWhateverHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := stories(rt)
		var problems []string
		synctest.Test(t, func(*testing.T) { problems = tell(s) })
		if len(problems) > 0 {
			rt.Fatalf("%+v\n%s", s, strings.Join(problems, "\n"))
		}
	})
}

// tell tells a story and returns what is wrong with it.
func tell(s story) []string {
	faults := emulator.Faults{CutBefore: 0.1, CutAfter: 0.1, Err500After: 0.05, Err500Before: 0.05, Truncated: 0.05, TooMany: 0.05}
	if s.Faults != "worse" {
		var err error
		faults, err = emulator.ParseFaults(s.Faults)
		must(err)
	}
	x := &telling{story: s, pages: map[platform.PostID][]string{}, world: newWorld(setup{
		emulator:    emulator.Config{Seed: s.Seed, Faults: faults, Dialect: emulator.Dialect{NewestPageFirst: s.Newest}},
		config:      outbox.Config{Window: s.Window, HoldAfter: 24 * time.Hour}, // nothing is left to a person
		concurrency: s.Concurrency, pace: paces[s.Pace], commit: time.Millisecond, reading: time.Millisecond, trip: 5 * time.Millisecond,
	})}
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
	if !x.until(2*time.Hour, func() bool { return len(x.disk.all()) == x.keys && x.quiet() }) {
		return append(x.open(), "not everything came to an end")
	}
	return x.judge()
}

func (x *telling) step(st step) {
	who, post := x.people[st.Who], x.posts[st.Who]
	switch st.What {
	case "message":
		var actions []event.Action
		for range st.N {
			actions = append(actions, x.anchored(x.message(who, st.Text)))
		}
		x.turn(actions...)
	case "timed":
		x.timers++
		a := x.anchored(x.message(who, fmt.Sprint("timed ", x.timers)))
		a.Due = time.Now().Add(st.Wait*time.Duration(st.N) + 137*time.Microsecond)
		x.turn(a)
	case "like":
		x.wishes[st.Who] = append(x.wishes[st.Who], st.Want)
		x.turn(x.like(who, post, st.Want))
	case "post", "reply":
		if st.What == "post" {
			post = 0
		}
		x.pages[post] = append(x.pages[post], strings.TrimSpace(st.Text))
		x.turn(x.post(who, post, st.Text))
	case "says":
		x.p.Say(who, x.bot, st.Text)
	case "phone":
		x.p.SayAs(x.bot, who, "by phone")
		x.p.Reply(x.bot, post, "by phone")
		x.p.Post(x.bot, "by phone")
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

func (x *telling) anchored(a event.Action) event.Action {
	if x.story.Unanchored {
		a.SettleFrom = 0
	}
	return a
}

// open says what did not come to an end.
func (x *telling) open() []string {
	var problems []string
	for _, a := range x.disk.all() {
		if !a.State.Final() {
			problems = append(problems, fmt.Sprintf("%s %s %q: %s, %s", a.Key, a.Verb, a.Text, a.State, a.Reason))
		}
	}
	return problems
}

func (x *telling) judge() []string {
	problems := x.open()
	for i, who := range x.people {
		if want, got := x.released(who), x.arrived(who); !slices.Equal(want, got) {
			problems = append(problems, fmt.Sprintf("to person %d: want %q, got %q", i, want, got))
		}
		problems = append(problems, x.judgeLike(i)...)
	}
	for post, want := range x.pages {
		var got []string
		for _, e := range x.entries(emulator.Published) {
			if x.parent(e) == post {
				got = append(got, e.Text)
			}
		}
		if post == 0 { // different conversations have no order
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) {
			problems = append(problems, fmt.Sprintf("below %d: want %q, got %q", post, want, got))
		}
	}
	return problems
}

// released returns what was to be said to a person, in the order in which it was decided or its time
// came.
func (x *telling) released(who platform.UserID) []string {
	rows := slices.DeleteFunc(x.disk.all(), func(a event.Action) bool { return a.Verb != event.VerbMessage || a.Peer != who })
	slices.SortStableFunc(rows, func(a, b event.Action) int {
		return later(a.DecidedAt, a.Due).Compare(later(b.DecidedAt, b.Due))
	})
	texts := make([]string, len(rows))
	for i, a := range rows {
		texts[i] = strings.TrimSpace(a.Text)
	}
	return texts
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// parent returns the post that a reply of the account answers.
func (x *telling) parent(e emulator.Entry) platform.PostID {
	if i := slices.Index(x.people, e.To); i >= 0 {
		return x.posts[i]
	}
	return 0
}

// judgeLike wants the switches of a like to be among the wishes, in their order, and to end with the
// last one.
func (x *telling) judgeLike(i int) []string {
	wishes := x.wishes[i]
	liked := x.p.Liked(x.bot, x.posts[i])
	if len(wishes) == 0 {
		return nil
	}
	var problems []string
	if last := wishes[len(wishes)-1]; liked != last {
		problems = append(problems, fmt.Sprintf("post %d: liked %t after the wishes %v", i, liked, wishes))
	}
	at := 0
	for _, e := range x.entries(emulator.Liked, emulator.Unliked) {
		if e.Post != x.posts[i] {
			continue
		}
		n := slices.Index(wishes[at:], e.Kind == emulator.Liked)
		if n < 0 {
			return append(problems, fmt.Sprintf("post %d flickers: %v", i, wishes))
		}
		at += n + 1
	}
	return problems
}
