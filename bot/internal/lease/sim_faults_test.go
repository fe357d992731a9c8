package lease_test

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/lease/leasetest"
)

type word = uint64

// bitset has a bit for each shard.
type bitset [event.Shards / 64]word

// faults is what all processes have in common, and what befalls them.
type faults struct {
	draw  dice
	board *lease.Memory
	began time.Time

	mu           sync.Mutex
	db           time.Duration  // how much the database's clock is ahead
	stalled      time.Time      // until when the database stands still
	slow         []time.Time    // by slot: until when answers take long
	cut          []time.Time    // by slot: until when it does not reach the database, once slow is over
	lossy        time.Time      // until when calls get lost more often
	incarnations []*incarnation // the present ones, by slot
	all          int
	wrongs       []string
	running      sync.WaitGroup

	judge judge
}

func (s *faults) now() time.Duration { return time.Since(s.began) }

// wrong notes what must not be.
func (s *faults) wrong(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wrongs) < 10 {
		s.wrongs = append(s.wrongs, fmt.Sprintf("%v: ", s.now())+fmt.Sprintf(format, args...))
	}
}

var errLost = errors.New("lost on the way")

// travel is the way of a call, or of its answer.
func (s *faults) travel(ctx context.Context, l *incarnation, what string) error {
	what = fmt.Sprint(what, " ", l.number)
	time.Sleep(s.draw.span(0, 30*time.Millisecond, "delay "+what, s.now()))
	for {
		s.mu.Lock()
		until, lost, slow := s.stalled, 100, s.slow[l.slot].After(time.Now())
		if s.cut[l.slot].After(until) && !slow {
			until = s.cut[l.slot]
		}
		if s.lossy.After(time.Now()) {
			lost = 8
		}
		s.mu.Unlock()
		if l.isKilled() && ctx.Err() != nil && s.draw.roll(2, "dead "+what, s.now()) == 0 {
			return errKilled
		}
		wait := time.Until(until)
		if slow && strings.HasPrefix(what, "back") {
			time.Sleep(s.draw.span(time.Second, 1400*time.Millisecond, "slow "+what, s.now()))
		}
		if wait <= 0 {
			if s.draw.roll(lost, "lost "+what, s.now()) == 0 {
				return errLost
			}
			return nil
		}
		// Some calls are refused, some are kept until the way is free, and arrive late.
		if s.draw.roll(3, "refused "+what, s.now()) == 0 {
			time.Sleep(min(wait, s.draw.span(0, time.Second, "refusal "+what, s.now())))
			return errLost
		}
		time.Sleep(wait)
	}
}

// begin begins an incarnation in a slot.
func (s *faults) begin(ctx context.Context, slot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all++
	what := fmt.Sprint("life ", s.all)
	l := &incarnation{
		faults: s, slot: slot, number: s.all, ended: make(chan struct{}), well: time.Now().Add(time.Hour),
	}
	l.clock = leasetest.NewClock(&l.ice, s.draw.span(0, time.Hour, "base "+what, s.now()), int64(980+s.draw.roll(41, "speed "+what, s.now())),
		s.draw.span(-2*time.Second, 2*time.Second, "wall "+what, s.now()))
	l.guard = lease.NewGuard(l.clock.Seen())
	if s.draw.roll(3, "bomb "+what, s.now()) > 0 {
		l.bomb = leasetest.NewDeadman(l.clock, func() {
			if !l.isKilled() {
				s.struck(l)
			}
		})
	}
	ctx, l.stop = context.WithCancel(ctx)
	s.incarnations[slot] = l
	s.running.Go(func() { l.live(ctx) })
	s.running.Go(func() { // whoever looks after processes starts them again
		<-l.ended
		l.stop()
		time.Sleep(s.draw.span(0, 12*time.Second, "again "+what, s.now()))
		if !s.judge.isOver() {
			s.begin(context.WithoutCancel(ctx), slot)
		}
	})
}

// quietTime is how long it may take until what has befallen somebody is over.
const quietTime = 8 * time.Second

// struck is the death of a process that stood still.
func (s *faults) struck(l *incarnation) {
	s.judge.disturbed()
	l.kill()
}

// incarnation returns the present incarnation of a slot.
func (s *faults) incarnation(slot int) *incarnation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.incarnations[slot]
}

func (b *bitset) set(i int, on bool) {
	if on {
		b[i/64] |= 1 << (i % 64)
	} else {
		b[i/64] &^= 1 << (i % 64)
	}
}

// both returns a shard that is in both; -1 for none.
func (b *bitset) both(c *bitset) int {
	for i := range b {
		if w := b[i] & c[i]; w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

func (b *bitset) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}
