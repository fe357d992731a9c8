package outbox

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// countingShare is how much longer nothing is counted anew than counting took: it looks at all that is due, which may be a hundred thousand.
const countingShare = 1000

// Overdue is what of an account could leave, and has not left: its pace keeps it back, or the platform. What is paused, held, or not to leave yet is
// not among it; nor is, where what is published is limited, what is in the store and to be published, since that may wait for its distance.
type Overdue struct {
	Actions int
	Oldest  time.Time // since when the first of them is due; zero: there is none
	Paced   bool      // it is the pace that keeps the first one back

	first  event.Action
	stuck  bool      // its queue does not get on
	stored int       // how many are in the store, as they were counted last
	again  time.Time // from when on they may be counted again
}

// CountOverdue returns what is overdue, and goes on from what was. It costs the same however much that is: the number may be older, where there is very
// much.
func (a *Account) CountOverdue(ctx context.Context, was Overdue) (o Overdue, err error) {
	now := time.Now()
	if more := a.underWay(&o, now); more {
		if err := a.addStored(ctx, &o, &was, now); err != nil {
			return was, err
		}
	}
	if o.Actions > 0 {
		o.Oldest, o.Paced = o.first.Due, !o.stuck && a.isPaced(&o.first, now)
	}
	return o, nil
}

// addStored adds what is overdue in the store.
func (a *Account) addStored(ctx context.Context, o, was *Overdue, now time.Time) error {
	publications := a.limit.Load() == nil
	action, some, err := a.dispatcher.cfg.Ledger.FirstOverdue(ctx, a.cfg.Account, now, publications)
	if err != nil || !some {
		return err
	}
	o.noteOldest(&action, false)
	if o.stored, o.again = was.stored, was.again; !now.Before(o.again) {
		if o.stored, err = a.dispatcher.cfg.Ledger.CountOverdue(ctx, a.cfg.Account, now, publications); err != nil {
			return err
		}
		o.again = now.Add(countingShare * time.Since(now))
	}
	o.Actions += max(o.stored, 1)
	return nil
}

// underWay notes what is overdue of what has left the store; it reports whether the store may have more.
func (a *Account) underWay(o *Overdue, now time.Time) (more bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.halted.Load() || a.early.Load() {
		return false
	}
	for _, q := range a.queues {
		for i, d := range q.items {
			if d.crowded || i == 0 && q.inFlight { // a request of it is out, or has been
				continue
			}
			o.Actions++
			o.noteOldest(&event.Action{Verb: d.Verb, Peer: d.Peer, Due: time.UnixMicro(d.due)}, q.stuck)
		}
	}
	return !a.nextDue.IsZero() && !a.nextDue.After(a.storeTimeLocked(now))
}

// noteOldest takes an action for the first one when it is due for longest.
func (o *Overdue) noteOldest(a *event.Action, stuck bool) {
	if o.first.Due.IsZero() || a.Due.Before(o.first.Due) {
		o.first, o.stuck = *a, stuck
	}
}

// isPaced reports whether it is the pace that keeps an action back, as it was set: where the platform is slow or refuses, a higher one is no help.
func (a *Account) isPaced(action *event.Action, now time.Time) bool {
	a.mu.Lock()
	open := a.breaker.open
	a.mu.Unlock()
	return !open && a.pace.lacks(action, now)
}

// lacks reports whether an action has no token although the platform has not slowed the account down.
func (p *pacer) lacks(a *event.Action, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recoverLocked(now)
	return p.factor == 1 && missingFor(p.account, now)+missingFor(p.verbs[pacedVerb(a.Verb)], now)+missingFor(p.peerLocked(a.Peer, now), now) > 0
}

// stored is what is known of the actions that are stored as due and whose time has come: what is new
// must not overtake them. It belongs to Account.mu.
type stored struct {
	// all: the account is behind, so everything new goes through the store, which keeps the order.
	// Nothing is counted then.
	all    bool
	counts map[orderingKey]int      // how many actions of a queue there are
	shut   map[platform.UserID]bool // conversations that the fetcher did not look at
	seen   time.Time                // what came due until then is counted
	unseen time.Time                // when the next one comes due that is not; zero: there is none
}

// manyCounts is how many queues are remembered with what they have in the store, before the whole
// account counts as behind.
const manyCounts = 8192

// hasBefore reports whether something stored is to leave before a.
func (s *stored) hasBefore(a *event.Action) bool {
	return len(s.counts) > 0 && s.counts[keyOf(a)] > 0 || len(s.shut) > 0 && s.shut[a.Peer]
}

func (s *stored) unseenAt(now time.Time) bool { return !s.unseen.IsZero() && !s.unseen.After(now) }

// isCounted reports whether a stored action is one of those that are counted: it was due when it was
// stored, or its time came before the fetcher looked last.
func (s *stored) isCounted(a *event.Action) bool {
	return !a.Due.After(a.DecidedAt) || !a.Due.After(s.seen)
}

// add counts an action that was stored just now; it reports whether it is known with that.
func (s *stored) add(a *event.Action) bool {
	switch {
	case s.all:
		return true
	case !s.isCounted(a):
		return false
	case s.counts == nil:
		s.counts = map[orderingKey]int{}
	case len(s.counts) >= manyCounts:
		s.all, s.counts = true, nil
		return true
	}
	s.counts[keyOf(a)]++
	return true
}

// noteDeparture notes that an action has left the store.
func (s *stored) noteDeparture(a *event.Action) {
	k := keyOf(a)
	n := s.counts[k]
	switch {
	case n == 0 || !s.isCounted(a):
	case n == 1:
		delete(s.counts, k)
	default:
		s.counts[k] = n - 1
	}
}
