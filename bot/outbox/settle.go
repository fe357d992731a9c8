package outbox

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// settle finds out what became of the suspects at the head of a chain. They left one after another,
// so those that happened are its first ones. Afterwards each is done, held, or free to be sent again.
//
// What is not found is looked for twice, no earlier than the request could still be running, some
// seconds apart.
func (b *Box) settle(ctx context.Context, ch *chain) {
	suspects := b.suspects(ch)
	earliest := suspects[0].left
	for _, it := range suspects {
		if it.left.After(earliest) {
			earliest = it.left
		}
	}
	earliest = earliest.Add(b.courier.cfg.Deadline + b.courier.cfg.Grace)
	pause, misses := b.courier.cfg.FirstLook, 0
	for {
		if !b.courier.sleep(ctx, pause) || !b.waitGate(ctx) {
			return
		}
		started := time.Now()
		found, err := b.look(ctx, suspects)
		suspects = suspects[found:]
		switch {
		case len(suspects) == 0 || ctx.Err() != nil:
			return
		case err != nil:
			if b.hopeless(suspects, err) {
				return
			}
			pause = min(2*max(pause, time.Second), 30*time.Second)
			continue
		case !started.Before(earliest):
			misses++
		}
		if misses == 2 {
			release(suspects)
			return
		}
		pause = b.courier.cfg.SecondLook
		if misses == 0 {
			pause = max(pause, time.Until(earliest))
		}
	}
}

// suspects returns the leading suspects of a chain.
func (b *Box) suspects(ch *chain) []*item {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch.stuck = true
	n := 0
	for n < len(ch.queue) && ch.queue[n].suspect {
		if ch.queue[n].doubt.IsZero() {
			ch.queue[n].doubt = time.Now()
		}
		n++
	}
	return ch.queue[:n:n]
}

// look reads the platform once and marks the suspects it shows as done. It returns how many of the
// first ones that are.
func (b *Box) look(ctx context.Context, suspects []*item) (int, error) {
	if suspects[0].Verb.Toggle() {
		return b.lookToggle(ctx, suspects)
	}
	found, err := b.products(ctx, suspects)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, p := range found {
		if n < len(suspects) && sameText(suspects[n].Text, p.text) {
			it := suspects[n]
			it.State, it.Result, it.Reason, it.suspect = event.StateDone, p.id, "", false
			n++
		}
	}
	if n > 0 { // what the others produced, if anything, came later: a twin must not be found again
		for _, it := range suspects[n:] {
			it.SettleFrom = max(it.SettleFrom, suspects[n-1].Result)
		}
	}
	return n, nil
}

// hopeless holds the suspects for a person when they cannot be settled for too long.
func (b *Box) hopeless(suspects []*item, err error) bool {
	b.trouble(time.Now(), err)
	if time.Since(suspects[0].doubt) < b.courier.cfg.HoldAfter {
		return false
	}
	for _, it := range suspects {
		it.State, it.suspect = event.StateHeld, false
		it.Reason = "nobody knows whether it was sent, and the platform cannot be read: " + err.Error()
	}
	b.courier.cfg.Log.Error("an action is held: look at the platform, then release or drop it",
		"account", b.cfg.Account, "action", suspects[0].Key, "err", err)
	return true
}

// release frees suspects that were proven not to have happened.
func release(suspects []*item) {
	for _, it := range suspects {
		it.suspect, it.State, it.doubt = false, event.StateSending, time.Time{}
	}
}
