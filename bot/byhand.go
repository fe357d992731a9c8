package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// What stands on the platform in the account's name was written by the bot, or by a person of ours, by hand.

// readHolds is for how long what an earlier try of a turn has read below a post holds.
const readHolds = time.Minute

// markOwnPosts says which posts of a thread are the account's own. A session that has ended may be answered as if none was sent, and then none of
// them is marked; but whose they are stands there.
func markOwnPosts(th *platform.Thread, me platform.UserID) {
	mark := func(p *platform.Post) {
		p.IsOwner = p.IsOwner || me != 0 && !p.IsRepost && (p.UserID == me || p.Owner.ID == me) //mutate:owned-by-id
	}
	mark(&th.Post)
	for i := range th.Next {
		mark(&th.Next[i])
	}
}

// repliedByHand returns what people of ours have answered below a post by hand: of each reply what tells which it is. While one of the
// bot's is on its way there, in doubt or held, any of them may be that.
func (a *account) repliedByHand(ctx context.Context, th *platform.Thread) (hers []platform.Post, err error) {
	if !a.mindsSpeaker() || th.Post.IsOwner {
		return nil, nil
	}
	own := slices.DeleteFunc(slices.Clone(th.Next), func(p platform.Post) bool { return !p.IsOwner || p.IsRepost })
	if len(own) == 0 || a.outbox.MadeBelow(th.Post.ID) {
		return nil, nil
	}
	if own, err = a.notOurs(ctx, th.Post.ID, own); err != nil {
		return nil, err
	}
	for i := range own {
		hers = append(hers, platform.Post{ID: own[i].ID, UserID: own[i].UserID, Time: own[i].Time, Thread: th.Post.ID, IsOwner: true})
	}
	return hers, nil
}

// leaveToHand leaves a mention or reply that a person of ours has answered to them: below it stands a reply of the account that is none of the bot's. What
// an earlier try has read, before it failed or waited, is read again after a while: it may have been hours.
func (b *Bot) leaveToHand(ctx context.Context, t *Turn) (bool, error) {
	e := &t.Event
	if !b.router.readsKind(e.Kind) {
		return false, nil
	}
	if err := t.prefetchPost(ctx); err != nil {
		return false, err
	}
	f, ok := t.known["post:"+strconv.FormatInt(int64(e.Post), 10)]
	if !ok || e.Post == 0 || e.Kind != event.KindMention && e.Kind != event.KindReply {
		return false, nil
	}
	var p platform.Post
	if err := json.Unmarshal(f.Value, &p); err != nil {
		return false, fmt.Errorf("decode the fact %s: %w", f.Name, err)
	}
	age := t.Now.Sub(f.ReadAt)
	if len(p.Answers) == 0 && (age < 0 || age > readHolds || t.reader.account.outbox.StoodSince(f.ReadAt)) { //mutate:by-hand-again
		again, err := t.readPost(ctx, e.Post)
		if err != nil && !platform.Final(err) {
			return false, fmt.Errorf("read again whether a person of ours has answered the post of %s: %w", e.ID, err)
		}
		p.Answers = again.Answers
	}
	if len(p.Answers) == 0 { //mutate:by-hand
		return false, nil
	}
	t.rec.Outcome = OutcomeOwned
	t.wait = store.Wait{Does: store.WaitAnswered, Words: e.ID}
	t.Note("a person of ours has answered it with the reply %d", p.Answers[0].ID)
	return true, nil
}

// notOurs returns those of replies of the account to a post that the ledger does not know.
func (a *account) notOurs(ctx context.Context, post platform.PostID, own []platform.Post) ([]platform.Post, error) {
	ids := make([]int64, len(own))
	for i := range own {
		ids[i] = int64(own[i].ID)
	}
	// Results are stored lazily: one that is not stored yet would be taken for a person's.
	if err := a.bot.store.MarkNow(ctx); err != nil {
		return nil, storeError{err}
	}
	known, err := a.bot.store.Results(ctx, a.name, event.VerbPost, ids)
	if err != nil {
		return nil, storeError{err}
	}
	rest := own[:0]
	for i := range own {
		ours := known[int64(own[i].ID)]
		if !ours {
			if ours, err = a.outbox.AttributeReply(ctx, post, own[i].ID, own[i].Text); err != nil {
				return nil, storeError{err}
			}
		}
		if !ours { //mutate:unnamed-reply
			rest = append(rest, own[i])
		}
	}
	return rest, nil
}

