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

	// This belongs to recover, and then to runRequests.
	postponed map[platform.UserID]postponed // by conversation
}

const requestBatch = 256 // how many are read at a time

// noteQueued notes that a request goes into its lane; false when it is there already.
func (rs *requests) noteQueued(q *event.Request) bool {
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
	tick := time.NewTicker(b.cfg.RequestPause)
	defer tick.Stop()
	failing, last := false, event.Request{} // how far the table was read
	for pass := 1; ; {
		found, err := b.store.Requests(ctx, last, requestBatch)
		if err != nil && ctx.Err() == nil && !failing {
			b.log.Error("cannot read what people ask for; trying again", "err", err)
		}
		failing = err != nil
		b.takeRequests(found, pass)
		if len(found) == requestBatch {
			last = found[len(found)-1]
		} else { // the table ends here: begin anew
			last, pass = event.Request{}, pass+1
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// takeRequests brings requests into their lanes. Those of accounts that this bot does not serve stay where they are.
func (b *Bot) takeRequests(found []event.Request, pass int) {
	for i := 0; i < len(found); {
		n := i + 1
		for n < len(found) && found[n].Key.Account == found[i].Key.Account {
			n++
		}
		if a := b.accounts.byName(found[i].Key.Account); a.beginWork() {
			a.takeRequests(found[i:n], pass)
			a.endWork()
		}
		i = n
	}
}

// takeRequests brings requests of the account into their lanes, found in that pass over the table.
func (a *account) takeRequests(found []event.Request, pass int) {
	behind := false // wishes to pause, and to go on, count in their order
	for i := range found {
		q := &found[i]
		switch pauses := q.Wish == event.WishPause || q.Wish == event.WishGoOn; {
		case !a.requests.noteQueued(q):
		case q.Wish == event.WishResume:
			a.letGo(q)
		case a.postpones(q, pass):
			a.requests.done(q)
		case pauses && behind:
			a.requests.done(q)
		case pauses:
			behind = !a.pause(q)
		default:
			a.submitJob(&job{trigger: q.Trigger()})
		}
	}
}

// postponed are the approvals of a conversation that wait until it was heard, by their numbers.
type postponed map[int64]postponement

// postponement is since when one waits, and which pass found it last.
type postponement struct {
	since time.Time
	pass  int
}

// postpones reports whether a request waits in the store. What a person approves does until its conversation was heard: she, or somebody else of
// ours, may have spoken there before, and the turn has to know. What she asks of that conversation behind it waits, too.
func (a *account) postpones(q *event.Request, pass int) bool {
	peer := q.Key.Peer
	waiting := a.requests.postponed[peer]
	var behind bool
	for number, w := range waiting {
		if w.pass < pass-1 && number != q.Number { // it is not in the table any more
			delete(waiting, number)
		}
		behind = behind || w.pass == pass && number < q.Number
	}
	if !isApproval(q) || peer == 0 {
		return behind
	}
	now := time.Now()
	w := postponement{now, pass}
	if known, ok := waiting[q.Number]; ok {
		w.since = known.since
	}
	if !behind && a.quietEnded(peer) == nil && a.hasHeardSince(peer, w.since, now) { //mutate:release-hears
		if delete(waiting, q.Number); len(waiting) == 0 {
			delete(a.requests.postponed, peer)
		}
		return false
	}
	if waiting == nil {
		waiting = postponed{}
		if a.requests.postponed == nil {
			a.requests.postponed = map[platform.UserID]postponed{}
		}
		a.requests.postponed[peer] = waiting
	}
	waiting[q.Number] = w
	return true
}

// hasHeardSince reports whether a conversation was heard since then, in this incarnation, and otherwise lets it be. Where there is nothing to
// hear, or it could not be heard for too long, it need not.
func (a *account) hasHeardSince(peer platform.UserID, since, now time.Time) bool {
	switch {
	case a.poller == nil:
		return false
	case !a.mindsSpeaker(), a.poller.HeardList(event.Messages).IsZero():
		return true
	case !a.poller.HeardUntil(peer).Before(since), now.Sub(since) >= patience && !a.isPlatformDown(): //mutate:release-hears-anew
		return true
	}
	a.poller.ReadNext(peer)
	if since.Equal(now) { // a person waits, and only once
		a.bot.schedule.MakeDue(a.poller)
	} else {
		a.requestPoll()
	}
	return false
}
