package quiet

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Timers are due timers of an account that wait until their conversation was heard. A timer mostly judges that the other person said nothing. It must not,
// before everything was heard that they may have said in time: it waits for a good read of the conversation that began after the timer was due. After
// an outage, a stop or a machine's sleep that read finds what was written meanwhile, and its turns come first.
type Timers struct {
	// Set before anybody works on the account.
	Of *Conversations
	// Sources returns the sources that a conversation has used, of late; nil when the store does not tell.
	Sources func(key event.Key) []event.Source

	mu    sync.Mutex              // guards the fields below
	wait  map[string]*waiting     // by the id of the timer
	peers map[platform.UserID]int // of their conversations, how many
}

// waiting is a timer that waits.
type waiting struct {
	since time.Time      // when that began, less what does not count
	asked time.Time      // when it was last looked at
	used  []event.Source // the conversation's sources; nil while nobody asked
}

// HasWaiting reports whether timers wait for a conversation to be heard, or with peer 0 for any.
func (ts *Timers) HasWaiting(peer platform.UserID) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return len(ts.peers) > 0 && (peer == 0 || ts.peers[peer] > 0)
}

// IsReady reports whether a due timer may have its turn, with what its decision record has to say. Otherwise its conversation has to
// be heard first.
func (ts *Timers) IsReady(t *event.Timer) (ok bool, note string) {
	now, of := time.Now(), ts.Of
	h := of.hearingSince(t.Key.Peer, t.Due, now)
	if h.all() {
		ts.forgetTimer(t)
		return true, ""
	}
	// While nothing can be read at all the wait does not count: an outage must not make it seem that people said nothing who have written.
	w, waited := ts.noteTimer(t, now, of.IsDown())
	if w.used == nil && h.any() {
		w.used = ts.Sources(t.Key)
	}
	switch {
	case h.any() && h.enough(w.used):
	// A single chat that the platform never shows would hold its timers for ever. The decision record says on what it rests.
	case waited >= of.Patience: //mutate:timers-patience
		note = fmt.Sprintf("the conversation could not be read for %v", of.Patience)
	default:
		of.Poller.ReadNext(t.Key.Peer)
		return false, ""
	}
	ts.forgetTimer(t)
	return true, note
}

// hearing tells which sources were heard since a timer was due.
type hearing struct{ chat, notifs, mentions bool }

func (h hearing) all() bool { return h.chat && h.notifs && h.mentions }
func (h hearing) any() bool { return h.chat || h.notifs || h.mentions }

// enough reports whether all of these were heard. A source that the conversation never used does not count; it may be one
// that the platform does not have.
func (h hearing) enough(used []event.Source) bool {
	//mutate:timers-sources
	return len(used) > 0 && !slices.ContainsFunc(used, func(s event.Source) bool {
		switch s {
		case event.Notifs:
			return !h.notifs
		case event.Mentions:
			return !h.mentions
		default:
			return !h.chat
		}
	})
}

func (cs *Conversations) hearingSince(peer platform.UserID, due, now time.Time) hearing {
	since := func(heard time.Time) bool { return !heard.IsZero() && !earlierTime(heard, now).Before(due) }
	return hearing{
		chat: since(cs.Poller.HeardUntil(peer)), notifs: since(cs.Poller.HeardList(event.Notifs)), mentions: since(cs.Poller.HeardList(event.Mentions)),
	}
}

// noteTimer notes that a timer waits, and returns for how long although others were heard.
func (ts *Timers) noteTimer(t *event.Timer, now time.Time, down bool) (*waiting, time.Duration) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	id := t.ID()
	w := ts.wait[id]
	if w == nil {
		w = &waiting{since: now, asked: now}
		if ts.wait == nil {
			ts.wait, ts.peers = map[string]*waiting{}, map[platform.UserID]int{}
		}
		ts.wait[id] = w
		ts.peers[t.Key.Peer]++
	}
	if down {
		w.since = w.since.Add(now.Sub(w.asked))
	}
	w.asked = now
	return w, now.Sub(w.since)
}

// forgetTimer notes that a timer waits no more.
func (ts *Timers) forgetTimer(t *event.Timer) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	id := t.ID()
	if ts.wait[id] == nil {
		return
	}
	delete(ts.wait, id)
	if ts.peers[t.Key.Peer]--; ts.peers[t.Key.Peer] == 0 {
		delete(ts.peers, t.Key.Peer)
	}
}
