package rival

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// party is a bot in a drawn history: all that it learns comes late, and some of it never.
type party struct {
	standing
	news     []learnt // that it has not got yet
	holds    map[int]time.Time
	patience time.Duration
	changes  int // how often it stopped, or went on
}

// learnt is what a bot learns at a time.
type learnt struct {
	at     time.Time
	double *double // nil: somebody else has answered what it held
	talk   int
}

// working reports whether it answers.
func (p *party) working() bool { return p.Stopped.IsZero() }

// learns takes in what came until now.
func (p *party) learns(now time.Time) {
	slices.SortStableFunc(p.news, func(a, b learnt) int { return a.at.Compare(b.at) })
	for len(p.news) > 0 && !p.news[0].at.After(now) {
		l := p.news[0]
		p.news = p.news[1:]
		what := noNews
		if l.double != nil {
			what = p.noteDouble(*l.double, l.at)
		} else if _, held := p.holds[l.talk]; held {
			delete(p.holds, l.talk)
			what = p.noteAnswered()
		}
		if what == stops || what == leads {
			p.changes++
		}
	}
}

// waits goes on when nobody has answered what it holds; it returns the conversations that it answers then.
func (p *party) waits(now time.Time) (answers []int) {
	long := 0
	for _, since := range p.holds {
		if now.Sub(since) >= p.patience {
			long++
		}
	}
	if long >= rivalTalks && p.noteAlone(now) == returns {
		p.changes++
	}
	if p.working() {
		for talk := range p.holds {
			answers = append(answers, talk)
		}
		clear(p.holds)
		slices.Sort(answers)
	}
	return answers
}

// history is two bots on one account, and people who write to it.
type history struct {
	t       *rapid.T
	now     time.Time
	bots    [2]party
	lost    int  // of 100 things that a bot never learns
	always  bool // the bots answer everything at the same time
	blind   bool // of two messages with the same words either bot may take either for its own
	doubled int
	said    map[int]int // conversations, by how often they were answered
}

// tell lets a bot learn something, late or never.
func (h *history) tell(bot int, l learnt) {
	if rapid.IntRange(0, 99).Draw(h.t, "lost") < h.lost {
		return
	}
	l.at = h.now.Add(time.Duration(rapid.IntRange(0, 12).Draw(h.t, "lag")) * tick)
	h.bots[bot].news = append(h.bots[bot].news, l)
}

// double returns a double as one of the bots sees it.
func (h *history) double(talk int, ours, theirs platform.MessageID, weight int) *double {
	if h.blind && rapid.IntRange(0, 3).Draw(h.t, "mistakes the first one for its own") > 0 {
		ours, theirs = min(ours, theirs), max(ours, theirs)
	}
	left := h.now.Add(time.Duration(rapid.IntRange(0, 999_999).Draw(h.t, "left")) * time.Microsecond)
	return &double{Peer: platform.UserID(talk), Ours: ours, Theirs: theirs, At: left, Weight: weight, Guessed: h.blind}
}

// writes lets somebody new write.
func (h *history) writes(talk int) {
	first := rapid.IntRange(0, 1).Draw(h.t, "first")
	one, two := &h.bots[first], &h.bots[1-first]
	id := platform.MessageID(10 * talk)
	switch {
	case one.working() && two.working():
		h.said[talk]++
		if h.always || rapid.Bool().Draw(h.t, "at the same time") {
			h.said[talk]++
			h.doubled++
			late := rapid.Bool().Draw(h.t, "read late")
			h.tell(first, learnt{double: h.double(talk, id+1, id+2, map[bool]int{false: prompt}[late])})
			h.tell(1-first, learnt{double: h.double(talk, id+2, id+1, prompt)})
		}
	case one.working() || two.working():
		h.said[talk]++
		for i := range h.bots {
			if !h.bots[i].working() {
				h.bots[i].holds[talk] = h.now
				h.tell(i, learnt{talk: talk})
			}
		}
	default:
		for i := range h.bots {
			h.bots[i].holds[talk] = h.now
		}
	}
}

const tick = 5 * time.Second

// passes lets time pass.
func (h *history) passes(ticks int) {
	for range ticks {
		h.now = h.now.Add(tick)
		for i := range h.bots {
			h.bots[i].learns(h.now)
			for _, talk := range h.bots[i].waits(h.now) {
				h.said[talk]++
				h.tell(1-i, learnt{talk: talk})
			}
		}
	}
}

func (h *history) String() string {
	return fmt.Sprintf("%d doubled; %+v; %+v", h.doubled, h.bots[0].Rivalry, h.bots[1].Rivalry)
}

