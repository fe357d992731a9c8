package lease_test

import (
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// judge sees everything, at every moment, by the true time.
type judge struct {
	mu       sync.Mutex
	epochs   [event.Shards]int64     // the last that somebody took a shard with
	since    [event.Shards]time.Time // when a shard was served last; zero while it is
	by       [event.Shards]int       // the incarnation that served it last
	served   bitset
	calm     time.Time // since when nothing has befallen anybody
	over     bool
	took     int
	handOver []time.Duration // how long shards had no owner while nothing befell anybody
	longest  time.Duration   // that a shard was without one while one of them was well
}

// recovery is when shards have to be served again, at the latest, after something has befallen their worker.
const recovery = 10 * time.Second

func (j *judge) isOver() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.over
}

func (j *judge) end() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over = true
}

// disturbed notes that something has befallen somebody.
func (j *judge) disturbed() { j.disturbedUntil(time.Now()) }

func (j *judge) disturbedUntil(t time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if t.After(j.calm) {
		j.calm = t
	}
}

// moved sees that somebody takes shards.
func (l *incarnation) moved(shards []lease.Holding) {
	j := &l.judge
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, h := range shards {
		if h.Epoch < j.epochs[h.Shard] {
			go l.wrong("%s takes shard %d with epoch %d, which had %d", l, h.Shard, h.Epoch, j.epochs[h.Shard])
		}
		j.epochs[h.Shard] = max(h.Epoch, j.epochs[h.Shard])
		j.took++
	}
}

// watch looks at everybody until it is over.
func (s *faults) watch(every time.Duration) {
	for !s.judge.isOver() {
		s.look()
		time.Sleep(every)
	}
}

// look looks at everybody once.
func (s *faults) look() {
	s.mu.Lock()
	incarnations := slices.Clone(s.incarnations)
	s.mu.Unlock()
	now := time.Now()
	var served bitset
	var by []*incarnation
	var open []bitset
	well := time.Time{} // since when somebody is well
	for _, l := range incarnations {
		holds, isOpen := l.open()
		l.mu.Lock()
		if since := l.well; !l.killed && !since.After(now) && (well.IsZero() || since.Before(well)) {
			well = since
		}
		l.mu.Unlock()
		if !isOpen {
			continue
		}
		for i := range open {
			if shard := open[i].both(&holds); shard >= 0 {
				s.wrong("%s and %s may both act for shard %d", by[i], l, shard)
			}
		}
		open, by = append(open, holds), append(by, l)
		if !l.ice.IsFrozen() {
			for i := range served {
				served[i] |= holds[i]
			}
		}
	}
	s.lookAtEpochs(open, by)
	s.lookAtServed(&served, by, open, now, well)
}

// lookAtEpochs finds who acts for a shard that somebody else has taken since.
func (s *faults) lookAtEpochs(open []bitset, by []*incarnation) {
	j := &s.judge
	for n, l := range by {
		for i := range event.Shards {
			if open[n][i/64]&(1<<(i%64)) == 0 {
				continue
			}
			l.mu.Lock()
			epoch := l.epochs[i]
			l.mu.Unlock()
			j.mu.Lock()
			last := j.epochs[i]
			j.mu.Unlock()
			if epoch < last {
				s.wrong("%s acts for shard %d with epoch %d, which had %d", l, i, epoch, last)
			}
		}
	}
}

// lookAtServed looks for how long shards have nobody.
func (s *faults) lookAtServed(served *bitset, by []*incarnation, open []bitset, now, well time.Time) {
	j := &s.judge
	j.mu.Lock()
	defer j.mu.Unlock()
	quiet := j.calm
	if well.After(quiet) {
		quiet = well
	}
	var late []int
	for i := range event.Shards {
		is := served[i/64]&(1<<(i%64)) != 0
		was := j.served[i/64]&(1<<(i%64)) != 0
		switch {
		case is && !was:
			now := s.holder(i, by, open)
			if gap := time.Since(j.since[i]); !j.since[i].IsZero() && now != j.by[i] && j.since[i].Sub(j.calm) > 15*time.Second {
				j.handOver = append(j.handOver, gap)
			}
			j.by[i] = now
		case !is && was:
			j.since[i] = now
		case !is && !well.IsZero():
			from := quiet
			if j.since[i].After(from) {
				from = j.since[i]
			}
			if gap := now.Sub(from); gap > j.longest {
				j.longest = gap
				if gap > recovery {
					late = append(late, i)
				}
			}
		}
	}
	j.served = *served
	if len(late) > 0 {
		go s.wrong("shard %d and %d others are without anybody for %v", late[0], len(late)-1, j.longest)
	}
}

// holder returns the number of the incarnation that serves a shard.
func (s *faults) holder(shard int, by []*incarnation, open []bitset) int {
	for n := range by {
		if open[n][shard/64]&(1<<(shard%64)) != 0 {
			return by[n].number
		}
	}
	return 0
}
