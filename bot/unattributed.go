package bot

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

// unattributedMessages are own messages that nobody knows yet: a person of ours may have written them, or they may turn out
// to be the bot's, of an action that is on its way or in doubt.
type unattributedMessages struct {
	some atomic.Int64 // in so many conversations

	mu    sync.Mutex                      // guards the fields below
	sent  map[platform.MessageID]struct{} // the bot's own, the last ones
	ring  []platform.MessageID            // their order
	next  int
	doubt map[platform.UserID]*doubt

	deciding int           // in all of them
	room     chan struct{} // closed when fewer are; nil while nobody waits for that
}

// doubt is about who has spoken in a conversation. While there is one, nothing is decided there and nothing leaves.
type doubt struct {
	sighted  []platform.Message // on a page of a reading that goes on
	share    poll.Share         // their memory
	since    time.Time          // when the first of them was
	waiting  []unattributed     // to be judged
	deciding int                // are being judged, or a takeover on their account is on its way
}

// unattributed is an own message that waits to be judged.
type unattributed struct {
	message platform.Message
	read    time.Time // when it was
	failed  bool      // the store could not be asked
	earlier bool      // it may be from before a careful start
	said    time.Time // when it was said then, at the latest; zero where nobody knows
	track   *track    // the batch that it came with, whose cursor waits; nil for one that the poller has not delivered
}

// add notes a message of the bot.
func (s *unattributedMessages) add(id platform.MessageID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent == nil {
		s.sent = map[platform.MessageID]struct{}{}
	}
	s.sent[id] = struct{}{}
	if len(s.ring) < sentKept {
		s.ring = append(s.ring, id)
		return
	}
	delete(s.sent, s.ring[s.next])
	s.ring[s.next] = id
	s.next = (s.next + 1) % sentKept
}

// filterUnknown returns those of own that are not among the last messages of the bot.
func (s *unattributedMessages) filterUnknown(own []platform.Message) []platform.Message {
	if len(own) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var rest []platform.Message
	for _, m := range own {
		if _, ok := s.sent[m.ID]; !ok {
			rest = append(rest, m)
		}
	}
	return rest
}

// aboutLocked returns the doubt about a conversation, new if need be.
func (s *unattributedMessages) aboutLocked(peer platform.UserID) *doubt {
	d := s.doubt[peer]
	if d == nil {
		d = &doubt{}
		if s.doubt == nil {
			s.doubt = map[platform.UserID]*doubt{}
		}
		s.doubt[peer] = d
		s.some.Add(1)
	}
	return d
}

// doneLocked forgets a doubt that is over.
func (s *unattributedMessages) doneLocked(peer platform.UserID, d *doubt) {
	if d != nil && len(d.sighted)+len(d.waiting)+d.deciding == 0 {
		delete(s.doubt, peer)
		s.some.Add(-1)
	}
}

// hasDoubt reports whether there is a doubt about a conversation.
func (s *unattributedMessages) hasDoubt(peer platform.UserID) bool {
	if s.some.Load() == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doubt[peer] != nil
}

// noteSighted notes messages on a page of a reading that goes on. Where there is no room for all, it takes those that come
// first, mostly the last ones that were said: the end of the reading brings all of them.
func (s *unattributedMessages) noteSighted(peer platform.UserID, own []platform.Message, room *poll.Room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.aboutLocked(peer)
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
func (d *doubt) forgetSighted() {
	d.share.GiveBack()
	d.sighted = nil
}

// noteRead notes that the reading is over: what was sighted and nobody knows waits by now.
func (s *unattributedMessages) noteRead(peer platform.UserID) {
	if s.some.Load() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.doubt[peer]; d != nil {
		d.forgetSighted()
		s.doneLocked(peer, d)
	}
}

// moveOverdue moves what was sighted for too long to what waits: its reading does not come to its end.
func (s *unattributedMessages) moveOverdue(peer platform.UserID, now time.Time, earlier bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.doubt[peer]
	if d == nil || len(d.sighted) == 0 || now.Sub(d.since) < sightFor {
		return
	}
	// Of very many the last ones tell whether a person of ours has spoken.
	slices.SortFunc(d.sighted, byID)
	for _, m := range d.sighted[max(0, len(d.sighted)-judgedAtOnce):] {
		d.addWaiting(unattributed{message: m, read: d.since, earlier: earlier})
	}
	d.forgetSighted()
}

// wait puts messages aside until it is clear whose they are. earlier tells that they may be from before a careful start; said, when
// each was said then, nil where nobody knows.
func (s *unattributedMessages) wait(peer platform.UserID, messages []platform.Message, t *track, earlier bool, said func(*platform.Message) time.Time) {
	if len(messages) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.aboutLocked(peer)
	for _, m := range messages {
		one := unattributed{message: m, read: time.Now(), track: t, earlier: earlier}
		if earlier && said != nil {
			one.said = said(&m)
		}
		d.addWaiting(one)
	}
}

// addWaiting adds an unattributed message, once.
func (d *doubt) addWaiting(one unattributed) {
	for i := range d.waiting {
		if w := &d.waiting[i]; w.message.ID == one.message.ID && (w.track == nil || one.track == nil) {
			w.track, w.earlier = cmp.Or(w.track, one.track), w.earlier || one.earlier
			if w.said.IsZero() {
				w.said = one.said
			}
			return
		}
	}
	d.waiting = append(d.waiting, one)
}

// takeWaiting returns what waits in a conversation, to be judged. The doubt lasts until decided was called for each.
func (s *unattributedMessages) takeWaiting(peer platform.UserID) []unattributed {
	if s.some.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.doubt[peer]
	if d == nil {
		return nil
	}
	waiting := d.waiting
	d.waiting, d.deciding = nil, d.deciding+len(waiting)
	s.deciding += len(waiting)
	return waiting
}

// waitForRoom blocks while very many messages wait for the turns that they begin.
func (s *unattributedMessages) waitForRoom(ctx context.Context) error {
	for {
		s.mu.Lock()
		full := s.deciding >= maxJudged
		if full && s.room == nil {
			s.room = make(chan struct{})
		}
		room := s.room
		s.mu.Unlock()
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
func (s *unattributedMessages) decidedLocked(d *doubt) {
	d.deciding--
	if s.deciding--; s.deciding < maxJudged && s.room != nil {
		close(s.room)
		s.room = nil
	}
}

// noteDecided ends the judging of one message: nothing is left to do about it.
func (s *unattributedMessages) noteDecided(peer platform.UserID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.doubt[peer]; d != nil {
		s.decidedLocked(d)
		s.doneLocked(peer, d)
	}
}

// putBack ends the judging of one message that nobody knows yet.
func (s *unattributedMessages) putBack(peer platform.UserID, one unattributed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.aboutLocked(peer)
	s.decidedLocked(d)
	d.addWaiting(one)
}

// doubtfulPeers returns the conversations with a doubt, in order.
func (s *unattributedMessages) doubtfulPeers() []platform.UserID {
	if s.some.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.doubt))
}
