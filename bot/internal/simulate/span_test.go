package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/recorder"
)

// drawSpan lets the bot of some runs live for a moment only, again and again, as one does that a service manager starts anew each time that it
// dies: what it has in doubt has to come to an end all the same.
func (p *plan) drawSpan() {
	dice := rand.New(rand.NewPCG(p.seed, 0x6c69766573))
	if dice.IntN(4) == 0 {
		p.span = []time.Duration{8 * time.Second, 20 * time.Second}[dice.IntN(2)]
		p.stopped = dice.IntN(2) == 0
	}
}

// machine is what an incarnation runs on. Behind a long pause it is another boot, whose clock says nothing about the one before.
func (s *simulation) machine() recorder.Machine {
	if s.fate().after > reboot {
		s.boots++
		s.booted = time.Now()
	}
	booted := s.booted
	return recorder.Machine{Boot: fmt.Sprint("boot ", s.boots), Steady: func() time.Duration { return time.Since(booted) }}
}

// reboot is how long a pause lasts in which the machine is started anew.
const reboot = 30 * time.Second

// over returns when the present incarnation has lived long enough; zero for never.
func (s *simulation) over() time.Time {
	if s.plan.span == 0 || s.incarnation == nil || s.peace.Load() {
		return time.Time{}
	}
	return s.incarnation.born.Add(s.plan.span)
}

// dies ends an incarnation that has lived long enough.
func (s *simulation) dies(ctx context.Context) error {
	s.incarnation.born = time.Now() // one that is about to die is not asked twice
	if s.plan.stopped && s.incarnations%2 == 0 {
		return s.restart(ctx)
	}
	s.off(0)
	return nil
}
