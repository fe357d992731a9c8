package lease_test

import (
	"context"
	"fmt"
	"time"
)

// misfortune is something that befalls somebody.
type misfortune func(s *faults, ctx context.Context, l *incarnation, what string)

// misfortunes are all of them, as often as they are to happen.
var misfortunes = []misfortune{
	kill, kill, kill, kill,
	stopShortly, stopShortly, stopShortly,
	stop, stop, stop, stop,
	cutOff, cutOff, cutOff, cutOff,
	stall,
	leave, leave, leave,
	setDatabaseClock,
	setClock, setClock,
	lose,
	drain,
}

func kill(s *faults, _ context.Context, l *incarnation, _ string) {
	s.judge.disturbed()
	l.kill()
}

func stopShortly(s *faults, _ context.Context, l *incarnation, what string) {
	s.freeze(l, s.draw.span(100*time.Millisecond, 3500*time.Millisecond, what, s.now()))
}

func stop(s *faults, _ context.Context, l *incarnation, what string) {
	s.freeze(l, s.draw.span(3500*time.Millisecond, 40*time.Second, what, s.now()))
}

func (s *faults) freeze(l *incarnation, d time.Duration) {
	s.judge.disturbed()
	until := time.Now().Add(d)
	s.mu.Lock()
	if until.Before(s.stalled) {
		until = s.stalled
	}
	s.mu.Unlock()
	l.hurt(until)
	l.ice.Freeze()
	s.running.Go(func() {
		time.Sleep(d)
		l.ice.Thaw()
	})
}

func cutOff(s *faults, _ context.Context, l *incarnation, what string) {
	s.judge.disturbed()
	until := time.Now().Add(s.draw.span(200*time.Millisecond, 20*time.Second, what, s.now()))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draw.roll(2, "slow "+what, s.now()) == 0 {
		s.slow[l.slot] = time.Now().Add(1500 * time.Millisecond)
	}
	s.cut[l.slot] = until
	if until.Before(s.stalled) {
		until = s.stalled
	}
	l.hurt(until)
}

func stall(s *faults, _ context.Context, _ *incarnation, what string) {
	until := time.Now().Add(s.draw.span(500*time.Millisecond, time.Minute, what, s.now()))
	s.judge.disturbedUntil(until)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalled = until
	for _, l := range s.incarnations {
		l.mu.Lock()
		recent := time.Since(l.well) < justice
		l.mu.Unlock()
		if recent { // what was decided about it may arrive late
			l.hurt(until)
		}
	}
}

func leave(s *faults, ctx context.Context, l *incarnation, _ string) {
	l.mu.Lock()
	w := l.worker
	l.mu.Unlock()
	if w == nil {
		return
	}
	l.hurt(time.Now().Add(time.Hour)) // it does not serve for long
	s.running.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		w.LeaveBoard(ctx)
	})
}

func setDatabaseClock(s *faults, _ context.Context, _ *incarnation, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.db = s.draw.span(-2*time.Hour, 2*time.Hour, what, s.now())
}

func setClock(s *faults, _ context.Context, l *incarnation, what string) {
	d := s.draw.span(time.Second, 30*time.Second, what, s.now())
	s.judge.disturbed()
	l.hurt(time.Now().Add(d + quietTime))
	l.clock.Set(s.draw.span(-2*time.Hour, 2*time.Hour, what, s.now()))
	s.running.Go(func() {
		time.Sleep(d)
		l.clock.Set(0)
	})
}

func lose(s *faults, _ context.Context, _ *incarnation, what string) {
	until := time.Now().Add(s.draw.span(time.Second, 10*time.Second, what, s.now()))
	s.judge.disturbedUntil(until)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lossy = until
	for _, l := range s.incarnations { // who loses four in a row has had bad luck
		l.hurt(until)
	}
}

func drain(s *faults, ctx context.Context, l *incarnation, what string) {
	d := s.draw.span(time.Second, 15*time.Second, what, s.now())
	l.hurt(time.Now().Add(d + quietTime))
	name := fmt.Sprint("worker ", l.slot)
	_, _ = s.board.Drain(ctx, name, true)
	s.running.Go(func() {
		time.Sleep(d)
		_, _ = s.board.Drain(ctx, name, false)
	})
}

// befall lets things happen for a while.
func (s *faults) befall(ctx context.Context, during time.Duration) {
	for n := 0; s.now() < during; n++ {
		what := fmt.Sprint("fate ", n)
		time.Sleep(s.draw.span(200*time.Millisecond, 12*time.Second, what, s.now()))
		l := s.incarnation(s.draw.roll(len(s.incarnations), "whose "+what, s.now()))
		if m := misfortunes[s.draw.roll(len(misfortunes), "which "+what, s.now())]; !l.isKilled() && !l.ice.IsFrozen() {
			m(s, ctx, l, what)
		}
	}
}
