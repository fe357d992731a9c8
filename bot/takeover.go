package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// An own message that is not in the ledger was written by a person, on the phone or anywhere else.
// The bot is then silent in that conversation for a while, and takes back what it had not sent.

const (
	// OwnedByPerson is the owner of a conversation in which a person of ours wrote.
	OwnedByPerson = "person"

	// OwnedTimer begins the names of timers whose turns come also while a person has the conversation.
	OwnedTimer = "owned/"

	takeoverChoice = "takeover/"       // the decision that a person's message leads to, with its id
	takebackTimer  = "nectar/takeback" // gives the conversation back
	ownTimers      = "nectar/"

	lastWords = 30 * time.Minute // how long the bot is silent after a person's words, at least, when her time is over
)

// foreign asks the ledger which of messages the bot has sent, and returns the others.
func (a *account) foreign(ctx context.Context, messages []platform.Message) ([]platform.Message, error) {
	rest, err := a.unlistedMessages(ctx, messages)
	if err != nil || a.careful.isRenumbered() {
		return rest, err
	}
	return a.withoutOdd(ctx, rest)
}

// unlistedMessages returns those of messages whose ids the ledger does not know.
func (a *account) unlistedMessages(ctx context.Context, messages []platform.Message) ([]platform.Message, error) {
	if len(messages) == 0 || !a.mindsSpeaker() {
		return nil, nil
	}
	ids := make([]int64, len(messages))
	for i, m := range messages {
		ids[i] = int64(m.ID)
	}
	known, err := a.bot.store.Results(ctx, a.name, event.VerbMessage, ids)
	if err != nil {
		return nil, fmt.Errorf("look for own messages in the ledger: %w", err)
	}
	forgotten, err := a.bot.store.ForgottenUpTo(ctx, a.name)
	if err != nil {
		return nil, fmt.Errorf("look for own messages in the ledger: %w", err)
	}
	rest := messages[:0:0]
	for _, m := range messages {
		// Up to there the bot's own words may be deleted from the ledger, as they are older than what is kept: all would seem a person's.
		if !known[int64(m.ID)] && m.ID > forgotten {
			rest = append(rest, m)
		}
	}
	return rest, nil
}

// read takes note of own messages that the dispatcher read in a conversation: a person of ours may have spoken there
// before the poller reads it. What the chat's cursor has passed was judged.
func (a *account) read(ctx context.Context, peer platform.UserID, page []platform.Message) error {
	own := a.doubts.FilterUnknown(slices.DeleteFunc(slices.Clone(page), func(m platform.Message) bool { return !wroteTo(peer, m) }))
	if len(own) == 0 || !a.mindsSpeaker() { //mutate:dispatcher-sees
		return nil
	}
	cursors, err := a.bot.store.Cursors(ctx, a.name, event.Messages, []platform.UserID{0, peer})
	if err != nil {
		return fmt.Errorf("look up to where the messages with %d were judged: %w", peer, err)
	}
	var judged int64
	for _, c := range cursors {
		judged = max(judged, c.ID)
	}
	own = slices.DeleteFunc(own, func(m platform.Message) bool { return int64(m.ID) <= judged })
	if own, err = a.foreign(ctx, own); err != nil {
		return err
	}
	a.doubts.PutAside(peer, own, nil, a.mayPrecedeCarefulStart(peer), nil)
	return nil
}

// wroteTo reports whether a message of the conversation with peer is the account's own.
func wroteTo(peer platform.UserID, m platform.Message) bool {
	return m.Own || m.From != 0 && m.From != peer
}

// judgeUnattributed looks at the conversations that are quiet, every now and then, until ctx is done: what is in doubt there
// may last for too long.
func (b *Bot) judgeUnattributed(ctx context.Context) {
	runEvery(ctx, persistPendingAfter, func() { b.eachAtWork(func(a *account) { a.judgeAll(ctx) }) })
}

func (a *account) judgeAll(ctx context.Context) {
	now := time.Now()
	for _, peer := range a.doubts.DoubtfulPeers() {
		ctx := a.bot.yield(ctx, a, func() string { return fmt.Sprintf("strangers %d", peer) }) // others wake with the same ticks
		a.doubts.MoveOverdue(peer, now, a.mayPrecedeCarefulStart(peer))
		a.judgeOwnMessages(ctx, peer)
	}
	for _, peer := range a.quiet.GiveUp(now) {
		a.endQuiet(peer)
	}
	a.watchCareful(now)
}

