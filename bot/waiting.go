package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Who waits for a person of ours is kept with each turn: everybody whose last words nobody of ours, and no answer to them, has dealt with, whatever the
// reason. What is held, and what is quarantined, stands for itself.

// concern is what a turn is about: those of the person that nobody has dealt with before it.
type concern struct {
	last   event.ID  // of an event; zero for nobody's words
	since  time.Time // when the first of them was said
	said   time.Time // when the last one was said
	needed string    // the rule that leaves them to a person of ours, also when the bot answers; "" for none
}

// hasWords reports whether an event of a kind is words.
func hasWords(k event.Kind) bool {
	return k == event.KindMessage || k == event.KindMention || k == event.KindReply
}

// saidAt returns when an event was said, as far as anybody knows.
func saidAt(e *event.Event) time.Time {
	if !e.SaidAt.IsZero() {
		return e.SaidAt
	}
	return e.SeenAt
}

// concerned returns the words that a turn is about; the zero ID for nobody's.
func (t *Turn) concerned() concern {
	switch {
	case t.Trigger.Key.Own() || t.Trigger.Key.Peer == 0:
		return concern{}
	case t.concern != nil:
		return *t.concern
	case t.Trigger.Kind != event.ByEvent || !hasWords(t.Event.Kind):
		return concern{}
	}
	at := saidAt(&t.Event)
	return concern{last: t.Event.ID, since: at, said: at}
}

// waitEffect says what the turn means for who waits.
func (t *Turn) waitEffect() store.Wait {
	if t.wait.Does != 0 {
		return t.wait
	}
	w := t.concerned()
	if w.last == (event.ID{}) {
		if t.ended != "" { // what was said now asks for nothing, and what was to be said before it comes to nothing
			return store.Wait{Does: store.WaitBegins, Action: t.ended, Why: event.Because(record.WaitsFailed, "action", t.ended, "state", string(event.Dropped))}
		}
		return store.Wait{}
	}
	if t.knewWords(&w) { //mutate:wait-known
		return store.Wait{}
	}
	c := &t.Conversation
	begins := store.Wait{Does: store.WaitBegins, Words: w.last, Since: w.since, Said: w.said}
	switch outcome := t.rec.Outcome; {
	case c.Owner != "":
		begins.Why, begins.Lasts = event.Because(record.WaitsOwned, "owner", c.Owner), true
	case w.needed != "":
		begins.Why, begins.Lasts = event.Because(record.WaitsCalled, "rule", w.needed), true
	case t.answers():
		return store.Wait{Does: store.WaitAnswered, Words: w.last, Said: w.said}
	case outcome == OutcomeHandled, outcome == OutcomeIgnored, outcome == OutcomeForgotten, outcome == OutcomeOurselves, outcome == OutcomeSame,
		outcome == OutcomeAnswered, t.holds():
		return store.Wait{}
	default:
		begins.Why = event.Because(record.WaitsUnanswered, "outcome", outcome)
	}
	return begins
}

// answers reports whether the turn tells the person something, or does something that they see.
func (t *Turn) answers() bool {
	for i := range t.actions {
		if isAnswer(&t.actions[i]) {
			return true
		}
	}
	return false
}

// isAnswer reports whether an action is something that the person is told, or sees.
func isAnswer(a *record.Action) bool {
	switch a.Verb {
	case event.VerbBooks, event.VerbDeleteMessage, event.VerbDeletePost, event.VerbRenew:
		return false
	default:
		return !a.State.Final() && a.State != event.StateHeld
	}
}

// holds reports whether something that the turn says waits for an approval: that stands for itself, and the person waits when it comes to nothing. What
// else waits says nothing to the person, also when it leaves.
func (t *Turn) holds() bool {
	return slices.ContainsFunc(t.actions, func(a record.Action) bool { return a.State == event.StateHeld && a.Verb.Makes() })
}

