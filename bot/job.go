package bot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

const (
	maxTries   = 5
	maxTrying  = 2 * time.Minute
	waitPause  = 5 * time.Second  // while what a turn reads cannot be read
	patience   = 30 * time.Minute // for what is not told by a platform that tells everything else
	quarantine = "quarantined"

	longestPause = 15 * time.Minute // a longer Retry-After is not believed
)

// tryPauses are the pauses after the first, second … try that failed; together they stay below
// maxTrying.
var tryPauses = [maxTries - 1]time.Duration{time.Second, 5 * time.Second, 20 * time.Second, 60 * time.Second}

// job is a trigger in a lane.
type job struct {
	trigger        event.Trigger
	since          time.Time // when it came into the lane
	track          *track    // the batch that it came with; nil for timers and what was pending at start
	tries          int
	first          time.Time     // when the first try began, if that failed
	began          time.Time     // when this try began
	waited         time.Duration // for what the platform does not tell
	cannotBeStored bool          // what the turn decided can never be stored
	denied         []string      // limits whose limit uses were denied to the turn
	facts          []event.Fact  // that its turn has recorded, also when the turn failed
	storedFacts    int           // how many of them are stored
	commitTurn     *store.Turn   // on its way, when turns behind it ask for what it decided
	waitsForRetry  bool          // waits before its next try; what people decide passes it, so the lane may run
	note           string        // what its decision record has to say
	deaths         int           // how often the process died of it, in earlier incarnations

	// The lane guards these.
	slot    recorder.Slot // where it stands in the recorder's file while its code runs
	suspect *suspect      // nil: it is none
	solo    *solo         // nil: it does not run alone

	room      int  // that it takes among the deliveries; 0 for none
	forgotten bool // its person was forgotten since: it has no handler
}

// timeLeft returns how long this try may take.
func (j *job) timeLeft() time.Duration {
	if j.first.IsZero() {
		return maxTrying
	}
	return max(time.Second, maxTrying-time.Since(j.first))
}

// isUrgent reports whether the item does not wait behind others: what a person decides has to take effect
// while an event before it is tried again and again.
func (j *job) isUrgent() bool { return j.trigger.Kind == event.ByRequest }

// queueRank orders what waits in a lane. What waits for the outbox lets decisions pass that the outbox waits for.
func (j *job) queueRank() int {
	switch {
	case !j.isUrgent():
		return 2
	case j.waitsForRetry && j.trigger.Request != nil && j.trigger.Request.Wish == event.WishForget: //mutate:forget-rank
		return 1
	}
	return 0
}

// tryOnce lets a trigger have its turn, unless the process has died of it too often.
func (b *Bot) tryOnce(ctx context.Context, l *lane, r *run, j *job) error {
	if j.deaths >= maxTries { //mutate:suspect-quarantine
		return deathError(j.deaths)
	}
	return b.runTurn(ctx, l, r, j)
}

// retryOrQuarantine decides what happens after a turn that did not come about: again later, or quarantine.
func (b *Bot) retryOrQuarantine(ctx context.Context, l *lane, r *run, j *job, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run != r || ctx.Err() != nil {
		return
	}
	r.job = nil
	if try, ok := errors.AsType[*tryError](err); ok {
		j.facts = try.facts //mutate:try-facts
	}
	//mutate:hopeless
	if isOutside(err) && !j.hopeless(l.account, err) { // not the handler's fault: it waits as long as it takes
		if !j.first.IsZero() {
			j.first = j.first.Add(time.Since(j.began) + pauseAfter(err)) // this time does not count
		}
		b.unrecordLocked(j, false)
		b.keepFactsLocked(l, j, time.Now()) //mutate:waiting-facts
		b.waitLocked(ctx, l, j, pauseAfter(err))
		return
	}
	b.triedLocked(ctx, l, j, err)
}

// tryError is the error of a turn that did not come about, with the facts that it had recorded: the
// next try sees the same.
type tryError struct {
	error
	facts []event.Fact
}

func (e *tryError) Unwrap() error { return e.error }

// abandonHandler leaves a hanging handler behind and goes on with the lane, unless it has returned meanwhile.
func (b *Bot) abandonHandler(ctx context.Context, l *lane, r *run, j *job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run != r || r.job != j { //mutate:abandon
		return
	}
	if ctx.Err() != nil { // its account's term is over
		return
	}
	l.endRunLocked()
	b.abandoned.Add(1)
	if l.state() == laneBroken {
		b.restartLocked(ctx, l)
		return
	}
	b.triedLocked(ctx, l, j, errAbandoned)
	b.startLocked(ctx, l)
}

