package quiet

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Poller is what hears the conversations of an account.
type Poller interface {
	// ReadAll reports whether all of them were heard since the start, or the last absence, and HasHeard whether one was.
	ReadAll() bool
	HasHeard(peer platform.UserID) bool
	// HeardList returns up to when a list was heard, and HeardUntil up to when the chat of a conversation was; zero for never.
	HeardList(source event.Source) time.Time
	HeardUntil(peer platform.UserID) time.Time
	// ReadNext lets a chat be read next, and HearAnew lets each be heard by a reading that began then, or later.
	ReadNext(peer platform.UserID)
	HearAnew(since time.Time)
}

// Conversations are those of an account, as far as it is known whether a person of ours has spoken there.
type Conversations struct {
	// Set before anybody works on the account.
	Doubts interface {
		IsEmpty() bool
		HasDoubt(peer platform.UserID) bool
	}
	Patience       time.Duration // how long a conversation is waited for that cannot be heard, while others are
	PollInterval   time.Duration
	IgnoresAbsence bool        // it does not matter who speaks
	IsDown         func() bool // nothing of the platform can be read
	Poller         Poller      // nil until the account is opened

	answered atomic.Pointer[time.Time] // when the platform last answered a call; nil: not in this incarnation
	allHeard atomic.Bool               // since the start, or the last absence, or that does not matter

	anyTakenBack atomic.Bool // takenBack has any

	mu        sync.Mutex // guards the fields below
	waited    map[platform.UserID]*waited
	givenUp   map[platform.UserID]struct{} // could not be heard for too long
	takenBack map[platform.UserID]takenBackTo
}

// waited is a quiet conversation for which somebody waits.
type waited struct {
	ended chan struct{}
	since time.Time // when the waiting began, less what does not count
	asked time.Time // when it was last looked at
}

// takenBackTo is up to where a turn of this incarnation took back what was to be done in a conversation.
type takenBackTo struct {
	place  int64 // what has a lower one does not leave
	reason string
}

// NoteTakenBack notes that what has a place below was taken back in a conversation.
func (cs *Conversations) NoteTakenBack(peer platform.UserID, place int64, reason string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.takenBack == nil {
		cs.takenBack = map[platform.UserID]takenBackTo{}
	}
	if place > cs.takenBack[peer].place {
		cs.takenBack[peer] = takenBackTo{place, reason}
	}
	cs.anyTakenBack.Store(true)
}

