package outbox

import (
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// scan is one walk of the fetcher over what is stored as due.
type scan struct {
	now     time.Time
	due     time.Time // now, as the store has it
	room    int       // how many actions may still go
	written int       // Account.written when it began

	peers  map[platform.UserID]bool // conversations that have to wait
	verbs  map[event.Verb]bool      // verbs that have no token
	late   map[orderingKey]bool     // queues that have to wait: what is behind waits, too
	stayed int                      // how many of those read last had to stay, and will be read again
	kept   map[orderingKey]int      // the same by queue
	told   []event.Action           // those that wait for what was published before, and do not say so yet
	vain   []event.Action           // those that wait so in vain
	spaces map[orderingKey]bool     // queues that wait so, for longer than a look
	slow   int                      // how many of those that had to stay are of these
	space  time.Duration            // until the first of them may go
	unpaid map[string]bool          // keys of those chosen that have no token; see paid
	queued bool                     // the account has none: who is chosen queues for it
	spent  bool                     // the account has no token
	wait   time.Duration            // until the next token comes; 0: there was one for each
}

// except returns the conversations that need not be read.
func (ps *scan) except() []platform.UserID { return slices.Collect(maps.Keys(ps.peers)) }

// choose takes those of the due actions that may go now, with their tokens. release must follow.
func (b *Account) choose(ps *scan, due *alternation) (out []event.Action) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ps.stayed, ps.slow, ps.kept = 0, 0, map[orderingKey]int{}
	for ps.room > 0 && !ps.spent && !b.workers.Stopped() {
		a, known, ok := due.next(b.wasKnown)
		if !ok {
			break
		}
		switch {
		case ps.peers[a.Peer]:
		case a.Due.After(ps.now) && a.Due.After(a.DecidedAt): // its time has come only by a clock that was ahead
			ps.stayed++
		case !b.spacedLocked(ps, &a) || !b.freeLocked(ps, &a) || !b.paidLocked(ps, &a):
			ps.delay(&a)
		default:
			ps.room--
			b.wasKnown = known
			if b.limits(&a) {
				// On its way from here on, so that the next one of this scan keeps its distance from it.
				b.space.flight(&a)
			}
			b.queueLocked(&a).released++
			out = append(out, a)
		}
	}
	return out
}

// freeLocked reports whether an action's queue takes it.
func (b *Account) freeLocked(ps *scan, a *event.Action) bool {
	k := keyOf(a)
	q := b.queues[k]
	switch {
	case ps.late[k] || ps.verbs[a.Verb]:
		return false
	case q != nil && (q.reserved+q.writing > 0 || b.fullLocked(q, 0)): // those on their way into the store come first
		return false
	}
	b.setBaselineLocked(q, a)
	return true
}

// paidLocked takes an action's token, or notes what has to wait for one. What waits behind something stuck
// pays when it leaves.
func (b *Account) paidLocked(ps *scan, a *event.Action) bool {
	if q := b.queues[keyOf(a)]; q != nil && q.stuck {
		// A token taken now would be old when the queue gets on, and all that waited would leave in one burst.
		add(&ps.unpaid, a.Key)
		return true
	}
	take := b.pace.take
	if ps.queued {
		take = b.pace.besides
	}
	wait, by := take(a, ps.now)
	switch by {
	case byNothing:
		if ps.queued {
			add(&ps.unpaid, a.Key)
		}
		return true
	case byAccount:
		ps.spent = true
	case byVerb:
		add(&ps.verbs, a.Verb)
	case byConversation:
		add(&ps.peers, a.Peer)
	}
	if ps.wait == 0 || wait < ps.wait {
		ps.wait = wait
	}
	return false
}

// delay makes what is behind an action wait with it.
func (ps *scan) delay(a *event.Action) {
	add(&ps.late, keyOf(a))
	if !ps.peers[a.Peer] {
		ps.stayed++
		ps.kept[keyOf(a)]++
		if ps.spaces[keyOf(a)] {
			ps.slow++
		}
	}
}

// crowd notes that an action has to wait for what was published before.
func (ps *scan) crowd(a *event.Action, wait time.Duration) {
	if wait > lookAgain {
		add(&ps.spaces, keyOf(a))
	}
	if ps.space == 0 || wait < ps.space {
		ps.space = wait
	}
}

// pause returns how long it may take until the next look at what had to stay.
func (ps *scan) pause() time.Duration {
	wait := lookAgain
	if ps.slow > 0 && ps.slow == ps.stayed && len(ps.peers) == 0 { // nothing but time helps these
		wait = max(lookAgain, min(ps.space, clockCheck))
	}
	if ps.wait > 0 {
		wait = min(wait, ps.wait)
	}
	if ps.space > 0 {
		wait = min(wait, ps.space)
	}
	return wait
}

func add[K comparable](set *map[K]bool, k K) {
	if *set == nil {
		*set = map[K]bool{}
	}
	(*set)[k] = true
}
