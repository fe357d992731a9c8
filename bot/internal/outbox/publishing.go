package outbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// What an account publishes, own posts, reposts and renewals, may be limited. The commit counts it for the time at which it is to
// leave. What really leaves is decided here: by the fetcher, which leaves in the store what is too close or too much, with a reason,
// and again when a request is about to leave. Both go by what has left, in this incarnation or an earlier one, and what may have. What
// a renewal owes leaves in any case, and counts.

// Publishing is how much an account publishes at most; see bot.Publishing.
type Publishing struct {
	Most   int // 0: as much as it likes
	Within time.Duration
	Apart  time.Duration
	For    string // how the keys begin of those for whom Ahead is kept
	Ahead  []time.Time
}

// farthest is how far back distances are kept at least.
const farthest = 7 * 24 * time.Hour

// reach is how far back it is to be known what was published.
func (p *Publishing) reach() time.Duration { return max(p.Within, p.Apart, farthest) }

// LimitPublishing puts a limit in force, in the place of the one before; nil for none. It may be called at any time, also before Recover.
func (a *Account) LimitPublishing(p *Publishing) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.limit.Swap(p)
	switch {
	case p == nil:
		a.space = space{}
	case before == nil || p.reach() > before.reach():
		a.space.loaded = false
	}
	a.freedLocked()
}

// isLimited reports whether an action is one of those whose publication is limited.
func (a *Account) isLimited(x *event.Action) bool { return a.limit.Load() != nil && x.Publishes() }

// surveyPublished finds out what was published before this incarnation, or before there was a limit, unless that is known.
func (a *Account) surveyPublished(ctx context.Context) error {
	limit := a.limit.Load()
	if limit == nil {
		return nil
	}
	a.mu.Lock()
	known := a.space.loaded
	a.mu.Unlock()
	if known {
		return nil
	}
	if err := a.dispatcher.cfg.Ledger.MarkNow(ctx); err != nil { // what is to be stored at some time
		return fmt.Errorf("store what has ended before reading what was published: %w", err)
	}
	now := time.Now()
	all, err := a.dispatcher.cfg.Ledger.Published(ctx, a.cfg.Account, now.Add(-limit.reach()))
	if err != nil {
		return fmt.Errorf("read what was published: %w", err)
	}
	posts, err := a.PostedSince(ctx)
	if err != nil {
		return fmt.Errorf("read what was published: %w", err)
	}
	all = append(all, a.copied.Load().publications(posts)...)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limit.Load() != limit {
		return nil // it is asked again
	}
	a.space.restore(all, now, now.Add(a.dispatcher.cfg.Deadline+a.dispatcher.cfg.Grace)) //mutate:publishing-restore
	a.space.loaded = true
	return nil
}

// spacedLocked reports whether a due action may be published now as far as others are concerned, and notes what has to wait for them, or waits in vain.
func (a *Account) spacedLocked(ps *scan, action *event.Action) bool {
	if !a.isLimited(action) {
		return true
	}
	at, why := a.space.nextAllowed(a.limit.Load(), action, ps.now, false)
	if at.IsZero() {
		return true
	}
	switch wait := at.Sub(ps.now); {
	case why == reason.Crowd{}: // what is upcoming has to end
		wait = lookAgain
		fallthrough
	case !isLate(action, at):
		ps.noteCrowded(action, wait)
		if waits := why.WaitsUntil(at); why != (reason.Crowd{}) && action.Why != waits {
			reason.Set(action, waits)
			ps.told = append(ps.told, *action)
		}
	default:
		reason.Set(action, why.InVain(at, action.Until))
		ps.vain = append(ps.vain, *action)
	}
	return false
}

// explainWaiting stores why actions of a scan wait for others, and withdraws those that wait in vain.
func (a *Account) explainWaiting(ctx context.Context, ps *scan) error {
	for i := range ps.told {
		a.dispatcher.cfg.Ledger.QueueMarks(markWaiting(&ps.told[i]))
	}
	err := a.withdrawWaiting(ctx, ps.vain, ps.now, func(x *event.Action) event.Reason { return x.Why })
	ps.told, ps.vain = nil, nil
	if err != nil {
		return fmt.Errorf("withdraw what comes too close to others: %w", err)
	}
	return nil
}

