package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
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
	hers := !a.outbox.IsHeld(peer, s.Message.ID, s.Message.Text) && !a.bot.router.isRouteText(a.name, s.Message.Text) && !a.hasSaid(ctx, peer, &s.Message)
	// Before the cursor passes it: an incarnation after a crash would answer what stands above it.
	if err := a.noteSpoken(ctx, peer, s.Message.ID, hers); err != nil {
		s.Failed = true
		return false
	}
	said, now := s.Said, time.Now()
	if said.IsZero() || said.After(now) { //mutate:careful-age
		said = now
	}
	if !hers || now.Sub(said) >= a.bot.cfg.TakeoverFor { //mutate:careful-said
		a.passCursor(peer, s)
		return true
	}
	a.submitJob(&job{track: s.Batch, trigger: event.Trigger{
		Kind: event.ByRequest, Key: event.Key{Account: a.name, Peer: peer},
		Choice: takeoverChoice + strconv.FormatInt(int64(s.Message.ID), 10), Event: event.Event{Text: s.Message.Text, SeenAt: said.Round(0)},
	}})
	return true
}

// passCursor lets the cursor pass an own message about which there is nothing to do.
func (a *account) passCursor(peer platform.UserID, s *unattributed) {
	if s.Batch != nil {
		if cursors := a.ingest.noteStored(s.Batch); len(cursors) > 0 {
			a.bot.store.QueueCursors(cursors...)
		}
	}
	a.doubts.NoteDecided(peer)
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

// leaveAnswered gives a turn about what was written before the account's last words, of which its memory knows nothing, to the routes that look on: the person
// may ask for silence. Where somebody has the conversation, they see to it.
func (b *Bot) leaveAnswered(_ context.Context, t *Turn) (bool, error) {
	if t.Trigger.Kind != event.ByEvent || t.Trigger.Event.ID.Source != event.Messages || t.Conversation.Owner != "" {
		return false, nil
	}
	last := t.reader.account.careful.lastSpoken(t.Trigger.Key.Peer)
	if t.Trigger.Event.ID.Number >= int64(last) { //mutate:careful-answered
		return false, nil
	}
	t.rec.Outcome, t.rec.Why = OutcomeAnswered, event.Because(whyAnswered, "message", strconv.FormatInt(int64(last), 10))
	t.Note("the account's message %d stands below it: what the bot keeps is older than that", last)
	if !b.router.looksOn(t) {
		return true, nil
	}
	t.handler, t.unanswered = b.router.runObservers, true
	return false, nil
}

// OutdatedReason says why what a copy wanted to do must not be done any more; "" where nothing is known against it. What is due after the
// careful start nobody has done before.
func (a *account) OutdatedReason(x *event.Action) event.Reason {
	began := a.careful.startedAt()
	if began.IsZero() || !x.Due.Before(began) || !x.DecidedAt.Before(began) {
		return ""
	}
	return a.doneSince(x)
}

// doneSince says why a wish of a copy may have been fulfilled since the copy; "" where nothing is known of that.
func (a *account) doneSince(x *event.Action) event.Reason {
	last := a.careful.lastSpoken(x.Peer)
	switch {
	case x.Verb == event.VerbRenew:
		return event.Because(reason.CopyRenewed, "post", strconv.FormatInt(int64(x.Post), 10))
	case x.Verb == event.VerbMessage && last != 0: //mutate:careful-withdrawn
		return event.Because(reason.CopySpoken, "message", strconv.FormatInt(int64(last), 10))
	}
	return ""
}

// withholdOutdated lets what a turn decides be withdrawn, as far as a copy wanted the turn and the account has done it since, or may have: of timers
// that were due before the careful start, and of what was read first since, other than messages, whose place among the account's words is
// known.
func (t *Turn) withholdOutdated(ctx context.Context) error {
	a := t.reader.account
	began := a.careful.startedAt()
	if began.IsZero() || !t.wishedBefore(began) {
		return nil
	}
	for i := range t.actions {
		x := &t.actions[i].Action
		if x.State.Final() {
			continue
		}
		why := a.doneSince(x)
		if x.Verb == event.VerbPost && x.Post == 0 {
			posts, err := a.outbox.PostedSince(ctx)
			if err != nil {
				return fmt.Errorf("look whether it was published since the copy: %w", err)
			}
			if n := slices.IndexFunc(posts, func(p platform.Post) bool { return outbox.SameText(x.Text, p.Text) }); n >= 0 {
				why = event.Because(reason.CopyPosted, "post", strconv.FormatInt(int64(posts[n].ID), 10))
			}
		}
		if why != "" { //mutate:careful-timer
			x.State = event.StateWithdrawn
			reason.Set(x, why)
			t.Note("%s", x.Reason)
		}
	}
	return nil
}

// wishedBefore reports whether what started a turn is something that may have been dealt with before a careful start.
func (t *Turn) wishedBefore(began time.Time) bool {
	switch x := &t.Trigger; x.Kind {
	case event.ByTimer:
		due := x.Timer.Due
		if !x.Timer.First.IsZero() {
			due = x.Timer.First
		}
		return due.Before(began)
	case event.ByEvent:
		return x.Event.ID.Source != event.Messages && x.Event.ID.Source != event.Snapshots && x.Event.NotBefore.Before(began)
	case event.ByRequest:
		return x.Request != nil && x.Request.Wish == event.WishDeliver && x.Request.AskedAt.Before(began)
	case event.ByNudge:
	}
	return false
}

// A platform may number its messages anew, upwards or downwards. Then all that was said looks like news: the bot's own words, and what was
// answered long ago. What tells is that a message of the bot's stands there under another number, and no more under its own.

// hasRenumbered finds out whether own messages that the ledger does not know are its messages under other numbers, and lets the account be
// careful from then on. events are what was read with them.
func (a *account) hasRenumbered(ctx context.Context, peer platform.UserID, own []platform.Message, events []event.Event) error {
	if len(own) == 0 || a.careful.isRenumbered() {
		return nil
	}
	key := event.Key{Account: a.name, Peer: peer}
	said, err := a.bot.store.SaidSince(ctx, key, time.Time{})
	if err != nil {
		return err
	}
	var moved []movedMessage
	for i := range own {
		if x := saidAs(said, &own[i]); x != nil {
			moved = append(moved, movedMessage{platform.MessageID(x.Result), own[i].ID})
		}
	}
	if len(moved) == 0 {
		return nil
	}
	was, as := moved[len(moved)-1].was, moved[len(moved)-1].is
	there, err := a.client.Messages(ctx, platform.MessagesParams{Peer: peer, Before: was + 1})
	if err != nil {
		return fmt.Errorf("look whether message %d is still there: %w", was, err)
	}
	for i := range there {
		if there[i].ID == was {
			return nil // another bot, or somebody with the bot's words
		}
	}
	if as > was {
		if len(there) > 0 { //mutate:renumbered-up
			return nil // one row shows an absurd id
		}
		return a.countsAnew(ctx)
	}
	if _, believed := a.BelievedMessageID(was); !believed {
		recent, err := a.bot.store.RecentEvents(ctx, key, lastRecent)
		if err != nil {
			return err
		}
		if !haveMovedTogether(append(moved, heardAs(recent, events)...)) { //mutate:renumbered-together
			return nil // their numbers were absurd, each by itself
		}
	}
	return a.countsAnew(ctx)
}

// movedMessage is a message that stood under a number, and stands under another one.
type movedMessage struct{ was, is platform.MessageID }

// haveMovedTogether reports whether there are two messages whose numbers were near each other and in the same order as they are now. Absurd numbers, which some
// rows show for a while, are anywhere.
func haveMovedTogether(all []movedMessage) bool {
	for i := range all {
		for j := range i {
			first, second := all[j], all[i]
			if first.was > second.was {
				first, second = second, first
			}
			if first.is < second.is && !leap.IsLeap(int64(first.was), int64(second.was)) {
				return true
			}
		}
	}
	return false
}

// saidAs returns the message of the ledger that has the words of another one; nil for none.
func saidAs(said []store.Said, m *platform.Message) *store.Said {
	for i := range said {
		x := &said[i]
		if x.State == event.StateDone && x.Result > 0 && x.Result != int64(m.ID) && outbox.SameText(x.Text, m.Text) {
			return x
		}
	}
	return nil
}

// heardAs returns the events of a reading that are known under higher numbers.
func heardAs(recent, events []event.Event) (moved []movedMessage) {
	for i := range events {
		for j := range recent {
			if e, x := &events[i], &recent[j]; x.ID.Source == event.Messages && x.ID.Number > e.ID.Number && x.Text == e.Text && x.Image == e.Image {
				moved = append(moved, movedMessage{platform.MessageID(x.ID.Number), platform.MessageID(e.ID.Number)})
				break
			}
		}
	}
	return moved
}

// countsAnew begins to be careful, since the platform has numbered its messages anew.
func (a *account) countsAnew(ctx context.Context) error {
	now := time.Now()
	k := &a.careful
	back, _ := a.bot.store.LastRestored()
	k.mu.Lock()
	if k.start.Sign == record.CarefulRenumbered && k.on.Load() { // two chats may be read at once
		k.mu.Unlock()
		return nil
	}
	c := CarefulStart{Mark: back.At, Sign: record.CarefulRenumbered, From: now.Round(0), Began: now.Round(0)}
	k.start, k.spoken = c, nil
	k.read.Store(false)
	k.on.Store(true)
	k.mu.Unlock()
	a.rivals.ForgetEvidence(now)
	a.quiet.HearAnew(now)
	// A bot that finds it after a crash, before this is stored, finds it anew.
	return a.knowCareful(ctx, &c)
}

// isRenumbered reports whether that was found already.
func (c *careful) isRenumbered() bool {
	if !c.on.Load() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.start.Sign == record.CarefulRenumbered
}

// hasSaid reports whether a message has words that the ledger has said in the same conversation, where the platform has numbered messages anew.
func (a *account) hasSaid(ctx context.Context, peer platform.UserID, m *platform.Message) bool {
	if !a.careful.isRenumbered() {
		return false
	}
	said, err := a.bot.store.SaidSince(ctx, event.Key{Account: a.name, Peer: peer}, time.Time{})
	return err == nil && saidAs(said, m) != nil
}
