package lease_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/record"
	"pgregory.net/rapid"
)

// situation is what a plan is made of.
type situation struct {
	workers []lease.Candidate
	shards  [event.Shards]lease.Shard
}

var things = []string{"rules:a", "rules:b", "host:x"}

// known are accounts that not all workers know of.
var known = []event.Account{"shop", "cafe", "news"}

// byteSource draws numbers below n.
type byteSource func(n int) int

// draw draws a situation.
func drawSituation(roll byteSource) *situation {
	s := &situation{}
	for n := range roll(6) {
		c := lease.Candidate{Worker: int64(n + 1), Keeps: roll(4) > 0, Has: things}
		c.Takes = c.Keeps && roll(5) > 0
		if roll(3) == 0 {
			c.Has = things[:roll(len(things)+1)]
		}
		for _, name := range known {
			if roll(3) > 0 {
				c.Has = append(slices.Clone(c.Has), record.HasAccount(name))
			}
		}
		s.workers = append(s.workers, c)
	}
	owners, spread, some := roll(len(s.workers)+1)+1, int64(roll(3)), roll(4)
	for i := range s.shards {
		b := &s.shards[i]
		x := i*2654435761>>4 ^ owners*97
		if some > 0 {
			b.Owner = int64(x % owners)
		}
		if x%17 == 3 {
			b.Wanted = int64(x / 17 % owners)
		}
		switch spread {
		case 1:
			b.Load = int64(x % 1000)
		case 2:
			if x%50 == 0 {
				b.Load = int64(x%7) * 1_000_000
			}
		}
		if x%29 == 5 {
			b.Needs = things[x%3 : x%3+1]
		}
	}
	return s
}

func (s *situation) worker(n int64) *lease.Candidate {
	for i := range s.workers {
		if s.workers[i].Worker == n {
			return &s.workers[i]
		}
	}
	return nil
}

func fits(c *lease.Candidate, b *lease.Shard) bool {
	for _, n := range b.Needs {
		if !slices.Contains(c.Has, n) {
			return false
		}
	}
	return true
}

// alone returns an account of a shard that its owner cannot serve, although somebody who may get the shard can, and whatever else of it
// the owner can; "" when there is none.
func (s *situation) alone(i int) event.Account {
	owner := s.worker(s.shards[i].Owner)
	if owner == nil || owner.Keeps && !s.canGet(i) {
		return ""
	}
	has := func(c *lease.Candidate, name event.Account) bool {
		return slices.Contains(c.Has, record.HasAccount(name))
	}
	for _, name := range known {
		if name.Shard() != i || has(owner, name) {
			continue
		}
		for j := range s.workers {
			if c := &s.workers[j]; c.Takes && c.Keeps && fits(c, &s.shards[i]) && has(c, name) {
				return name
			}
		}
	}
	return ""
}

// canGet returns whether somebody may get a shard.
func (s *situation) canGet(i int) bool {
	return slices.ContainsFunc(s.workers, func(c lease.Candidate) bool { return c.Takes && c.Keeps && fits(&c, &s.shards[i]) })
}

// moving counts the shards on their way from one worker to another.
func (s *situation) moving() (n int) {
	for i := range s.shards {
		if b := &s.shards[i]; b.Owner != 0 && b.Wanted != 0 && b.Wanted != b.Owner {
			n++
		}
	}
	return n
}

// apply does what a plan wants.
func (s *situation) apply(wants []lease.Want) {
	for _, w := range wants {
		s.shards[w.Shard].Wanted = w.Worker
	}
}

// arrive lets all shards be where they are wanted.
func (s *situation) arrive() {
	for i := range s.shards {
		if b := &s.shards[i]; b.Wanted != 0 {
			b.Owner = b.Wanted
		}
	}
}

// errorOf checks a plan, and returns what is wrong with it.
func (s *situation) errorOf(wants []lease.Want) error {
	seen, before := map[int]bool{}, s.moving()
	for _, w := range wants {
		b, c := &s.shards[w.Shard], s.worker(w.Worker)
		switch {
		case seen[w.Shard]:
			return fmt.Errorf("shard %d is wanted twice", w.Shard)
		case w.Worker == b.Wanted || b.Wanted == 0 && w.Worker == b.Owner:
			return fmt.Errorf("shard %d is wanted for where it is", w.Shard)
		case c == nil, w.Worker != b.Owner && (!c.Takes || !c.Keeps || !fits(c, b)):
			return fmt.Errorf("shard %d, which needs %v, is wanted for %+v", w.Shard, b.Needs, c)
		}
		seen[w.Shard] = true
	}
	after := *s
	after.apply(wants)
	if n := after.moving(); n > max(lease.MaxMoves, before) {
		return fmt.Errorf("%d shards are on their way, %d were before", n, before)
	}
	for i := range after.shards {
		b := &after.shards[i]
		to := s.worker(b.Wanted)
		if b.Owner == 0 && (to == nil || !to.Takes || !fits(to, b)) && s.canGet(i) {
			return fmt.Errorf("shard %d stays free, wanted for %+v", i, to)
		}
	}
	return nil
}

