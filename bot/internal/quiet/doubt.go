package quiet

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

const (
	sentKept = 1 << 14 // results kept in memory, to know our own messages without asking the store

	// sightFor is how long own messages on a page wait for the rest of its reading. After that they are judged as if
	// it had come to its end.
	sightFor = 10 * time.Minute

	judgedAtOnce = 256  // own messages of one conversation of which a reading has come to no end
	maxJudged    = 1024 // own messages of an account that wait for the turns that they begin, before its poller has to wait
)

// Doubts are own messages that nobody knows yet: a person of ours may have written them, or they may turn out to be the bot's, of an action that is on its
// way or in doubt. B is the batch with which one was delivered.
type Doubts[B comparable] struct {
	some atomic.Int64 // in so many conversations

	mu    sync.Mutex                      // guards the fields below
	sent  map[platform.MessageID]struct{} // the bot's own, the last ones
	ring  []platform.MessageID            // their order
	next  int
	doubt map[platform.UserID]*doubt[B]

	deciding int           // in all of them
	room     chan struct{} // closed when fewer are; nil while nobody waits for that
}

// doubt is about who has spoken in a conversation.
type doubt[B comparable] struct {
	sighted  []platform.Message // on a page of a reading that goes on
	share    poll.Share         // their memory
	since    time.Time          // when the first of them was
	waiting  []Unattributed[B]  // to be judged
	deciding int                // are being judged, or a takeover on their account is on its way
}

// Unattributed is an own message that waits to be judged.
type Unattributed[B comparable] struct {
	Message platform.Message
	Read    time.Time // when it was
	Failed  bool      // the store could not be asked
	Earlier bool      // it may be from before a careful start
	Said    time.Time // when it was said then, at the latest; zero where nobody knows
	Batch   B         // with which it came, whose cursor waits; the zero B for one that the poller has not delivered
}

// NoteOurs notes a message of the bot.
func (ds *Doubts[B]) NoteOurs(id platform.MessageID) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.sent == nil {
		ds.sent = map[platform.MessageID]struct{}{}
	}
	ds.sent[id] = struct{}{}
	if len(ds.ring) < sentKept {
		ds.ring = append(ds.ring, id)
		return
	}
	delete(ds.sent, ds.ring[ds.next])
	ds.ring[ds.next] = id
	ds.next = (ds.next + 1) % sentKept
}

