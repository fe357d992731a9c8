package bot

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// A conversation is quiet while it is not known whether a person of ours has spoken there: no turn begins in it, and
// nothing leaves. That is so from a start, or a long absence of the platform, until it was heard once, since anything may have been said
// meanwhile; and from the page that shows an own message until it is known whose it is.

// quiet knows who waits for a conversation that is quiet.
type quiet struct {
	lastRequested atomic.Int64 // when the account was last to be polled because of this, in Unix nanoseconds

	allHeard atomic.Bool // every conversation was heard since the start, or the last absence, or that does not matter

	anyTakenBack atomic.Bool // takenBack has any

	mu        sync.Mutex // guards the fields below
	waiting   map[platform.UserID]*hush
	takenBack map[platform.UserID]takenBackTo
	waived    map[platform.UserID]struct{} // conversations that could not be heard for too long
}

// takenBackTo is up to where a turn of this incarnation took back what was to be done in a conversation.
type takenBackTo struct {
	place  int64 // what has a lower one does not leave
	reason string
}

// noteTakenBack notes that what has a place below was taken back in a conversation.
func (q *quiet) noteTakenBack(peer platform.UserID, place int64, reason string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.takenBack == nil {
		q.takenBack = map[platform.UserID]takenBackTo{}
	}
	if place > q.takenBack[peer].place {
		q.takenBack[peer] = takenBackTo{place, reason}
	}
	q.anyTakenBack.Store(true)
}

