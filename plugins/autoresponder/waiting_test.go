package autoresponder_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// calls is what an inspector remembers of how people are called.
type calls struct {
	told      []event.Notice // those of which nothing is left to be done, as they are stored
	addresses map[string]json.RawMessage
	alarms    []event.Alarm
	attended  time.Time
	faulty    time.Time
	held      []event.Action
	away      bool // another worker has the shard of the account
	handed    int64
}

func (d *waiting) Serves(event.Account) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.away
}

func (d *waiting) Handed() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.handed
}

// hand gives the account's shard to another worker, or takes it back.
func (d *waiting) hand(away bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.away = away
	d.handed++
}

var errFull = errors.New("the disk is full")

func (d *waiting) Tell(_ context.Context, notices []event.Notice, begin, over []event.Alarm) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken {
		return errFull
	}
	for _, n := range notices {
		same := func(o event.Notice) bool { return o.ID == n.ID }
		if !slices.ContainsFunc(d.waiting, same) && !slices.ContainsFunc(d.told, same) {
			d.waiting = append(d.waiting, n)
		}
	}
	d.alarms = append(d.alarms, begin...)
	d.alarms = slices.DeleteFunc(d.alarms, func(a event.Alarm) bool {
		return slices.ContainsFunc(over, func(o event.Alarm) bool { return o.Account == a.Account && o.Kind == a.Kind && o.Subject == a.Subject })
	})
	return nil
}

func (d *waiting) Told(_ context.Context, notices []event.Notice, addresses map[string]json.RawMessage) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken {
		return errFull
	}
	for _, n := range notices {
		i := slices.IndexFunc(d.waiting, func(w event.Notice) bool { return w.ID == n.ID })
		switch {
		case i < 0:
		case n.SentAt.IsZero():
			d.waiting[i] = n
		default:
			d.waiting = slices.Delete(d.waiting, i, i+1)
			d.told = append(d.told, n)
		}
	}
	if d.addresses == nil {
		d.addresses = map[string]json.RawMessage{}
	}
	maps.Copy(d.addresses, addresses)
	return nil
}

func (d *waiting) Addresses(context.Context) (map[string]json.RawMessage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := map[string]json.RawMessage{}
	maps.Copy(all, d.addresses)
	return all, nil
}

func (d *waiting) Alarms(context.Context) ([]event.Alarm, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.alarms), nil
}

func (d *waiting) Attended(context.Context, event.Account) (time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.attended, nil
}

func (d *waiting) Faulty() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.faulty
}

func (d *waiting) HeldBefore(_ context.Context, _ event.Account, before time.Time, _ int) ([]event.Action, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(d.held), func(a event.Action) bool { return a.DecidedAt.After(before) }), nil
}
