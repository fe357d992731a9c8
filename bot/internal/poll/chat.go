package poll

import (
	"sync"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

const (
	sweepFor     = 10 * time.Minute // after a chat was active
	patientFails = 3                // reads of a chat that are repeated at once
	// longestRefusal is the longest pause between two reads of a chat that the platform refuses to show. However many
	// of them there are, a cycle reads only a few.
	longestRefusal = 5 * time.Minute
)

// chat is what is remembered of a chat while it is active: its row gave a hint, or it is swept.
type chat struct {
	peer       platform.UserID
	name, user string
	digest     uint64 // of the row, as of the last list
	index      int    // of the row, as of the list in which it gave a hint or of a later one; -1 for none

	// Where its messages were read to. Loaded from the store before the first read.
	loaded  bool
	again   bool               // the first read overlaps those of the last incarnation
	cursor  platform.MessageID // everything up to here was delivered
	mark    uint64             // the mark that was delivered with it
	tail    tail
	swept   platform.MessageID // the cursor at the last sweep
	descent *chatDescent       // from the newest message down, not yet at its end

	// Where the cursor stands too high.
	unbelieved bool               // it is not believed
	wish       platform.MessageID // somebody wants it to be below this; 0: nobody
	reset      cursorReset
	checked    uint64 // the digest with which it was looked at last

	// Why it has to be read, and since when.
	pending    bool
	since      uint32 // the number of the list that gave the hint
	unfinished bool   // the read of this cycle is to be followed by another one
	doubted    bool   // a sweep found what no hint had shown
	backlog    int    // so many of its newest messages were unread at the first start
	verify     bool   // its messages should be seen, yet the list counts unread ones
	counted    bool   // the list counted more unread ones than before
	news       bool   // the list shows another message than before, or more unread ones
	hinted     bool   // the list gave a hint, though none that makes it be read at once
	behind     bool   // a round among chats that no list shows has come to it
	clean      time.Time
	fails      int    // reads that failed in a row
	refusals   int    // of these, the last ones that the platform refused
	unlisted   int    // whole lists in a row that do not show it
	unlistedIn uint32 // the number of the last one
	triedAt    time.Time
	retryAt    time.Time

	// The sweep.
	activeAt time.Time
	wait     time.Duration
	sweepAt  time.Time // zero: no sweep
}

// markActive makes the chat be swept for some time.
func (ch *chat) markActive(now time.Time, after time.Duration) {
	ch.activeAt, ch.wait = now, after
	ch.sweepBy(now.Add(after))
}

// sweepBy makes the chat be swept at t, or earlier if it already was to be.
func (ch *chat) sweepBy(t time.Time) {
	if ch.sweepAt.IsZero() || t.Before(ch.sweepAt) {
		ch.sweepAt = t
	}
}

// sweptOnce plans the next sweep after one that found nothing, if there is to be one.
func (ch *chat) sweptOnce(now time.Time, after time.Duration) {
	// Each sweep in vain makes a late row less likely, and the next one rarer.
	ch.wait = max(2*ch.wait, after)
	ch.sweepAt = now.Add(ch.wait)
	if ch.activeAt.IsZero() || ch.sweepAt.Sub(ch.activeAt) > sweepFor {
		ch.sweepAt = time.Time{}
	}
}

// planRetry plans the next read after one that failed. What the platform refuses is seldom tried again.
func (ch *chat) planRetry(now time.Time, refused bool) {
	ch.fails++
	ch.triedAt = now
	switch {
	case refused:
		ch.refusals++
		ch.retryAt = now.Add(pauseAfter(time.Second, ch.refusals, longestRefusal))
	case ch.fails > patientFails:
		ch.refusals = 0
		ch.retryAt = now.Add(backOff(time.Second, ch.fails-patientFails))
	default:
		ch.refusals = 0
	}
}

// retrySoon lets a chat that a list gives a hint of be tried again if the platform refused to show it: it may be there now. That is not at
// once if it was tried just now.
func (ch *chat) retrySoon(list uint32) {
	if ch.refusals == 0 {
		return
	}
	ch.since = list
	if at := ch.triedAt.Add(backOff(time.Second, ch.refusals)); at.Before(ch.retryAt) {
		ch.retryAt = at
	}
}

// touched remembers chats whose messages somebody else of ours has read. That may have marked them
// as seen, so the chat list no longer tells that there is something to read.
type touched struct {
	mu    sync.Mutex // guards the field below
	peers map[platform.UserID]struct{}
}

func (t *touched) add(peer platform.UserID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.peers == nil {
		t.peers = map[platform.UserID]struct{}{}
	}
	t.peers[peer] = struct{}{}
}

// takeTouched returns the chats touched since the last call.
func (t *touched) takeTouched() map[platform.UserID]struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	peers := t.peers
	t.peers = nil
	return peers
}

// NoteTouched tells the poller that the messages with peer were read by another part of the program. The
// next cycle reads them too, also when the chat list shows nothing new.
func (p *Poller) NoteTouched(peer platform.UserID) { p.touched.add(peer) }

// pendTouched queues the chats that were touched. The rows are in the order of seen.
func (cr *chatReader) pendTouched(c *cycle, seen *listing) {
	peers := c.touched.takeTouched()
	if len(peers) == 0 {
		return
	}
	for i := range seen.glances {
		if _, ok := peers[cr.in.rows[i].peer]; ok {
			cr.queueChat(cr.chatOfRow(seen, i))
		}
	}
}