// takenBackReason reports whether what has that place was taken back in a conversation, and why.
func (q *quiet) takenBackReason(peer platform.UserID, place int64) (reason string, taken bool) {
	if !q.anyTakenBack.Load() {
		return "", false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	to := q.takenBack[peer]
	return to.reason, place < to.place
}

// hush is a conversation for which somebody waits.
type hush struct {
	ended chan struct{}
	since time.Time // when the waiting began, less what does not count
	asked time.Time // when it was last looked at
}

// silentLocked reports whether a conversation is quiet, and why nobody knows.
func (a *account) silentLocked(peer platform.UserID) bool {
	return peer != 0 && (a.unattributed.hasDoubt(peer) || !a.readOnceLocked(peer)) //mutate:quiet
}

// readOnceLocked reports whether a conversation was heard since the start, or the last absence. q.mu is held.
func (a *account) readOnceLocked(peer platform.UserID) bool {
	q := &a.quiet
	if a.isAbsent(time.Now()) {
		return false
	}
	if q.allHeard.Load() {
		return true
	}
	if a.poller == nil {
		return false
	}
	if a.poller.ReadAll() {
		q.allHeard.Store(true)
		return true
	}
	_, waived := q.waived[peer]
	return waived || a.poller.HasHeard(peer)
}

// quietEnded returns a channel that is closed when a conversation is not quiet any more; nil when it is not.
func (a *account) quietEnded(peer platform.UserID) <-chan struct{} {
	q := &a.quiet
	if peer == 0 || q.allHeard.Load() && a.unattributed.some.Load() == 0 && !a.isAbsent(time.Now()) {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !a.silentLocked(peer) {
		return nil
	}
	w := q.waiting[peer]
	if w == nil {
		now := time.Now()
		w = &hush{ended: make(chan struct{}), since: now, asked: now}
		if q.waiting == nil {
			q.waiting = map[platform.UserID]*hush{}
		}
		q.waiting[peer] = w
		if !q.allHeard.Load() && a.poller != nil {
			a.poller.ReadNext(peer)
		}
	}
	return w.ended
}

// resume lets those go on who wait for a conversation, or with peer 0 for any, if it is not quiet any more. It
// returns the conversations.
func (a *account) resume(peer platform.UserID) []platform.UserID {
	q := &a.quiet
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	peers := []platform.UserID{peer}
	if peer == 0 {
		peers = slices.Sorted(maps.Keys(q.waiting))
	}
	var free []platform.UserID
	for _, p := range peers {
		if w := q.waiting[p]; w != nil && !a.silentLocked(p) {
			close(w.ended)
			delete(q.waiting, p)
			free = append(free, p)
		}
	}
	return free
}

// wake is resume, and lets the lanes go on.
func (a *account) wake(peer platform.UserID) {
	for _, p := range a.resume(peer) {
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
		a.quiet.allHeard.Store(true)
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
	a.quiet.allHeard.Store(true)
	return nil
}

// NoteOwnMessages notes own messages on a page that the poller just read.
func (a *account) NoteOwnMessages(peer platform.UserID, own []platform.Message) {
	if !a.mindsSpeaker() {
		return
	}
	if own = a.unattributed.filterUnknown(own); len(own) > 0 {
		a.unattributed.noteSighted(peer, own, a.bot.room)
	}
}

// NoteHeard notes that the poller has heard more: of a conversation, or with peer 0 of any.
func (a *account) NoteHeard(peer platform.UserID) {
	if peer != 0 {
		a.unattributed.noteRead(peer)
	}
	a.wake(peer)
	if a.silences.hasWaiting(peer) {
		a.bot.timers.wake()
	}
}

// waiveHearing ends the waiting to hear a conversation: it cannot be heard.
func (a *account) waiveHearing(peer platform.UserID) {
	q := &a.quiet
	q.mu.Lock()
	if q.waived == nil {
		q.waived = map[platform.UserID]struct{}{}
	}
	q.waived[peer] = struct{}{}
	q.mu.Unlock()
	a.wake(peer)
}

// requestPoll lets the account be polled soon, since somebody waits to hear of it: not more often than it may be.
func (a *account) requestPoll() {
	now := time.Now()
	shortest := a.cfg.withDefaults(a.bot.cfg).PollInterval / 5
	last := a.quiet.lastRequested.Load()
	if now.UnixNano()-last >= shortest.Nanoseconds() && a.quiet.lastRequested.CompareAndSwap(last, now.UnixNano()) {
		a.bot.schedule.MakeDue(a.poller)
	}
}

// unheardOf reports whether the waiting to hear a conversation was given up.
func (a *account) unheardOf(peer platform.UserID) bool {
	q := &a.quiet
	if q.allHeard.Load() {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	_, waived := q.waived[peer]
	return waived
}

// unheardPeers returns the conversations that somebody waits to hear since the start, in vain for so long that it goes on
// without: as long as others were heard, patience.
func (a *account) unheardPeers(now time.Time) []platform.UserID {
	q := &a.quiet
	if q.allHeard.Load() {
		return nil
	}
	out := a.IsPlatformDown()
	q.mu.Lock()
	defer q.mu.Unlock()
	var late []platform.UserID
	for peer, w := range q.waiting {
		if out || a.readOnceLocked(peer) {
			w.since = w.since.Add(now.Sub(w.asked))
		} else {
			a.poller.ReadNext(peer)
		}
		if w.asked = now; now.Sub(w.since) >= patience {
			late = append(late, peer)
		}
	}
	slices.Sort(late)
	return late
}

// An outage of the network, a machine that sleeps and a process that stands still are alike: for a while the platform tells us
// nothing, and people have their phones. Who answered meanwhile by hand is not to be answered over by what becomes due as soon as it is back.
// So a long absence is to conversations what a start is: each is quiet until it was heard once.

const (
	// absence is how long the platform has to be silent for that, or some polls, where they are further apart.
	absence      = time.Minute
	absencePolls = 6 // an idle account is polled each four intervals
	// underWay is how long a reading may have been under way when an absence ends by one of its answers.
	underWay = 30 * time.Second
)

// isAbsent reports whether the platform has told the account nothing for long. Asked before each turn and each departure, it knows of an absence
// before anything runs that was to notice it. Which clock tells matters: one may be set, the other stands still while a machine sleeps.
func (a *account) isAbsent(now time.Time) bool {
	last := a.answeredAt.Load()
	if last == nil || a.bot.cfg.TakeoverFor < 0 { //mutate:absence
		return false
	}
	silent := now.Round(0).Sub(earlierTime(*last, now))
	return silent >= absence && silent >= absencePolls*a.cfg.withDefaults(a.bot.cfg).PollInterval && a.listsChats()
}

// listsChats reports whether the account has a chat list, from which its conversations can be heard.
func (a *account) listsChats() bool {
	return a.poller != nil && !a.poller.HeardList(event.Messages).IsZero()
}

// notePresence notes that the platform answered a call of the account. After an absence all is to be heard anew: that is noted first, or something could
// leave in between.
func (a *account) notePresence(now time.Time) {
	if a.isAbsent(now) { //mutate:absence-anew
		a.hearAnew(now.Add(-underWay))
	}
	a.answeredAt.Store(&now)
}

// hearAnew lets every conversation be quiet until it was heard by a reading that began then, or later.
func (a *account) hearAnew(since time.Time) {
	q := &a.quiet
	q.mu.Lock()
	defer q.mu.Unlock()
	a.poller.HearAnew(since)
	q.waived = nil
	q.allHeard.Store(false)
}
