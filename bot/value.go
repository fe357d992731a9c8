package bot

import (
	"encoding/json"
	"fmt"
	"maps"
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
