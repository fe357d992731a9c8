package textfile

import (
	"iter"
	"reflect"
)

// Map holds the values of a mapping whose keys people choose, in the order in which they wrote them.
type Map[T any] struct {
	Keys   []string
	values map[string]valueAt[T]
}

type valueAt[T any] struct {
	value T
	at    At
}

// FromText reads a mapping.
func (m *Map[T]) FromText(n Node) Problems {
	if n.Kind() != Mapping {
		return Problems{n.mustBe("keys with values, such as { name: … }")}
	}
	d := decoding{}
	elem := n.planOf(reflect.TypeFor[T]())
	size := len(n.at.parts) / 2
	m.Keys, m.values = make([]string, 0, size), make(map[string]valueAt[T], size)
	for i := range size {
		pair := n.pairAt(i)
		name, problems := pair.Key.readWord()
		d.add(problems...)
		if _, twice := m.values[name]; twice {
			continue // told when the file was parsed
		}
		entry := valueAt[T]{at: pair.Key.At()}
		if pair.Value.Kind() == Missing {
			d.add(pair.Value.emptyValue())
		} else {
			d.value(pair.Value, reflect.ValueOf(&entry.value).Elem(), elem)
		}
		m.Keys = append(m.Keys, name)
		m.values[name] = entry
	}
	return d.problems
}

// Get returns the value of a key.
func (m Map[T]) Get(key string) (T, bool) {
	e, ok := m.values[key]
	return e.value, ok
}

// At returns where a key stands.
func (m Map[T]) At(key string) At { return m.values[key].at }

// All goes through the keys and values in the order in which they were written.
func (m Map[T]) All() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, key := range m.Keys {
			if !yield(key, m.values[key].value) {
				return
			}
		}
	}
}
