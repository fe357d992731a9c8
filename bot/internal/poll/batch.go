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
