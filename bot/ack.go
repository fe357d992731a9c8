package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

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
		t.After(0, timer)
	}
	return nil
}

// tellsWhoHas tells whoever was called about the person, and by whom, that somebody has her now. Where one address was called, whoever reads it knows.
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

// tellsReturn tells the team that had a conversation that the bot speaks there again, although none of them has written to whoever waits.
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

// toldFirst does what somebody of ours has decided about a conversation, and tells whoever was called about the person that she has her now.
func (t *Turn) toldFirst(ctx context.Context, q *event.Request, do func()) error {
	if err := t.tellsWhoHas(ctx, deciderName(q)+" has it"); err != nil {
		return err
	}
	do()
	return nil
}

// deciderName returns who has decided, as people read it.
func deciderName(q *event.Request) string { return cmp.Or(q.By, "somebody of ours") }
