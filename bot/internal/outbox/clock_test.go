package outbox_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// However little or much the clock was set back over a restart, and however often: what waits in the
// store leaves before what is decided later, in its order, and at once.
func TestClockSetBackOverRestarts(t *testing.T) {
	t.Parallel()
	for _, back := range []time.Duration{time.Millisecond, 30 * time.Second, 5 * time.Minute} {
		t.Run(fmt.Sprint(back), func(t *testing.T) {
			effort.Case(t)
			slow := event.Pace{Account: event.Rate{PerSecond: 0.0001, Burst: 1}}
			inWorld(t, setup{pace: slow}, func(w *world) {
				ana := w.person("ana")
				want := []string{}
				for incarnation := range 3 {
					for i := range 4 {
						want = append(want, fmt.Sprint(incarnation, " ", i))
						w.decide(w.message(ana, want[len(want)-1]))
						time.Sleep([]time.Duration{0, time.Microsecond, time.Second, back}[i])
					}
					w.crash()
					if incarnation < 2 {
						w.disk.later(back + time.Second)
					} else {
						w.pace = event.Pace{}
					}
					w.start()
				}
				w.decide(w.message(ana, "last"))
				w.rest(time.Minute)
				w.same("arrived", append(want, "last"), w.arrived(ana))
			})
		})
	}
}

// However many wait, all of them are due again.
func TestClockSetBackWithManyWaiting(t *testing.T) {
	t.Parallel()
	slow := event.Pace{Account: event.Rate{PerSecond: 0.0001, Burst: 1}}
	inWorld(t, setup{pace: slow}, func(w *world) {
		w.crash()
		ana := w.person("ana")
		for i := range 2200 {
			a := w.message(ana, fmt.Sprint(i))
			a.State, a.Position = event.StateDue, int64(i)
			a.Due = time.Now().Add(-time.Hour)
			if i >= 1100 {
				a.Due = time.Now().Add(time.Hour + time.Duration(i/10)*time.Microsecond)
			}
			a.DecidedAt = a.Due
			w.disk.rows[a.Key] = stored(a)
		}
		w.start()
		time.Sleep(time.Second)
		due, err := w.ledger.DueActions(w.ctx, account, time.Now(), nil, 3000)
		must(err)
		texts := w.arrived(ana)
		for _, a := range due {
			texts = append(texts, a.Text)
		}
		w.same("arrived or due", numbers(2200), texts)
	})
}

// later makes everything on the disk as much later, as if the clock was set back.
func (d *disk) later(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for k, a := range d.rows {
		for _, t := range []*time.Time{&a.Due, &a.DecidedAt, &a.LeftAt, &a.EndedAt} {
			if !t.IsZero() {
				*t = t.Add(by)
			}
		}
		d.rows[k] = a
	}
}

// A clock that was ahead for a moment makes nothing leave before its time.
func TestTimedAfterTheClockWasAhead(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inWorld(t, setup{}, func(w *world) {
		ana := w.person("ana")
		ahead := w.messages(ana, "now")
		reserved := w.outbox.Reserve(ahead, time.Now().Add(24*time.Hour)) // the clock said so
		must(w.ledger.commit(w.ctx, ahead, nil))
		reserved.Commit(w.ctx)
		w.rest(time.Minute)
		later := w.message(ana, "in ten hours")
		later.Due = time.Now().Add(10 * time.Hour)
		w.decide(later)
		time.Sleep(time.Minute)
		w.decide(w.message(ana, "at once"))
		time.Sleep(10*time.Hour - 2*time.Minute)
		w.same("before", []string{"now", "at once"}, w.arrived(ana))
		time.Sleep(2 * time.Minute)
		w.same("after", []string{"now", "at once", "in ten hours"}, w.arrived(ana))
	})
}
