package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/internal/store"
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
	u, err := t.accountValue(ctx, v.plugin, v.name, true)
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
	read         json.RawMessage // nil for nothing, or where only the version was looked up
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

// wordless tells that it is not known what the value is: what changes it needs to know its version alone.
func (u *usedValue) wordless() bool { return !u.changed && u.version != 0 && u.read == nil }

// accountValue returns a value as the turn has read it first, and changed it since; without its words, its version will do.
func (t *Turn) accountValue(ctx context.Context, plugin, name string, words bool) (*usedValue, error) {
	i := t.valueAt(plugin, name)
	if i >= 0 && (!words || !t.values[i].wordless()) {
		return &t.values[i], nil
	}
	v, known := t.reader.values.newestValue(plugin, name, words) //mutate:own-value-in-flight
	if !known {
		var err error
		if v, err = t.reader.store.AccountValue(ctx, t.Trigger.Key.Account, plugin, name); err != nil {
			return nil, storeError{err}
		}
		t.reader.values.noteValue(&v)
	}
	u := usedValue{plugin: plugin, name: name, version: v.Version, read: v.Value}
	if i < 0 {
		t.values = append(slices.Clip(t.values), u)
		return &t.values[len(t.values)-1], nil
	}
	t.values = slices.Clone(t.values) // a Checkpoint has the old ones
	t.values[i] = u
	return &t.values[i], nil
}

func (t *Turn) valueAt(plugin, name string) int {
	return slices.IndexFunc(t.values, func(u usedValue) bool { return u.plugin == plugin && u.name == name })
}

// changeValue changes a value; next is nil for nothing.
func (t *Turn) changeValue(ctx context.Context, plugin, name string, next json.RawMessage) error {
	if _, err := t.accountValue(ctx, plugin, name, false); err != nil {
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
