package poll

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

const (
	longestBackOff = time.Minute
	longestHold    = 15 * time.Minute // a longer Retry-After is not believed
	failsToReport  = 3                // in a row, before the log hears of it
	keptPause      = time.Second      // while this process keeps everything back
)

// health says whether a source works, and when it may be tried again.
type health struct {
	fails   int // in a row
	retryAt time.Time
	doze    *doze // nil while it works
}

// noteCycle takes the outcome of a cycle. The platform answered a call of the account at good, the last time.
func (h *health) noteCycle(cfg *Config, err error, good time.Time) {
	if err == nil {
		*h = health{}
		return
	}
	now := time.Now()
	if errors.Is(err, platform.ErrUnsent) { //mutate:kept-back
		h.retryAt = now.Add(keptPause)
		return
	}
	if h.fails == 0 {
		h.doze = &doze{since: now}
	}
	h.fails++
	h.retryAt = now.Add(max(h.doze.fail(cfg, now, good, err), min(platform.RetryAfter(err), longestHold))) //mutate:retry-after
	// What is wrong with the session, its keeper tells, once for everybody.
	h.doze.loud = h.fails >= failsToReport && !errors.Is(err, platform.ErrNoSession)
}

// logHealth logs when a source of the account fails, with the first failure of the cycle, and when all work
// again.
func (p *Poller) logHealth(ctx context.Context, failures []error) {
	working, loud, since := true, false, time.Now()
	for _, s := range p.sources {
		h := s.health()
		if h.fails == 0 {
			continue
		}
		working, loud = false, loud || h.doze.loud
		if h.doze.since.Before(since) {
			since = h.doze.since
		}
	}
	account := slog.String("account", string(p.cfg.Account))
	switch {
	case loud && p.outage == 0 && len(failures) > 0:
		p.outage = since.UnixMilli()
		p.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "polling fails", account, slog.Any("error", failures[0]))
	case working && p.outage != 0:
		p.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "polling works again", account, slog.Duration("after", time.Since(time.UnixMilli(p.outage)).Round(time.Second)))
		p.outage = 0
	}
}

// firstBackOff is the pause after the first failure, if it is no shorter than the shortest.
func firstBackOff(cfg *Config) time.Duration { return max(min(cfg.Interval, time.Second), shortest) }

// backOff returns the pause after so many failures in a row, at least one: base after the first, and
// twice as long after each further one.
func backOff(base time.Duration, fails int) time.Duration {
	return pauseAfter(base, fails, longestBackOff)
}

// pauseAfter is backOff with another longest pause.
func pauseAfter(base time.Duration, fails int, longest time.Duration) time.Duration {
	pause := max(base, shortest)
	for range fails - 1 {
		if pause >= longest {
			break
		}
		pause *= 2
	}
	return min(pause, longest) //mutate:back-off
}

// unhealthyAfter is how long evidence has to last before a source counts as unhealthy.
const unhealthyAfter = 5 * time.Minute

// sourceHealth gathers what reports whether a source hears. Times are Unix milliseconds, 0 for never.
type sourceHealth struct {
	mu        sync.Mutex // guards the fields below
	lastGood  int64
	lastEvent int64

	fails   int32
	lasts   bool  // rows of the list do not vanish by themselves
	full    bool  // it had rows
	failing int64 // since when
	cause   string

	looked        int64 // when the list was last read
	still         still
	polls, failed uint32 // since the start
	setBack       uint32 // cursors that were, since the start

	list *extent // nil: no chat list was read

	empty int64 // since when it has none any more
	long  int64 // since when a reading goes on that has come to no end for minutes

	doubts *doubts // nil while there are none: idle accounts are small
}

// extent is how much of the chat list arrived.
type extent struct {
	platform.ChatList
	cut   platform.CutBy
	since int64 // when the first list in a row was cut
}

// doubts are about the messages of chats.
type doubts struct {
	hidden doubt // reads that should have shown something
	blind  doubt // sweeps that should have found nothing
	unread doubt // reads that failed
}

// doubt counts what should not happen, until what should happens.
type doubt struct {
	times       int
	since, last int64
}

// add notes that it happened once more.
func (d *doubt) add(now int64) {
	if d.times++; d.times == 1 {
		d.since = now
	}
	d.last = now
}

// doubtTimes is how often something must happen that should not.
const doubtTimes = 3

// sure reports whether it happened often enough, for long enough.
func (d *doubt) sure() bool {
	return d.times >= doubtTimes && d.last-d.since >= unhealthyAfter.Milliseconds()
}

// still watches the newest row of a list.
type still struct {
	row   uint64 // which one, and what it shows, with its age
	since int64  // when it first showed that
	unit  int64  // of its age; 0 where that is not understood
}

// noteEnd takes the outcome of a poll.
func (e *sourceHealth) noteEnd(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.polls++
	now := time.Now().UnixMilli()
	if err == nil {
		e.lastGood, e.fails, e.failing, e.cause = now, 0, 0, ""
		return
	}
	e.failed++
	if e.fails++; e.fails == 1 {
		e.failing = now
	}
	e.cause = err.Error()
}

// noteReading notes since when a reading goes on that has come to no end for minutes; zero: none does.
func (e *sourceHealth) noteReading(began time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.long = 0; !began.IsZero() {
		e.long = began.UnixMilli()
	}
}

