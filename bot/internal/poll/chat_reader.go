package poll

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// chatReader reads the messages of the chats that moved, each from its cursor on.
type chatReader struct {
	in     *inbox
	server server

	watermark platform.MessageID
	sinks     atomic.Int64 // a watermark below the present one that has to take its place; 0: none
	sunk      bool         // that it has is not delivered yet

	chats     map[platform.UserID]*chat    // the active ones
	queue     []*chat                      // those that have to be read: the one that waits longest first
	nextSweep time.Time                    // zero: none
	behind    *behind                      // chats behind the cut; nil while there is none
	staleAt   int64                        // in Unix milliseconds: when a list went back to what was there before
	nameless  map[platform.UserID]struct{} // active chats of which no row was looked at
	refusals  tally                        // chats that cannot be read
}

func (cr *chatReader) id() event.Source { return event.Messages }

func (cr *chatReader) rowOf(platform.UserID, string) (SnapshotRow, bool) { return SnapshotRow{}, false }

func (cr *chatReader) prepare(l *looker) {
	_, l.seeing = cr.server.knownOrder()
	l.nameless = cr.nameless
}

// resumeOwn takes up what is stored of the account. works tells that an earlier incarnation has read messages.
func (cr *chatReader) resumeOwn(own record.Cursor, works bool) {
	cr.watermark = platform.MessageID(own.ID)
	cr.server.resume(cr.watermark > 0 || works)
	cr.in.level.setTop(cr.watermark)
}

func (cr *chatReader) ownCursor(polledAt time.Time) record.Cursor {
	return record.Cursor{Source: event.Messages, ID: int64(cr.watermark), PolledAt: polledAt, Back: cr.sunk}
}

func (cr *chatReader) noteKept() { cr.sunk = false }

func (cr *chatReader) waitingPeers() []platform.UserID {
	peers := make([]platform.UserID, len(cr.queue))
	for i, ch := range cr.queue {
		peers[i] = ch.peer
	}
	return peers
}

func (cr *chatReader) readUntil(t time.Time) time.Time {
	for _, ch := range cr.queue {
		if ch.clean.Before(t) {
			t = ch.clean
		}
	}
	return cr.behind.readUntil(t)
}

// deliverNews finds the chats that moved, and reads them. Some that could not be read do not fail the poll.
func (cr *chatReader) deliverNews(ctx context.Context, c *cycle, seen *listing) error {
	cr.nameChats(seen)
	err := cr.readMoved(ctx, c, seen)
	// Some chats that cannot be read keep their place in the queue, and surely keeps the account's time behind them: the list itself was good.
	if soft := (*chatsError)(nil); err != nil && !errors.As(err, &soft) {
		return err
	}
	return errors.Join(err, cr.in.endPoll(ctx, c, seen))
}

// readMoved finds the chats that moved, and reads them.
func (cr *chatReader) readMoved(ctx context.Context, c *cycle, seen *listing) error {
	switch {
	case !cr.in.started:
		return cr.start(ctx, c, seen)
	case !cr.in.listed:
		if err := cr.restore(ctx, c, seen); err != nil {
			return err
		}
	default:
		if err := cr.readFollowing(ctx, c, seen); err != nil {
			return err
		}
	}
	cr.pendTouched(c, seen)
	cr.pendWished(c, seen)
	if err := cr.planBehind(ctx, c, seen); err != nil {
		return err
	}
	// After all hints of the list are noted, and before anything is read: a chat without a hint counts as heard from here on.
	cr.heardList(c, seen)
	return cr.read(ctx, c)
}

// activeChat returns an active chat, and makes it one if it is not.
func (cr *chatReader) activeChat(peer platform.UserID) *chat {
	ch := cr.chats[peer]
	if ch == nil {
		ch = &chat{peer: peer, clean: cr.in.polledAt, index: -1}
		if cr.chats == nil {
			cr.chats = map[platform.UserID]*chat{}
		}
		cr.chats[peer] = ch
	}
	return ch
}

// dropChat forgets a chat that is not active any more.
func (cr *chatReader) dropChat(ch *chat) {
	if ch.descent != nil && ch.descent.told {
		cr.in.hearing.noteReading(time.Time{})
	}
	ch.endDescent()
	delete(cr.chats, ch.peer)
}

func (cr *chatReader) abandonReads() {
	for _, ch := range cr.chats {
		ch.endDescent()
	}
}

// chatOfRow returns the chat of row i, as an active one.
func (cr *chatReader) chatOfRow(seen *listing, i int) *chat {
	ch := cr.activeChat(seen.glances[i].peer)
	shown := seen.briefOf(i)
	if shown != nil {
		cr.in.rows[i].text = shown.text
	}
	cr.noteName(ch, shown)
	ch.digest, ch.index = seen.glances[i].digest, i
	return ch
}

// queueChat puts a chat into the queue of those that have to be read.
func (cr *chatReader) queueChat(ch *chat) {
	if ch.pending {
		return
	}
	if cr.in.polledAt.After(ch.clean) {
		ch.clean = cr.in.polledAt
	}
	ch.pending, ch.since = true, cr.in.lists
	cr.queue = append(cr.queue, ch)
	cr.in.heard.noteHint(ch.peer)
}

// planSweep makes a chat be swept at t, or earlier if it already was to be.
func (cr *chatReader) planSweep(ch *chat, t time.Time) {
	ch.sweepBy(t)
	if cr.nextSweep.IsZero() || ch.sweepAt.Before(cr.nextSweep) {
		cr.nextSweep = ch.sweepAt
	}
}

// nameChats gives chats their names that had none, since nothing was taken of their rows but a glance.
func (cr *chatReader) nameChats(seen *listing) {
	for _, i := range seen.named {
		if i >= seen.len() {
			continue
		}
		if ch, b := cr.chats[seen.glances[i].peer], seen.briefOf(i); ch != nil && b != nil {
			cr.noteName(ch, b)
		}
	}
	for peer := range cr.nameless {
		if cr.chats[peer] == nil {
			delete(cr.nameless, peer)
		}
	}
}

// noteName notes whose chat it is.
func (cr *chatReader) noteName(ch *chat, b *brief) {
	switch {
	case b != nil:
		ch.name, ch.user = b.name, b.user
		delete(cr.nameless, ch.peer)
	case ch.name == "" && ch.user == "":
		if cr.nameless == nil {
			cr.nameless = map[platform.UserID]struct{}{}
		}
		cr.nameless[ch.peer] = struct{}{}
	}
}
