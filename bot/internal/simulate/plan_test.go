package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// plan is everything that a run depends on.
type plan struct {
	seed        uint64
	start       time.Time // zero: on a Monday in March
	dialect     emulator.NamedDialect
	faults      emulator.Faults
	rush        float64       // 1 is the usual speed of the wire and the disk, more is slower
	sessionTTL  time.Duration // 0: sessions do not expire by themselves
	interval    time.Duration // between polls
	pace        float64       // actions a second; 0: no limit
	burst       int           // that many at once; 0: the usual number
	concurrency int
	stumbles    int           // one turn in so many fails; 0: none
	unclear     int64         // of a hundred commits, how many have no clear end
	span        time.Duration // of each incarnation; 0: it lives until its fate comes
	stopped     bool          // every other one is stopped then, and not killed
	snapshots   bool          // only the last message of a chat is visible
	listBreak   int           // chat lists break off after so many bytes; 0: they do not
	dropped     bool          // in the end people delete their chats, and say again what was said last
	noMessages  event.Mode
	workloads   []string // the kinds of what goes on beside the four people
	steps       []step
	workers     int // that share the accounts, with leases; 0: one bot alone
	accounts    int // that they share
	mishaps     []mishap
	fates       []fate // how the first incarnations of the bot end; the last incarnation has none
}

// step is something that happens on the platform, or to the bot.
type step struct {
	at   time.Duration // since the beginning
	who  int           // the person
	deed deed
	text string

	account  int    // of those that workers share
	workload string // whose step it is, when it is one of a workload
}

type deed uint8

const (
	says deed = iota
	mentions
	answers // a post of the bot
	floods  // with more messages than one page shows
	storms  // with more replies than one page of notifications shows
	follows
	unfollows
	reposts
	unreposts
	likes
	reads   // the owner of the account, on the phone
	expires // the session
	revokes // the session and its refresh token
	restart // the bot is stopped and started
	phones  // the owner reads, and writes
	visits  // a workload does something
	clears  // the chat, for both sides
	lags    // a list does not show the chat, or none
	deeds
)

var deedNames = [deeds]string{
	"says", "mentions", "answers", "floods", "storms", "follows", "unfollows", "reposts", "unreposts", "likes", "reads",
	"expires", "revokes", "restart", "phones", "visits", "clears", "lags",
}

// fate is when and how an incarnation of the bot ends.
type fate struct {
	boundary int           // counted from the incarnation's first one
	after    time.Duration // until the next incarnation begins
}

// people is how many take part.
const people = 4

// dialects are those that a bot promises everything on: without get_messages it cannot, see
// TestSnapshotSeeds.
func dialects() []emulator.NamedDialect {
	return slices.DeleteFunc(emulator.Dialects(), func(d emulator.NamedDialect) bool {
		return d.Dialect.Messages != emulator.Present || d.Dialect.Untold || d.Dialect.OwnReposts // in Untold some toggles are left to a person; the others say nothing new
	})
}

// drawPlan returns the plan of a seed.
func drawPlan(seed uint64) plan { return drawPlanWith(seed, *alone) }

// drawPlanWith draws a plan in which one workload takes part, and no other; "" for those that the seed chooses.
func drawPlanWith(seed uint64, workload string) plan {
	dice := rand.New(rand.NewPCG(seed, 0x6e6563746172))
	all := dialects()
	p := plan{
		seed: seed, dialect: all[0], rush: 1, interval: time.Duration(500+dice.IntN(3000)) * time.Millisecond, concurrency: 2,
	}
	if dice.IntN(2) == 0 {
		p.dialect = all[dice.IntN(len(all))]
	}
	switch dice.IntN(4) {
	case 0:
		p.faults = emulator.Faults{}
	case 1:
		p.faults = emulator.Hostile()
		p.faults.Late = 0.02
	default:
		p.faults = emulator.Rough()
		p.faults.Late = 0.005
	}
	p.faults.Lag = grace - time.Second
	if dice.IntN(3) == 0 {
		p.concurrency = 1 + dice.IntN(8)
	}
	if dice.IntN(4) == 0 {
		p.rush = 4
	}
	if dice.IntN(4) == 0 {
		p.sessionTTL = time.Duration(60+dice.IntN(80)) * time.Second // below half a minute an account runs out of those that it gets an hour
	}
	if dice.IntN(3) == 0 {
		p.pace = 2 + 8*dice.Float64()
	}
	if dice.IntN(2) == 0 {
		p.stumbles = 20 + dice.IntN(40)
	}
	p.drawSteps(dice)
	p.drawFates(dice)
	p.drawWorkloads(workload)
	p.drawUnclear()
	p.drawSpan()
	return p
}