// noteEvents notes that so many events were delivered.
func (e *sourceHealth) noteEvents(events int) {
	if events == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lastEvent = time.Now().UnixMilli()
}

// noteReset counts a cursor that was set back.
func (e *sourceHealth) noteReset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.setBack++
}

// noteNewestRow takes the newest row of a list, and the age it shows. A list without rows has neither.
func (e *sourceHealth) noteNewestRow(row uint64, age string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now().UnixMilli()
	e.looked = now
	if row == 0 {
		e.still = still{}
		if e.lasts && e.full && e.empty == 0 {
			e.empty = now
		}
		return
	}
	e.full, e.empty = true, 0
	// With its age: a list whose newest row does not even grow older is one that is not made anew.
	row = row*31 + uint64(textHash(age))
	if row == e.still.row {
		return
	}
	_, unit, _ := parseAge(age)
	e.still = still{row: row, since: now, unit: unit.Milliseconds()}
}

// noteMeasured takes how much of the chat list arrived.
func (e *sourceHealth) noteMeasured(list platform.ChatList, cut *platform.Cut) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.list == nil {
		e.list = &extent{}
	}
	e.list.ChatList = list
	switch {
	case cut == nil:
		e.list.cut, e.list.since = "", 0
		return
	case e.list.cut == "":
		e.list.since = time.Now().UnixMilli()
	}
	e.list.cut = cut.By
}

// noteChat takes the outcome of reading a chat: how many messages of the peer and of the account were new,
// whether the chat list had counted more unread ones, and whether it had shown nothing.
func (e *sourceHealth) noteChat(fresh, own int, counted, unshown bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now().UnixMilli()
	if fresh > 0 && !unshown {
		// What a hint has announced was read, so all that spoke against this source is explained.
		e.doubts = nil
		return
	}
	if d := e.doubts; d != nil {
		d.unread = doubt{}
	}
	switch {
	case fresh > 0:
		e.doubtLocked().hidden = doubt{}
		e.doubts.blind.add(now)
	case own > 0 && e.doubts != nil:
		e.doubts.hidden = doubt{}
	case own == 0 && counted:
		e.doubtLocked().hidden.add(now)
	}
}

// noteUnreadable notes that a chat could not be read.
func (e *sourceHealth) noteUnreadable(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.doubtLocked().unread.add(time.Now().UnixMilli())
	e.cause = err.Error()
}

// doubtLocked returns the doubts.
func (e *sourceHealth) doubtLocked() *doubts {
	if e.doubts == nil {
		e.doubts = &doubts{}
	}
	return e.doubts
}

// healthAt returns how well the source hears at now. The poll under way last got on at moved, 0 for none.
func (e *sourceHealth) healthAt(source event.Source, now time.Time, moved int64) event.SourceHealth {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := event.SourceHealth{
		Source: source, LastGood: timeOfMilli(e.lastGood), LastEvent: timeOfMilli(e.lastEvent), Failures: int(e.fails), Polls: int(e.polls),
		Failed: int(e.failed), SetBack: int(e.setBack), ReadingSince: timeOfMilli(e.long),
	}
	if x := e.list; x != nil {
		h.List, h.Cut, h.CutSince = x.ChatList, x.cut, timeOfMilli(x.since)
	}
	var since int64
	if h.Unhealthy, since = e.unhealthyLocked(now.UnixMilli(), moved); h.Unhealthy == "" {
		return h
	}
	h.UnhealthySince = timeOfMilli(since)
	if h.Unhealthy == event.UnhealthyFailing || h.Unhealthy == event.UnhealthyUnread {
		h.Cause = e.cause
	}
	return h
}

// unhealthyLocked weighs the evidence.
func (e *sourceHealth) unhealthyLocked(now, moved int64) (why string, since int64) {
	after := unhealthyAfter.Milliseconds()
	switch {
	case moved != 0 && now-moved >= after:
		return event.UnhealthyStuck, moved
	case e.fails >= failsToReport && now-e.failing >= after:
		return event.UnhealthyFailing, e.failing
	case e.still.unit > 0 && e.looked-e.still.since >= after+2*e.still.unit:
		return event.UnhealthyStale, e.still.since //mutate:unhealthy-still
	case e.empty != 0 && e.looked-e.empty >= after:
		return event.UnhealthyEmpty, e.empty
	case e.doubts == nil:
		return "", 0
	}
	for _, d := range []struct {
		doubt
		why string
	}{{e.doubts.unread, event.UnhealthyUnread}, {e.doubts.hidden, event.UnhealthyHidden}, {e.doubts.blind, event.UnhealthyBlind}} {
		if d.sure() {
			return d.why, d.since
		}
	}
	return "", 0
}

// timeOfMilli returns the time of Unix milliseconds, zero for 0.
func timeOfMilli(milli int64) time.Time {
	if milli == 0 {
		return time.Time{}
	}
	return time.UnixMilli(milli)
}

// Health returns how well each source is heard, in the order messages, notifications, mentions. It
// may be called at any time.
func (p *Poller) Health() []event.SourceHealth {
	now := time.Now()
	all := make([]event.SourceHealth, len(p.sources))
	for i, s := range p.sources {
		all[i] = s.sourceHealth().healthAt(s.id(), now, p.moved.Load())
	}
	return all
}