// dropUpcomingLocked forgets those of chosen actions that were not queued.
func (a *Account) dropUpcomingLocked(chosen, queued []event.Action) {
	if a.limit.Load() == nil {
		return
	}
	for i := range chosen {
		if !slices.ContainsFunc(queued, func(a event.Action) bool { return a.Key == chosen[i].Key }) {
			delete(a.space.upcoming, chosen[i].Key)
		}
	}
}

// mayPublish is the part of mayLeave that is about what else is published. With the slot in hand an item that may is the one that is published now.
func (a *Account) mayPublish(ctx context.Context, d *delivery, when moment) Verdict {
	if !a.isLimited(&d.Action) || d.hasUndone() && when == atHead {
		return Verdict{}
	}
	if when == atHead && a.surveyPublished(ctx) != nil {
		return Verdict{Then: Wait}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	limit, now := a.limit.Load(), time.Now()
	if limit == nil {
		return Verdict{}
	}
	if !d.hasUndone() {
		if at, _ := a.space.nextAllowed(limit, &d.Action, now, true); !at.IsZero() || !a.space.loaded {
			d.crowded = true
			return Verdict{Then: PutBack, Why: event.Because(reason.Crowded)}
		}
	}
	if when == inHand {
		d.LeftAt = now.Round(0)
		a.space.upcomingOf(&d.Action).requested = true
	}
	return Verdict{}
}

// notePublicationResult notes the result of a request of an item, for the publications to come.
func (a *Account) notePublicationResult(d *delivery, err error) {
	if a.limit.Load() == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.space.upcoming[d.Key]
	switch what := tryResultOf(err); {
	case f == nil:
	case what == nothing:
		f.requested = false
	case what == inDoubt:
		f.requested, f.arrivedBy = false, d.gaveUp.Add(a.dispatcher.cfg.Grace)
	}
}

// notePublished notes how an item ended, for those to come, and adds to its mark what the store is to count. a.mu is not held.
func (a *Account) notePublished(d *delivery, m *Mark) {
	if !a.isLimited(&d.Action) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.space.upcoming[d.Key]
	switch {
	case d.State == event.StateDone && d.Why.Code() == reason.WasSo:
		m.Idle = true //mutate:publishing-idle
	case d.State == event.StateDone, d.State == event.StateHeld && f != nil && f.wasInDoubt():
		m.Left = true
		at := time.Now()
		if last := d.gaveUp.Add(a.dispatcher.cfg.Grace); !d.gaveUp.IsZero() && last.Before(at) {
			at = last
		}
		a.space.add(departure{d.Key, at, d.Apart}, a.limit.Load().reach())
	}
}

// space is what is known of what an account has published: it says when something else may be. It belongs to Account.mu.
type space struct {
	loaded     bool                 // what was published before is among it
	departures []departure          // by time, as far back as the limit reaches
	upcoming   map[string]*upcoming // queued, by key, until they have ended
}

// departure is a publication that has happened, or may have.
type departure struct {
	key   string
	at    time.Time // not later than this, by a steady clock
	apart time.Duration
}

// upcoming is a publication that is queued.
type upcoming struct {
	apart     time.Duration
	requested bool      // its request is in flight
	arrivedBy time.Time // when the last one that was in doubt cannot arrive any more; zero: none was
}

func (u *upcoming) wasInDoubt() bool { return !u.arrivedBy.IsZero() }

// restore takes up what the store tells. What may be under way has arrived by a time, or never will. By this clock, nothing lies
// ahead.
func (s *space) restore(all []event.Publication, now, arrived time.Time) {
	for i := range all {
		p := &all[i]
		switch p.State {
		case event.StateSending, event.StateInDoubt:
			if s.upcoming[p.Key] == nil {
				a := event.Action{Key: p.Key, Apart: p.Apart}
				s.upcomingOf(&a).arrivedBy = arrived
			}
		case event.StateDone, event.StateHeld:
			at := p.At
			// It left somewhere between its request and its end: the later one keeps the whole distance for certain.
			if p.Ended.After(at) {
				at = p.Ended
			}
			if slices.ContainsFunc(s.departures, func(d departure) bool { return d.key == p.Key }) {
				continue
			}
			s.put(departure{p.Key, now.Add(-max(0, now.Sub(at))), p.Apart}) //mutate:publishing-ahead
		default: // it waits
		}
	}
}

// upcomingOf returns an action's, new if need be.
func (s *space) upcomingOf(a *event.Action) *upcoming {
	f := s.upcoming[a.Key]
	if f == nil {
		if s.upcoming == nil {
			s.upcoming = map[string]*upcoming{}
		}
		f = &upcoming{apart: a.Apart}
		s.upcoming[a.Key] = f
	}
	return f
}

// add notes a departure, and forgets those that are out of reach.
func (s *space) add(d departure, reach time.Duration) {
	s.put(d)
	if n := slices.IndexFunc(s.departures, func(x departure) bool { return d.at.Sub(x.at) < reach }); n > 0 {
		s.departures = slices.Delete(s.departures, 0, n)
	}
}

func (s *space) put(d departure) {
	i := len(s.departures)
	for i > 0 && d.at.Before(s.departures[i-1].at) {
		i--
	}
	s.departures = slices.Insert(s.departures, i, d)
}

// nextAllowed returns when an action may be published at the earliest, and why not before; zero when it may now. Without a reason
// it is not known yet when: something is upcoming. What is queued and has not left counts, too, unless it is the last
// look before a request leaves: then who is first goes first.
func (s *space) nextAllowed(p *Publishing, a *event.Action, now time.Time, last bool) (at time.Time, why reason.Crowd) {
	wait := func(t time.Time, because reason.Crowd) {
		if t.After(now) && t.After(at) {
			at, why = t, because
		}
	}
	ahead, blind := 0, false
	for key, f := range s.upcoming {
		// Before the last look those that only wait count, or two would wait for each other's distance and leave together. At the last look they do
		// not, or nobody would go first.
		if key == a.Key || last && !f.requested && !f.wasInDoubt() {
			continue
		}
		ahead++
		switch need := max(p.Apart, a.Apart, f.apart); {
		case need == 0:
		// It may have left at any moment of its call. Until that is known, no time can be named.
		case f.requested || !f.wasInDoubt():
			blind = true
		default:
			wait(f.arrivedBy.Add(need), reason.Crowd{Apart: need}) //mutate:publishing-in-doubt
		}
	}
	for _, d := range s.departures {
		if need := max(p.Apart, a.Apart, d.apart); need > 0 { //mutate:publishing-apart
			wait(d.at.Add(need), reason.Crowd{Apart: need})
		}
	}
	blind = s.keepCount(p, now, ahead, wait) || blind
	if p.For != "" && !strings.HasPrefix(a.Key, p.For) {
		s.keepAhead(p, now, ahead, wait)
	}
	if blind {
		wait(laterTime(at, now).Add(lookAgain), reason.Crowd{})
	}
	return at, why
}

// keepCount keeps the number; it reports whether that depends on what is upcoming.
func (s *space) keepCount(p *Publishing, now time.Time, ahead int, wait func(time.Time, reason.Crowd)) (blind bool) {
	if p.Most == 0 {
		return false
	}
	i := len(s.departures)
	for i > 0 && now.Sub(s.departures[i-1].at) < p.Within {
		i--
	}
	recent := s.departures[i:]
	over := len(recent) + ahead - p.Most + 1 // so many have to be over first
	switch {
	case over <= 0:
		return false
	// Even if all that is known were over, what is upcoming would be too much: nobody knows when that ends.
	case over > len(recent):
		return true
	}
	wait(recent[over-1].at.Add(p.Within), reason.Crowd{Most: p.Most, Within: p.Within}) //mutate:publishing-count
	return false
}

// keepAhead leaves room for those that come first: what has waited was counted for another time. The next look is when one of them has come.
func (s *space) keepAhead(p *Publishing, now time.Time, ahead int, wait func(time.Time, reason.Crowd)) {
	within := p.Within - min(time.Minute, p.Within/20) // as the commit counts
	coming, next := 0, time.Time{}
	for _, at := range p.Ahead {
		if !at.After(now) {
			continue
		}
		if at.Sub(now) >= within {
			return
		}
		if coming++; coming == 1 {
			next = at
		}
		recent := 0
		for _, d := range s.departures {
			if at.Sub(d.at) < within {
				recent++
			}
		}
		if recent+ahead+coming+1 > p.Most { //mutate:publishing-keep
			wait(next, reason.Crowd{Most: p.Most, Within: p.Within})
			return
		}
	}
}

func laterTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
