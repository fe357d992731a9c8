package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// Value is a place where a plugin keeps a V in each conversation. It is stored with the turn that
// changes it.
type Value[V any] struct {
	name string
}

// NewValue returns the place named "plugin/name". The name must stay the same.
func NewValue[V any](plugin, name string) Value[V] { return Value[V]{plugin + "/" + name} }

// Load returns what is kept in the turn's conversation; false when nothing is.
func (v Value[V]) Load(t *Turn) (V, bool, error) {
	var kept V
	raw, ok := t.Conversation.Values[v.name]
	if !ok {
		return kept, false, nil
	}
	if err := json.Unmarshal(raw, &kept); err != nil {
		return kept, false, fmt.Errorf("decode the value %s: %w", v.name, err)
	}
	return kept, true, nil
}

// Save keeps x in the turn's conversation.
func (v Value[V]) Save(t *Turn, x V) error {
	raw, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("encode the value %s: %w", v.name, err)
	}
	values := maps.Clone(t.Conversation.Values)
	if values == nil {
		values = map[string]json.RawMessage{}
	}
	values[v.name] = raw
	t.Conversation.Values, t.changed = values, true
	return nil
}

// Delete forgets what is kept in the turn's conversation.
func (v Value[V]) Delete(t *Turn) {
	if _, ok := t.Conversation.Values[v.name]; ok {
		t.Conversation.Values = maps.Clone(t.Conversation.Values)
		delete(t.Conversation.Values, v.name)
		t.changed = true
	}
}

// AccountValue is a place where a plugin keeps a V for the whole account, for turns with anybody. It is stored with the turn
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

// values are an account's values as turns are made of them: the changes that are on their way into the store, and what was seen
// there last, which nobody but this bot changes. Should a change come to nothing, or anything else be there, the version tells, and
// who relied on it runs again.
type values struct {
	mu       sync.Mutex                  // guards the fields below
	inFlight map[valueName]valueInFlight // the newest
	seen     map[valueName]record.AccountValue
}

// valueName is a plugin and a name.
type valueName [2]string

const (
	longValue = 256 // bytes: of what is longer only the version is remembered
	mostSeen  = 64  // values of an account that are remembered
)

// valueInFlight is a value that is on its way.
type valueInFlight struct {
	record.AccountValue       // with Version 0 when it is deleted
	by                  int64 // the version of the change
}

// newestValue returns a value that is on its way, or was seen in the store; false when the store has to be asked. Without words, the
// version may be all that it has.
func (vs *values) newestValue(plugin, name string, words bool) (record.AccountValue, bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	k := valueName{plugin, name}
	if v, ok := vs.inFlight[k]; ok {
		return v.AccountValue, true
	}
	v, ok := vs.seen[k]
	return v, ok && (!words || v.Value != nil)
}

// noteValue remembers a value that was read, unless a change of it was seen meanwhile.
func (vs *values) noteValue(v *record.AccountValue) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if _, later := vs.seen[valueName{v.Plugin, v.Name}]; !later && v.Version != 0 {
		vs.rememberLocked(*v)
	}
}

// rememberLocked remembers what the store has.
func (vs *values) rememberLocked(v record.AccountValue) {
	k := valueName{v.Plugin, v.Name}
	if vs.seen == nil {
		vs.seen = map[valueName]record.AccountValue{}
	}
	for other := range vs.seen {
		if _, known := vs.seen[k]; known || len(vs.seen) < mostSeen {
			break
		}
		delete(vs.seen, other) // any: it is read again when it is needed
	}
	if len(v.Value) > longValue {
		v.Value = nil
	}
	vs.seen[k] = v
}

// assignVersions gives the changes of a turn their versions. Nobody is told of them before queued, when they are queued in the store:
// what is made of them is queued behind them.
func (vs *values) assignVersions(uses []store.ValueUse, position func() int64) {
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
		v := valueInFlight{record.AccountValue{Plugin: u.Plugin, Name: u.Name, Version: u.Version, Value: u.Value}, u.Version}
		if u.Value == nil {
			v.Version = 0
		}
		if vs.inFlight == nil {
			vs.inFlight = map[valueName]valueInFlight{}
		}
		vs.inFlight[valueName{u.Plugin, u.Name}] = v
	}
}

// noteQueued ends what leave began.
func (vs *values) noteQueued(uses []store.ValueUse) {
	if len(uses) > 0 {
		vs.mu.Unlock()
	}
}

// noteOutcome notes that the commit of a turn has ended. When it is stored, its changes are what the store has; otherwise what it was made
// of may not be.
func (vs *values) noteOutcome(uses []store.ValueUse, stored bool) {
	if len(uses) == 0 {
		return
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	for i := range uses {
		u, k := &uses[i], valueName{uses[i].Plugin, uses[i].Name}
		switch {
		case !stored, u.Version != 0 && u.Value == nil:
			delete(vs.seen, k) //mutate:own-value-seen
		case u.Version != 0:
			vs.rememberLocked(record.AccountValue{Plugin: u.Plugin, Name: u.Name, Version: u.Version, Value: u.Value})
		}
		if v, ok := vs.inFlight[k]; ok && u.Version != 0 && (!stored || v.by == u.Version) {
			delete(vs.inFlight, k)
		}
	}
}
