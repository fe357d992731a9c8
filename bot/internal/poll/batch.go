package poll

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Batch is the events of one read, oldest first. Cursor may be stored once all of them are, or at
// once when there are none: then only its mark or its time is news.
type Batch struct {
	Events []event.Event
	Cursor record.Cursor // of event.Snapshots, it has to be stored with the events, in one commit: their numbers depend on it
	// Own are the account's own messages in that read, from the bot or from the owner's phone, for
	// those who compare them with the ledger.
	Own []platform.Message

	// LastAt is when the newest message of the chat was said, at the latest, as its row told it, zero where it did not; LastShown is the
	// time that the newest message of the read shows. They are told with Own alone.
	LastAt    time.Time
	LastShown string

	// Again: some of it may have been delivered before, also by this Poller.
	Again bool

	again int       // so many of the events an earlier incarnation has most likely delivered
	odd   oddChange // what is to be known of its events once they are delivered
}

// Sink takes what was read. It is called from several goroutines at once, for different chats.
//
// The same event may come again: after a failed delivery, after a restart, and when a read was
// repeated. A Sink drops what it has seen, by the event's id, and nothing else: an event whose number lies
// below a cursor that was delivered before may be news that the platform has shown late. After a restart, the
// newest events below the stored cursors come again for that reason.
type Sink interface {
	// Deliver takes a batch over; it may block until there is room. Nil means that the batch is
	// accepted, at least in memory: the poller goes on behind it.
	Deliver(ctx context.Context, b Batch) error
}

// deliverBatch hands a batch to the sink.
func (c *cycle) deliverBatch(ctx context.Context, b Batch) error {
	b.Cursor.Account = c.cfg.Account
	if err := c.cfg.Sink.Deliver(ctx, b); err != nil {
		return &deliveryError{err}
	}
	c.odds.noteDelivered(&b)
	c.noteProgress()
	fresh := len(b.Events) - b.again
	c.hearing.noteEvents(fresh)
	c.events.Add(int64(fresh))
	return nil
}

// deliveryError is a sink that did not take a batch: nothing more should be read.
type deliveryError struct{ err error }

func (e *deliveryError) Error() string { return fmt.Sprintf("deliver events: %v", e.err) }

func (e *deliveryError) Unwrap() error { return e.err }

// messageTime is how the platform shows when a message was said: to the minute, in any zone.
const messageTime = "2 Jan, 2006 15:04"

// SaidAt returns when an own message of the batch was said, at the latest; zero where nobody knows. Times of messages have no zone, so
// what counts is how long it was before the newest one of the chat, whose age its row tells.
func (b *Batch) SaidAt(m *platform.Message) time.Time {
	if b.LastAt.IsZero() {
		return time.Time{}
	}
	last, err := time.Parse(messageTime, b.LastShown)
	if err != nil {
		return b.LastAt
	}
	shown, err := time.Parse(messageTime, m.Time)
	if err != nil || !shown.Before(last) {
		return b.LastAt
	}
	return b.LastAt.Add(time.Minute - last.Sub(shown)) // either may be most of a minute later than it shows
}

// saidAfter returns when a message was said at the earliest, where the newest one of its chat, which shows that time, was said then at the earliest;
// zero where nobody knows. Either may have been said most of a minute before or after what it shows.
func saidAfter(m, newest *platform.Message, earliest time.Time) time.Time {
	if m.ID == newest.ID || earliest.IsZero() {
		return earliest
	}
	last, err := time.Parse(messageTime, newest.Time)
	if err != nil {
		return time.Time{}
	}
	shown, err := time.Parse(messageTime, m.Time)
	if err != nil || shown.After(last) {
		return time.Time{}
	}
	return earliest.Add(shown.Sub(last) - time.Minute)
}
