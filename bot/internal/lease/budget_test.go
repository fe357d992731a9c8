package lease_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"pgregory.net/rapid"
)

// TestShares: what workers get together is the rate, none of them gets nothing that wishes something, and none that wishes more gets less.
func TestShares(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0.01, 1000).Draw(t, "rate")
		wishes := map[int64]lease.Wish{}
		for n := range rapid.IntRange(1, 6).Draw(t, "workers") {
			wishes[int64(n)] = lease.Wish{Acts: rapid.Float64Range(0, 500).Draw(t, "acts"), Polls: rapid.Float64Range(0, 500).Draw(t, "polls")}
		}
		sum, acts, polls, shares := 0.0, 0.0, 0.0, lease.DivideRate(rate, wishes)
		for n, w := range wishes {
			sum, acts, polls = sum+shares[n], acts+w.Acts, polls+w.Polls
			if shares[n] <= 0 {
				t.Errorf("one that wishes %+v gets %v of %v", w, shares[n], rate)
			}
			for m, other := range wishes {
				if w.Acts >= other.Acts && w.Polls >= other.Polls && shares[n] < shares[m]*(1-1e-9) {
					t.Errorf("%+v gets %v, and %+v gets %v", w, shares[n], other, shares[m])
				}
			}
		}
		if sum > rate*(1+1e-9) || sum < rate*(1-1e-9) {
			t.Errorf("together they get %v of %v", sum, rate)
		}
		for n, w := range wishes {
			if wanted := w.Acts + w.Polls; acts+polls < rate*0.95 && shares[n] < wanted*(1-1e-9) {
				t.Errorf("%v is not used up, and one that wishes %v gets %v", rate, wanted, shares[n])
			}
			if acts < rate*0.95 && shares[n] < w.Acts*(1-1e-9) {
				t.Errorf("one that acts %v a second gets %v of %v", w.Acts, shares[n], rate)
			}
		}
	})
}

// purse is what a worker gets of a host.
type purse struct {
	rate float64

	mu    sync.Mutex
	wish  lease.Wish
	share float64
	of    float64
	n     int
}

func (p *purse) Rate() float64 { return p.rate }

func (p *purse) Wishes() []lease.Wish {
	p.mu.Lock()
	defer p.mu.Unlock()
	return []lease.Wish{p.wish}
}

func (p *purse) GrantShare(_ string, share, of float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.share, p.of = share, of
}

func (p *purse) SetWorkers(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n = n
}

func (p *purse) has() (share, of float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.share, p.of
}

func (p *purse) wishes(acts, polls float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wish = lease.Wish{Host: "host", Acts: acts, Polls: polls}
}

// saver is a worker with a purse: it holds nothing.
type saver struct {
	*purse
	guard *lease.Guard
	stop  context.CancelFunc
	cut   bool // it does not reach the board
}

// fortune is what dice draw from: also those of several goroutines.
type fortune struct {
	mu sync.Mutex
	of *rand.PCG
}

func newDice(seed uint64) *rand.Rand { return rand.New(&fortune{of: rand.NewPCG(seed, 7)}) }

// Uint64 implements rand.Source.
func (f *fortune) Uint64() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.of.Uint64()
}

// savers are workers that share a host.
type savers struct {
	*testing.T
	board *lease.Memory
	dice  *rand.Rand
	all   sync.WaitGroup

	mu    sync.Mutex
	there map[string]*saver
	peace bool // nothing is late, and nothing gets lost
}

// idle is a holder without accounts.
type idle struct{}

func (idle) TakeShards(context.Context, []lease.Holding)  {}
func (idle) Release(context.Context, int) ([]byte, error) { return nil, nil }
func (idle) EndLost(lease.Loss)                           {}
func (idle) IsEmpty(int) bool                             { return true }

// way is the way of a worker's calls to the board: they and their answers are late, or get lost.
func (s *savers) way(v *saver) func(context.Context, string) error {
	return func(_ context.Context, call string) error {
		s.mu.Lock()
		late, lost := time.Duration(s.dice.Int64N(int64(60*time.Millisecond))), s.dice.IntN(40) == 0
		if s.dice.IntN(50) == 0 {
			late += time.Second
		}
		if call == "ask" && s.dice.IntN(10) == 0 { // nobody waits for it any more when it arrives
			late += 6 * time.Second
		}
		cut := v.cut
		if s.peace {
			late, lost = time.Millisecond, false
		}
		s.mu.Unlock()
		time.Sleep(late)
		if lost || cut {
			return errLost
		}
		return nil
	}
}

// calm ends what goes wrong: from now on nothing is late, lost or cut.
func (s *savers) calm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peace = true
	for _, v := range s.there {
		v.cut = false
	}
}

// end ends all workers, and waits for what is on its way.
func (s *savers) end() {
	for _, v := range s.there {
		v.stop()
	}
	s.all.Wait()
	time.Sleep(5 * time.Second)
}

