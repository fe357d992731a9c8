package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/nectar-bot/nectar/bot/store"
)

// AccountValue is a place where a plugin keeps a V for the whole account, whoever a turn is with. It is stored with the turn
// that changes it. A turn whose value was changed by another one since it was read runs again, on the new one: so no change
// is lost, and none is made of what is not there any more.
//
// Each name is a row of its own. Give names of their own to what changes apart: turns that change the same value at the same
// time run after one another. What only counts belongs into a limit; see AtMostInAll.
type AccountValue[V any] struct {
	plugin, name string
}

// NewAccountValue returns the place that a plugin calls by a name. Both must stay the same.
func NewAccountValue[V any](plugin, name string) AccountValue[V] {
	return AccountValue[V]{plugin, name}
}

// Load returns what is kept in the turn's account; false when nothing is. The errors are those of the store, and of JSON
// that is no V.
func (v AccountValue[V]) Load(ctx context.Context, t *Turn) (V, bool, error) {
	var kept V
	u, err := t.accountValue(ctx, v.plugin, v.name)
	if err != nil {
		return kept, false, err
	}
	raw := u.now()
	if raw == nil {
		return kept, false, nil
	}
	if err := json.Unmarshal(raw, &kept); err != nil {
		return kept, false, fmt.Errorf("decode the value %s/%s of the account: %w", v.plugin, v.name, err)
	}
	return kept, true, nil
}

// Save keeps x in the turn's account. The errors are those of the store, and of a V that cannot be JSON.
func (v AccountValue[V]) Save(ctx context.Context, t *Turn, x V) error {
	raw, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("encode the value %s/%s of the account: %w", v.plugin, v.name, err)
	}
	return t.changeValue(ctx, v.plugin, v.name, raw)
}

// Delete forgets what is kept in the turn's account.
func (v AccountValue[V]) Delete(ctx context.Context, t *Turn) error {
	return t.changeValue(ctx, v.plugin, v.name, nil)
}

// usedValue is a value of the account as a turn has read and changed it.
type usedValue struct {
	plugin, name string
	version      int64           // as it was read; 0: nothing was kept
	read         json.RawMessage // nil for nothing
	changed      bool
	next         json.RawMessage // when it was changed; nil for nothing
}

// now returns the value as the turn has left it so far.
func (u *usedValue) now() json.RawMessage {
	if u.changed {
		return u.next
	}
	return u.read
}

// accountValue returns a value as the turn has read it first, and changed it since.
func (t *Turn) accountValue(ctx context.Context, plugin, name string) (*usedValue, error) {
	if i := t.valueAt(plugin, name); i >= 0 {
		return &t.values[i], nil
	}
	v, flying := t.reader.values.newest(plugin, name) //mutate:own-value-flying
	if !flying {
		var err error
		if v, err = t.reader.store.AccountValue(ctx, t.Trigger.Key.Account, plugin, name); err != nil {
			return nil, storeError{err}
		}
	}
	t.values = append(slices.Clip(t.values), usedValue{plugin: plugin, name: name, version: v.Version, read: v.Value})
	return &t.values[len(t.values)-1], nil
}

func (t *Turn) valueAt(plugin, name string) int {
	return slices.IndexFunc(t.values, func(u usedValue) bool { return u.plugin == plugin && u.name == name })
}

// changeValue changes a value; next is nil for nothing.
func (t *Turn) changeValue(ctx context.Context, plugin, name string, next json.RawMessage) error {
	if _, err := t.accountValue(ctx, plugin, name); err != nil {
		return err
	}
	t.values = slices.Clone(t.values) // a Checkpoint has the old ones
	u := &t.values[t.valueAt(plugin, name)]
	u.changed, u.next = true, next
	return nil
}

// valuesAsRead takes the changes of values back, but for those of before: what was read stays read.
func valuesAsRead(values, before []usedValue) []usedValue {
	values = slices.Clone(values)
	for i := range values {
		u := &values[i]
		u.changed, u.next = false, nil
		for k := range before {
			if b := &before[k]; b.plugin == u.plugin && b.name == u.name {
				*u = *b
			}
		}
	}
	return values
}

// valueUses returns what the turn did with values of its account. The changes get their versions with the commit.
func (t *Turn) valueUses() []store.ValueUse {
	if len(t.values) == 0 {
		return nil
	}
	uses := make([]store.ValueUse, 0, len(t.values))
	for i := range t.values {
		u := &t.values[i]
		use := store.ValueUse{Plugin: u.plugin, Name: u.name, Read: u.version}
		if u.changed && (u.next != nil || u.version != 0) { // there is nothing to delete of what was not there
			use.Version, use.Value = -1, u.next
		}
		uses = append(uses, use)
	}
	return uses
}

// values are the changes of an account's values that are on their way into the store. Turns are made of them before they
// are stored: should one come to nothing, the version tells, and who relied on it runs again.
type values struct {
	mu     sync.Mutex
	flying map[[2]string]flyingValue // the newest, by plugin and name
}

// flyingValue is a value that is on its way.
type flyingValue struct {
	store.AccountValue       // with Version 0 when it is deleted
	by                 int64 // the version of the change
}

// newest returns a value that is on its way; false when there is none.
func (vs *values) newest(plugin, name string) (store.AccountValue, bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	v, ok := vs.flying[[2]string{plugin, name}]
	return v.AccountValue, ok
}

// leave gives the changes of a turn their versions. Nobody is told of them before queued, when they are queued in the store:
// what is made of them is queued behind them.
func (vs *values) leave(uses []store.ValueUse, position func() int64) {
	if len(uses) == 0 {
		return
	}
	vs.mu.Lock()
	for i := range uses {
		u := &uses[i]
		if u.Version == 0 {
			continue
		}
		u.Version = position()
		v := flyingValue{store.AccountValue{Plugin: u.Plugin, Name: u.Name, Version: u.Version, Value: u.Value}, u.Version}
		if u.Value == nil {
			v.Version = 0
		}
		if vs.flying == nil {
			vs.flying = map[[2]string]flyingValue{}
		}
		vs.flying[[2]string{u.Plugin, u.Name}] = v
	}
}

// queued ends what leave began.
func (vs *values) queued(uses []store.ValueUse) {
	if len(uses) > 0 {
		vs.mu.Unlock()
	}
}

// landed notes that the commit of a turn has ended. When it is stored, the store tells of its changes.
func (vs *values) landed(uses []store.ValueUse, stored bool) {
	if len(uses) == 0 {
		return
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	for i := range uses {
		u, k := &uses[i], [2]string{uses[i].Plugin, uses[i].Name}
		if v, ok := vs.flying[k]; ok && u.Version != 0 && (!stored || v.by == u.Version) {
			delete(vs.flying, k)
		}
	}
}
