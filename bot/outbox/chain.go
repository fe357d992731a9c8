package outbox

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// chainKey names a row of actions that happen one after another: the messages of a conversation, the
// posts of a conversation, the calls on one target.
type chainKey struct {
	verb event.Verb
	id   int64
}

func keyOf(a *event.Action) chainKey {
	switch a.Verb {
	case event.VerbLike, event.VerbRepost:
		return chainKey{a.Verb, int64(a.Post)}
	case event.VerbFollow:
		return chainKey{a.Verb, int64(a.User)}
	case event.VerbMessage, event.VerbPost:
	}
	return chainKey{a.Verb, int64(a.Peer)}
}

// item is an action on its way.
type item struct {
	event.Action
	suspect bool      // it may have happened: settle it before anything else
	left    time.Time // when its last request left
	doubt   time.Time // since when it is unsure
}

// chain is a row of items; a goroutine works on it as long as it has any. Its fields belong to
// Box.mu, but for the items themselves, which belong to that goroutine once they are the suspects or
// the head.
type chain struct {
	key   chainKey
	queue []*item
	known int64 // highest id known on the platform before the next request
	stuck bool  // its head is unsure
}

// run works through a chain until it is empty.
func (b *Box) run(ctx context.Context, ch *chain) {
	defer b.courier.running.Done()
	for {
		it := b.head(ch)
		if it == nil {
			return
		}
		if ctx.Err() != nil || b.courier.draining.Load() {
			b.giveBack(ch)
			return
		}
		if it.suspect {
			b.settle(ctx, ch)
		}
		if !it.suspect && it.State == event.StateSending {
			b.carry(ctx, ch, it)
		}
		if it.State.Final() || it.State == event.StateHeld {
			b.end(ctx, ch, it)
		}
	}
}

// head returns the chain's first item; a chain without any is forgotten.
func (b *Box) head(ch *chain) *item {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(ch.queue) == 0 {
		delete(b.chains, ch.key)
		return nil
	}
	return ch.queue[0]
}

// end stores how an item ended and goes on to the next. Done is stored lazily: after a crash it is
// found again by reading. Any other end must be known before the next action of the chain leaves.
func (b *Box) end(ctx context.Context, ch *chain, it *item) {
	it.EndedAt = time.Now()
	if it.State == event.StateDone {
		b.courier.cfg.Ledger.Mark(MarkOf(&it.Action))
	} else if !b.markNow(ctx, MarkOf(&it.Action)) {
		return
	}
	b.mu.Lock()
	ch.queue[0] = nil
	ch.queue = ch.queue[1:]
	ch.known = max(ch.known, it.Result)
	ch.stuck = false
	b.sending--
	b.letIn()
	if b.pump != nil {
		b.pump.poke()
	}
	b.mu.Unlock()
	b.courier.cfg.Ended(it.Action)
}

// markNow stores marks for certain; while the store refuses it tries again. It reports false when
// the courier stops first.
func (b *Box) markNow(ctx context.Context, marks ...Mark) bool {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		if b.courier.cfg.Ledger.MarkNow(ctx, marks...) == nil {
			return true
		}
		if !b.courier.sleep(ctx, pause) {
			return false
		}
	}
}

// recalled puts positions of actions that were released once before all others.
const recalled = 1 << 62

// giveBack ends a chain that may not go on. What never left is due again, so that the next life need
// not look for it; what is unsure stays as it is stored.
func (b *Box) giveBack(ch *chain) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, it := range ch.queue {
		b.sending--
		if it.suspect || it.State != event.StateSending {
			continue
		}
		m := MarkOf(&it.Action)
		m.State = event.StateDue
		m.Position -= recalled // it had been released: it leaves before what has not
		b.courier.cfg.Ledger.Mark(m)
	}
	delete(b.chains, ch.key)
}
