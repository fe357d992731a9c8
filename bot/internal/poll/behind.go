package poll

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

const (
	behindAtOnce = 256 // chats behind a cut that a cycle reads at most, while one of them may have moved
	behindPage   = 5000
	roundPause   = sweepFor // before a round without need
)

// behind reads the chats that lie behind the cut of a list, one after another: those that lists of this incarnation have shown,
// and those that have a stored cursor, the newest first. Since the newest chats come first in a list, those behind
// the cut did not move as long as the list shows one that did not. When it shows none, all of them are read, as fast as hints
// are. Otherwise, where lists are cut for long, one is read in a cycle, should they have another order.
type behind struct {
	since time.Time         // not zero: one of them may have moved since then
	again bool              // and once more, since the round began
	peers []platform.UserID // still to be read in this round
	began time.Time         // when the round did
	full  bool              // it began after since: all chats will have been read at its end
	taken int               // of peers, those that are read in this cycle
}

// noteMoved notes that a chat behind the cut may have moved since then.
func (b *behind) noteMoved(since time.Time) {
	if b.again = !b.since.IsZero(); !b.again {
		b.since, b.full = since, false
	}
}

// readUntil returns until when all chats were read that had moved at t.
func (b *behind) readUntil(t time.Time) time.Time {
	if b != nil && !b.since.IsZero() && b.since.Before(t) {
		return b.since
	}
	return t
}

// ends reports whether it is time for another round. Chats may be in doubt no longer.
func (b *behind) ends(now time.Time) bool {
	if b.since.IsZero() {
		return len(b.peers) == 0 && now.Sub(b.began) >= roundPause
	}
	switch {
	// The round under way began before one of them may have moved, so its end proves nothing: a new one begins.
	case !b.full:
		return true
	case len(b.peers) > 0:
		return false
	case !b.again:
		b.since = time.Time{}
	}
	return b.again
}

// planBehind begins a round if it is time for one. A list that is not cut ends it.
func (cr *chatReader) planBehind(ctx context.Context, c *cycle, seen *listing) error {
	if seen.cut == nil { //mutate:behind
		cr.behind = nil
		return nil
	}
	b := cr.cutOff(c.began)
	if !b.ends(c.began) {
		return nil
	}
	peers, err := cr.hiddenPeers(ctx, c, seen)
	if err != nil {
		return err
	}
	b.peers, b.began, b.full, b.again = peers, c.began, !b.since.IsZero(), false
	return nil
}

// heardList notes that a list was gone through.
func (cr *chatReader) heardList(c *cycle, seen *listing) {
	var cut, unseen *beyond
	if seen.cut != nil {
		cut = &beyond{shown: seen.shownPeers()}
	}
	if b := cr.behind; b != nil && seen.cut != nil && !b.since.IsZero() {
		unseen = &beyond{shown: cut.shown, since: b.since}
	}
	cr.in.heard.noteList(seen.began, cut, unseen)
	c.cfg.Bot.NoteHeard(0)
}

// cutOff returns what lies behind the cut.
func (cr *chatReader) cutOff(now time.Time) *behind {
	if cr.behind == nil {
		cr.behind = &behind{began: now}
	}
	return cr.behind
}

// next returns the chats to be read in this cycle besides those that are swept in it. Those that wait to be read need nothing
// else.
func (b *behind) next(cr *chatReader, c *cycle, swept []*chat) (jobs []*chat) {
	if b == nil {
		return nil
	}
	n := 1
	if !b.since.IsZero() {
		n = behindAtOnce
	}
	b.taken = 0
	for len(b.peers) > b.taken && len(jobs) < n {
		peer := b.peers[b.taken]
		if ch := cr.chats[peer]; ch != nil && ch.pending {
			b.peers = slices.Delete(b.peers, b.taken, b.taken+1)
			continue
		}
		ch := cr.activeChat(peer)
		ch.behind, ch.hinted = true, true // no list could show it
		// Since when its messages may be unread is when the cut began to hide it, not when the last list was read.
		ch.clean = b.readUntil(ch.clean)
		if b.taken++; !slices.Contains(swept, ch) {
			jobs = append(jobs, ch)
		}
	}
	c.hurry = !b.since.IsZero() && len(b.peers) > b.taken
	return jobs
}

// removeRead takes those that were read off the round. Those that were not come again at its end.
func (b *behind) removeRead(cr *chatReader) {
	if b == nil {
		return
	}
	taken := b.peers[:b.taken]
	b.peers = b.peers[b.taken:]
	b.taken = 0
	for _, peer := range taken {
		if ch := cr.chats[peer]; ch != nil && ch.behind {
			b.peers = append(b.peers, peer)
		}
	}
}

// hiddenPeers returns the peers of the chats that are known and that a list does not show.
func (cr *chatReader) hiddenPeers(ctx context.Context, c *cycle, seen *listing) ([]platform.UserID, error) {
	var peers []platform.UserID
	// Lists of this incarnation first: they have shown these lately, and stored cursors may be years old.
	for i := seen.len(); i < len(cr.in.rows); i++ {
		peers = append(peers, cr.in.rows[i].peer)
	}
	var stored []record.Cursor
	for after := platform.UserID(0); ; {
		page, err := c.cfg.Cursors.CursorsAfter(ctx, c.cfg.Account, event.Messages, after, behindPage)
		if err != nil {
			return nil, fmt.Errorf("read the cursors of %v: %w", event.Messages, err)
		}
		if len(page) == 0 {
			break
		}
		after = page[len(page)-1].Peer
		stored = append(stored, page...)
	}
	slices.SortFunc(stored, func(x, y record.Cursor) int {
		return cmp.Or(y.PolledAt.Compare(x.PolledAt), cmp.Compare(x.Peer, y.Peer))
	})
	find := finder{rows: cr.in.rows}
	for i := range stored {
		if peer := stored[i].Peer; find.rowOf(peer) < 0 {
			peers = append(peers, peer)
		}
	}
	return peers, nil
}
