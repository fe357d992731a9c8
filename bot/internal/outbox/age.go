package outbox

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
)

// What is in doubt may be called again when its request cannot arrive any more. If each incarnation counted that anew, a bot that ends again and
// again would never get there; so how long ago a request was given up is stored beside its action, and the next owner goes on from there. It is a
// duration by a steady clock, brought up to date while the action is in doubt: what the clock on the wall says does not count, and the time between
// two incarnations counts where the machine can tell it, on one boot.
//
// That duration is about one request. Before another one of the action leaves it is taken away, or a crash right behind that request would let
// the next incarnation count from the one before.

// Age is how long ago the last request of an action in doubt was given up.
type Age struct {
	GivenUp time.Duration // below 0: how soon it will be, at the latest
	Boot    string        // of the machine where that was so; see Config.Boot
	Steady  time.Duration // and when; see Config.Steady
}

// ageEvery is how often ages are brought up to date.
const ageEvery = 2 * time.Second

// aging is an action whose age is kept.
type aging struct {
	gaveUp time.Time
	enough bool // what is stored says that it cannot arrive any more: more would tell nothing
}

// gaveUpAt returns when a request was given up whose age is stored, by the clock of this process. Of one without an age only its last possible moment is
// known, that of the death of its process: it left before this incarnation began, and is given up within its deadline.
func (c *Config) gaveUpAt(age Age, known bool, now time.Time) time.Time {
	if !known {
		return now.Add(c.Deadline) //mutate:gave-up-unknown
	}
	ago := age.GivenUp
	if c.Boot != "" && age.Boot == c.Boot { //mutate:age-boot
		ago += max(0, c.Steady()-age.Steady) //mutate:age-clock
	}
	return now.Add(-ago)
}

// ageLocked keeps the age of an item that is in doubt, from a time on.
func (a *Account) ageLocked(ctx context.Context, d *delivery, in time.Duration) {
	if a.ages == nil {
		a.ages = map[*delivery]*aging{}
	}
	a.ages[d] = &aging{gaveUp: d.gaveUp}
	d.aged = true
	if !a.aging && a.workers.Begin() {
		a.aging = true
		go a.keepAges(ctx, in)
	}
}

// keepAges brings ages up to date as long as there are any.
func (a *Account) keepAges(ctx context.Context, pause time.Duration) {
	defer a.workers.End()
	for ; a.workers.Sleep(ctx, pause); pause = ageEvery {
		ctx := a.dispatcher.yield(ctx, func() string { return fmt.Sprintf("ages %s", a.cfg.Account) })
		a.mu.Lock()
		if len(a.ages) == 0 {
			a.aging = false
			a.mu.Unlock()
			return
		}
		some := false
		for _, d := range slices.SortedFunc(maps.Keys(a.ages), func(x, y *delivery) int { return strings.Compare(x.Key, y.Key) }) {
			some = a.storeAgeLocked(d) || some
		}
		a.mu.Unlock()
		if some {
			_ = a.dispatcher.cfg.Ledger.MarkNow(ctx) // what cannot be stored now is with the next time
		}
	}
}

// storeAgeLocked stores the age of an item lazily, if it has one. With the lock held: what takes it away is stored behind it.
func (a *Account) storeAgeLocked(d *delivery) bool {
	x := a.ages[d]
	if x == nil || x.enough {
		return false
	}
	c := &a.dispatcher.cfg
	age := Age{GivenUp: time.Since(x.gaveUp), Boot: c.Boot, Steady: c.Steady()}
	x.enough = age.GivenUp >= c.Grace
	c.Ledger.QueueMarks(Mark{Account: a.cfg.Account, Key: d.Key, Age: &age})
	return true
}

// takeAge takes the age of an item away, before a request of it leaves.
func (a *Account) takeAge(ctx context.Context, d *delivery) error {
	if !d.aged { //mutate:age-taken
		return nil
	}
	a.mu.Lock()
	delete(a.ages, d)
	a.mu.Unlock()
	// Durable before the request leaves: with the next commit it would come too late for a crash right behind it.
	if err := a.dispatcher.cfg.Ledger.MarkNow(ctx, a.markOf(d)); err != nil { //mutate:age-durable
		return notAsked{fmt.Errorf("store that %s leaves again: %w", d.Key, err)}
	}
	d.aged = false
	return nil
}

// markOf returns the mark that stores an item as it stands, which is in doubt no more.
func (a *Account) markOf(d *delivery) Mark {
	m := MarkOf(&d.Action)
	m.Ageless = d.aged
	return m
}

// The request of an action stands in the recorder's file from before its first byte leaves until its end is stored. So after a death of the
// process what is sending, and is not there, has not left: it leaves at once.

// recordDeparture tells by an error that a request of an action must not leave now; otherwise it is recorded that it does.
func (a *Account) recordDeparture(ctx context.Context, d *delivery) error {
	if a.mayLeave(ctx, d, inHand).Then != Leave {
		return notAsked{errKept}
	}
	if d.slot == 0 { //mutate:recorder-departs
		d.slot = a.dispatcher.cfg.Recorder.Begin(recorder.OnWire, string(d.Account), d.Key)
	}
	return nil
}

// recordNoRequest notes that no request of an action is on its way any more, and that none has had an effect.
func (a *Account) recordNoRequest(d *delivery) {
	a.dispatcher.cfg.Recorder.Clear(d.slot)
	d.slot = 0
}

// lastLeft tells of actions that the last incarnation has left open, by position, which of them may have left.
func (a *Account) lastLeft(open []event.Action) []bool {
	left := make([]bool, len(open))
	// What this incarnation has sent in an earlier term, the report of the last one cannot know.
	_, again := a.dispatcher.served.LoadOrStore(a.cfg.Account, true)
	behind := map[orderingKey]bool{}
	for i := len(open) - 1; i >= 0; i-- {
		key := keyOf(&open[i])
		// What is before one of its queue that has left has left, too, also when the file says something else.
		left[i] = again || behind[key] || a.dispatcher.cfg.Last.HasLeft(string(open[i].Account), open[i].Key) //mutate:recorder-left
		behind[key] = left[i]
	}
	return left
}
