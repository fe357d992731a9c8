package bot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// crashRepeated is why a trigger was quarantined that has ended the process again and again; tries says how often.
const crashRepeated event.ReasonCode = "crash.repeated"

const (
	countPause = 100 * time.Millisecond // until a death that could not be stored is stored, twice as long with each try
	countFor   = 30 * time.Second       // that this is tried
)

// deathError is the error of a trigger that has ended the process so often.
type deathError int

func (e deathError) Error() string {
	return fmt.Sprintf("the process died %d times while it ran, and nothing else did", int(e))
}

// whyFailed is the reason of a try that failed, as far as there is a code for it.
func whyFailed(err error) event.Reason {
	if n, ok := errors.AsType[deathError](err); ok {
		return event.Because(crashRepeated, "tries", strconv.Itoa(int(n)))
	}
	return ""
}

// countDeaths counts of which of the account's triggers the process has died, before any of them runs again, and drops those from the suspects whose
// turn is stored.
func (a *account) countDeaths(ctx context.Context) error {
	g := a.bot.suspects.Load()
	if g == nil {
		return nil
	}
	for _, s := range g.ofAccount(a.name) {
		decided, err := a.bot.store.IsDecided(ctx, a.name, s.id)
		if err != nil {
			return err
		}
		if decided {
			g.dropSuspect(s)
			continue
		}
		if !s.died {
			continue
		}
		tries := a.deathsOf(s.id) + 1
		if err := a.keepSuspect(ctx, store.Suspect{Account: a.name, Trigger: s.id, Deaths: tries}); err != nil {
			return fmt.Errorf("count that the process died of %s: %w", s.id, err)
		}
		a.noteTried(s.id, tries)
		// From here on the file does not count it.
		a.bot.store.Recorder().ChangeState(s.slot, recorder.Interrupted)
		s.died = false
		a.bot.log.ErrorContext(ctx, "the bot died while one handler ran alone", "account", a.name, "trigger", s.id, "times", tries)
	}
	return nil
}

// keepSuspect stores how many tries of a trigger the process has died of. Where the disk refuses that for a moment it is tried again: a start that ends by it would
// leave everybody without an answer.
func (a *account) keepSuspect(ctx context.Context, s store.Suspect) error {
	over := time.Now().Add(countFor)
	for pause := countPause; ; pause *= 2 {
		err := a.bot.store.KeepSuspect(ctx, s)                                          //mutate:suspect-count
		if err == nil || time.Now().After(over) || lifecycle.Sleep(ctx, pause) != nil { //mutate:suspect-count-again
			return err
		}
	}
}

// ofAccount returns the suspects of an account. Nothing of it runs yet.
func (ss *suspects) ofAccount(account event.Account) (all []*suspect) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, s := range ss.left {
		if s.account == account {
			all = append(all, s)
		}
	}
	return all
}

func (ss *suspects) dropSuspect(s *suspect) {
	ss.bot.store.Recorder().Clear(s.slot)
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.forgetLocked(s)
	ss.noteChange()
}

// noteTried notes that an earlier incarnation has tried a trigger, and how often the process died of it.
func (a *account) noteTried(id string, deaths int) {
	if a.tried == nil {
		a.tried = map[string]*atomic.Int32{}
	}
	n := a.tried[id]
	if n == nil {
		n = new(atomic.Int32)
		a.tried[id] = n
	}
	n.Store(int32(deaths))
}

// deathsOf returns how often the process has died of a trigger.
func (a *account) deathsOf(id string) int {
	if n := a.tried[id]; n != nil {
		return int(n.Load())
	}
	return 0
}

// forgetDeaths forgets that for a trigger that is quarantined: a person may let it be tried again.
func (a *account) forgetDeaths(id string) {
	if n := a.tried[id]; n != nil {
		n.Store(0)
	}
}

// runsCode reports whether the turn of a job runs code of handlers. What people decide does not, and waits for nobody's.
func (j *job) runsCode() bool {
	if j.deaths >= maxTries {
		return false
	}
	q := j.trigger.Request
	return j.trigger.Kind != event.ByRequest || q != nil && q.Wish == event.WishTell
}

// admitsLocked reports whether a turn may begin beside what may have ended the process.
func (b *Bot) admitsLocked(l *lane) bool {
	g := b.suspects.Load()
	return g == nil || g.mayRun(l) //mutate:suspect-gate
}

// recordLocked puts a trigger into the file before its code runs, and returns with what context it does. What comes anew with each start is not there: it would never come again.
func (b *Bot) recordLocked(ctx context.Context, a *account, j *job) context.Context {
	r := b.store.Recorder()
	if r == nil && j.solo == nil || !j.runsCode() {
		return ctx
	}
	state := recorder.Running
	if j.solo != nil {
		state = j.solo.state
	}
	switch {
	case j.slot != 0:
		r.ChangeState(j.slot, state)
	case j.trigger.Kind != event.ByNudge:
		var buf [64]byte
		j.slot = r.Begin(state, string(a.name), string(appendID(buf[:0], &j.trigger))) //mutate:suspect-recorded
	}
	if j.solo == nil {
		return ctx
	}
	j.solo.beginRun(j.slot)
	return context.WithValue(ctx, soloKey{}, j.solo)
}

