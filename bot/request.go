package bot

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// OutcomeObsolete is the outcome of a request that could not be done any more; the note says why.
const OutcomeObsolete = "obsolete"

// TakebackTimer is the timer that gives a conversation back to the bot.
const TakebackTimer = takebackTimer

// doRequest does what a person asked for; false when the turn is none of that.
func (b *Bot) doRequest(ctx context.Context, t *Turn) (bool, error) {
	if q := t.Trigger.Request; q != nil {
		return true, b.handleRequest(ctx, t, q)
	}
	return false, nil
}

func (b *Bot) handleRequest(ctx context.Context, t *Turn, q *event.Request) error {
	t.rec.By = q.By
	if q.Key.Own() && (q.Wish == event.WishTakeOver || q.Wish == event.WishForget || q.Wish == event.WishSay && q.Text != "") { //mutate:own-wish
		t.noteObsolete("%v", ErrNoPerson)
		return nil
	}
	switch q.Wish {
	case event.WishRetry:
		return b.retry(ctx, t, q)
	case event.WishRelease, event.WishInsist, event.WishDrop, event.WishEdit, event.WishWithdraw:
		return b.decideHeld(ctx, t, q)
	case event.WishReread:
		return b.rereadEvents(ctx, t, q)
	case event.WishForget:
		return b.forgetPerson(ctx, t, q)
	case event.WishHeed:
		b.unignorePerson(t, q)
	case event.WishTell:
		return b.routeRequest(ctx, t, q)
	case event.WishDeliver:
		b.deliverAsked(t, q)
	case event.WishTakeOver:
		return t.toldFirst(ctx, q, func() { t.handOver(q) })
	case event.WishGiveBack:
		return t.toldFirst(ctx, q, t.giveBack)
	case event.WishDone:
		return t.toldFirst(ctx, q, func() { t.endsWait(q) })
	case event.WishLater:
		t.endsWait(q)
	case event.WishAck:
		return b.ackWait(ctx, t, q)
	case event.WishSay:
		return b.sayToPeople(ctx, t, q)
	// It has its turn all the same, which takes the request away: it would be taken up again at each start, for ever.
	default:
		t.noteObsolete("this version does not know how to %q", q.Wish)
		b.log.Warn("somebody asks for what this version does not know; it comes to nothing",
			"account", q.Key.Account, "peer", int64(q.Key.Peer), "wish", string(q.Wish))
	}
	return nil
}

// noteObsolete notes that a request could not be done any more.
func (t *Turn) noteObsolete(format string, args ...any) {
	t.rec.Outcome = OutcomeObsolete
	t.Note(format, args...)
}

// retry lets quarantined events and timers have their turn again.
func (b *Bot) retry(ctx context.Context, t *Turn, q *event.Request) error {
	quarantined, err := b.store.QuarantinedEvents(ctx, q.Key)
	if err != nil {
		return storeError{err}
	}
	timers, err := b.store.QuarantinedTimers(ctx, q.Key)
	if err != nil {
		return storeError{err}
	}
	var ids []string
	// What was asked for, as far as it is quarantined now: an earlier request may have let some of it go on.
	for i := range quarantined {
		if id := quarantined[i].ID.String(); q.Retries(id) {
			t.retries, ids = append(t.retries, quarantined[i].Event), append(ids, id)
		}
	}
	for i := range timers {
		if id := timers[i].ID(); q.Retries(id) {
			t.rings, ids = append(t.rings, timers[i]), append(ids, id)
		}
	}
	what := "events"
	if len(t.rings) > 0 {
		what = "events and timers"
	}
	switch n := len(ids); n {
	case 0:
		t.noteObsolete("none of it is quarantined any more")
	case 1:
		t.Note("%s is tried again", ids[0])
	default:
		t.Note("%d %s are tried again, from %s to %s", n, what, ids[0], ids[n-1])
	}
	return nil
}

// tryAgain puts events whose retry is stored behind what waits in their lane.
func (a *account) tryAgain(events []event.Event) {
	for i := range events {
		a.queuePendingEvent(&store.PendingEvent{Event: events[i], Late: true})
	}
}

// textProblem says why a person's text cannot take the place of an action's; "" when it can.
func textProblem(v event.Verb, text string) string {
	limit := MaxMessage
	if v == event.VerbPost {
		limit = MaxPost
	}
	switch n := utf8.RuneCountInString(text); {
	case !v.Makes():
		return "it has no text"
	case strings.TrimSpace(text) == "":
		return "the new text is empty"
	case n > limit:
		return fmt.Sprintf("the new text has %d characters, and may have %d", n, limit)
	}
	return ""
}

// handOver gives the conversation to who asked for it, and takes back what has not been sent.
func (t *Turn) handOver(q *event.Request) {
	if !q.Until.IsZero() && !q.Until.After(t.Now) {
		t.noteObsolete("its time was over at %s", q.Until.UTC().Format(time.RFC3339))
		return
	}
	who := q.Owner
	if before := t.Conversation.Owner; before != "" && before != q.Owner {
		who += " (after " + before + ")"
	}
	t.withdraw = "a person took the conversation over"
	t.Handoff(q.Owner)
	t.Conversation.Attended, t.changed = t.Now, true
	t.setTimer(takebackTimer, q.Until, nil)
	until := "until it is given back"
	if !q.Until.IsZero() {
		until = fmt.Sprintf("until %s", q.Until.UTC().Format(time.RFC3339))
	}
	t.Note("%s has the conversation; the bot is silent %s", who, until)
}

// giveBack gives the conversation to the bot again.
func (t *Turn) giveBack() {
	if t.Conversation.Owner == "" {
		t.noteObsolete("the bot had the conversation already")
		return
	}
	t.Note("the bot has the conversation again, after %s", t.Conversation.Owner)
	t.TakeBack()
	t.Conversation.Attended, t.changed = t.Now, true
}

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
			a.rivals.Resume(q, func() { a.requests.done(q) })
		case a.postpones(q, pass), q.Wish == event.WishDeliver && a.deliveries.isFull(): //mutate:delivery-asked
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
	if !behind && a.quiet.QuietEnded(peer) == nil && a.hasHeardSince(peer, w.since, now) { //mutate:release-hears
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
	case !a.poller.HeardUntil(peer).Before(since), now.Sub(since) >= patience && !a.IsPlatformDown(): //mutate:release-hears-anew
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
