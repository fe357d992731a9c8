package outbox

import (
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// IsBusy reports whether a message to the peer is on its way or in doubt: what the platform shows as the
// account's own may then be it.
func (a *Account) IsBusy(peer platform.UserID) bool {
	return a.isInFlight(orderingKey{event.VerbMessage, int64(peer)})
}

// AtWork reports whether something is on its way or in doubt, or comes due soon.
func (a *Account) AtWork(soon time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.queues) > 0 || !a.nextDue.IsZero() && time.Until(a.nextDue) < soon
}

// IsLeaving reports whether something may leave now or soon. What is in doubt has left.
func (a *Account) IsLeaving(soon time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.queues {
		if len(q.items) > 0 && !q.isInDoubt() {
			return true
		}
	}
	return !a.nextDue.IsZero() && time.Until(a.nextDue) < soon
}

// isInDoubt reports whether the head of a queue is in doubt. That belongs to the queue's goroutine, so it is told by what others may see.
func (q *queue) isInDoubt() bool { return q.stuck && q.inFlight }

// InDoubt reports whether it is not known of something whether it has happened.
func (a *Account) InDoubt() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.queues {
		if len(q.items) > 0 && q.isInDoubt() {
			return true
		}
	}
	return false
}

// MadeBelow reports whether a reply of the bot to a post may be there that nobody knows: one is on its way, in doubt or held.
func (a *Account) MadeBelow(post platform.PostID) bool {
	k := orderingKey{event.VerbPost, int64(post)}
	if a.isInFlight(k) {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.held[k]) > 0
}

// isInFlight reports whether the head of a queue is in flight or in doubt.
func (a *Account) isInFlight(k orderingKey) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.queues[k]
	return q != nil && q.inFlight
}

// clear notes that nothing of a queue is on its way or in doubt, unless its head is, or nobody was told yet what became of it; and tells those who
// wait for that.
func (a *Account) clear(q *queue) {
	a.mu.Lock()
	was := q.inFlight
	q.inFlight = len(q.items) > 0 && q.items[0].State != event.StateSending
	cleared := was && !q.inFlight
	a.mu.Unlock()
	if cleared && q.key.verb == event.VerbMessage {
		a.cfg.Chats.NothingInFlight(platform.UserID(q.key.id))
	}
}

// UnderWay returns the heads that may be leaving at this moment, by their keys: of each only what never changes.
func (a *Account) UnderWay() (all []event.Action) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.queues {
		if q.running && !q.stuck && len(q.items) > 0 {
			x := &q.items[0].Action
			all = append(all, event.Action{Account: x.Account, Key: x.Key, Verb: x.Verb, Peer: x.Peer, Post: x.Post})
		}
	}
	slices.SortFunc(all, func(x, y event.Action) int { return strings.Compare(x.Key, y.Key) })
	return all
}
