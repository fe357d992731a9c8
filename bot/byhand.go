package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// ownReplies begins the name of the fact that holds the account's own replies to a post, by their ids, as its thread
// showed them when the post was read.
const ownReplies = "own-replies:"

// owned says which posts of a thread are the account's own. A session that has ended may be answered as if none was sent, and then none of
// them is marked; but whose they are stands there.
func owned(th *platform.Thread, me platform.UserID) {
	mark := func(p *platform.Post) {
		p.IsOwner = p.IsOwner || me != 0 && !p.IsRepost && (p.UserID == me || p.Owner.ID == me) //mutate:owned-by-id
	}
	mark(&th.Post)
	for i := range th.Next {
		mark(&th.Next[i])
	}
}

// recordOwn records the account's own replies to a post that was read, if there are any.
func (t *Turn) recordOwn(th platform.Thread) error {
	var own []int64
	for i := range th.Next {
		if r := &th.Next[i]; r.IsOwner && !r.IsRepost {
			own = append(own, int64(r.ID))
		}
	}
	if len(own) == 0 {
		return nil
	}
	return t.record(ownReplies+strconv.FormatInt(int64(th.Post.ID), 10), own)
}

// byHand reports whether a person of ours has answered the mention or reply that the turn is about: below it stands a
// reply of the account that is none of the bot's. It is hers then.
func (b *Bot) byHand(ctx context.Context, t *Turn) (bool, error) {
	e, a := &t.Event, t.reader.account
	f, ok := t.known[ownReplies+strconv.FormatInt(int64(e.Post), 10)]
	if !ok || e.Post == 0 || b.cfg.TakeoverFor < 0 || e.Kind != event.KindMention && e.Kind != event.KindReply {
		return false, nil
	}
	var own []int64
	if err := json.Unmarshal(f.Value, &own); err != nil {
		return false, fmt.Errorf("decode the fact %s: %w", f.Name, err)
	}
	if a.outbox.MadeBelow(e.Post) { // one of them may be the bot's
		return false, nil
	}
	known, err := b.store.Results(ctx, a.name, event.VerbPost, own)
	if err != nil {
		return false, storeError{err}
	}
	hers := slices.IndexFunc(own, func(id int64) bool { return !known[id] })
	if hers < 0 { //mutate:by-hand
		return false, nil
	}
	t.rec.Outcome = OutcomeOwned
	t.Note("a person of ours has answered it with the reply %d", own[hers])
	return true, nil
}
