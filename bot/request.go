package bot

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// OutcomeObsolete is the outcome of a request that could not be done any more; the note says why.
const OutcomeObsolete = "obsolete"

// TakebackTimer is the timer that gives a conversation back to the bot.
const TakebackTimer = takebackTimer

// handleRequest does what a person asked for.
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
