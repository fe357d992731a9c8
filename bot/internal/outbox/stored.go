package outbox

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

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