// triedLocked counts a try that failed. After the last one the event or timer is quarantined: recorded,
// visible, and the conversation goes on without it.
func (b *Bot) triedLocked(ctx context.Context, l *lane, j *job, err error) {
	now := time.Now()
	why := whyFailed(err)
	if why == "" {
		j.tries++
	}
	tries := j.tries + j.deaths
	if j.first.IsZero() {
		j.first = j.began
	}
	last := tries >= maxTries || isPermanent(err) || now.Add(tryPauses[j.tries-1]).Sub(j.first) >= maxTrying //mutate:permanent
	rec := event.DecisionRecord{Outcome: OutcomeFailed, Note: fmt.Sprintf("try %d: %v", tries, err), Why: why}
	if last {
		rec.Outcome = quarantine
		l.account.forgetDeaths(j.trigger.ID()) //mutate:suspect-forgiven
	}
	if last || j.tries == 1 {
		b.logFailure(l.key.Account, j.trigger.ID(), rec.Outcome, err)
	}
	b.counted.countTurn(&j.trigger, rec.Outcome)
	var done func(store.Receipt)
	if last {
		l.launchLocked()
		done = func(r store.Receipt) { b.commitEnded(ctx, l, r) }
	} else {
		stored := b.triedOnceLocked(j)
		done = func(store.Receipt) { stored() }
		b.waitLocked(ctx, l, j, tryPauses[j.tries-1])
	}
	if l.sequence == nil {
		l.sequence = &store.Sequence{}
	}
	if j.trigger.Kind == event.ByRequest || j.trigger.Kind == event.ByNudge {
		if last { // it has no row to be quarantined in: it comes to nothing, and its decision record says why
			b.store.Commit(store.Write{Turn: &store.Turn{Trigger: j.trigger, Facts: j.facts, Record: rec, At: now, Sequence: l.sequence}, Done: done})
		} else {
			b.store.Commit(store.Write{Done: done})
		}
		return
	}
	//mutate:attempt
	a := &store.Attempt{Event: j.trigger.Event, Tries: j.storedTries(last), Quarantined: last, Facts: j.facts, Record: rec, At: now, Sequence: l.sequence}
	if j.trigger.Kind == event.ByTimer { //mutate:timer-attempt
		a.Timer = &j.trigger.Timer
	}
	if last {
		a.Notices = []event.Notice{quarantineNotice(j, err, now)} //mutate:called-quarantine
	}
	b.store.Commit(store.Write{Attempt: a, Cursors: j.track.withEvents(), Done: done})
}

// storedTries returns how many tries are stored with a trigger: those of which the process died stand beside it until the last one.
func (j *job) storedTries(last bool) int {
	if last {
		return j.tries + j.deaths
	}
	return j.tries
}

// logFailure logs the first failure of a trigger, and its end.
func (b *Bot) logFailure(account event.Account, trigger, outcome string, err error) {
	attrs := []any{"account", account, "trigger", trigger, "outcome", outcome, "err", err}
	var p *PanicError
	if errors.As(err, &p) && outcome == OutcomeFailed {
		b.log.Error("a handler panicked", append(attrs, "stack", string(p.Stack))...)
		return
	}
	b.log.Error("a handler failed", attrs...)
}

// isOutside reports whether an error comes from the platform or the store being out of reach.
func isOutside(err error) bool {
	if errors.As(err, new(waitError)) {
		return true
	}
	if isPermanent(err) { // as the handler says
		return false
	}
	//mutate:slot-wait
	return platform.Classify(err) == platform.NotNow || lacksSession(err) ||
		errors.As(err, new(storeError)) || errors.As(err, new(slotError))
}

// lacksSession reports whether there was no session to ask the platform with.
func lacksSession(err error) bool {
	return errors.As(err, new(*platform.SessionError)) || errors.Is(err, platform.ErrNoSession) ||
		errors.As(err, new(*session.PausedError)) || errors.As(err, new(*session.ParkedError))
}

// hopeless reports whether a turn has waited for too long for what the platform does not tell, in any words. A
// time in which the poller got no answers does not count, nor does one without a session.
func (j *job) hopeless(a *account, err error) bool {
	//mutate:account-out
	if platform.Classify(err) != platform.NotNow || lacksSession(err) || a.IsPlatformDown() {
		return false
	}
	j.waited += time.Since(j.began) + pauseAfter(err)
	return j.waited > patience
}

// pauseAfter returns how long a turn waits that could not read what it has to: as long as the platform wishes,
// within bounds.
func pauseAfter(err error) time.Duration {
	if own, ok := errors.AsType[waitError](err); ok {
		return own.pause
	}
	return min(max(waitPause, platform.RetryAfter(err)), longestPause)
}

// storeError is an error of reading the store.
type storeError struct{ error }

func (e storeError) Unwrap() error { return e.error }

// quarantineNotice is what people of ours are told of a trigger that could not be handled.
func quarantineNotice(j *job, why error, now time.Time) event.Notice {
	t, id := &j.trigger, j.trigger.ID()
	d := event.Details{Ask: "The conversation goes on without it. Find out why with nectar why " + id + ", then let it be tried again:", Do: "nectar events retry " + id}
	if t.Kind == event.ByEvent {
		d.Name, d.User = t.Event.Name, t.Event.User
	}
	if t.Kind == event.ByTimer {
		d.Ask = "The conversation goes on without it. Let it be tried again:"
	}
	return event.Notice{
		Account: t.Key.Account, ID: id + "/quarantine/" + fmt.Sprint(now.UnixMicro()), Who: event.Everybody, Peer: t.Key.Peer, At: now,
		Kind: event.CallQuarantine, Text: fmt.Sprintf("%s could not be handled: %v", id, why), Details: d.Encode(),
	}
}

// keepFactsLocked stores what a try recorded that is not counted in the store, since it waits for the platform: after a
// crash, too, the next one sees the same.
func (b *Bot) keepFactsLocked(l *lane, j *job, now time.Time) {
	n := len(j.facts)
	if n <= j.storedFacts {
		return
	}
	a := &store.Attempt{Event: j.trigger.Event, Facts: j.facts, At: now, Sequence: l.sequence}
	switch t := &j.trigger; t.Kind {
	case event.ByTimer:
		a.Timer = &t.Timer
	case event.ByRequest:
		if a.Request = t.Request; a.Request == nil { //mutate:own-tried
			return // it is decided of what nobody reads
		}
	case event.ByNudge:
		return // it does not come again after a crash
	case event.ByEvent:
	}
	b.store.Commit(store.Write{Attempt: a, Done: func(r store.Receipt) {
		if r.Err == nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			j.storedFacts = n
		}
	}})
}

// hasTried reports whether an earlier incarnation has recorded something for the trigger without counting the try.
func (a *account) hasTried(t *event.Trigger) bool {
	if len(a.tried) == 0 {
		return false
	}
	_, ok := a.tried[t.ID()]
	return ok
}