// knewWords reports whether a person of ours has written behind words. Of private messages it is known what came first.
func (t *Turn) knewWords(c *concern) bool {
	if c.last.Source == event.Messages {
		return c.last.Number < int64(t.Conversation.OwnerSaid)
	}
	return !c.said.After(t.Conversation.OwnerWrote)
}

// knewHeld reports whether a person of ours has written behind the words that an action is about: since it was decided, or behind them by their ids.
func (t *Turn) knewHeld(h *record.Held) bool {
	trigger, _, _ := strings.Cut(h.Key, "/")
	id, err := event.ParseID(trigger)
	return t.Conversation.OwnerWrote.After(h.DecidedAt) || err == nil && id.Source == event.Messages && id.Number < int64(t.Conversation.OwnerSaid)
}

// dealsWith notes that a person of ours wrote, with a message of this id; 0 when nobody knows it.
func (t *Turn) dealsWith(id platform.MessageID, said time.Time) {
	t.Conversation.OwnerSaid, t.changed = max(t.Conversation.OwnerSaid, id), true
	t.wait = store.Wait{Does: store.WaitDealtWith, Words: event.ID{Source: event.Messages, Number: int64(id)}, Said: said}
}

// messageOf returns the id of the message by which a person of ours took a conversation over, by its choice; 0 for none.
func messageOf(choice string) platform.MessageID {
	id, err := strconv.ParseInt(strings.TrimPrefix(choice, takeoverChoice), 10, 64)
	if err != nil {
		return 0
	}
	return platform.MessageID(id)
}

// endsWait takes somebody off who waits, until she writes again, or until a time.
func (t *Turn) endsWait(q *event.Request) {
	if q.Wish == event.WishLater {
		t.wait = store.Wait{Does: store.WaitPutOff, Said: q.Until}
		t.Note("waits for nobody until %s", q.Until.UTC().Format(time.RFC3339))
		return
	}
	t.wait = store.Wait{Does: store.WaitDone}
	t.Conversation.Attended, t.changed = t.Now, true
	t.Note("was dealt with")
}

// approvedFor says what the approval of actions means for the person they are for: they are answered, unless somebody of ours is to see to it.
func (t *Turn) approvedFor(held []record.Held) {
	switch c := &t.Conversation; {
	case t.Trigger.Key.Own():
	case held[0].Effects.Handoff != nil && c.Owner != "":
		t.wait = store.Wait{Does: store.WaitBegins, Action: held[0].Key, Why: event.Because(record.WaitsOwned, "owner", c.Owner), Lasts: true}
	case slices.ContainsFunc(held, callsLater):
		t.wait = store.Wait{Does: store.WaitBegins, Action: held[0].Key, Why: event.Because(record.WaitsCalled, "rule", held[0].Rule), Lasts: true}
	default:
		t.wait = store.Wait{Does: store.WaitAnswered, Action: held[0].Key}
	}
}

// callsLater reports whether somebody of ours is called some time after the approval of an action, unless it is dealt with: by a timer that comes also while somebody
// has the conversation.
func callsLater(h record.Held) bool {
	return slices.ContainsFunc(h.Effects.Timers, func(x event.HeldTimer) bool { return strings.HasPrefix(x.Name, OwnedTimer) })
}

// endedFor says what it means for a person that the actions for them come to nothing: a person of ours has dealt with them, or nobody has.
func (t *Turn) endedFor(held []record.Held, v event.Verdict) {
	switch {
	case t.Trigger.Key.Own():
	case v.Ruling == event.Dropped && v.By == "": // a program has, whose turn says itself what that means
		if !t.knewHeld(&held[0]) { //mutate:ended-known
			t.ended = held[0].Key
		}
	case v.Ruling == event.Dropped:
		t.wait = store.Wait{Does: store.WaitAnswered, Action: held[0].Key}
	case t.knewHeld(&held[0]):
	case !slices.ContainsFunc(held, func(x record.Held) bool { return x.Verb.Makes() }): // she waits since it was prepared
	default:
		t.wait = store.Wait{Does: store.WaitBegins, Action: held[0].Key, Why: event.Because(record.WaitsFailed, "action", held[0].Key, "state", string(v.Ruling))}
	}
}

