//go:build unix

package demo

import (
	"context"
	"syscall"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/bare"
)

// ofDatabase lets something befall the database, one thing at a time. It returns when workers have come over it.
func (w *works) ofDatabase(ctx context.Context, i *Incident) {
	w.restarting.Lock()
	defer w.restarting.Unlock()
	i.At = time.Now()
	err := map[IncidentKind]func(context.Context, *Incident) error{ByRestart: w.restart, byFill: w.fill, byFailover: w.failOver}[i.Kind](ctx, i)
	if err != nil {
		w.fail(err)
		return
	}
	i.Until = time.Now()
	w.noteIncident(i)
	bare.Wait(ctx, incidentRest/2)
	if i.Kind == byFailover && ctx.Err() == nil {
		if err := w.database.addStandby(ctx); err != nil {
			w.fail(err)
		}
	}
}

// restart ends the database, and starts it again after a while.
func (w *works) restart(ctx context.Context, i *Incident) error {
	by := []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL}[i.draw%3]
	w.tellProgress("the database is ended by %v for %.1f s", by, i.Lasts.Seconds())
	if err := w.database.currentServer().End(by); err != nil {
		return err
	}
	bare.Wait(ctx, i.Lasts)
	return w.database.currentServer().Start()
}

// fill lets the disk of the database be full for a while. A server that ends for it is started again, as somebody would who has made room.
func (w *works) fill(ctx context.Context, i *Incident) error {
	w.tellProgress("the disk of the database is full for %.1f s", i.Lasts.Seconds())
	empty, err := w.database.currentServer().FillDisk()
	if err != nil {
		return err
	}
	bare.Wait(ctx, i.Lasts)
	if err := empty(); err != nil {
		return err
	}
	return w.database.currentServer().StartAgain()
}

// failOver lets the standby take the place of the database: of one that was killed, or that nobody reaches any more; or the standby was
// away for a while before, so that no commit could be confirmed.
func (w *works) failOver(ctx context.Context, i *Incident) (err error) {
	switch i.draw % 3 {
	case 0:
		w.tellProgress("the database is killed, and its standby takes its place")
		err = w.database.currentServer().Kill()
	case 1:
		w.tellProgress("nobody reaches the database any more, and its standby takes its place")
		w.database.cutOff()
		for _, h := range w.hands {
			h.currentIncarnation().database.dropConnections()
		}
	default:
		w.tellProgress("the standby of the database is away for %.1f s; then the database is killed, and the standby takes its place", i.Lasts.Seconds())
		err = w.database.killWithoutStandby(ctx, i.Lasts)
	}
	if err != nil {
		return err
	}
	return w.database.failOver(context.WithoutCancel(ctx))
}
