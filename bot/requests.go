package bot

import (
	"context"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// requests brings what people ask for, which another process has stored, into the lanes of its
// conversations.
type requests struct {
	mu     sync.Mutex
	flying map[requestKey]struct{} // in the lanes
	last   event.Request           // how far the table was read
}

type requestKey struct {
	account event.Account
	number  int64
}

const (
	requestPause = time.Second // between looks for what people ask for
	requestBatch = 256         // how many are read at a time
)

func newRequests() *requests { return &requests{flying: map[requestKey]struct{}{}} }

// take notes that a request goes into its lane; false when it is there already.
func (rs *requests) take(q *event.Request) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	k := requestKey{q.Key.Account, q.Number}
	_, ok := rs.flying[k]
	rs.flying[k] = struct{}{}
	return !ok
}

// done notes that a request's turn is stored. A reading under way may still show it: then it comes once
// more, and its turn is dropped.
func (rs *requests) done(q *event.Request) {
	if q != nil {
		rs.mu.Lock()
		defer rs.mu.Unlock()
		delete(rs.flying, requestKey{q.Key.Account, q.Number})
	}
}

// runRequests looks for what people ask for, every now and then, until ctx is done.
func (b *Bot) runRequests(ctx, lanes context.Context) {
	tick := time.NewTicker(requestPause)
	defer tick.Stop()
	failing := false
	for {
		err := b.takeRequests(ctx, lanes)
		if err != nil && ctx.Err() == nil && !failing {
			b.log.Error("cannot read what people ask for; trying again", "err", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// takeWaiting brings all that people asked for while no bot ran into the lanes, before anything else of a start: what they want goes
// before what the time has made due. Where that cannot be read, runRequests tries again, and says so.
func (b *Bot) takeWaiting(ctx, lanes context.Context) {
	for ctx.Err() == nil {
		if err := b.takeRequests(ctx, lanes); err != nil || b.requests.last.Number == 0 {
			break
		}
	}
	for _, a := range b.order {
		a.awaitWishes()
	}
}

// takeRequests brings the next requests into their lanes. Those of accounts that this bot does not serve
// stay where they are.
func (b *Bot) takeRequests(ctx, lanes context.Context) error {
	found, err := b.store.Requests(ctx, b.requests.last, requestBatch)
	if err != nil {
		return err
	}
	behind := map[event.Account]bool{} // wishes to pause, and to go on, count in their order
	for i := range found {
		q := &found[i]
		switch a := b.accounts[q.Key.Account]; {
		case a == nil || !b.requests.take(q):
		case q.Wish == event.WishResume:
			b.resume(lanes, a, q)
		case (q.Wish == event.WishPause || q.Wish == event.WishGoOn) && behind[a.name]:
			b.requests.done(q)
		case q.Wish == event.WishPause, q.Wish == event.WishGoOn:
			behind[a.name] = !a.pause(lanes, q)
		default:
			b.submit(lanes, a, &item{trigger: q.Trigger()})
		}
	}
	b.requests.last = event.Request{} // the table ends here: begin anew
	if len(found) == requestBatch {
		b.requests.last = found[len(found)-1]
	}
	return nil
}
