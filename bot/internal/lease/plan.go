package lease

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	// maxMoves is how many shards may be on their way from one worker to another at a time.
	maxMoves = 64
	// maxOut is how many of them are on their way from one that must not keep them. What is given away at a time shares what its machine and those
	// of the others have: of fifty accounts at once each was without an owner three times as long as of a few.
	maxOut = 24
	// Shards move when two workers differ by more than a tenth of what a worker has on average, and then until they differ by less
	// than a twenty-fifth: so that what changes a little moves nothing.
	unevenFrom = 10
	unevenTo   = 25
	// heaviest is the highest load that is believed, so that sums have room.
	heaviest = 1 << 40
)

// Candidate is what a plan knows of a worker.
type Candidate struct {
	Worker int64
	Takes  bool     // it may get shards
	Keeps  bool     // it may keep those that it has
	Has    []string // see Card
}

// PlanMoves decides which worker each shard is for, and returns what changes. Free shards get a worker at once. Those of workers that
// may not keep them, or that lack what they need, move to others, as far as there are any; others move only where the load is
// uneven, and as few as that takes. At most 64 are on their way at a time.
func PlanMoves(workers []Candidate, shards *[event.Shards]Shard) []Want {
	p := newPlan(workers, shards)
	p.place()
	if p.clearOut() {
		p.even()
	}
	return p.wants()
}

// plan is a plan being made.
type plan struct {
	shards *[event.Shards]Shard
	bins   []*bin // by worker
	of     map[int64]*bin
	at     [event.Shards]*bin // where each shard is to be
	known  map[int][]string   // which accounts of a shard there are, as far as not all workers can serve them
	weight [event.Shards]int64
	moves  int // that may still be begun
}

// bin is what a worker is to have.
type bin struct {
	Candidate
	has    map[string]bool
	weight int64
}

func newPlan(workers []Candidate, shards *[event.Shards]Shard) *plan {
	p := &plan{shards: shards, of: map[int64]*bin{}, known: map[int][]string{}, moves: maxMoves}
	for _, w := range workers {
		b := &bin{Candidate: w, has: map[string]bool{}}
		for _, h := range w.Has {
			b.has[h] = true
		}
		p.bins = append(p.bins, b)
		p.of[w.Worker] = b
	}
	p.know()
	slices.SortFunc(p.bins, func(a, b *bin) int { return cmp.Compare(a.Worker, b.Worker) })
	total := int64(0)
	for i := range shards {
		p.weight[i] = min(max(shards[i].Load, 0), heaviest)
		total += p.weight[i]
	}
	// What costs nothing now may soon: it is spread, too.
	// A quarter of the mean: much less than what is at work, and enough that idle shards do not all end up with one worker.
	base := max(1, total/(4*event.Shards))
	for i := range shards {
		p.weight[i] += base
		p.begin(i)
	}
	return p
}

// know finds out which accounts not all workers can serve.
func (p *plan) know() {
	can := map[string]int{}
	for _, b := range p.bins {
		for h := range b.has {
			if strings.HasPrefix(h, record.AccountPrefix) {
				can[h]++
			}
		}
	}
	for h, n := range can {
		if n < len(p.bins) {
			shard := event.Account(strings.TrimPrefix(h, record.AccountPrefix)).Shard()
			p.known[shard] = append(p.known[shard], h)
		}
	}
}

// lacks returns how many accounts of a shard a worker cannot serve that another one can.
func (p *plan) lacks(b *bin, i int) (n int) {
	for _, h := range p.known[i] {
		if !b.has[h] {
			n++
		}
	}
	return n
}

// begin finds out where a shard is, or is on its way to.
func (p *plan) begin(i int) {
	s := &p.shards[i]
	owner, wanted := p.of[s.Owner], p.of[s.Wanted]
	if wanted != nil && (!wanted.fits(s) || !wanted.Keeps || s.Owner == 0 && !wanted.Takes || wanted != owner && p.isBetter(p.lightest(i), wanted, i)) {
		wanted = nil
	}
	switch {
	case wanted != nil:
		p.put(i, wanted)
	case owner != nil:
		p.put(i, owner)
	}
	if s.Owner != 0 && wanted != nil && wanted != owner {
		p.moves--
	}
}

