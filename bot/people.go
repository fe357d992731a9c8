package bot

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/quiet"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// Where people of ours may have spoken, nothing is decided and nothing leaves before it is known; see bot/internal/quiet.

// unattributed is an own message that nobody knows yet.
type unattributed = quiet.Unattributed[*track]

// listenForPeople makes what knows where people of ours may have spoken.
func (a *account) listenForPeople(cfg *Account) {
	a.quiet = &quiet.Conversations{
		Doubts: &a.doubts, Patience: patience, PollInterval: cfg.PollInterval, IgnoresAbsence: a.bot.cfg.TakeoverFor < 0, IsDown: a.IsPlatformDown,
	}
	a.due = &quiet.Timers{Of: a.quiet, Sources: func(key event.Key) []event.Source { return a.sourcesOf(a.term, key) }}
}

// MayLeave says whether an action may leave as far as people of ours are concerned; see outbox.People.
func (a *account) MayLeave(ctx context.Context, x *event.Action, earlier bool) outbox.Verdict {
	// First, or it could become known in between that somebody has spoken: what was decided before that is taken back before this ends.
	if ended := a.quiet.QuietEnded(x.Peer); ended != nil {
		return outbox.Verdict{Then: outbox.Wait, Changed: ended}
	}
	revoked, err := a.RevokedReason(ctx, x, earlier)
	switch {
	case err != nil: // the store cannot be read now
		return outbox.Verdict{Then: outbox.Wait}
	case revoked != "":
		return outbox.Verdict{Then: outbox.Withdraw, Why: event.Because(reason.TakenBack), Text: revoked}
	}
	if why := a.OutdatedReason(x); why != "" {
		return outbox.Verdict{Then: outbox.Withdraw, Why: why}
	}
	if why := a.pauseReason(x); why != "" { //mutate:aside
		return outbox.Verdict{Then: outbox.Hold, Why: why}
	}
	return outbox.Verdict{}
}

// NothingInFlight judges own messages of a conversation that might have been on their way until now; see outbox.Chats.
func (a *account) NothingInFlight(peer platform.UserID) {
	if a.doubts.HasDoubt(peer) {
		a.judgeOwnMessages(a.term, peer)
	}
}

// endQuiet lets those go on who wait for a conversation, or with peer 0 for any, if it is not quiet any more, and its lane.
func (a *account) endQuiet(peer platform.UserID) {
	for _, p := range a.quiet.EndQuiet(peer) {
		a.letRun(p)
	}
}

// letRun lets the lane of a conversation go on, if there is one.
func (a *account) letRun(peer platform.UserID) {
	if l := a.lanes.lookup(peer); l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		a.bot.startLocked(a.term, l)
	}
}

// findPolledBefore finds out whether anything may have been said since an earlier incarnation: a conversation is quiet then until it was
// heard once. An account that never had a chat list has no conversations to hear.
func (a *account) findPolledBefore(ctx context.Context) error {
	if !a.mindsSpeaker() {
		a.quiet.NoteAllHeard()
		return nil
	}
	for _, source := range []event.Source{event.Messages, event.Snapshots} {
		cursors, err := a.bot.store.Cursors(ctx, a.name, source, []platform.UserID{0})
		switch {
		case err != nil:
			return fmt.Errorf("account %s: find out whether it was polled before: %w", a.name, err)
		case len(cursors) > 0:
			return nil
		}
	}
	a.quiet.NoteAllHeard()
	return nil
}

// NoteOwnMessages notes own messages on a page that the poller just read.
func (a *account) NoteOwnMessages(peer platform.UserID, own []platform.Message) {
	if !a.mindsSpeaker() {
		return
	}
	if own = a.doubts.FilterUnknown(own); len(own) > 0 {
		a.doubts.NoteSighted(peer, own, a.bot.room)
	}
}

// NoteHeard notes that the poller has heard more: of a conversation, or with peer 0 of any.
func (a *account) NoteHeard(peer platform.UserID) {
	if peer != 0 {
		a.doubts.NoteRead(peer)
	}
	a.endQuiet(peer)
	if a.due.HasWaiting(peer) {
		a.bot.timers.wake()
	}
}

// requestPoll lets the account be polled soon, since somebody waits to hear of it: not more often than it may be.
func (a *account) requestPoll() {
	now := time.Now()
	shortest := a.cfg.withDefaults(a.bot.cfg).PollInterval / 5
	last := a.pollRequested.Load()
	if now.UnixNano()-last >= shortest.Nanoseconds() && a.pollRequested.CompareAndSwap(last, now.UnixNano()) {
		a.bot.schedule.MakeDue(a.poller)
	}
}

// isTimerReady reports whether a due timer may have its turn, with what its decision record has to say.
func (a *account) isTimerReady(t *event.Timer) (ok bool, note string) {
	if t.Key.Peer == 0 || a.bot.router.atOnce(t.Name) { //mutate:timers-listen
		return true, ""
	}
	// The conversation is asked for now: the next poll of an account at rest may be a minute away, and the timer is due.
	if ok, note = a.due.IsReady(t); !ok {
		a.requestPoll()
	}
	return ok, note
}

// sourcesOf returns the sources that a conversation has used, of late; nil when the store does not tell.
func (a *account) sourcesOf(ctx context.Context, key event.Key) []event.Source {
	used, err := a.bot.store.Sources(ctx, key)
	switch {
	case err != nil:
		return nil
	case len(used) == 0:
		return []event.Source{event.Messages}
	}
	return used
}