// AnsweredByHand reads whether a person of ours has answered by hand what a public reply answers that has waited, and says why it must not
// leave then. fresh tells that it was decided just now, unless that was a person's approval.
func (a *account) AnsweredByHand(ctx context.Context, x *event.Action, fresh bool) (string, error) {
	if !a.mindsSpeaker() {
		return "", nil
	}
	if fresh {
		if approved, err := a.approved(ctx, x); err != nil || approved.IsZero() {
			return "", err
		}
	}
	own, err := a.repliesBelow(ctx, x)
	if err != nil || len(own) == 0 {
		return "", err
	}
	if own, err = a.notOurs(ctx, x.Post, own); err != nil {
		return "", err
	}
	own = slices.DeleteFunc(own, func(p platform.Post) bool {
		return a.outbox.HeldBelow(x.Post, p.ID, p.Text) //mutate:by-hand-held
	})
	if len(own) == 0 {
		return "", nil
	}
	approved, err := a.approved(ctx, x)
	if err != nil {
		return "", err
	}
	if !approved.IsZero() {
		approved = a.site.clock.earliestTime(approved)
	}
	return saidByHand(own, approved), nil
}

// approvedAfter is by how much a person's approval has to be later than a reply to count, by the platform's clock: the two are compared to a
// second or so.
const approvedAfter = time.Minute

// saidByHand says which of replies that a person of ours wrote keeps one of the bot's back; "" for none. What she approved after her own
// words leaves all the same.
func saidByHand(hers []platform.Post, approved time.Time) string {
	for i := range hers {
		switch p := &hers[i]; {
		case approved.IsZero():
			return fmt.Sprintf("a person of ours has answered it with the reply %d", p.ID)
		case p.Time.IsZero():
			return fmt.Sprintf("a person of ours has answered it with the reply %d, and nobody knows whether this was approved after that", p.ID)
		case approved.Sub(p.Time) < approvedAfter: //mutate:by-hand-approved
			return fmt.Sprintf("a person of ours has answered it with the reply %d, after this was approved, or at about that time", p.ID)
		}
	}
	return ""
}

// approved returns when a person released an action; zero when nobody did.
func (a *account) approved(ctx context.Context, x *event.Action) (time.Time, error) {
	p, ok, err := a.bot.store.Approval(ctx, a.name, x.Key)
	if err != nil {
		return time.Time{}, storeError{err}
	}
	if v := p.Verdict; ok && (v.Ruling == event.Released || v.Ruling == event.Edited) {
		return v.At, nil
	}
	return time.Time{}, nil
}

