package bot

import (
	"context"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// requests are what people ask of an account, which another process has stored, on its way through the lanes.
type requests struct {
	mu       sync.Mutex         // guards the field below
	inFlight map[int64]struct{} // in the lanes, by event.Request.Number

	// This belongs to runRequests.
	postponed map[platform.UserID]int64 // by conversation that is quiet: the first request that waits for it, by its number
}

const (
	requestPause = time.Second // between looks for what people ask for
	requestBatch = 256         // how many are read at a time
)

// take notes that a request goes into its lane; false when it is there already.
func (rs *requests) take(q *event.Request) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.inFlight == nil {
		rs.inFlight = map[int64]struct{}{}
	}
	_, ok := rs.inFlight[q.Number]
	rs.inFlight[q.Number] = struct{}{}
	return !ok
}

// done notes that a request's turn is stored. A reading under way may still show it: then it comes once
// more, and its turn is dropped.
func (rs *requests) done(q *event.Request) {
	if q != nil {
		rs.mu.Lock()
		defer rs.mu.Unlock()
		delete(rs.inFlight, q.Number)
	}
}

// runRequests looks for what people ask for, every now and then, until ctx is done.
func (b *Bot) runRequests(ctx context.Context) {
	tick := time.NewTicker(requestPause)
	defer tick.Stop()
	failing, last := false, event.Request{} // how far the table was read
	for {
		found, err := b.store.Requests(ctx, last, requestBatch)
		if err != nil && ctx.Err() == nil && !failing {
			b.log.Error("cannot read what people ask for; trying again", "err", err)
		}
		failing = err != nil
		b.takeRequests(found)
		last = event.Request{} // the table ends here: begin anew
		if len(found) == requestBatch {
			last = found[len(found)-1]
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// takeRequests brings requests into their lanes. Those of accounts that this bot does not serve stay where they are.
func (b *Bot) takeRequests(found []event.Request) {
	for i := 0; i < len(found); {
		n := i + 1
		for n < len(found) && found[n].Key.Account == found[i].Key.Account {
			n++
		}
		if a := b.accounts.of(found[i].Key.Account); a.enter() {
			a.takeRequests(found[i:n])
			a.leave()
		}
		i = n
	}
}

// takeRequests brings requests of the account into their lanes.
func (a *account) takeRequests(found []event.Request) {
	behind := false // wishes to pause, and to go on, count in their order
	for i := range found {
		q := &found[i]
		switch pauses := q.Wish == event.WishPause || q.Wish == event.WishGoOn; {
		case !a.requests.take(q):
		case q.Wish == event.WishResume:
			a.letGo(q)
		case a.postpones(q):
			a.requests.done(q)
		case pauses && behind:
			a.requests.done(q)
		case pauses:
			behind = !a.pause(q)
		default:
			a.submit(&job{trigger: q.Trigger()})
		}
	}
}

// postpones reports whether a request waits in the store. What a person approves does until its conversation was heard: she, or somebody else of
// ours, may have spoken there since, while no bot ran, and the turn has to know. What she asks of that conversation behind it waits, too.
func (a *account) postpones(q *event.Request) bool {
	rs, peer := &a.requests, q.Key.Peer
	first, behind := rs.postponed[peer]
	switch {
	case !approves(q) && !behind:
		return false
	case a.await(peer) == nil: //mutate:release-hears
		delete(rs.postponed, peer)
		return false
	case !behind:
		if rs.postponed == nil {
			rs.postponed = map[platform.UserID]int64{}
		}
		rs.postponed[peer] = q.Number
		return true
	}
	return q.Number >= first
}
