package simulate_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/unclear"
)

// drawUnclear lets a share of the commits have no clear end, in a quarter of the seeds. Its dice are its own: the rest of
// the plan is what it is without it.
func (p *plan) drawUnclear() {
	dice := rand.New(rand.NewPCG(p.seed, 0x756e636c656172))
	if dice.IntN(4) == 0 {
		p.unclear = 2 + dice.Int64N(20)
	}
}

// cable is an incarnation's way to its disk: the answers of some commits are lost, and those of looks what became of them.
type cable struct {
	s       *simulation
	power   *power
	silence int64 // looks that get no answer
	lost    bool  // the answer of the last commit: what comes now is a look
}

var errCable = errors.New("the disk does not answer")

// loose makes the way of an incarnation to its disk, over around.
func (s *simulation) loose(p *power, around func(commit func() error) error) func(commit func() error) error {
	c := &cable{s: s, power: p}
	return func(do func() error) error {
		switch {
		case p.out.Load(), s.plan.unclear == 0, s.peace.Load() && !c.lost:
			return around(do)
		case c.lost:
			return c.look(around, do)
		}
		return c.commit(around, do)
	}
}

// commit makes a commit. It may be made and its answer lost, or not be made, which nobody knows either.
func (c *cable) commit(around func(commit func() error) error, do func() error) error {
	d := c.s.dice.draw(fmt.Sprint("unclear commit of life ", c.power.incarnation))
	if d.n(100) >= c.s.plan.unclear {
		return around(do)
	}
	made := d.n(3) > 0
	if made {
		if err := around(do); err != nil {
			return err
		}
	}
	c.lost, c.silence = true, max(0, d.n(12)-4)
	c.s.doubts.begin()
	c.s.trace.add("life %d: commit %d has no clear end (made: %v, looks without an answer: %d)", c.power.incarnation, d.time, made, c.silence)
	return &unclear.Error{Err: errCable}
}

// look looks what became of a commit.
func (c *cable) look(around func(commit func() error) error, do func() error) error {
	if c.silence > 0 && !c.s.peace.Load() {
		c.silence--
		return errCable
	}
	err := around(do)
	if c.lost = err != nil; !c.lost {
		c.s.doubts.end()
	}
	return err
}

// doubts are the times in which a bot did not know what became of a commit that others may have seen.
type doubts struct {
	mu  sync.Mutex
	all []doubt // guarded by mu
}

// doubt is one of them. It has no end where a crash was quicker.
type doubt struct{ from, until time.Time }

func (d *doubts) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, doubt{from: time.Now()})
}

func (d *doubts) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all[len(d.all)-1].until = time.Now()
}

// over returns when the bot knew what others saw at a time: then, or when its doubt was over.
func (d *doubts) over(seen time.Time) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.all {
		if !seen.Before(x.from) && seen.Before(x.until) {
			return x.until
		}
	}
	return seen
}