// appendID appends what Trigger.ID returns.
func appendID(b []byte, t *event.Trigger) []byte {
	if t.Kind != event.ByEvent {
		return append(b, t.ID()...)
	}
	b = append(b, t.Event.ID.Source.String()...)
	b = append(b, ':')
	return strconv.AppendInt(b, t.Event.ID.Number, 10)
}

// unrecordLocked notes that the turn of a trigger is stored, or that its code has to run again.
func (b *Bot) unrecordLocked(j *job, stored bool) {
	r := b.store.Recorder()
	if now, s := j.solo, j.suspect; now != nil || s != nil {
		j.solo = nil
		if stored {
			now.endRun(recorder.Interrupted)
		} else {
			now.fails()
		}
		suspectsOf(now, s).noteEnd(now, s, stored)
	}
	switch {
	case stored:
		r.End(j.slot)
	case j.suspect == nil:
		r.Clear(j.slot)
	default: // it is still to run alone
		r.ChangeState(j.slot, recorder.Interrupted)
		return
	}
	j.slot, j.suspect = 0, nil
}

// triedOnceLocked returns what takes a trigger out of the file whose try has failed, once that is stored. By then the next try may run.
func (b *Bot) triedOnceLocked(j *job) (stored func()) {
	now, s, slot := j.solo, j.suspect, j.slot
	j.solo, j.suspect, j.slot = nil, nil, 0
	return func() {
		now.endRun(recorder.Running)
		if now != nil || s != nil {
			suspectsOf(now, s).noteEnd(now, s, true)
		}
		b.store.Recorder().Clear(slot)
	}
}

// suspectsOf returns the suspects of what runs alone, or is one.
func suspectsOf(now *solo, s *suspect) *suspects {
	if now != nil {
		return now.of
	}
	return s.of
}

// forgetLane takes what is in a lane that is gone out of the file, but for what is still to run alone.
func (b *Bot) forgetLane(l *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, jobs := range [][]*job{l.queue, l.inFlight, l.toRetry} {
		for _, j := range jobs {
			if !j.suspect.isLeft() { //mutate:suspect-stays
				b.store.Recorder().Clear(j.slot)
			}
			j.slot = 0
		}
	}
}

// solo is a trigger that runs while no other code does, as it stands in the file, or in the store where workers share it.
type solo struct {
	of      *suspects
	suspect *suspect      // nil: it only stands before one
	stored  store.Suspect // where workers share a database
	overran bool          // it has had its time, and still runs; the lock of the suspects guards it

	mu     sync.Mutex // guards the fields below
	state  recorder.State
	slot   recorder.Slot
	asks   int  // for how many answers it waits
	closed bool // its turn is on its way into the store, or there
	over   bool
}

type soloKey struct{}

func (s *solo) beginRun(slot recorder.Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slot = slot
}

// noteDecided notes that what its turn has decided is handed to the store, with which all that stands there of it goes.
func (s *solo) noteDecided() {
	if s != nil && s.of.shared != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closed = true
	}
}

// endRun notes how it stands from now on, when it does not run alone any more. nil is one that never has.
func (s *solo) endRun(state recorder.State) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		s.keepLocked(state)
	}
}

// fails is endRun for a turn that is not stored, although it may have been handed to the store.
func (s *solo) fails() {
	if s != nil {
		s.mu.Lock()
		s.closed = false
		s.mu.Unlock()
		s.endRun(recorder.Interrupted)
	}
}

// keepLocked notes how it stands, and returns what is closed when that will outlive the process.
func (s *solo) keepLocked(state recorder.State) <-chan struct{} {
	kept := make(chan struct{})
	if s.of.shared == nil || s.closed {
		s.of.bot.store.Recorder().ChangeState(s.slot, state)
		close(kept)
		return kept
	}
	x := s.stored
	x.Alone = state == recorder.Alone
	if !s.suspect.lane.account.storeSuspect(&x, func(error) { close(kept) }) {
		close(kept)
	}
	return kept
}

// noteCall notes that the code of a turn waits for the platform, or for the store, until it is called what it returns. A death meanwhile is not that turn's.
func noteCall(ctx context.Context) (answered func()) {
	s, _ := ctx.Value(soloKey{}).(*solo)
	if s == nil {
		return func() {}
	}
	s.change(1)
	return func() {
		if kept := s.change(-1); kept != nil { // or the code would end the process, and nobody would know of what
			select {
			case <-kept:
			case <-ctx.Done():
			}
		}
	}
}

// change notes that it waits for one answer more, or less; it returns what is closed when that stands where it outlives the process, nil where nothing has
// changed.
func (s *solo) change(by int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.asks > 0
	s.asks += by
	if asks := s.asks > 0; asks != before && !s.over && s.state == recorder.Alone {
		state := recorder.Alone
		if asks {
			state = recorder.Asking //mutate:suspect-asking
		}
		return s.keepLocked(state)
	}
	return nil
}

// recoverTried reads of which triggers an earlier incarnation has recorded something that no row of an event counts.
// left says that the last worker of the account has ended without handing it over.
func (a *account) recoverTried(ctx context.Context, left bool) error {
	list, err := a.bot.store.Facts(ctx, a.name, store.Tried)
	if err != nil {
		return err
	}
	for i := range list {
		a.noteTried(list[i].Name, store.SuspectOf(a.name, &list[i]).Deaths)
	}
	if a.bot.leased.Load() {
		return a.recoverSuspects(ctx, list, left)
	}
	return a.countDeaths(ctx)
}
