package store

import (
	"context"
	"encoding/json"
	"fmt"
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
	// Attended returns when a person of ours last decided something about the account, or spoke herself.
	Attended(ctx context.Context, account event.Account) (time.Time, error)
	// HeldBefore returns actions that have been held since before a time, those that have waited longest first.
	HeldBefore(ctx context.Context, account event.Account, before time.Time, limit int) ([]event.Action, error)
}

// calls is what a write stores of them.
type calls struct {
	told        []event.Notice
	begin, over []event.Alarm
	reached     []event.Notice
	addresses   map[string]json.RawMessage
}

// Tell stores notices and alarms; see Calls.
func (w *Writer) Tell(ctx context.Context, notices []event.Notice, begin, over []event.Alarm) error {
	if err := w.commitNow(ctx, Write{calls: &calls{told: notices, begin: begin, over: over}}); err != nil {
		return fmt.Errorf("store notices: %w", err)
	}
	return nil
}

// Told stores what became of notices; see Calls.
func (w *Writer) Told(ctx context.Context, notices []event.Notice, addresses map[string]json.RawMessage) error {
	if err := w.commitNow(ctx, Write{calls: &calls{reached: notices, addresses: addresses}}); err != nil {
		return fmt.Errorf("note what became of notices: %w", err)
	}
	return nil
}

func (a *applier) storeCalls(c *calls) error {
	if c == nil {
		return nil
	}
	if err := a.tellNew(c.told, nil); err != nil {
		return err
	}
	for _, x := range c.begin {
		if err := a.alarm.key(x.Account).str(x.Kind).str(x.Subject).at(x.Since).do(); err != nil {
			return err
		}
	}
	for _, x := range c.over {
		if err := a.calm.key(x.Account).str(x.Kind).str(x.Subject).do(); err != nil {
			return err
		}
	}
	for i := range c.reached {
		n := &c.reached[i]
		if err := a.reached.str(string(n.Reached)).at(n.SentAt).key(n.Account).str(n.ID).do(); err != nil {
			return err
		}
	}
	for id, pace := range c.addresses {
		if err := a.address.str(id).str(string(pace)).do(); err != nil {
			return err
		}
	}
	return nil
}