// FilterUnknown returns those of own that are not among the last messages of the bot.
func (ds *Doubts[B]) FilterUnknown(own []platform.Message) []platform.Message {
	if len(own) == 0 {
		return nil
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	var rest []platform.Message
	for _, m := range own {
		if _, ok := ds.sent[m.ID]; !ok {
			rest = append(rest, m)
		}
	}
	return rest
}

// aboutLocked returns the doubt about a conversation, new if need be.
func (ds *Doubts[B]) aboutLocked(peer platform.UserID) *doubt[B] {
	d := ds.doubt[peer]
	if d == nil {
		d = &doubt[B]{}
		if ds.doubt == nil {
			ds.doubt = map[platform.UserID]*doubt[B]{}
		}
		ds.doubt[peer] = d
		ds.some.Add(1)
	}
	return d
}

// doneLocked forgets a doubt that is over.
func (ds *Doubts[B]) doneLocked(peer platform.UserID, d *doubt[B]) {
	if d != nil && len(d.sighted)+len(d.waiting)+d.deciding == 0 {
		delete(ds.doubt, peer)
		ds.some.Add(-1)
	}
}

// IsEmpty reports whether there is no doubt about any conversation.
func (ds *Doubts[B]) IsEmpty() bool { return ds.some.Load() == 0 }

// HasDoubt reports whether there is a doubt about a conversation.
func (ds *Doubts[B]) HasDoubt(peer platform.UserID) bool {
	if ds.some.Load() == 0 {
		return false
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return ds.doubt[peer] != nil
}

// NoteSighted notes messages on a page of a reading that goes on. Where there is no room for all, it takes those that come
// first, mostly the last ones that were said: the end of the reading brings all of them.
func (ds *Doubts[B]) NoteSighted(peer platform.UserID, own []platform.Message, room *poll.Room) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.aboutLocked(peer)
	if len(d.sighted) == 0 {
		d.since, d.share = time.Now(), room.NewShare()
	}
	for _, m := range own {
		if d.share.TakeRoom(poll.MessageBytes(&m)) || len(d.sighted) == 0 {
			d.sighted = append(d.sighted, m)
		}
	}
}

func byID(a, b platform.Message) int { return cmp.Compare(a.ID, b.ID) }

// forgetSighted forgets what was sighted.
func (d *doubt[B]) forgetSighted() {
	d.share.GiveBack()
	d.sighted = nil
}

// NoteRead notes that the reading is over: what was sighted and nobody knows waits by now.
func (ds *Doubts[B]) NoteRead(peer platform.UserID) {
	if ds.some.Load() == 0 {
		return
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if d := ds.doubt[peer]; d != nil {
		d.forgetSighted()
		ds.doneLocked(peer, d)
	}
}

// MoveOverdue moves what was sighted for too long to what waits: its reading does not come to its end.
func (ds *Doubts[B]) MoveOverdue(peer platform.UserID, now time.Time, earlier bool) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.doubt[peer]
	if d == nil || len(d.sighted) == 0 || now.Sub(d.since) < sightFor {
		return
	}
	// Of very many the last ones tell whether a person of ours has spoken.
	slices.SortFunc(d.sighted, byID)
	for _, m := range d.sighted[max(0, len(d.sighted)-judgedAtOnce):] {
		d.addWaiting(Unattributed[B]{Message: m, Read: d.since, Earlier: earlier})
	}
	d.forgetSighted()
}

// PutAside keeps messages until it is clear whose they are. earlier tells that they may be from before a careful start; said, when
// each was said then, nil where nobody knows.
func (ds *Doubts[B]) PutAside(peer platform.UserID, messages []platform.Message, batch B, earlier bool, said func(*platform.Message) time.Time) {
	if len(messages) == 0 {
		return
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.aboutLocked(peer)
	for _, m := range messages {
		one := Unattributed[B]{Message: m, Read: time.Now(), Batch: batch, Earlier: earlier}
		if earlier && said != nil {
			one.Said = said(&m)
		}
		d.addWaiting(one)
	}
}

// addWaiting adds an unattributed message, once.
func (d *doubt[B]) addWaiting(one Unattributed[B]) {
	var none B
	for i := range d.waiting {
		if w := &d.waiting[i]; w.Message.ID == one.Message.ID && (w.Batch == none || one.Batch == none) {
			w.Batch, w.Earlier = cmp.Or(w.Batch, one.Batch), w.Earlier || one.Earlier
			if w.Said.IsZero() {
				w.Said = one.Said
			}
			return
		}
	}
	d.waiting = append(d.waiting, one)
}

// TakeWaiting returns what waits in a conversation, to be judged. The doubt lasts until NoteDecided or PutBack was called for each.
func (ds *Doubts[B]) TakeWaiting(peer platform.UserID) []Unattributed[B] {
	if ds.some.Load() == 0 {
		return nil
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.doubt[peer]
	if d == nil {
		return nil
	}
	waiting := d.waiting
	d.waiting, d.deciding = nil, d.deciding+len(waiting)
	ds.deciding += len(waiting)
	return waiting
}

// WaitForRoom blocks while very many messages wait for the turns that they begin.
func (ds *Doubts[B]) WaitForRoom(ctx context.Context) error {
	for {
		ds.mu.Lock()
		full := ds.deciding >= maxJudged
		if full && ds.room == nil {
			ds.room = make(chan struct{})
		}
		room := ds.room
		ds.mu.Unlock()
		if !full {
			return nil
		}
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// decidedLocked notes that one message is not being judged any more.
func (ds *Doubts[B]) decidedLocked(d *doubt[B]) {
	d.deciding--
	if ds.deciding--; ds.deciding < maxJudged && ds.room != nil {
		close(ds.room)
		ds.room = nil
	}
}

// NoteDecided ends the judging of one message: nothing is left to do about it.
func (ds *Doubts[B]) NoteDecided(peer platform.UserID) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if d := ds.doubt[peer]; d != nil {
		ds.decidedLocked(d)
		ds.doneLocked(peer, d)
	}
}

// PutBack ends the judging of one message that nobody knows yet.
func (ds *Doubts[B]) PutBack(peer platform.UserID, one Unattributed[B]) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.aboutLocked(peer)
	ds.decidedLocked(d)
	d.addWaiting(one)
}

// DoubtfulPeers returns the conversations with a doubt, in order.
func (ds *Doubts[B]) DoubtfulPeers() []platform.UserID {
	if ds.some.Load() == 0 {
		return nil
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return slices.Sorted(maps.Keys(ds.doubt))
}
