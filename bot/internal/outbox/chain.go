package outbox

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// chainKey names a row of actions that happen one after another: the messages of a conversation, the
// replies below a post, the posts of the account's own page, the calls of a verb on one target. A row
// is all that can be mistaken for one another when it is read back.
type chainKey struct {
	verb event.Verb
	id   int64
}

func keyOf(a *event.Action) chainKey {
	switch a.Verb {
	case event.VerbRenew: // a call of one may undo the other's
		return chainKey{event.VerbRepost, int64(a.Post)}
	case event.VerbPost, event.VerbLike, event.VerbRepost, event.VerbDeletePost:
		return chainKey{a.Verb, int64(a.Post)}
	case event.VerbFollow:
		return chainKey{a.Verb, int64(a.User)}
	case event.VerbDeleteMessage:
		return chainKey{a.Verb, int64(a.Message)}
	case event.VerbMessage, event.VerbBooks: // the latter never comes here
	}
	return chainKey{a.Verb, int64(a.Peer)}
}

// item is an action on its way.
type item struct {
	event.Action
	inDoubt         bool          // it may have happened: settle it before anything else
	gaveUp          time.Time     // when its last request was, at the latest
	waited          time.Duration // for how long it has not got on although the platform could be asked
	failed          time.Time     // when that was last noted, by gate.clock
	denied          bool          // it was not authorised then
	allowed         time.Duration // waited, when that began
	ticket          int           // see gate.ticket
	earlier         bool          // an earlier life began it; it may have been taken back since
	owed            bool          // what it has undone has to be put right: its latest departure does not count
	crowded         bool          // others are published too close to it, or too many: it goes back to the store
	baselineUnknown bool          // where it settles from is not stored: there, it has not left
	from            int64         // what it makes has a higher id; 0: not known. It is never lowered, and belongs to Box.mu
}

// chain is a row of items; a goroutine works on it as long as it has any. Its fields belong to
// Box.mu, the items themselves to that goroutine.
type chain struct {
	key      chainKey
	queue    []*item
	running  bool
	reserved int           // actions on their way into the store, to be queued then
	unpaid   int           // of those reserved, how many have no token
	writing  int           // actions on their way into the store, to stay there as due
	released int           // actions that the pump takes out of the store, to be queued then
	doubtful bool          // whether the store has those as sending that the pump took last, nobody knows
	known    int64         // highest id known on the platform before the next request
	lowWater int64         // below it may be something of its own whose id is not known
	blind    bool          // so may be above it: known and floor tell too little
	unclear  bool          // something of it is on its way or unsure
	stuck    bool          // its head does not get on; those behind it do not count as sending
	admitted int           // the ticket with which it was let through the gate
	vacancy  chan struct{} // a turn waits until it is less full
}

// chain returns the chain of an action, new if need be. b.mu is held.
func (b *Box) chain(a *event.Action) *chain {
	k := keyOf(a)
	ch := b.chains[k]
	if ch == nil {
		ch = &chain{key: k}
		ch.lowWater, ch.blind = b.beginning(k)
		b.chains[k] = ch
	}
	return ch
}

// forget drops a chain that nobody needs. b.mu is held.
func (b *Box) forget(ch *chain) {
	if !ch.running && ch.reserved+ch.writing+ch.released == 0 {
		delete(b.chains, ch.key)
	}
}

// full tells whether a chain takes no action on top of more. b.mu is held.
func (b *Box) full(ch *chain, more int) bool {
	return len(ch.queue)+ch.reserved+ch.released+more >= b.dispatcher.cfg.Window
}

// ticket returns what an action that comes into a chain holds; see gate.ticket. b.mu is held.
func (b *Box) ticket(ch *chain) int {
	if ch.stuck {
		return 0
	}
	return b.breaker.ticket()
}

// push puts an item at the end of its chain and starts the chain; surrender must follow. b.mu is held.
func (b *Box) push(ctx context.Context, ch *chain, it *item) {
	if !ch.running && b.life.begin() {
		ch.running = true
		go b.run(ctx, ch)
	}
	it.from = it.ReconcileFrom
	ch.queue = append(ch.queue, it)
	ch.known = max(ch.known, it.ReconcileFrom)
	if !ch.stuck {
		b.sending++
	}
	if it.inDoubt {
		ch.unclear = true
		b.stick(ch)
	}
}

// stick notes that the head of a chain does not get on: others need not wait for it. b.mu is held.
func (b *Box) stick(ch *chain) {
	if !ch.stuck {
		ch.stuck = true
		b.sending -= len(ch.queue)
		b.vacate(ch)
		b.freed()
	}
}

// pop takes the head out of its chain. b.mu is held.
func (b *Box) pop(ch *chain) {
	b.space.land(ch.queue[0].Key)
	ch.queue[0] = nil
	ch.queue = ch.queue[1:]
	if !ch.stuck {
		b.sending--
	} else if len(ch.queue) == 0 || !ch.queue[0].inDoubt {
		ch.stuck = false
		b.sending += len(ch.queue)
	}
	b.vacate(ch)
	b.freed()
}

