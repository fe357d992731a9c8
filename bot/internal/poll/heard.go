package poll

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// heard knows up to when the account was heard in this incarnation: what was said before that, and can be read, was
// delivered. A list that was returned is not enough: a chat has been read since it gave a hint, or the list shows
// no change in it.
type heard struct {
	all    atomic.Bool // everybody was heard, since then
	mu     sync.Mutex  // guards the fields below
	since  time.Time   // zero: this incarnation began
	once   bool        // everybody was heard, once at least
	listed time.Time   // the beginning of the last chat list that was gone through
	chats  *unheard    // nil while there are none: idle accounts are small
	// cut is what the last list showed, if it was cut: nil otherwise. That none behind the cut moved rests on the order of the list, which rows that
	// stay on top belie; who waits for a single chat reads it.
	cut *beyond
}

// unheard are the chats that are not heard up to the last list.
type unheard struct {
	open     map[platform.UserID]time.Time // those that gave a hint and were not read to their end since: until when they were heard
	unproved doubtful
	awaited  map[platform.UserID]struct{}  // those that somebody waits for
	read     map[platform.UserID]time.Time // when those were read, after the last list
	hidden   *beyond                       // nil unless chats behind the cut of a list may have moved
}

// beyond is what is known of the chats behind the cut of a list, of which one may have moved.
type beyond struct {
	shown map[platform.UserID]struct{} // all others
	since time.Time                    // none had moved before; zero: nobody knows
}

// has reports whether a chat is among them.
func (b *beyond) has(peer platform.UserID) bool {
	if b == nil {
		return false
	}
	_, shown := b.shown[peer]
	return !shown
}

// doubtful are chats of which nothing proves after a restart that they were read.
type doubtful struct {
	peers []platform.UserID // in order
	known []bool            // those that were read, or gave a hint, since
	left  int
}

// has returns where a peer stands, -1 for nowhere.
func (u *doubtful) has(peer platform.UserID) int {
	if u.left == 0 {
		return -1
	}
	at, ok := slices.BinarySearch(u.peers, peer)
	if !ok || u.known[at] {
		return -1
	}
	return at
}

// dropPeer takes a peer out.
func (u *doubtful) dropPeer(peer platform.UserID) {
	at := u.has(peer)
	if at < 0 {
		return
	}
	u.known[at] = true
	if u.left--; u.left == 0 {
		*u = doubtful{}
	}
}

// atLocked returns until when a chat was heard, zero for not at all.
func (h *heard) atLocked(peer platform.UserID) time.Time {
	if h.chats == nil {
		return h.listed
	}
	if t, ok := h.chats.open[peer]; ok {
		return t
	}
	if t, ok := h.chats.read[peer]; ok {
		return t
	}
	if h.chats.unproved.has(peer) >= 0 {
		return time.Time{}
	}
	if h.chats.hidden.has(peer) {
		return h.chats.hidden.since
	}
	return h.listed
}

// someLocked returns the chats that are not heard.
func (h *heard) someLocked() *unheard {
	if h.chats == nil {
		h.chats = &unheard{open: map[platform.UserID]time.Time{}, awaited: map[platform.UserID]struct{}{}, read: map[platform.UserID]time.Time{}}
	}
	return h.chats
}

// noteHint notes that a chat may have moved: it is heard no further until it is read.
func (h *heard) noteHint(peer platform.UserID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.someLocked()
	if _, ok := u.open[peer]; !ok { //mutate:hint-opens
		// Frozen at what it was: later lists show no change in the chat until it is read, and would say that it is heard.
		u.open[peer] = h.atLocked(peer)
		u.unproved.dropPeer(peer)
		delete(u.read, peer)
	}
}

// noteDoubt notes that nothing proves of these chats that they were read.
func (h *heard) noteDoubt(peers []platform.UserID) {
	if len(peers) == 0 {
		return
	}
	slices.Sort(peers)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.someLocked().unproved = doubtful{peers: peers, known: make([]bool, len(peers)), left: len(peers)}
}

// close notes that a chat was read to its end, in a read that began then, or is there no more.
func (h *heard) close(peer platform.UserID, began time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.chats
	if u == nil {
		return
	}
	delete(u.open, peer)
	u.unproved.dropPeer(peer)
	if _, ok := u.awaited[peer]; ok || u.hidden.has(peer) {
		delete(u.awaited, peer)
		u.read[peer] = began
	}
	h.tidyLocked()
}