// judgeOwnMessages decides about the own messages of a conversation that nobody knows, at once unless something there is on its
// way or in doubt: then they may be the bot's.
func (a *account) judgeOwnMessages(ctx context.Context, peer platform.UserID) {
	for again := true; again; {
		again = false
		for _, s := range a.doubts.TakeWaiting(peer) {
			if decided := a.judgeOne(ctx, peer, &s); !decided {
				a.doubts.PutBack(peer, s)
				again = again || a.isDoubtOver(peer, s)
			}
		}
	}
	a.endQuiet(peer)
}

// isDoubtOver reports whether what made a message wait was over before it was put back.
func (a *account) isDoubtOver(peer platform.UserID, s unattributed) bool {
	return !s.Failed && !a.outbox.IsBusy(peer)
}

// judgeOne decides about one of them; false when nobody knows yet.
func (a *account) judgeOne(ctx context.Context, peer platform.UserID, s *unattributed) (decided bool) {
	//mutate:in-doubt-unattributed
	if a.outbox.IsBusy(peer) { // as long as that is reconciled, which takes ten minutes at most of a platform that answers
		return false
	}
	// What was on its way when it was read is not any more, so its id is known.
	rest, err := a.foreign(ctx, a.doubts.FilterUnknown([]platform.Message{s.Message}))
	switch {
	case err != nil:
		s.Failed = true
		return false
	case len(rest) == 0:
		a.passCursor(peer, s)
		return true
	}
	ours, err := a.outbox.AttributeMessage(ctx, peer, s.Message.ID, s.Message.Text)
	switch {
	case err != nil:
		s.Failed = true
		return false
	case ours: //mutate:unnamed
		a.doubts.NoteOurs(s.Message.ID)
		a.passCursor(peer, s)
	case s.Earlier:
		return a.judgeCareful(ctx, peer, s)
	case a.outbox.IsHeld(peer, s.Message.ID, s.Message.Text):
		a.passCursor(peer, s)
	case a.rivals.CheckMessage(ctx, peer, &s.Message, s.Read) != nil: //mutate:rival-in-doubt
		s.Failed = true
		return false
	default:
		a.countUnmarked(peer, s.Message.Text)
		a.submitJob(&job{track: s.Batch, trigger: event.Trigger{
			Kind: event.ByRequest, Key: event.Key{Account: a.name, Peer: peer},
			Choice: takeoverChoice + strconv.FormatInt(int64(s.Message.ID), 10), Event: event.Event{Text: s.Message.Text},
		}})
	}
	return true
}

// takesBack draws the line of a turn that takes back what was decided before it: places below are.
func (b *Bot) takesBack(out *computedTurn) {
	if out.Withdraw != "" {
		// Before Reserve gives this turn's own actions their places: those lie above the line, and leave.
		out.place = b.store.NextPosition()
	}
}

// tookOver notes that a takeover is stored. Its lane is locked, and goes on by itself.
func (a *account) tookOver(t *event.Trigger) {
	if strings.HasPrefix(t.Choice, takeoverChoice) {
		a.doubts.NoteDecided(t.Key.Peer)
		a.quiet.EndQuiet(t.Key.Peer)
	}
}

// RevokedReason says why an action must not leave any more: it was taken back since it was decided. What an earlier incarnation began
// is looked up.
func (a *account) RevokedReason(ctx context.Context, x *event.Action, earlier bool) (string, error) {
	if reason, taken := a.quiet.TakenBackReason(x.Peer, x.Position); taken { //mutate:taken
		return reason, nil
	}
	if !earlier {
		return "", nil
	}
	c, err := a.bot.store.Conversation(ctx, event.Key{Account: a.name, Peer: x.Peer})
	//mutate:taken-before
	if err != nil || c.TakenBack.IsZero() || !x.DecidedAt.Before(c.TakenBack) {
		return "", err
	}
	return takenBack, nil
}

// takenBack is why an action is withdrawn when a person of ours has spoken.
const takenBack = "a person answered in this conversation"

// takeOver gives the conversation to the person who wrote, and takes back what has not been sent.
func (t *Turn) takeOver(silent time.Duration, said time.Time) {
	t.withdraw = takenBack
	t.dealsWith(messageOf(t.Trigger.Choice), said)
	silent -= t.Now.Sub(said)
	if owner := t.Conversation.Owner; owner != "" && owner != OwnedByPerson { // the team it was handed to
		t.Conversation.OwnerWrote, t.changed = said, true
		if d := t.Conversation.OwnerFor; d > 0 {
			t.waitFor(d, takebackTimer, nil)
			t.Note("%s wrote; the bot is silent until %s", owner, t.Now.Add(d).UTC().Format(time.RFC3339))
		}
		return
	}
	t.setOwner(OwnedByPerson, silent)
	t.Conversation.OwnerWrote = said
	t.waitFor(silent, takebackTimer, nil)
	t.Note("a person of ours wrote; the bot is silent until %s", t.Now.Add(silent).UTC().Format(time.RFC3339))
}