// run works through a chain until it is empty.
func (b *Box) run(ctx context.Context, ch *chain) {
	defer b.life.done()
	ctx = b.yield(ctx, ch)
	for {
		it := b.head(ch)
		switch {
		case it == nil:
			return
		case it.State.Final() || it.State == event.StateHeld:
			if !b.end(ctx, ch, it) {
				b.abandon(ch)
				return
			}
		case ctx.Err() != nil || b.life.stopped():
			b.abandon(ch)
			return
		case it.inDoubt:
			b.reconcile(ctx, ch)
			if it.State == event.StateSending && !it.inDoubt {
				b.clear(ch)
			}
		case it.undone() && !b.mayGo(it): // it stays on its way
			if !b.life.sleep(ctx, lookAgain) {
				b.abandon(ch)
				return
			}
		case !b.mayGo(it) || it.crowded:
			if !b.shelve(ctx, ch) {
				b.abandon(ch)
				return
			}
		default:
			b.carry(ctx, ch, it)
		}
	}
}

// head returns the chain's first item; without any, the chain comes to rest.
func (b *Box) head(ch *chain) *item {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(ch.queue) > 0 {
		return ch.queue[0]
	}
	ch.running = false
	b.forget(ch)
	return nil
}

// end stores how an item ended and goes on to the next. Done is stored lazily: after a crash it is
// found again by reading. Any other end must be known before the next action of the chain leaves. It
// reports false when the box ends first.
func (b *Box) end(ctx context.Context, ch *chain, it *item) bool {
	it.EndedAt = time.Now()
	marks := []Mark{MarkOf(&it.Action)}
	b.published(it, &marks[0])
	left := it.ReconcileFrom > 0 || it.ReconcileFrom == baselineUnread
	odd := b.odd(it.Verb, it.Result) // it is there, and nobody knows under which id
	if it.Verb == event.VerbPost && it.Result > 0 {
		b.sawPosts(it.Result)
	}
	blind := left && (it.State == event.StateHeld || it.State == event.StateDone && (it.Result == 0 || odd)) //mutate:guess
	if blind {
		marks = append(marks, b.unanchor(ch)...)
	}
	if it.State == event.StateDone {
		b.dispatcher.cfg.Ledger.Mark(marks...)
	} else if !b.markNow(ctx, marks...) {
		return false
	}
	if !b.remember(ctx) {
		return false
	}
	//mutate:ended-told
	b.dispatcher.cfg.Ended(it.Action) // before Busy says that it is over
	b.mu.Lock()
	b.pop(ch)
	b.forgetDebt(it)
	if it.State == event.StateHeld && !it.Until.IsZero() {
		b.dateAt(ctx, it.Until)
	}
	b.keepHeld(&it.Action)
	if !odd {
		ch.known = max(ch.known, it.Result)
	}
	ch.blind = ch.blind || blind
	now := ch.cleared()
	b.mu.Unlock()
	b.tellClear(ch, now)
	return true
}

// markNow stores marks for certain; while the store refuses it tries again. It reports false when
// the box ends first.
func (b *Box) markNow(ctx context.Context, marks ...Mark) bool {
	return b.insist(ctx, func() error { return b.dispatcher.cfg.Ledger.MarkNow(ctx, marks...) })
}

// insist stores something, again and again while the store refuses it.
func (b *Box) insist(ctx context.Context, store func() error) bool {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		if store() == nil {
			return true
		}
		if !b.life.sleep(ctx, pause) {
			return false
		}
	}
}

// abandon ends a chain that may not go on.
func (b *Box) abandon(ch *chain) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch.running = false
	b.surrender(ch)
}

// surrender gives back what a chain holds that may not go on. As long as the store may come to have
// something as sending that is behind it, it must not: after a crash that would leave first. b.mu is held.
func (b *Box) surrender(ch *chain) {
	if ch.running || ch.reserved+ch.released > 0 { //mutate:surrender
		return
	}
	if !ch.doubtful {
		var behind time.Time
		for _, it := range slices.Backward(ch.queue) {
			b.giveBack(it, &behind)
		}
	}
	if !ch.stuck {
		b.sending -= len(ch.queue)
	}
	ch.queue, ch.stuck = nil, false
	b.forget(ch)
}

// giveBack makes an item that never left due again, so that the next life need not look for it: before
// what was not released yet, although that may be more urgent or have a lower position, and before what was
// behind it. What is unsure stays as it is stored.
func (b *Box) giveBack(it *item, behind *time.Time) {
	switch {
	case it.State == event.StateDone:
	case it.undone(): // the next life looks how it stands
		return
	case it.State == event.StateSending && !it.inDoubt:
		//mutate:surrender-due
		it.State, it.Priority, it.Due = event.StateDue, event.Answer, it.Due.Add(-time.Microsecond)
		if !behind.IsZero() && behind.Before(it.Due) {
			it.Due = *behind
		}
		*behind = it.Due
		if it.baselineUnknown {
			it.ReconcileFrom = 0
		}
	default:
		return
	}
	b.dispatcher.cfg.Ledger.Mark(MarkOf(&it.Action))
}

// fullPeers returns the conversations whose messages have to stay in the store. b.mu is held.
func (b *Box) fullPeers() map[platform.UserID]bool {
	var peers map[platform.UserID]bool
	for k, ch := range b.chains {
		if k.verb == event.VerbMessage && b.full(ch, 0) {
			add(&peers, platform.UserID(k.id))
		}
	}
	return peers
}