// repliesBelow reads the account's own replies to what a reply answers; none where that is the account's own, is gone, or is not to be
// read here at all: then the reply leaves, and hears of it.
func (a *account) repliesBelow(ctx context.Context, x *event.Action) ([]platform.Post, error) {
	me, err := a.broker.Me(ctx)
	if err != nil {
		return nil, &platform.SessionError{Endpoint: "thread_data", Err: err}
	}
	th, err := a.client.Thread(ctx, x.Post)
	if platform.Final(err) { // a session that has ended may be answered as if none was sent, and strangers are not shown everything
		if _, err := a.client.Feed(ctx, platform.PageParams{PageSize: 1}); err != nil && !outbox.HasNoFeed(err) {
			return nil, fmt.Errorf("make sure of the session before reading the post %d: %w", x.Post, err)
		}
		th, err = a.client.Thread(ctx, x.Post)
	}
	switch {
	case platform.Final(err), platform.NoEndpoint(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the thread of the post %d: %w", x.Post, err)
	}
	if markOwnPosts(&th, me); th.Post.IsOwner {
		return nil, nil
	}
	return slices.DeleteFunc(th.Next, func(p platform.Post) bool { return !p.IsOwner || p.IsRepost }), nil
}

// Without get_messages, the chat list is all that is known of messages. Poller and dispatcher tell each other
// what they know: the one what was sent, the other what is shown.

const (
	saidAtOnce = 1000 // messages in one reading of the store
	saidHeld   = 256
)

// RecentOwnMessages tells the poller what earlier incarnations sent; see poll.Bot.
func (a *account) RecentOwnMessages(ctx context.Context, after platform.MessageID, each func(poll.Own)) error {
	for {
		sent, err := a.bot.store.Sent(ctx, a.name, after, saidAtOnce)
		if err != nil {
			return fmt.Errorf("read the messages that arrived: %w", err)
		}
		for i := range sent {
			after = platform.MessageID(sent[i].Result)
			each(poll.Own{Peer: sent[i].Peer, ID: after, Text: sent[i].Text})
		}
		if len(sent) < saidAtOnce {
			break
		}
	}
	// What is held or open may be on the platform, too. Without it, the bot's own words at the end of a chat would be somebody's who is answered.
	held, err := a.bot.store.HeldActions(ctx, a.name, saidHeld)
	if err != nil {
		return fmt.Errorf("read the messages that are held: %w", err)
	}
	open, err := a.bot.store.Open(ctx, a.name)
	if err != nil {
		return fmt.Errorf("read the messages that may have left: %w", err)
	}
	for _, x := range append(held, open...) { //mutate:restore-open
		if x.Verb == event.VerbMessage {
			each(poll.Own{Peer: x.Peer, Text: x.Text})
		}
	}
	return nil
}

// SnapshotRow tells the dispatcher what the chat list shows; see outbox.Chats.
func (a *account) SnapshotRow(peer platform.UserID, text string) (outbox.SnapshotRow, bool) {
	if a.poller == nil {
		return outbox.SnapshotRow{}, false
	}
	row, ok := a.poller.SnapshotRow(peer, text)
	return outbox.SnapshotRow(row), ok
}

// The ledger knows the bot's messages by their ids. One that shows an absurd id for a while, or of which the answer
// told such an id, it knows by another one: its text tells then.

const (
	oddReach  = 1 << 20 // how far below what is known the message may be that shows an absurd id, and how far above it such ids are at least
	oddAtOnce = 1000    // messages in one reading of the ledger
)

// withoutOdd returns those of messages that the ledger does not know by an absurd id, or by a proper one while they show
// an absurd one.
func (a *account) withoutOdd(ctx context.Context, unknown []platform.Message) ([]platform.Message, error) {
	if len(unknown) == 0 {
		return nil, nil
	}
	if err := a.bot.store.MarkNow(ctx); err != nil { // what has arrived is stored lazily
		return nil, err
	}
	var rest []platform.Message
	for i := range unknown {
		ours, err := a.sentAs(ctx, &unknown[i])
		if err != nil {
			return nil, err
		}
		if !ours {
			rest = append(rest, unknown[i])
		}
	}
	return rest, nil
}

// sentAs reports whether the bot sent a message under another id, one of the two being absurd.
func (a *account) sentAs(ctx context.Context, m *platform.Message) (bool, error) {
	after, believed := a.BelievedMessageID(m.ID)
	if believed { // absurd ids alone: all the others may be as many as the account ever sent
		after += oddReach
	} else {
		after = max(0, after-oddReach)
	}
	for {
		sent, err := a.bot.store.Sent(ctx, a.name, after, oddAtOnce)
		if err != nil || len(sent) == 0 {
			return false, err
		}
		if slices.ContainsFunc(sent, func(x event.Action) bool {
			_, plain := a.BelievedMessageID(platform.MessageID(x.Result))
			return (m.To == 0 || x.Peer == m.To) && plain != believed && outbox.SameText(x.Text, m.Text)
		}) {
			return true, nil
		}
		if len(sent) < oddAtOnce {
			return false, nil
		}
		after = platform.MessageID(sent[len(sent)-1].Result)
	}
}
