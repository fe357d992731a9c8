package outbox_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// disk is what survives a crash.
type disk struct {
	mu       sync.Mutex
	rows     map[string]event.Action
	known    map[string]bool
	ages     map[string]outbox.Age
	position int64
	released []string // keys, in the order in which they were sending for the first time, or again after a person's decision
	left     map[string]bool
	freed    map[string]bool         // keys of what a person wants to leave that is held
	strays   map[string]event.Action // what was held when a person decided about it, by keys of their own
}

func newDisk() *disk {
	return &disk{rows: map[string]event.Action{}, known: map[string]bool{}, ages: map[string]outbox.Age{}, left: map[string]bool{}, freed: map[string]bool{}, strays: map[string]event.Action{}}
}

// withdraw takes an action back, as a person does who takes a conversation over, or drops what is held.
func (d *disk) withdraw(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.rows[key]
	if a.State == event.StateHeld {
		d.decided(a)
	}
	a.State = event.StateWithdrawn
	d.rows[key] = a
}

// free notes that a person wants an action to leave that is held: the next of its key takes its place.
func (d *disk) free(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.freed[key] = true
}

// decided notes that a person has decided about an action that is held: what it may have made stays.
func (d *disk) decided(a event.Action) {
	stray := fmt.Sprint(a.Key, " ", len(d.strays))
	d.strays[stray] = a
	for i, key := range d.released {
		if key == a.Key {
			d.released[i] = stray
		}
	}
	delete(d.left, a.Key)
	delete(d.freed, a.Key)
}

// action returns an action as it is on the disk.
func (d *disk) action(key string) event.Action {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a, ok := d.strays[key]; ok {
		return a
	}
	return d.rows[key]
}

// all returns all actions, by key.
func (d *disk) all() []event.Action {
	d.mu.Lock()
	defer d.mu.Unlock()
	keys := slices.Sorted(maps.Keys(d.rows))
	out := make([]event.Action, len(keys))
	for i, k := range keys {
		out[i] = d.rows[k]
	}
	return out
}