// noteList notes that a chat list that began then was gone through: what it showed is read, or noted by hint. If it was cut
// and chats behind the cut may have moved, those are hidden.
func (h *heard) noteList(began time.Time, cut, behind *beyond) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listed, h.cut = began, cut
	if behind != nil && !h.once {
		behind.since = time.Time{} // before this incarnation
	}
	switch {
	case behind != nil:
		h.someLocked().hidden = behind
		for peer := range behind.shown {
			// The list is newer than that read, and tells of those that it shows.
			delete(h.chats.read, peer)
		}
	case h.chats != nil:
		h.chats.hidden = nil
		clear(h.chats.read)
	}
	h.tidyLocked()
}

// tidyLocked notes when everybody was heard, and forgets what is over.
func (h *heard) tidyLocked() {
	u := h.chats
	if u != nil && len(u.open)+len(u.awaited)+len(u.read)+u.unproved.left == 0 && u.hidden == nil {
		h.chats, u = nil, nil
	}
	if h.all.Load() || !h.reachedLocked(h.listed) || u != nil && (u.unproved.left > 0 || u.hidden != nil) {
		return
	}
	if u != nil {
		for _, t := range u.open {
			if !h.reachedLocked(t) {
				return
			}
		}
	}
	h.once = true
	h.all.Store(true)
}

// reachedLocked reports whether who was heard until a time is one who was heard since then.
func (h *heard) reachedLocked(until time.Time) bool { return !until.IsZero() && !until.Before(h.since) }

// forgetChats drops what was known of single chats: from now on nothing but the list tells.
func (h *heard) forgetChats() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.chats = nil
}

// noteNotifications notes a good read of a notification list that began then.
func (h *heard) noteNotifications(l *list, began time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.polledAt, l.heard = began, true
}

// HeardUntil returns until when what the peer of a chat wrote was heard in this incarnation of the Poller: all of it that can be
// read was delivered. It is the time at which a chat list was asked for that shows no change in the chat, or that
// the chat was read itself; zero while neither has happened. It has a monotonic reading, and may be called at any time.
func (p *Poller) HeardUntil(peer platform.UserID) time.Time {
	p.heard.mu.Lock()
	defer p.heard.mu.Unlock()
	h := &p.heard
	if h.cut.has(peer) { //mutate:heard-behind
		if h.chats == nil {
			return time.Time{}
		}
		return h.chats.read[peer]
	}
	return h.atLocked(peer)
}

// HasHeard reports whether a chat was heard, since the last HearAnew if there was one.
func (p *Poller) HasHeard(peer platform.UserID) bool {
	p.heard.mu.Lock()
	defer p.heard.mu.Unlock()
	return p.heard.reachedLocked(p.heard.atLocked(peer))
}

// ReadAll reports whether HasHeard is true of every chat.
func (p *Poller) ReadAll() bool { return p.heard.all.Load() }

// HearAnew lets only those readings count, for HasHeard, that began at a time or later.
func (p *Poller) HearAnew(since time.Time) {
	p.heard.mu.Lock()
	defer p.heard.mu.Unlock()
	p.heard.since = since
	p.heard.all.Store(false)
	p.heard.tidyLocked()
}

// HeardList returns when the last good read of a source began, event.Notifs or event.Mentions, or of the chat list,
// event.Messages; zero before the first one of this incarnation.
func (p *Poller) HeardList(source event.Source) time.Time {
	p.heard.mu.Lock()
	defer p.heard.mu.Unlock()
	if source == event.Messages {
		return p.heard.listed
	}
	for _, s := range p.sources {
		if l, ok := s.(*list); ok && l.source == source && l.heard {
			return l.polledAt
		}
	}
	return time.Time{}
}

// ReadNext makes the next cycle read a chat that gave a hint and was not read since, or of which nothing proves that it was
// read: the next list tells nothing of it.
func (p *Poller) ReadNext(peer platform.UserID) {
	p.heard.mu.Lock()
	defer p.heard.mu.Unlock()
	u, hidden := p.heard.chats, p.heard.cut.has(peer)
	if u == nil && !hidden {
		return
	}
	u = p.heard.someLocked()
	if _, open := u.open[peer]; open || hidden || u.unproved.has(peer) >= 0 {
		u.awaited[peer] = struct{}{}
		p.touched.add(peer)
	}
}
