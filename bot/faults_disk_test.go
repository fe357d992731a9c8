package bot_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// disk is where the store's commits go.
type disk struct {
	mu    sync.Mutex
	err   error
	tries int // commits that failed
}

// commit makes a commit, or fails it. It is a bottest.Config.Commit.
func (d *disk) commit(commit func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		d.tries++
		return d.err
	}
	return commit()
}

// fill makes all commits fail with err; nil makes room again. It returns how many failed before.
func (d *disk) fill(err error) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
	return d.tries
}

var errDiskFull = errors.New("there is no room left: make room on the disk: database or disk is full (13)")

// While nothing can be stored nothing is done, and afterwards everything: whether the bot lives to see
// it, is stopped in between, or is killed.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, after := range map[string]func(*bottest.World, *disk){
		"room again": func(_ *bottest.World, d *disk) { d.fill(nil) },
		"killed":     func(w *bottest.World, d *disk) { w.CrashStop(); d.fill(nil); w.Start() },
		"stopped": func(w *bottest.World, d *disk) {
			w.Faults(emulator.Faults{}) // a stop cannot store how things ended: it may leave something open
			w.Stop()
			d.fill(nil)
			w.Start()
		},
		"killed, and full": func(w *bottest.World, d *disk) { w.CrashStop(); w.Start(); w.Advance(time.Minute); d.fill(nil) },
	} {
		if !effort.Some(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var s network
			var d disk
			bottest.Run(t, bottest.Config{
				Routes: answers(func() error { return nil }), Transport: s.over, Commit: d.commit,
				Platform: emulator.Config{SessionTTL: 10 * time.Minute}, // it is renewed while nothing can be stored
				Bot:      bot.Config{PollInterval: time.Second, Pace: &event.Pace{}, Concurrency: lanesOpen},
			}, func(w *bottest.World) { fullFor(t, w, &s, &d, after) })
		})
	}
}

func fullFor(t *testing.T, w *bottest.World, s *network, d *disk, after func(*bottest.World, *disk)) {
	t.Helper()
	since, before := w.Platform().Ledger().Len(), len(lines(w.Log()))
	people := make([]*bottest.Person, 8)
	for i := range people {
		people[i] = w.Person(fmt.Sprintf("guest%02d", i))
		people[i].Says("early")
	}
	people[0].Hears() // some answers are on their way
	d.fill(errDiskFull)
	w.Advance(2 * time.Second) // what had left has ended
	began, sent := time.Now(), w.Platform().Calls("send_message")
	for minute := range 10 {
		for i := range people {
			people[i].Says(fmt.Sprintf("at minute %d", minute))
		}
		people[0].Mentions(fmt.Sprintf("look %d", minute))
		w.Advance(time.Minute)
	}
	if n := w.Platform().Calls("send_message") - sent; n > 0 {
		t.Errorf("%d messages were sent that are stored nowhere", n)
	}
	if n := d.fill(errDiskFull); n > 10*240 {
		t.Errorf("%d commits were tried in 10 minutes", n)
	} else {
		t.Logf("%d commits tried, %d calls made", n, len(s.since(began)))
	}
	if got := lines(w.Log())[before:]; len(got) > 3 {
		t.Errorf("%d lines in the log:\n%s", len(got), strings.Join(got, "\n"))
	}
	after(w, d)
	w.Advance(5 * time.Minute)
	if v := judge.Platform(w.Platform(), livelyExpect(w, since)); !v.OK() || v.Replies != 88 {
		t.Errorf("%v\n%s\n%s", v, strings.Join(v.Details, "\n"), strings.Join(lines(w.Log()), "\n"))
	}
}
