//go:build unix

package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/bare"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/crowd"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// works is where a demo of workers plays: a platform with several accounts, a server of PostgreSQL, and a hand for each worker.
type works struct {
	*stage
	database *demoDatabase
	address  string // of the platform
	accounts []event.Account
	ids      []platform.UserID
	crowds   []*crowd.Crowd
	hands    []*hand
	plan     []*Incident
	screen   io.Writer // for what happens; nil for nowhere
	since    time.Time

	choosing, restarting, deploying sync.Mutex // guards nothing: one incident of its kind at a time
	running                         sync.WaitGroup
	ending                          chan struct{} // closed when no worker is started any more

	mu           sync.Mutex // guards the fields below
	incarnations int
	spent        expense
	polled       map[event.Account]bool
	all          chan struct{} // closed when all accounts have been polled
	past         []*Incident
	doubts       []Doubt
	ended        int
	err          error
}

// runWorkers plays a demo of workers, and returns the verdict.
func (d Demo) runWorkers(ctx context.Context, screen io.Writer, log io.Writer) (Report, error) {
	w, err := newWorks(ctx, d, screen)
	if err != nil {
		return Report{}, err
	}
	defer w.close()
	return w.playWorks(ctx, log)
}

func newWorks(ctx context.Context, d Demo, screen io.Writer) (_ *works, err error) {
	w := &works{screen: screen, ending: make(chan struct{}), polled: map[event.Account]bool{}, all: make(chan struct{}), since: time.Now()}
	if w.database, err = newDemoDatabase(d); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.stage, err = newStage(ctx, d); err != nil {
		return nil, err
	}
	// Before any worker: the tables, and the trigger that refuses writes to others' shards, which is to see the first of them, too.
	if err := w.prepare(ctx); err != nil {
		return nil, err
	}
	address, err := url.Parse(w.server.BaseURL())
	if err != nil {
		return nil, fmt.Errorf("the platform's address: %w", err)
	}
	w.address = address.Host
	for n := range d.Accounts {
		name := event.Account(fmt.Sprintf("bot%02d", n+1))
		w.accounts = append(w.accounts, name)
		w.ids = append(w.ids, w.platform.AddAccount(emulator.Person{Username: string(name), FirstName: "Bot"}, shopEmail(name), demoPassword))
	}
	if d.IsDisturbed() {
		w.plan = d.DrawIncidents()
	}
	for n := range d.Workers {
		w.hands = append(w.hands, &hand{works: w, slot: n})
	}
	return w, nil
}

// prepare makes the tables, and lets the database refuse what no worker may write.
func (w *works) prepare(ctx context.Context) error {
	server := w.database.currentServer()
	if err := admin.Prepare(ctx, server.URL("")); err != nil {
		return err
	}
	if err := server.Exec(ctx, pgserver.OwnersOnly); err != nil || w.demo.Failovers == 0 {
		return err
	}
	return w.database.addStandby(ctx)
}

// close ends all that was started.
func (w *works) close() {
	w.endWorkers(syscall.SIGKILL)
	if w.stage != nil {
		w.stage.close()
	}
	w.database.close()
}

// endWorkers ends all workers by a signal, and returns when they are over.
func (w *works) endWorkers(by syscall.Signal) {
	w.mu.Lock()
	if !w.isOver() {
		close(w.ending)
	}
	w.mu.Unlock()
	for _, h := range w.hands {
		if l := h.currentIncarnation(); l != nil {
			l.excuseEnd()
			l.signal(by)
			l.signal(syscall.SIGCONT)
		}
	}
	w.running.Wait()
}

func (w *works) isOver() bool { return isClosed(w.ending) }

