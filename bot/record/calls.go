package record

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Calls is what a store remembers of how people of ours are called.
type Calls interface {
	// Tell stores notices that no turn has, with alarms that begin and that are over, and returns when that is stored.
	// What is stored already stays as it is.
	Tell(ctx context.Context, notices []event.Notice, begin, over []event.Alarm) error
	// Told stores what became of notices, Reached and SentAt, and how addresses stand, and returns when that is stored.
	Told(ctx context.Context, notices []event.Notice, addresses map[string]json.RawMessage) error
	// Addresses returns how addresses stand, by their names.
	Addresses(ctx context.Context) (map[string]json.RawMessage, error)
	// Alarms returns what lasts and was told.
	Alarms(ctx context.Context) ([]event.Alarm, error)
	// Faulty returns since when the database takes no writes; zero while it does.
	Faulty() time.Time
	// Attended returns when a person of ours last decided something about the account, or wrote a message.
	Attended(ctx context.Context, account event.Account) (time.Time, error)
	// HeldBefore returns actions that have been held since before a time, those that have waited longest first.
	HeldBefore(ctx context.Context, account event.Account, before time.Time, limit int) ([]event.Action, error)
}
