//go:build unix

package demo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/bare"
)

// playIncidents lets everything happen that was drawn, one after another on each track.
func (w *works) playIncidents(ctx context.Context) {
	queue := make(chan *Incident)
	var tracks sync.WaitGroup
	for range w.demo.TrackCount() {
		tracks.Go(func() {
			for i := range queue {
				bare.Wait(ctx, i.pause)
				w.happen(ctx, i)
			}
		})
	}
	for _, i := range w.plan {
		select {
		case queue <- i:
		case <-ctx.Done():
		}
	}
	close(queue)
	tracks.Wait()
}

// happen lets one incident happen, and returns when its worker may be struck again.
func (w *works) happen(ctx context.Context, i *Incident) {
	if ctx.Err() != nil {
		return
	}
	switch i.Kind {
	case ByRestart, byFill, byFailover:
		w.ofDatabase(ctx, i)
	case ByDeploy:
		w.deploy(ctx)
	default:
		h := w.victim(ctx, i)
		if h == nil {
			return
		}
		defer h.free()
		w.inflict(ctx, i, h.currentIncarnation())
		bare.Wait(ctx, time.Until(i.At.Add(incidentRest)))
	}
}

// victim returns a worker for an incident, when there is one that is well and serves accounts, and another one besides; nil when ctx ends before.
func (w *works) victim(ctx context.Context, i *Incident) *hand {
	for ctx.Err() == nil {
		w.choosing.Lock()
		var free []*hand
		for _, h := range w.hands {
			if h.takeHand(true) {
				free = append(free, h)
			}
		}
		var chosen *hand
		// One that serves nothing would be missed by nobody, and the last one that is well has nobody who could take over.
		busy := slices.DeleteFunc(slices.Clone(free), func(h *hand) bool { return w.door.servedCount(h.currentIncarnation().number) == 0 })
		if len(busy) > 0 && len(free) > min(1, len(w.hands)-1) {
			chosen = busy[i.draw%len(busy)]
		}
		for _, h := range free {
			if h != chosen {
				h.free()
			}
		}
		// All under one lock: two incidents that choose at once would each see as taken what the other one only looks at.
		w.choosing.Unlock()
		if chosen != nil {
			return chosen
		}
		bare.Wait(ctx, 100*time.Millisecond)
	}
	return nil
}

// inflict lets something befall a worker.
func (w *works) inflict(ctx context.Context, i *Incident, l *workerIncarnation) {
	i.Incarnation = l.number
	served := w.door.servedCount(l.number)
	i.At = time.Now()
	switch i.Kind {
	case ByKill:
		w.tellProgress("%s is killed; it serves %d accounts", l.name, served)
		l.excuseEnd()
		l.signal(syscall.SIGKILL)
		<-l.done
	case ByFreeze:
		w.tellProgress("%s stands still for %.1f s; it serves %d accounts", l.name, i.Lasts.Seconds(), served)
		l.excuseEnd() // its own timer may end it
		l.signal(syscall.SIGSTOP)
		l.rest(ctx, i.Lasts)
		l.signal(syscall.SIGCONT)
	case ByCut:
		w.tellProgress("%s loses its way to the database for %.1f s; it serves %d accounts", l.name, i.Lasts.Seconds(), served)
		roads := []*road{l.database}
		if i.draw%4 == 0 {
			roads = append(roads, l.platform)
		}
		w.cut(ctx, i, l, roads...)
	default:
		w.tellProgress("%s loses its way to the platform for %.1f s; it serves %d accounts", l.name, i.Lasts.Seconds(), served)
		w.cut(ctx, i, l, l.platform)
	}
	i.Until = time.Now()
	w.noteIncident(i)
}

// rest waits, unless the worker is over before.
func (w *workerIncarnation) rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-w.done:
	case <-ctx.Done():
	}
}

// cut cuts roads for a while: half of the time so that nobody is told.
func (w *works) cut(ctx context.Context, i *Incident, l *workerIncarnation, roads ...*road) {
	for _, r := range roads {
		if i.draw%2 == 0 {
			r.StallAll()
		} else {
			r.CutAll()
		}
	}
	l.rest(ctx, i.Lasts)
	for _, r := range roads {
		r.RepairRoad(r == l.platform)
	}
}

// deploy puts a new worker into the place of each, one after another: the new one is there before the old one goes.
func (w *works) deploy(ctx context.Context) {
	w.deploying.Lock()
	defer w.deploying.Unlock()
	for _, h := range w.hands {
		for !h.takeHand(false) {
			if bare.Wait(ctx, 100*time.Millisecond); ctx.Err() != nil {
				return
			}
		}
		w.replace(ctx, h)
		h.free()
	}
}

// leavePatience is how long a worker that is to go may take.
const leavePatience = time.Minute

// replace puts a new worker into a hand.
func (w *works) replace(ctx context.Context, h *hand) {
	var fresh *workerIncarnation
	name := h.newName()
	for fresh == nil || !fresh.isReady() { // the database may be away when it begins
		if ctx.Err() != nil {
			return
		}
		var err error
		if fresh, err = h.start(name); err != nil { //nolint:contextcheck // a worker outlives what has started it
			w.fail(err)
			return
		}
		select {
		case <-fresh.ready:
		case <-fresh.done:
			bare.Wait(ctx, handRest)
		}
	}
	old := h.currentIncarnation()
	h.setIncarnation(fresh)
	if fresh.isOver() {
		w.running.Go(func() { h.replaceWorker(fresh) }) //nolint:contextcheck // a worker outlives what has started it
	}
	old.excuseEnd()
	i := &Incident{Kind: ByDeploy, Incarnation: old.number, At: time.Now()}
	w.tellProgress("%s comes, and %s goes; it serves %d accounts", fresh.name, old.name, w.door.servedCount(old.number))
	old.signal(syscall.SIGTERM)
	if old.rest(ctx, leavePatience); !old.isOver() && ctx.Err() == nil {
		w.fail(fmt.Errorf("%s was told to go, and has not gone for %v", old.name, leavePatience))
	}
	i.Until = time.Now()
	w.noteIncident(i)
}
