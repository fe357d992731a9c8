package bot

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// OutcomeAnswered is the outcome of what was written before the account's last words in its conversation, of which a copy that was put back
// knows nothing: it is heard, and not answered.
const OutcomeAnswered = "answered"

const (
	// WhyWritten is why a conversation was taken over by words of a person of ours that a careful start has found, with the time at which
	// they were said: conversations give-back --all goes by it.
	WhyWritten event.ReasonCode = "copy.written"

	whyAnswered event.ReasonCode = "copy.answered" // message=ID of the account's last one
)

// judgeCareful decides about an own message from before a careful start that the ledger does not know; false when nobody knows yet. What
// the copy was about to say is reconciled by now.
func (a *account) judgeCareful(ctx context.Context, peer platform.UserID, s *unattributed) (decided bool) {
	hers := !a.outbox.IsHeld(peer, s.message.ID, s.message.Text) && !a.bot.router.isRouteText(a.name, s.message.Text) && !a.hasSaid(ctx, peer, &s.message)
	// Before the cursor passes it: an incarnation after a crash would answer what stands above it.
	if err := a.noteSpoken(ctx, peer, s.message.ID, hers); err != nil {
		s.failed = true
		return false
	}
	said, now := s.said, time.Now()
	if said.IsZero() || said.After(now) { //mutate:careful-age
		said = now
	}
	if !hers || now.Sub(said) >= a.bot.cfg.TakeoverFor { //mutate:careful-said
		a.passCursor(peer, s)
		return true
	}
	a.submitJob(&job{track: s.track, trigger: event.Trigger{
		Kind: event.ByRequest, Key: event.Key{Account: a.name, Peer: peer},
		Choice: takeoverChoice + strconv.FormatInt(int64(s.message.ID), 10), Event: event.Event{Text: s.message.Text, SeenAt: said.Round(0)},
	}})
	return true
}

// passCursor lets the cursor pass an own message about which there is nothing to do.
func (a *account) passCursor(peer platform.UserID, s *unattributed) {
	if s.track != nil {
		if cursors := a.ingest.noteStored(s.track); len(cursors) > 0 {
			a.bot.store.QueueCursors(cursors...)
		}
	}
	a.unattributed.noteDecided(peer)
}

// noteSpoken notes that the account has said something in a conversation since the copy, and stores it.
func (a *account) noteSpoken(ctx context.Context, peer platform.UserID, id platform.MessageID, hers bool) error {
	k := &a.careful
	k.mu.Lock()
	was, start := k.spoken[peer], k.start
	k.mu.Unlock()
	now := spokenSince{Last: max(was.Last, id), Hers: was.Hers || hers}
	if now == was {
		return nil
	}
	value, err := json.Marshal(now)
	if err != nil {
		panic(err) // numbers and truths always encode
	}
	fact := event.Fact{Name: strconv.FormatInt(int64(peer), 10), Value: value, ReadAt: start.Began}
	if err := a.bot.store.StoreFact(ctx, a.name, spokenAs(&start), fact); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if was = k.spoken[peer]; was.Last > now.Last {
		now.Last = was.Last
	}
	now.Hers = now.Hers || was.Hers
	if k.spoken == nil {
		k.spoken = map[platform.UserID]spokenSince{}
	}
	k.spoken[peer] = now
	return nil
}

// isRouteText reports whether a text is one that a route says to people of an account.
func (r *Router) isRouteText(account event.Account, text string) bool {
	for _, rt := range r.speakers {
		if rt.ways().Says(account, text) {
			return true
		}
	}
	return false
}

// runObservers gives a turn that is not to be answered to the routes that look on, as if a person of ours had the conversation.
func (r *Router) runObservers(ctx context.Context, t *Turn) error {
	t.Conversation.Owner = OwnedByPerson
	err := r.lookOn(ctx, t)
	if t.Conversation.Owner == OwnedByPerson {
		t.Conversation.Owner = ""
	}
	t.rec.Outcome = OutcomeAnswered
	return err
}

// wasAnswered reports whether a turn is about what was written before the account's last words, of which its memory knows nothing.
func (t *Turn) wasAnswered() bool {
	k := &t.reader.account.careful
	if t.Trigger.Kind != event.ByEvent || t.Trigger.Event.ID.Source != event.Messages {
		return false
	}
	last := k.lastSpoken(t.Trigger.Key.Peer)
	if t.Trigger.Event.ID.Number >= int64(last) { //mutate:careful-answered
		return false
	}
	t.rec.Outcome, t.rec.Why = OutcomeAnswered, event.Because(whyAnswered, "message", strconv.FormatInt(int64(last), 10))
	t.Note("the account's message %d stands below it: what the bot keeps is older than that", last)
	return true
}