// TakenBackReason reports whether what has that place was taken back in a conversation, and why.
func (cs *Conversations) TakenBackReason(peer platform.UserID, place int64) (reason string, taken bool) {
	if !cs.anyTakenBack.Load() {
		return "", false
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	to := cs.takenBack[peer]
	return to.reason, place < to.place
}

// isQuietLocked reports whether a conversation is quiet.
func (cs *Conversations) isQuietLocked(peer platform.UserID) bool {
	return peer != 0 && (cs.Doubts.HasDoubt(peer) || !cs.isHeardLocked(peer)) //mutate:quiet
}

// isHeardLocked reports whether a conversation was heard since the start, or the last absence, or its hearing was given up.
func (cs *Conversations) isHeardLocked(peer platform.UserID) bool {
	switch {
	case cs.isAbsent(time.Now()):
		return false
	case cs.allHeard.Load():
		return true
	case cs.Poller == nil:
		return false
	case cs.Poller.ReadAll():
		cs.allHeard.Store(true)
		return true
	}
	_, given := cs.givenUp[peer]
	return given || cs.Poller.HasHeard(peer)
}

// QuietEnded returns a channel that is closed when a conversation is not quiet any more; nil when it is not.
func (cs *Conversations) QuietEnded(peer platform.UserID) <-chan struct{} {
	if peer == 0 || cs.allHeard.Load() && cs.Doubts.IsEmpty() && !cs.isAbsent(time.Now()) {
		return nil
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if !cs.isQuietLocked(peer) {
		return nil
	}
	w := cs.waited[peer]
	if w == nil {
		now := time.Now()
		w = &waited{ended: make(chan struct{}), since: now, asked: now}
		if cs.waited == nil {
			cs.waited = map[platform.UserID]*waited{}
		}
		cs.waited[peer] = w
		if !cs.allHeard.Load() && cs.Poller != nil {
			cs.Poller.ReadNext(peer)
		}
	}
	return w.ended
}

// EndQuiet lets those go on who wait for a conversation, or with peer 0 for any, if it is not quiet any more. It returns the conversations.
func (cs *Conversations) EndQuiet(peer platform.UserID) []platform.UserID {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if len(cs.waited) == 0 {
		return nil
	}
	peers := []platform.UserID{peer}
	if peer == 0 {
		peers = slices.Sorted(maps.Keys(cs.waited))
	}
	var free []platform.UserID
	for _, p := range peers {
		if w := cs.waited[p]; w != nil && !cs.isQuietLocked(p) {
			close(w.ended)
			delete(cs.waited, p)
			free = append(free, p)
		}
	}
	return free
}

// NoteAllHeard notes that there is nothing to hear.
func (cs *Conversations) NoteAllHeard() { cs.allHeard.Store(true) }

// GiveUp gives up the hearing of the conversations for which somebody has waited in vain, although others were heard, for as long as Patience. It returns
// them.
func (cs *Conversations) GiveUp(now time.Time) []platform.UserID {
	if cs.allHeard.Load() {
		return nil
	}
	down := cs.IsDown()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var late []platform.UserID
	for peer, w := range cs.waited {
		if down || cs.isHeardLocked(peer) {
			w.since = w.since.Add(now.Sub(w.asked))
		} else {
			cs.Poller.ReadNext(peer)
		}
		if w.asked = now; now.Sub(w.since) >= cs.Patience {
			late = append(late, peer)
		}
	}
	slices.Sort(late)
	for _, peer := range late {
		if cs.givenUp == nil {
			cs.givenUp = map[platform.UserID]struct{}{}
		}
		cs.givenUp[peer] = struct{}{}
	}
	return late
}

// HasGivenUp reports whether the hearing of a conversation was given up.
func (cs *Conversations) HasGivenUp(peer platform.UserID) bool {
	if cs.allHeard.Load() {
		return false
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	_, given := cs.givenUp[peer]
	return given
}

// An outage of the network, a machine that sleeps and a process that stands still are alike: for a while the platform tells us
// nothing, and people have their phones. Who answered meanwhile by hand is not to be answered over by what becomes due as soon as it is back.
// So a long absence is to conversations what a start is: each is quiet until it was heard once.

const (
	// absence is how long the platform has to tell nothing for that, or some polls, where they are further apart.
	absence      = time.Minute
	absencePolls = 6 // an idle account is polled each four intervals
	// underWay is how long a reading may have been under way when an absence ends by one of its answers.
	underWay = 30 * time.Second
)

// isAbsent reports whether the platform has told the account nothing for long. Asked before each turn and each departure, it knows of an absence
// before anything runs that was to notice it. Which clock tells matters: one may be set, the other stands still while a machine sleeps.
func (cs *Conversations) isAbsent(now time.Time) bool {
	last := cs.answered.Load()
	if last == nil || cs.IgnoresAbsence { //mutate:absence
		return false
	}
	nothing := now.Round(0).Sub(earlierTime(*last, now))
	return nothing >= absence && nothing >= absencePolls*cs.PollInterval && cs.Poller != nil && !cs.Poller.HeardList(event.Messages).IsZero()
}

// NoteAnswer notes that the platform answered a call of the account. After an absence all is to be heard anew: that is noted first, or something could
// leave in between.
func (cs *Conversations) NoteAnswer(now time.Time) {
	if cs.isAbsent(now) { //mutate:absence-anew
		cs.HearAnew(now.Add(-underWay))
	}
	cs.answered.Store(&now)
}

// HearAnew lets every conversation be quiet until it was heard by a reading that began then, or later.
func (cs *Conversations) HearAnew(since time.Time) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.Poller.HearAnew(since)
	cs.givenUp = nil
	cs.allHeard.Store(false)
}

// earlierTime returns a time of this incarnation by the clock on the wall or by the steady one, whichever says earlier: the one may
// be set, the other stands still while a machine sleeps.
func earlierTime(t, now time.Time) time.Time {
	wall, steady := t.Round(0), now.Round(0).Add(-now.Sub(t))
	if steady.Before(wall) {
		return steady
	}
	return wall
}
