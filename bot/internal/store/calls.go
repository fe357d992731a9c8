package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

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
	// Behind the notices: when a notice is new in this group, its row has to be there before it is noted whom it has reached.
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
