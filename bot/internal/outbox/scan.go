package outbox

import (
	"context"
	"fmt"
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

// readPeers returns the conversations that need not be read.
func (s *scan) readPeers() []platform.UserID { return slices.Collect(maps.Keys(s.peers)) }

// chooseDue takes those of the due actions that may go now, with their tokens. enqueueChosen must follow.
func (a *Account) chooseDue(ps *scan, due *alternation) (out []event.Action) {
	a.mu.Lock()
	defer a.mu.Unlock()
	ps.stayed, ps.slow, ps.kept = 0, 0, map[orderingKey]int{}
	for ps.room > 0 && !ps.spent && !a.workers.IsStopped() {
		action, known, ok := due.next(a.wasKnown)
		if !ok {
			break
		}
		switch {
		case ps.peers[action.Peer]:
		case action.Due.After(ps.now) && action.Due.After(action.DecidedAt): // its time has come only by a clock that was ahead
			ps.stayed++
		case !a.spacedLocked(ps, &action) || !a.freeLocked(ps, &action) || !a.paidLocked(ps, &action):
			ps.delay(&action)
		default:
			ps.room--
			a.wasKnown = known
			if a.isLimited(&action) {
				// Upcoming from here on, so that the next one of this scan keeps its distance from it.
				a.space.upcomingOf(&action)
			}
			a.queueLocked(&action).fetched++
			out = append(out, action)
		}
	}
	return out
}

// freeLocked reports whether an action's queue takes it.
func (a *Account) freeLocked(ps *scan, action *event.Action) bool {
	k := keyOf(action)
	q := a.queues[k]
	switch {
	case ps.late[k] || ps.verbs[action.Verb]:
		return false
	case q != nil && (q.reserved+q.writing > 0 || a.fullLocked(q, 0)): // those on their way into the store come first
		return false
	}
	a.setBaselineLocked(q, action)
	return true
}

// paidLocked takes an action's token, or notes what has to wait for one. What waits behind something stuck
// pays when it leaves.
func (a *Account) paidLocked(ps *scan, action *event.Action) bool {
	if q := a.queues[keyOf(action)]; q != nil && q.stuck {
		// A token taken now would be old when the queue gets on, and all that waited would leave in one burst.
		add(&ps.unpaid, action.Key)
		return true
	}
	take := a.pace.takeToken
	if ps.queued {
		take = a.pace.otherLimits
	}
	wait, by := take(action, ps.now)
	switch by {
	case byNothing:
		if ps.queued {
			add(&ps.unpaid, action.Key)
		}
		return true
	case byAccount:
		ps.spent = true
	case byVerb:
		add(&ps.verbs, action.Verb)
	case byConversation:
		add(&ps.peers, action.Peer)
	}
	if ps.wait == 0 || wait < ps.wait {
		ps.wait = wait
	}
	return false
}

// delay makes what is behind an action wait with it.
func (s *scan) delay(a *event.Action) {
	add(&s.late, keyOf(a))
	if !s.peers[a.Peer] {
		s.stayed++
		s.kept[keyOf(a)]++
		if s.spaces[keyOf(a)] {
			s.slow++
		}
	}
}

// noteCrowded notes that an action has to wait for what was published before.
func (s *scan) noteCrowded(a *event.Action, wait time.Duration) {
	if wait > lookAgain {
		add(&s.spaces, keyOf(a))
	}
	if s.space == 0 || wait < s.space {
		s.space = wait
	}
}

// pause returns how long it may take until the next look at what had to stay.
func (s *scan) pause() time.Duration {
	wait := lookAgain
	if s.slow > 0 && s.slow == s.stayed && len(s.peers) == 0 { // nothing but time helps these
		wait = max(lookAgain, min(s.space, clockCheck))
	}
	if s.wait > 0 {
		wait = min(wait, s.wait)
	}
	if s.space > 0 {
		wait = min(wait, s.space)
	}
	return wait
}

func add[K comparable](set *map[K]bool, k K) {
	if *set == nil {
		*set = map[K]bool{}
	}
	(*set)[k] = true
}

// Who writes for the first time may be one of very many that somebody has invented. Conversations in which the bot has spoken before take turns
// with them, so that a customer waits for no more strangers than there are customers before her.

// alternation is what is due, the known conversations apart from the rest, each by priority, time and position.
type alternation struct {
	known, first []event.Action
	all          bool // there is no more
}

// dueNow reads what is due, at most so many of either kind.
func (a *Account) dueNow(ctx context.Context, ps *scan, most int) (x alternation, err error) {
	if x.known, err = a.dispatcher.cfg.Ledger.DueKnown(ctx, a.cfg.Account, true, ps.due, ps.readPeers(), most); err == nil {
		x.first, err = a.dispatcher.cfg.Ledger.DueKnown(ctx, a.cfg.Account, false, ps.due, ps.readPeers(), most)
	}
	if err != nil {
		return x, fmt.Errorf("read due actions: %w", err)
	}
	x.all = len(x.known) < most && len(x.first) < most
	return x, nil
}

// next takes what comes next, behind something that was of a known conversation or not.
func (a *alternation) next(wasKnown bool) (action event.Action, known, ok bool) {
	switch {
	case len(a.known)+len(a.first) == 0:
		return action, false, false
	case len(a.known) == 0 || len(a.first) == 0:
		known = len(a.known) > 0
	case a.known[0].Priority != a.first[0].Priority:
		known = a.known[0].Priority < a.first[0].Priority
	default:
		known = !wasKnown //mutate:known-turns
	}
	from := &a.first
	if known {
		from = &a.known
	}
	action, *from = (*from)[0], (*from)[1:]
	return action, known, true
}
