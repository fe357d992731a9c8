package store

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/outbox"
	"github.com/nectar-bot/nectar/bot/poll"
	"github.com/nectar-bot/nectar/platform/session"
)

// Store is the memory of the runtime. All methods may be called at the same time.
type Store interface {
	outbox.Ledger
	poll.Cursors

	// Commit queues a write; its Done is called when it is durable or has failed. What was queued
	// first is stored first.
	Commit(w Write)
	// Later queues cursors to be stored with any later commit, or soon without one. A number does not
	// go back.
	Later(cursors ...poll.Cursor)

	// Conversation returns a conversation; a fresh one with version 0 when none is stored.
	Conversation(ctx context.Context, key event.Key) (conversation.State, error)
	// Stored returns which of ids are stored: true for those that have been handled.
	Stored(ctx context.Context, account event.Account, ids []event.ID) (map[event.ID]bool, error)
	// Last returns the highest event number of a source; 0 when there is none.
	Last(ctx context.Context, account event.Account, source event.Source) (int64, error)
	// Pending returns events that wait for their turn, with the tries they have had: by conversation,
	// within one in the order in which they have to be handled. peer 0 means all conversations.
	Pending(ctx context.Context, account event.Account, peer int64, limit int) ([]PendingEvent, error)
	// Quarantined returns the quarantined events of a conversation, in the order in which they would
	// have been handled.
	Quarantined(ctx context.Context, key event.Key) ([]PendingEvent, error)
	// Action returns an action by its key; false when there is none.
	Action(ctx context.Context, account event.Account, key string) (event.Action, bool, error)
	// Requests returns what people ask for, by account, in the order in which they asked: those behind
	// after, from the first on when after is zero.
	Requests(ctx context.Context, after event.Request, limit int) ([]event.Request, error)
	// Standing counts the account's actions in state unsure, and those that are held.
	Standing(ctx context.Context, account event.Account) (unsure, held int, err error)
	// Facts returns what was recorded for a trigger, by name.
	Facts(ctx context.Context, account event.Account, trigger string) ([]event.Fact, error)
	// DueTimers returns timers that are due at now, oldest first, and when the next one is due; zero
	// when there is none.
	DueTimers(ctx context.Context, now time.Time, limit int) ([]event.Timer, time.Time, error)
	// FlowStates counts the conversations in each state of each flow.
	FlowStates(ctx context.Context) ([]conversation.Count, error)

	// Keeper keeps the account's session.
	Keeper(account event.Account) session.Keeper

	// Close stores what is queued and closes the store.
	Close() error
}

// PendingEvent is an event that waits for its turn.
type PendingEvent struct {
	event.Event
	Tries int
	Late  bool // it was quarantined, and a person let it have its turn again
}