// ackWait notes that somebody of ours sees to a person: nobody else is called about her for now. She goes on to wait, since nobody has written to her yet.
func (b *Bot) ackWait(ctx context.Context, t *Turn, q *event.Request) error {
	w, waits, err := b.store.WaitOf(ctx, q.Key)
	switch {
	case err != nil:
		return storeError{err}
	case !waits:
		t.noteObsolete("nobody waits there any more: she was dealt with")
		return nil
	}
	if err := t.tellsWhoHas(ctx, deciderName(q)+" has it"); err != nil {
		return err
	}
	t.Conversation.Acked, t.changed = t.Now, true
	t.Note("%s sees to it; the person waits since %s", deciderName(q), w.Since.UTC().Format(time.RFC3339))
	for _, timer := range b.router.acked {
		t.waitFor(0, timer, nil)
	}
	return nil
}

// tellsWhoHas tells those who were called about the person that somebody has the conversation now, and who. Where one address was called, its reader knows.
func (t *Turn) tellsWhoHas(ctx context.Context, says string) error {
	w, waits, err := t.reader.store.WaitOf(ctx, t.Trigger.Key)
	if err != nil {
		return storeError{err}
	}
	// What an earlier turn of the lane has dealt with is perhaps on its way into the store.
	if c := &t.Conversation; !waits || c.OwnerWrote.After(w.Said) || c.Attended.After(w.Said) || c.Acked.After(w.Said) {
		return nil
	}
	calls, err := t.reader.store.CalledAbout(ctx, t.Trigger.Key, w.Since)
	if err != nil {
		return storeError{err}
	}
	addresses, teams := map[string]bool{}, []string{}
	for i := range calls {
		var reached map[string]json.RawMessage
		if n := &calls[i]; !slices.Contains(teams, n.Who) {
			teams = append(teams, n.Who)
		}
		if len(calls[i].Reached) > 0 && json.Unmarshal(calls[i].Reached, &reached) == nil {
			for a := range reached {
				addresses[a] = true
			}
		}
	}
	if len(addresses) < 2 { //mutate:ack-alone
		return nil
	}
	details := event.Details{Name: t.Conversation.Name, User: t.Conversation.User, Over: true}
	for _, team := range teams {
		t.Notify(event.Notice{Who: team, Kind: event.CallWaiting, Text: says, Details: details.Encode()})
	}
	return nil
}

// tellsReturn tells the team that had a conversation that the bot speaks there again, although none of them has written to the person who waits.
func (t *Turn) tellsReturn(ctx context.Context, owner string) error {
	w, waits, err := t.reader.store.WaitOf(ctx, t.Trigger.Key)
	if err != nil {
		return storeError{err}
	}
	if !waits {
		return nil
	}
	details := event.Details{
		Name: t.Conversation.Name, User: t.Conversation.User, Since: w.Since, As: event.CallHandoff,
		Ask: "The bot speaks there again, and they still wait for you. Answer them on the platform; it is silent from then on.", Do: "nectar conversations show {who}",
	}
	t.Notify(event.Notice{Who: owner, Kind: event.CallWaiting, Text: "the bot speaks there again, and none of " + owner + " has written", Details: details.Encode()})
	return nil
}

// toldFirst does what somebody of ours has decided about a conversation, and tells those who were called about it that it is taken.
func (t *Turn) toldFirst(ctx context.Context, q *event.Request, do func()) error {
	if err := t.tellsWhoHas(ctx, deciderName(q)+" has it"); err != nil {
		return err
	}
	do()
	return nil
}

// deciderName returns who has decided, as people read it.
func deciderName(q *event.Request) string { return cmp.Or(q.By, "somebody of ours") }