// comes lets a worker begin; nil when there is one of that name.
func (s *savers) comes(name string, rate float64) *saver {
	clock := lease.GoClock()
	v := &saver{purse: &purse{rate: rate}, guard: lease.NewGuard(clock)}
	s.mu.Lock()
	v.wishes(s.dice.Float64()*20, s.dice.Float64()*200)
	s.there[name] = v
	s.mu.Unlock()
	ctx, stop := context.WithCancel(s.Context())
	v.stop = stop
	s.all.Go(func() {
		board := &lease.Wire{Board: s.board.Board(), Before: s.way(v), After: s.way(v)}
		for ctx.Err() == nil {
			w, err := lease.StartWorker(ctx, lease.Config{
				Card: lease.Card{Name: name}, Board: board, Holder: idle{}, Clock: clock, Guard: v.guard, Budget: v.purse,
			})
			if err == nil {
				_ = w.Run(ctx) // it is as in a crash, or it is lost
				v.GrantShare("host", 0, 0)
			}
		}
	})
	return v
}

// together returns how many requests a second leave: of those whose guard is open.
func (s *savers) together() (sum float64, each map[string]float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	each = map[string]float64{}
	for name, v := range s.there {
		if v.guard.IsOpen() {
			each[name], _ = v.has()
			sum += each[name]
		}
	}
	return sum, each
}

// TestSharesOfWorkers: workers come, die, leaves no mark, are cut off and come back, and wish this and that: what leaves of all of them is
// never more than the host may get. When all is calm, it is all of that, and each has what is its own.
func TestSharesOfWorkers(t *testing.T) {
	t.Parallel()
	seeds := 12
	if effort.Few() {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				shareFor(t, newDice(uint64(seed)))
			})
		})
	}
}

const hostRate = 100

func shareFor(t *testing.T, dice *rand.Rand) {
	t.Helper()
	s := &savers{T: t, board: lease.NewMemory(nil), dice: dice, there: map[string]*saver{}}
	defer s.end()
	s.comes("worker 0", hostRate)
	n := 1
	for until := time.Now().Add(3 * time.Minute); time.Now().Before(until); {
		for range 40 {
			time.Sleep(25 * time.Millisecond)
			if sum, each := s.together(); sum > hostRate*(1+1e-9) {
				t.Fatalf("together they make %v requests a second of %v: %v", sum, hostRate, each)
			}
		}
		s.befall(&n)
	}
	s.calm()
	for _, v := range s.there {
		v.wishes(1, 50)
	}
	time.Sleep(90 * time.Second) // who has come last may be behind for a minute
	if len(s.there) < 2 {
		s.comes(fmt.Sprint("worker ", n), hostRate).wishes(1, 50)
		time.Sleep(10 * time.Second)
	}
	sum, each := s.together()
	even := hostRate / float64(len(s.there))
	for name, share := range each {
		if share < even*0.9 || share > even*1.1 {
			t.Errorf("%s makes %v requests a second, and there are %d: %v", name, share, len(s.there), each)
		}
	}
	if sum < hostRate*0.95 {
		t.Errorf("in the end they make %v requests a second of %v", sum, hostRate)
	}
}

// befall lets something happen to somebody.
func (s *savers) befall(n *int) {
	names := slices.Sorted(maps.Keys(s.there))
	v := s.there[names[s.dice.IntN(len(names))]]
	switch s.dice.IntN(6) {
	case 0:
		if len(names) < 5 {
			s.comes(fmt.Sprint("worker ", *n), hostRate)
			*n++
		}
	case 1:
		if len(names) > 1 { // as in a crash: others find that out
			name := names[s.dice.IntN(len(names))]
			s.there[name].stop()
			s.mu.Lock()
			delete(s.there, name)
			s.mu.Unlock()
		}
	case 2, 3:
		v.wishes(s.dice.Float64()*50, s.dice.Float64()*300)
	case 4:
		s.mu.Lock()
		v.cut = !v.cut
		s.mu.Unlock()
	}
}

// TestDifferentRates: of different settings the smallest one counts, also for a worker without a limit; and when nobody has one, there is
// none.
func TestDifferentRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &savers{T: t, board: lease.NewMemory(nil), dice: newDice(1), there: map[string]*saver{}}
		a := s.comes("a", 0)
		time.Sleep(5 * time.Second)
		if share, of := a.has(); share != 0 || of != 0 {
			t.Errorf("without a limit it gets %v of %v", share, of)
		}
		b := s.comes("b", 100)
		time.Sleep(10 * time.Second)
		c := s.comes("c", 30)
		for _, v := range []*saver{a, b, c} {
			v.wishes(0, 50)
		}
		s.calm() // how long lost calls may hold up a share is not what this is about
		time.Sleep(15 * time.Second)
		for name, v := range map[string]*saver{"a": a, "b": b, "c": c} {
			if share, of := v.has(); of != 30 || share < 9 || share > 11 || v.n != 3 {
				t.Errorf("%s gets %v of %v, of %d", name, share, of, v.n)
			}
		}
		s.end()
	})
}