func (p *plan) drawSteps(dice *rand.Rand) {
	at := time.Duration(0)
	pause := time.Duration(20+dice.IntN(1500)) * time.Millisecond
	for i := range 40 + dice.IntN(60) {
		if dice.IntN(3) > 0 { // otherwise at once
			at += time.Duration(dice.Int64N(int64(2*pause))) + time.Duration(dice.IntN(1_000_000))
		}
		at += time.Duration(1 + dice.IntN(1000)) // each at an instant of its own
		s := step{at: at, who: dice.IntN(people), deed: drawDeed(dice)}
		switch s.deed {
		case says:
			s.text = fmt.Sprint("line ", i/2) // there are twins
			if dice.IntN(8) == 0 {
				s.text = odd[dice.IntN(len(odd))]
			}
		case mentions, answers:
			s.text = fmt.Sprint("look ", i)
		default:
		}
		p.steps = append(p.steps, s)
	}
}

// odd are texts that the platform changes or cuts.
var odd = []string{
	"  space around  ", "<bold> & \"quoted\"", "ñandú 🦤 día", "two\nlines",
	strings.Repeat("a long line that the list of chats cuts ", 3),
}

func drawDeed(dice *rand.Rand) deed {
	for _, c := range []struct {
		deed  deed
		share int
	}{
		{mentions, 6},
		{answers, 4},
		{follows, 5},
		{unfollows, 2},
		{reposts, 6},
		{unreposts, 2},
		{likes, 3},
		{reads, 3},
		{expires, 1},
		{revokes, 1},
		{restart, 2},
		{floods, 1},
		{storms, 1},
	} {
		if dice.IntN(100) < c.share {
			return c.deed
		}
	}
	return says
}

func (p *plan) drawFates(dice *rand.Rand) {
	for range dice.IntN(5) {
		f := fate{boundary: 1 + dice.IntN(1<<(2+dice.IntN(7)))}
		switch dice.IntN(4) {
		case 0:
			f.after = time.Duration(dice.IntN(int(time.Minute)))
		default:
			f.after = time.Duration(dice.IntN(int(2 * time.Second)))
		}
		p.fates = append(p.fates, f)
	}
}

// String returns the plan in lines.
func (p *plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: dialect %s, faults %+v, rush %g, session %v, interval %v, pace %.2f (%d), concurrency %d, stumbles %d, unclear %d, span %v (%v)\n",
		p.seed, p.dialect.Name, p.faults, p.rush, p.sessionTTL, p.interval, p.pace, p.burst, p.concurrency, p.stumbles, p.unclear, p.span, p.stopped)
	for i, f := range p.fates {
		fmt.Fprintf(&b, "  life %d ends at boundary %d; the next one begins %v later\n", i+1, f.boundary, f.after)
	}
	for _, g := range p.workloads {
		fmt.Fprintf(&b, "  with the workload %s\n", g)
	}
	for _, s := range p.steps {
		fmt.Fprintf(&b, "  %12v %v\n", s.at, s)
	}
	if p.workers > 0 {
		fmt.Fprintf(&b, "  %d workers share %d accounts\n", p.workers, p.accounts)
	}
	for _, m := range p.mishaps {
		fmt.Fprintf(&b, "  %12v %v\n", m.at, m)
	}
	return b.String()
}

// String says who does what.
func (s step) String() string {
	if s.deed == visits {
		return fmt.Sprintf("workload %s %s", s.workload, s.text)
	}
	if s.account > 0 {
		return fmt.Sprintf("person %d %s %q, to account %d", s.who, deedNames[s.deed], s.text, s.account)
	}
	return fmt.Sprintf("person %d %s %q", s.who, deedNames[s.deed], s.text)
}
