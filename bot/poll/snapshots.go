package poll

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// snapshots makes events of the chat list itself, where get_messages does not exist. Of several
// messages between two polls only the last one is visible, and the owner's own words from the phone
// are taken for the peer's where the platform does not count unread messages.
type snapshots struct {
	chats  map[platform.UserID]snapshot
	counts bool // the platform counts unread messages
}

// snapshot is what was made of a chat.
type snapshot struct {
	count int64  // events so far
	mark  uint64 // of the text and the unread count that were looked at last
}

func newSnapshots() *snapshots { return &snapshots{chats: map[platform.UserID]snapshot{}} }

// reconsider makes the rows of the chats that wait to be read new ones: what moved them has not been
// delivered, and now comes from the list itself.
func (in *inbox) reconsider() {
	waiting := map[platform.UserID]bool{}
	for _, ch := range in.queue {
		waiting[ch.peer] = true
	}
	for i := range in.rows {
		if waiting[in.rows[i].peer] {
			in.rows[i].state |= rowNew
		}
	}
}

// snap finds the rows that changed and makes events of them.
func (in *inbox) snap(ctx context.Context, c *cycle, seen listing) error {
	in.queue, in.chats, in.nextSweep = nil, nil, time.Time{}
	c.touched.take() // there is nothing else to read
	for i := range seen.Len() {
		in.snapshots.counts = in.snapshots.counts || seen.Unread(i) > 0
	}
	if !in.started {
		return in.snapFirst(ctx, c, seen)
	}
	first := !in.listed // every row is new, and compared with what is stored
	if first {
		in.keptAt = time.Time{}
	}
	var moved []int
	var peers []platform.UserID
	in.hints(c, seen, func(i int, _ reason) {
		moved = append(moved, i)
		if _, loaded := in.snapshots.chats[in.rows[i].peer]; !loaded {
			peers = append(peers, in.rows[i].peer)
		}
	})
	if err := in.snapshots.load(ctx, c, peers); err != nil {
		return err
	}
	for _, i := range moved {
		if err := in.snapRow(ctx, c, seen, i, first); err != nil {
			return err
		}
	}
	in.listed = true
	in.ageOwn(c, seen)
	return nil
}

// ownSlack is how much later than we know of a message of ours the platform may say that it was sent.
const ownSlack = 2 * time.Second

// ageOwn takes note of rows that show what we sent. One in the very words that the row showed before changes
// nothing in it but the age, and that may come out much later, when nobody knows of the message any more.
func (in *inbox) ageOwn(c *cycle, seen listing) {
	peers := c.sends.peers()
	if len(peers) == 0 {
		return
	}
	find := finder{rows: in.rows}
	for _, peer := range peers {
		i := int(find.peer(peer))
		if i < 0 || in.rows[i].born == 0 {
			continue
		}
		shown, err := seen.Decode(i)
		if err != nil {
			continue // it is told of when the row moves
		}
		if at, ok := c.sends.sentAt(peer, shown.Last); ok {
			in.rows[i].born = max(in.rows[i].born, at.Add(ownSlack).UnixMilli())
		}
	}
}

// snapFirst takes the list of the first start. Rows with unread messages are marked in the store, so
// that the next start can tell them from those that came meanwhile.
func (in *inbox) snapFirst(ctx context.Context, c *cycle, seen listing) error {
	if c.cfg.Backlog == Skip {
		for i := range seen.Len() {
			if seen.Unread(i) == 0 {
				continue
			}
			shown, err := seen.Decode(i)
			if err != nil {
				continue
			}
			mark := snapMark(shown)
			if err := c.deliver(ctx, Batch{Cursor: snapCursor(seen.Peer(i), 0, mark, seen.began)}); err != nil {
				return err
			}
			in.snapshots.chats[seen.Peer(i)] = snapshot{mark: mark}
		}
		in.adopt(seen)
	}
	if err := in.deliverOwn(ctx, c, seen.began); err != nil {
		return err
	}
	in.started = true
	if c.cfg.Backlog == Unread {
		return in.snap(ctx, c, seen)
	}
	return nil
}

// load reads what was made of chats before.
func (s *snapshots) load(ctx context.Context, c *cycle, peers []platform.UserID) error {
	stored, err := c.cursors(ctx, event.Snapshots, peers)
	if err != nil {
		return err
	}
	for _, peer := range peers {
		s.chats[peer] = snapshot{stored[peer].ID, stored[peer].Mark}
	}
	return nil
}

// snapRow makes an event of a row that changed, unless it shows our own words. The row is remembered
// only when it was delivered. In the first list after a start there is nothing but the store to
// compare it with.
func (in *inbox) snapRow(ctx context.Context, c *cycle, seen listing, i int, first bool) error {
	r := in.rows[i]
	shown, err := seen.Decode(i)
	if err != nil {
		return errors.Join(errors.New("read a row of the chat list"), err)
	}
	old := in.snapshots.chats[r.peer]
	next := snapshot{count: old.count, mark: snapMark(shown)}
	fell := r.state&rowNew == 0 && r.digest == seen.Digest(i) // only its age did
	own := c.sends.explains(r.peer, shown.Last, 0, false)
	rose := !first && clampUnread(shown.Unread) > r.unread
	told := !first || old.mark != 0 // there is something to compare with
	var b Batch
	switch {
	case next.mark == old.mark && !fell: // a name or a picture, or it was there before the restart
	case own: // what may have been said before it is hidden
	case rose, shown.Unread > 0, told && !in.snapshots.counts:
		next.count++
		b.Events = []event.Event{{
			Account: c.cfg.Account,
			ID:      event.ID{Source: event.Snapshots, Number: snapNumber(r.peer, shown.Last, old.count)},
			Kind:    event.KindMessage,
			Peer:    r.peer, Name: shown.Name, User: shown.Username,
			Text:   shown.Last,
			SeenAt: time.Now(), NotBefore: in.polledAt,
		}}
	}
	if next != old {
		b.Cursor = snapCursor(r.peer, next.count, next.mark, seen.began)
		if err := c.deliver(ctx, b); err != nil {
			return err
		}
	}
	if own {
		c.sends.explains(r.peer, shown.Last, 0, true)
	}
	in.snapshots.chats[r.peer] = next
	in.rows[i].take(seen, i, shown.Last)
	return nil
}

func snapCursor(peer platform.UserID, count int64, mark uint64, at time.Time) Cursor {
	return Cursor{Source: event.Snapshots, Peer: peer, ID: count, Mark: mark, PolledAt: at}
}

// snapMark is a digest of what a snapshot is made of.
func snapMark(shown platform.Chat) uint64 {
	return snapHash(uint64(clampUnread(shown.Unread)), shown.Last)
}

// snapNumber returns the number of a chat's event: the same after a crash, another for the same words
// said again.
func snapNumber(peer platform.UserID, text string, count int64) int64 {
	h := snapHash(uint64(peer), text) + mix(uint64(count)+1)
	return int64(max(1, mix(h)&math.MaxInt64))
}

func snapHash(n uint64, text string) uint64 {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], n)
	h := fnv.New64a()
	_, _ = h.Write(head[:])
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}
