package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// mishap is something that befalls a worker, or all of them.
type mishap struct {
	at       time.Duration // since the beginning
	slot     int           // whose
	account  int           // or that of whoever serves this account; below 0: it is of the slot
	what     fatality
	long     time.Duration
	slow     bool // it begins behind the next beat, whose answer arrives late all the same
	boundary int  // that befalls its process when it comes to this many boundaries from then on; 0: at once
}

type fatality uint8

const (
	dies fatality = iota
	freezes
	freezesStoring // in the middle of a commit, the next one of a turn mostly
	freezesAtGuard // when its next request has been looked at, and not left
	losesStore     // its way to the database is cut
	losesPlatform  // its way to the platform is
	losesBoth
	leaves      // as for an update, and comes back
	leavesStuck // the database stands still, for all of them, when it gives an account away
	comesNew    // one more worker
	drains
	setsClock // its time of day
	stalls    // the database stands still, for all of them
	loses     // calls to the database get lost more often, of all of them
	fatalities
)

var fatalityNames = [fatalities]string{
	"dies", "freezes", "freezes in a commit", "freezes at the gate", "loses the database", "loses the platform", "loses both", "leaves", "leaves, and waits for the database", "comes", "drains", "sets its clock",
	"waits for the database", "loses calls",
}

// String says what befalls whom.
func (m mishap) String() string {
	text := fmt.Sprintf("worker %d %s", m.slot, fatalityNames[m.what])
	if m.account >= 0 {
		text = fmt.Sprintf("whoever serves account %d, or worker %d, %s", m.account, m.slot, fatalityNames[m.what])
	}
	if m.long > 0 {
		text += fmt.Sprintf(" for %v", m.long)
	}
	if m.slow {
		text += ", behind a beat with a slow answer"
	}
	if m.boundary > 0 {
		text += fmt.Sprintf(" at boundary %d from now", m.boundary)
	}
	return text
}

// drawWorkers returns the plan of a seed in which one to four workers share accounts.
func drawWorkers(seed uint64) plan {
	p := drawPlanWith(seed, "nobody")
	dice := rand.New(rand.NewPCG(seed, 0x776f726b657273))
	p.fates = nil
	p.workers, p.accounts = [...]int{1, 2, 2, 2, 3, 3, 4}[dice.IntN(7)], 2+dice.IntN(3)
	p.interval = time.Duration(1000+dice.IntN(3000)) * time.Millisecond
	if p.unclear == 0 && dice.IntN(3) == 0 {
		p.unclear = 2 + dice.Int64N(20)
	}
	p.steps = nil
	p.drawSharedSteps(dice)
	p.drawBacklog(dice)
	p.drawMishaps(dice)
	return p
}

// drawBacklog lets an account have more to say than its pace allows, in some seeds. Then nothing stands still, and only workers go: after
// a trouble all leaves at once that has waited, and has taken its share of the pace before.
func (p *plan) drawBacklog(dice *rand.Rand) {
	if dice.IntN(4) > 0 {
		return
	}
	p.faults, p.unclear = emulator.Faults{}, 0
	p.pace, p.burst, p.concurrency = 0.5+1.5*dice.Float64(), 20, 1+dice.IntN(2)
	account := dice.IntN(p.accounts)
	for i := range p.steps {
		if s := &p.steps[i]; s.deed == says && s.account == account && dice.IntN(4) == 0 {
			s.deed = floods
			return
		}
	}
}

const mostWorkers = 4

// drawSharedSteps draws what people do with the accounts.
func (p *plan) drawSharedSteps(dice *rand.Rand) {
	at := time.Duration(0)
	pause := time.Duration(300+dice.IntN(2000)) * time.Millisecond
	for i := range 40 + dice.IntN(40) {
		at += time.Duration(1 + dice.Int64N(int64(2*pause)))
		s := step{at: at, who: dice.IntN(people), deed: drawDeed(dice), account: dice.IntN(p.accounts)}
		switch s.deed {
		case says:
			s.text = fmt.Sprint("line ", i/2) // there are twins
		case mentions, answers:
			s.text = fmt.Sprint("look ", i)
		case restart, floods, storms: // workers have mishaps of their own
			s.deed, s.text = says, fmt.Sprint("line ", i/2)
		default:
		}
		p.steps = append(p.steps, s)
	}
}

// drawMishaps draws what befalls the workers meanwhile.
func (p *plan) drawMishaps(dice *rand.Rand) {
	last := p.steps[len(p.steps)-1].at
	for at := time.Duration(0); ; {
		at += 200*time.Millisecond + time.Duration(dice.Int64N(int64(14*time.Second)))
		if at > last {
			return
		}
		m := mishap{at: at, slot: dice.IntN(p.workers), account: dice.IntN(p.accounts+1) - 1}
		m.what = [...]fatality{
			dies, dies, dies, dies, freezes, freezes, freezes, freezesStoring, freezesStoring, freezesStoring, freezesAtGuard, losesStore, losesStore, losesStore, losesPlatform, losesPlatform,
			losesBoth, losesBoth, leaves, leaves, leaves, leaves, leavesStuck, leavesStuck, comesNew, drains, drains, setsClock, stalls, loses,
		}[dice.IntN(30)]
		between := func(least, most time.Duration) time.Duration {
			return least + time.Duration(dice.Int64N(int64(most-least)))
		}
		if p.burst > 0 {
			m.what = [...]fatality{dies, dies, leaves, leaves, comesNew, drains}[dice.IntN(6)]
		}
		switch m.what {
		case freezes, losesStore, losesPlatform, losesBoth:
			m.slow = (m.what == losesStore || m.what == losesBoth) && dice.IntN(3) > 0
			m.long = between(100*time.Millisecond, 4*time.Second)
			if m.slow {
				m.long = between(9*time.Second, 30*time.Second)
			} else if dice.IntN(2) == 0 {
				m.long = between(4*time.Second, 30*time.Second)
			}
		case freezesStoring, freezesAtGuard: // about as long as it takes until others have its shards
			m.long = between(5*time.Second, 10*time.Second)
		case drains, stalls, loses, setsClock:
			m.long = between(time.Second, 15*time.Second)
		case leavesStuck: // mostly longer than an end waits for what is under way
			m.long = between(6*time.Second, 16*time.Second)
		default:
		}
		if (m.what == dies || m.what == freezes) && dice.IntN(3) > 0 {
			m.boundary = 1 + dice.IntN(1<<(1+dice.IntN(7)))
		}
		p.mishaps = append(p.mishaps, m)
		if m.slow { // the others have the time to take over, which they do right behind the end of its lease
			at += 8 * time.Second
		}
	}
}