// playWorks lets people write and workers answer, while the faults that were drawn befall them.
func (w *works) playWorks(ctx context.Context, log io.Writer) (Report, error) {
	w.gather()
	if err := w.open(ctx); err != nil {
		return Report{}, err
	}
	began := w.platform.Ledger().Len()
	faults, _ := emulator.ParseFaults(w.demo.Faults) // checked with the flags
	w.platform.SetFaults(faults)
	reads := w.platform.Calls("get_messages")
	watch, endWatch := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	w.watch(watch, &watchers, nil, log, began)
	defer watchers.Wait()
	defer endWatch()
	started := time.Now()
	if err := w.live(ctx); err != nil {
		return Report{}, err
	}
	for _, id := range w.ids {
		if err := judge.AwaitQuiet(ctx, w.platform, demoExpect(id, began), w.missingPatience()); err != nil {
			return Report{}, err
		}
	}
	took := w.answerSpan(began, started)
	w.waitForDoubles(ctx) // a second copy would come late
	w.endWorkers(syscall.SIGTERM)
	w.database.close()
	if err := w.firstFailure(); err != nil {
		return Report{}, err
	}
	w.mu.Lock()
	spent := w.spent
	w.mu.Unlock()
	cost := demoCost{spent, took, w.platform.Calls("get_messages") - reads}
	return w.judgeAll(began, cost), nil
}

// gather makes the people of each account.
func (w *works) gather() {
	d := w.demo
	for n, id := range w.ids {
		cfg := crowd.Config{
			Seed: d.Seed + uint64(n)<<32, People: partSize(d.People, d.Accounts, n), Messages: partSize(d.Messages, d.Accounts, n), Account: id,
			Wait: d.Wait || d.Lively, Patience: 2 * time.Minute, Reactions: !d.Wait, Replies: demoExpect(id, 0).Replies,
		}
		switch {
		case len(w.plan) > 0: // they write as long as something happens: bursts, and moods, make it more than the mean tells
			cfg.Pauses = ExpectedTime(w.plan, d.Workers, d.TrackCount()) * time.Duration(4*d.People) / time.Duration(3*d.Messages)
			cfg.Messages *= 4
		case d.Lively:
			cfg.Pauses = 10 * time.Second * time.Duration(d.People) / time.Duration(d.Messages)
		}
		w.crowds = append(w.crowds, crowd.New(w.platform, cfg))
	}
}

// partSize returns part number n of so many, which are as equal as can be.
func partSize(all, parts, n int) int {
	if n < all%parts {
		return all/parts + 1
	}
	return all / parts
}

// open lets the workers begin, and returns when all accounts have been polled.
func (w *works) open(ctx context.Context) error {
	for _, h := range w.hands {
		l, err := h.start(h.newName()) //nolint:contextcheck // a worker outlives what has started it
		if err != nil {
			return err
		}
		h.setIncarnation(l)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	select {
	case <-w.all:
	case <-ctx.Done():
		return errors.Join(errors.New("the workers do not serve all accounts"), w.firstFailure())
	}
	for len(w.plan) == 0 && !w.isShared() && ctx.Err() == nil && w.firstFailure() == nil {
		bare.Wait(ctx, 100*time.Millisecond)
	}
	return w.firstFailure()
}

// isShared reports whether each worker serves accounts, as many as there may be.
func (w *works) isShared() bool {
	least := w.demo.Accounts / w.demo.Workers / 2 // chance has put them into shards
	for _, h := range w.hands {
		if w.door.servedCount(h.currentIncarnation().number) < least {
			return false
		}
	}
	return true
}

// live lets people write until all has happened; or until they have said everything, where nothing is to happen.
func (w *works) live(ctx context.Context) error {
	speaking, quiet := context.WithCancel(ctx)
	defer quiet()
	var crowds sync.WaitGroup
	errs := make([]error, len(w.crowds))
	for n, c := range w.crowds {
		crowds.Go(func() { errs[n] = c.Run(speaking) })
	}
	if len(w.plan) > 0 {
		w.playIncidents(ctx)
		quiet()
	}
	crowds.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(w.plan) > 0 {
		return nil // they were told to be quiet
	}
	return errors.Join(errs...)
}