// Whatever two bots learn late, in another order, or never: in the end exactly one of them is at work.
func TestRivalsConverge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := history{t: t, now: time.Date(2025, time.March, 3, 9, 0, 0, 0, time.UTC), said: map[int]int{}}
		h.lost = rapid.SampledFrom([]int{0, 0, 5, 20}).Draw(t, "losses")
		h.blind = rapid.Bool().Draw(t, "blind")
		for i := range h.bots {
			steps := rapid.IntRange(0, 5).Draw(t, "steps")
			if h.blind { // their lots are wide apart
				steps = 4 * i
			}
			h.bots[i] = party{holds: map[int]time.Time{}, patience: 40 * time.Second * time.Duration(1+steps)}
			if rapid.IntRange(0, 9).Draw(t, "has stopped") == 0 {
				h.bots[i].Stopped = h.now
			}
		}
		talks := 0
		write := func(n, pause int) {
			for range n {
				h.writes(talks)
				talks++
				h.passes(rapid.IntRange(1, pause).Draw(t, "pause"))
			}
			h.passes(150)
		}
		write(40, 12)
		// From now on they miss nothing, and what either has decided about itself for an hour is over in the end.
		h.lost, h.always = 0, true
		write(5, 12)
		h.passes(720)
		write(30, 12)
		same := func() bool { return h.bots[0].working() == h.bots[1].working() }
		for n := 0; h.blind && (n < 18 || same() && n < 60); n++ { // lots decide, and perhaps both have stopped at first
			write(5, 12)
		}
		doubled := h.doubled
		write(10, 12)
		for n := 0; h.blind && same() && n < 3; n++ { // one has learnt late of what was before the other one stopped
			write(5, 12)
		}
		if same() {
			t.Fatalf("not exactly one is at work: %v", &h)
		}
		if h.doubled > doubled {
			t.Fatalf("they still double: %v", &h)
		}
		for talk := range talks {
			if h.said[talk] == 0 {
				t.Fatalf("conversation %d was never answered: %v", talk, &h)
			}
		}
	})
}

// Where nothing tells whose a message is, both bots may believe that theirs came first: the other one should stop, and does not. Then one of them gives way.
func TestBothBelieveThatTheyCameFirst(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, time.March, 3, 9, 0, 0, 0, time.UTC)
	for _, pause := range []time.Duration{30 * time.Second, 3 * time.Minute} {
		var one, two standing
		doubled := 0
		for ; one.Stopped.IsZero() && two.Stopped.IsZero(); doubled++ {
			if doubled == 40 {
				t.Fatalf("each %v: neither gives way", pause)
			}
			id := platform.MessageID(10 * doubled)
			d := double{Peer: platform.UserID(doubled), Ours: id + 1, Theirs: id + 2, At: now, Weight: prompt, Guessed: true}
			one.noteDouble(d, now)
			d.At = now.Add(700 * time.Millisecond)
			two.noteDouble(d, now)
			now = now.Add(pause)
		}
		if doubled < patientDoubles || one.Stopped.IsZero() == two.Stopped.IsZero() {
			t.Errorf("each %v: after %d doubles: %+v, %+v", pause, doubled, one.Rivalry, two.Rivalry)
		}
	}
	spared, certain := standing{Rivalry: record.Rivalry{Spared: now.Add(48 * time.Hour)}}, standing{}
	for n := range 40 {
		d := double{Peer: platform.UserID(n), Ours: 1, Theirs: 2, At: now.Add(time.Duration(n) * 10 * time.Second), Weight: prompt}
		certain.noteDouble(d, d.At)
		d.Guessed = true
		spared.noteDouble(d, d.At)
	}
	if !spared.Stopped.IsZero() || !certain.Stopped.IsZero() {
		t.Errorf("it stops although a person has told it to go on: %+v, or its answers came first for certain: %+v", spared.Rivalry, certain.Rivalry)
	}
}

// Two bots that miss nothing, however late and in whatever order they learn it, do not take long.
func TestRivalsThatMissNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := history{t: t, now: time.Date(2025, time.March, 3, 9, 0, 0, 0, time.UTC), said: map[int]int{}, always: true}
		for i := range h.bots {
			h.bots[i] = party{holds: map[int]time.Time{}, patience: time.Duration(1+i) * time.Minute}
		}
		for talk := range 40 {
			h.writes(talk)
			h.passes(rapid.IntRange(4, 24).Draw(t, "pause")) // a lag is one minute at most
		}
		if h.bots[0].working() == h.bots[1].working() || h.doubled > 15 {
			t.Fatal(&h)
		}
	})
}