// saidAt returns when what a takeover is about was said: now, unless it was found in a careful start.
func (t *Turn) saidAt() time.Time {
	said := t.Trigger.Event.SeenAt
	if said.IsZero() {
		return t.Now
	}
	t.rec.Why = event.Because(WhyWritten, "said", said.UTC().Format(time.RFC3339))
	if said.After(t.Now) {
		return t.Now
	}
	return said
}

// leaveToOwner gives a turn in a conversation that a person has to the routes that look on; no route comes before the person.
func (b *Bot) leaveToOwner(_ context.Context, t *Turn) (bool, error) {
	if t.Trigger.Key.Own() || t.Conversation.Owner == "" || t.isDelivery() || t.Trigger.Kind == event.ByTimer && strings.HasPrefix(t.Trigger.Timer.Name, OwnedTimer) {
		return false, nil
	}
	t.owned()
	if !b.router.looksOn(t) {
		return true, nil
	}
	t.handler, t.unanswered = b.router.lookOn, true
	return false, nil
}

// endTakeover gives a conversation back when its time with a person of ours is over.
func (b *Bot) endTakeover(ctx context.Context, t *Turn) (bool, error) {
	if t.Trigger.Kind != event.ByTimer || t.Trigger.Timer.Name != takebackTimer {
		return false, nil
	}
	if owner, tells := t.timeIsOver(b.cfg.TakeoverFor); tells {
		return true, t.tellsReturn(ctx, owner)
	}
	return true, nil
}

// putOffOwned lets a timer wait that is for when the bot speaks again.
func (b *Bot) putOffOwned(_ context.Context, t *Turn) (bool, error) {
	timer := t.Trigger.Timer.Name
	if t.Conversation.Owner == "" || t.Trigger.Kind != event.ByTimer || t.Trigger.Key.Own() || strings.HasPrefix(timer, ownTimers) ||
		strings.HasPrefix(timer, OwnedTimer) { //mutate:owned-timer
		return false, nil
	}
	t.putOff(ownedTimerPause)
	t.owned()
	return true, nil
}

// owned notes that a person has the conversation.
func (t *Turn) owned() {
	t.rec.Outcome = OutcomeOwned
	t.Note("%s has the conversation", t.Conversation.Owner)
}

// timeIsOver gives the conversation back, unless somebody has it until a fixed time and wrote there just before: then she is in the middle of it. It tells
// who had it, and whether they are to be told.
func (t *Turn) timeIsOver(silent time.Duration) (owner string, tells bool) {
	c := &t.Conversation
	until := c.OwnerWrote.Add(min(silent, lastWords))
	if c.Owner == "" || c.OwnerFor > 0 || c.OwnerWrote.IsZero() || !until.After(t.Now) { //mutate:fixed-time
		owner = c.Owner
		if owner != "" && owner != OwnedByPerson && c.OwnerWrote.Before(c.OwnerSince) && c.Attended.Before(c.OwnerSince) { //mutate:return-told
			tells = true
		}
		t.TakeBack()
		return owner, tells
	}
	t.putOff(until.Sub(t.Now))
	t.rec.Outcome = OutcomeOwned
	t.Note("%s wrote; the bot is silent until %s", c.Owner, until.UTC().Format(time.RFC3339))
	return c.Owner, false
}

// ownedTimerPause is when a timer of a conversation that a person has is looked at again.
const ownedTimerPause = time.Hour

// factSaid is what a person of ours wrote, kept with the turn by which the conversation became theirs.
const factSaid = "said"

// keepSaid keeps what a person of ours wrote, for people who look at the conversation.
func (t *Turn) keepSaid() {
	text := t.Trigger.Event.Text
	if text == "" {
		return
	}
	value, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text always encodes
	}
	t.facts = append(t.facts, event.Fact{Name: factSaid, Value: value, ReadAt: t.Now})
}

// SaidByHand returns what a person of ours wrote, from the facts of the turn by which a conversation became theirs; "" when it
// is not kept.
func SaidByHand(facts []event.Fact) (text string) {
	for _, f := range facts {
		if f.Name == factSaid && json.Unmarshal(f.Value, &text) != nil {
			return ""
		}
	}
	return text
}