// converge plans and moves until there is nothing to do.
func (s *situation) converge() error {
	for range 200 {
		wants := lease.PlanMoves(s.workers, &s.shards)
		if err := s.errorOf(wants); err != nil {
			return err
		}
		if len(wants) == 0 {
			return nil
		}
		s.apply(wants)
		s.arrive()
	}
	return fmt.Errorf("there is always something to move")
}

// TestPlan: whatever the situation is, a plan is one that may be, and plans come to an end.
func TestPlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSituation(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
		order := slices.Clone(s.workers)
		slices.Reverse(order)
		if d := cmp.Diff(lease.PlanMoves(s.workers, &s.shards), lease.PlanMoves(order, &s.shards)); d != "" {
			t.Fatalf("it depends on the order of workers:\n%s", d)
		}
		if err := s.converge(); err != nil {
			t.Fatal(err)
		}
		for i := range s.shards {
			b := &s.shards[i]
			if c := s.worker(b.Owner); c != nil && (!c.Keeps || !fits(c, b)) && s.canGet(i) {
				t.Fatalf("shard %d stays with %+v", i, c)
			}
			if name := s.alone(i); name != "" {
				t.Fatalf("the account %s stays with %+v", name, s.worker(b.Owner))
			}
		}
	})
}

// FuzzPlan is TestPlan for whatever bytes.
func FuzzPlan(f *testing.F) {
	f.Add([]byte{3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := drawSituation(func(n int) int {
			if len(data) == 0 {
				return 0
			}
			v := int(data[0]) % n
			data = data[1:]
			return v
		})
		if err := s.converge(); err != nil {
			t.Error(err)
		}
	})
}

// all are workers without a fault.
func all(n int) (workers []lease.Candidate) {
	for i := range n {
		workers = append(workers, lease.Candidate{Worker: int64(i + 1), Takes: true, Keeps: true})
	}
	return workers
}

// counts returns how many shards each worker has.
func (s *situation) counts() map[int64]int {
	counts := map[int64]int{}
	for i := range s.shards {
		counts[s.shards[i].Owner]++
	}
	return counts
}

// TestPlanMovesLittle: a worker more gets its share from the others and nobody else gets anything, in portions; and what is even
// enough stays.
func TestPlanMovesLittle(t *testing.T) {
	t.Parallel()
	s := &situation{workers: all(3)}
	s.apply(lease.PlanMoves(s.workers, &s.shards))
	s.arrive()
	if d := cmp.Diff(map[int64]int{1: 342, 2: 341, 3: 341}, s.counts()); d != "" {
		t.Errorf("the first plan (-want +got):\n%s", d)
	}
	s.workers = all(4)
	moved := 0
	for n := 1; ; n++ {
		wants := lease.PlanMoves(s.workers, &s.shards)
		if len(wants) == 0 {
			break
		}
		if len(wants) > lease.MaxMoves {
			t.Errorf("%d moves at once", len(wants))
		}
		for _, w := range wants {
			if w.Worker != 4 {
				t.Errorf("shard %d moves to worker %d", w.Shard, w.Worker)
			}
		}
		moved += len(wants)
		s.apply(wants)
		s.arrive()
	}
	if moved < 230 || moved > 256 {
		t.Errorf("%d shards moved to a fourth worker", moved)
	}
	for i := range s.shards { // a little more here and there
		s.shards[i].Load = 1000 + 60*(s.shards[i].Owner%2)
	}
	if wants := lease.PlanMoves(s.workers, &s.shards); len(wants) > 0 {
		t.Errorf("%d shards move for six hundredths", len(wants))
	}
}

// TestPlanOfAGiant: a shard that costs more than all others together moves nowhere, and has a worker for itself.
func TestPlanOfAGiant(t *testing.T) {
	t.Parallel()
	s := &situation{workers: all(4)}
	for i := range s.shards {
		s.shards[i].Owner, s.shards[i].Load = int64(i%4+1), 1000
	}
	s.shards[100].Load = 10_000_000
	owner := s.shards[100].Owner
	if err := s.converge(); err != nil {
		t.Fatal(err)
	}
	if s.shards[100].Owner != owner {
		t.Error("the giant has moved")
	}
	if n := s.counts()[owner]; n > 16 {
		t.Errorf("%d shards are beside the giant", n)
	}
}

func BenchmarkPlan(b *testing.B) {
	s := &situation{workers: all(8)}
	for b.Loop() {
		lease.PlanMoves(s.workers, &s.shards)
	}
}
