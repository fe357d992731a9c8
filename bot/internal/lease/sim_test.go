package lease_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// TestSeeds: one to four workers whose processes are killed, frozen, cut off, restarted and starved, whose clocks drift and are set,
// and whose database stands still at times. No shard ever has two workers that may act for it, whoever is well is never taken over,
// and whatever befalls a worker, its shards are served elsewhere within ten seconds.
func TestSeeds(t *testing.T) {
	t.Parallel()
	first, last := 1, *seeds
	switch {
	case *seed > 0:
		first, last = *seed, *seed
	case last == 0 && effort.Few():
		last = 4
	case last == 0:
		last = 25
	}
	var took, longest atomic.Int64
	t.Run("seed", func(t *testing.T) {
		for n := first; n <= last; n++ {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				effort.Case(t)
				synctest.Test(t, func(t *testing.T) {
					s := newFaults(dice(n), 1+n%4)
					wrongs := s.run(t.Context(), n%4 > 0)
					for _, w := range wrongs {
						t.Error(w)
					}
					took.Add(int64(s.judge.took))
					for v := int64(s.judge.longest); longest.Load() < v; {
						longest.Store(v)
					}
				})
			})
		}
	})
	t.Logf("%d seeds, shards taken %d times; the longest without anybody, while somebody was well: %v", last-first+1, took.Load(), time.Duration(longest.Load()))
}

func newFaults(draw dice, workers int) *faults {
	s := &faults{draw: draw, began: time.Now(), cut: make([]time.Time, workers), slow: make([]time.Time, workers), incarnations: make([]*incarnation, workers)}
	s.board = lease.NewMemory(func() time.Time {
		s.mu.Lock()
		defer s.mu.Unlock()
		return time.Now().Add(s.db)
	})
	s.judge.calm = time.Now()
	return s
}

const (
	troubles = 80 * time.Second  // how long things happen
	rest     = 110 * time.Second // and how long nothing does: the longest freeze, a stall, a new incarnation, and some time to become even
	still    = 15 * time.Second  // in which nothing moves any more
)

// run runs a simulation, and returns what was wrong.
func (s *faults) run(ctx context.Context, several bool) []string {
	for slot := range s.incarnations {
		s.begin(ctx, slot)
	}
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		s.watch(20 * time.Millisecond)
	}()
	s.befall(ctx, troubles)
	time.Sleep(rest)
	s.judge.mu.Lock()
	took := s.judge.took
	s.judge.mu.Unlock()
	time.Sleep(still)
	s.judge.mu.Lock()
	if s.judge.took != took {
		go s.wrong("%d shards move although nothing happens", s.judge.took-took)
	}
	s.judge.mu.Unlock()
	counts := make([]int, len(s.incarnations))
	for slot := range s.incarnations {
		holds, _ := s.incarnation(slot).open()
		counts[slot] = holds.count()
	}
	if sum := sumOf(counts); sum != event.Shards || several && (slices.Max(counts)-slices.Min(counts))*len(counts)*8 > event.Shards {
		s.wrong("in the end workers have %v shards", counts)
	}
	s.judge.end()
	<-watching
	for slot := range s.incarnations {
		s.incarnation(slot).kill()
	}
	s.running.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrongs
}

func sumOf(all []int) (sum int) {
	for _, n := range all {
		sum += n
	}
	return sum
}