func (p *plan) put(i int, b *bin) {
	if old := p.at[i]; old != nil {
		old.weight -= p.weight[i]
	}
	p.at[i] = b
	b.weight += p.weight[i]
}

// fits reports whether a worker has what a shard needs.
func (b *bin) fits(s *Shard) bool {
	for _, n := range s.Needs {
		if !b.has[n] {
			return false
		}
	}
	return true
}

// lightest returns the worker that has least of those that may get a shard, and serve most of its accounts; nil when there is none.
func (p *plan) lightest(i int) (best *bin) {
	for _, b := range p.bins {
		if b.Takes && b.Keeps && b.fits(&p.shards[i]) && (best == nil || p.isBetter(b, best, i) || !p.isBetter(best, b, i) && b.weight < best.weight) {
			best = b
		}
	}
	return best
}

// isBetter reports whether a worker can serve more accounts of a shard than another one.
func (p *plan) isBetter(b, other *bin, i int) bool {
	return b != nil && p.known[i] != nil && p.lacks(b, i) < p.lacks(other, i)
}

// heavyFirst sorts shards by what they weigh.
func (p *plan) heavyFirst(shards []int) []int {
	slices.SortStableFunc(shards, func(a, b int) int { return cmp.Compare(p.weight[b], p.weight[a]) })
	return shards
}

// place finds workers for shards that are free.
func (p *plan) place() {
	var free []int
	for i := range p.at {
		if p.at[i] == nil {
			free = append(free, i)
		}
	}
	for _, i := range p.heavyFirst(free) {
		if b := p.lightest(i); b != nil {
			p.put(i, b)
		}
	}
}

// clearOut moves shards away from where they must not stay; false when some have to wait for their turn.
func (p *plan) clearOut() bool {
	var out []int
	for i, b := range p.at {
		if b != nil && p.shards[i].Owner == b.Worker && (!b.Keeps || !b.fits(&p.shards[i]) || p.isBetter(p.lightest(i), b, i)) {
			out = append(out, i)
		}
	}
	for _, i := range p.heavyFirst(out) {
		b := p.lightest(i)
		switch {
		case b == nil: // better there than nowhere
		// The rest waits for its turn, and so does the evening: it would take the moves that these need.
		case p.moves <= 0, !p.at[i].Keeps && p.moves <= maxMoves-maxOut:
			return false
		default:
			p.put(i, b)
			p.moves--
		}
	}
	return true
}

// even moves shards from workers that have much to others that have little.
func (p *plan) even() {
	var open []*bin
	total := int64(0)
	for _, b := range p.bins {
		if b.Takes && b.Keeps {
			open = append(open, b)
			total += b.weight
		}
	}
	if len(open) < 2 {
		return
	}
	mean := total / int64(len(open))
	for least := mean / unevenFrom; p.moves > 0 && p.moveOne(open, least); least = mean / unevenTo {
		p.moves--
	}
}

// moveOne moves the shard that evens most between the two workers that differ most, if they differ by more than least.
func (p *plan) moveOne(open []*bin, least int64) bool {
	slices.SortStableFunc(open, func(a, b *bin) int { return cmp.Compare(a.weight, b.weight) })
	for d := len(open) - 1; d > 0; d-- {
		for _, to := range open[:d] {
			gap := open[d].weight - to.weight
			if gap <= least {
				break
			}
			if i := p.best(open[d], to, gap); i >= 0 {
				p.put(i, to)
				return true
			}
		}
	}
	return false
}

// best returns the shard that evens most between two workers; -1 when there is none.
func (p *plan) best(from, to *bin, gap int64) int {
	best, rest := -1, gap
	for i, b := range p.at {
		if b != from || p.shards[i].Owner != from.Worker || !to.fits(&p.shards[i]) || p.isBetter(from, to, i) {
			continue
		}
		left := gap - 2*p.weight[i]
		if left < 0 {
			left = -left + gap/16 // what only turns it round is not worth a move
		}
		if left < rest {
			best, rest = i, left
		}
	}
	return best
}

// wants returns what differs from what was wanted before.
func (p *plan) wants() (wants []Want) {
	for i, b := range p.at {
		s := &p.shards[i]
		if b != nil && b.Worker != s.Wanted && (s.Wanted != 0 || b.Worker != s.Owner) {
			wants = append(wants, Want{i, b.Worker})
		}
	}
	return wants
}
