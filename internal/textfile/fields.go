package textfile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// fields are the keys of a struct.
type fields struct {
	names []string // in the order of the struct, without those that the tag about:"-" keeps out of lists
	index map[string]int
	list  []field
	at    []int // index of the embedded At, nil without one
}

type field struct {
	name     string
	index    []int
	required bool
	kind     reflect.Type
}

var atType = reflect.TypeFor[At]()

func fieldsOf(t reflect.Type) *fields {
	f := &fields{index: map[string]int{}}
	f.collect(t, nil)
	return f
}

func (f *fields) collect(t reflect.Type, above []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(slices.Clip(above), i)
		tag, tagged := sf.Tag.Lookup("text")
		switch {
		case sf.Anonymous && sf.Type == atType:
			if f.at == nil {
				f.at = index
			}
		case sf.Anonymous && !tagged && sf.Type.Kind() == reflect.Struct:
			f.collect(sf.Type, index)
		case tagged:
			name, option, _ := strings.Cut(tag, ",")
			if !sf.IsExported() || name == "" || option != "" && option != "required" {
				panic(fmt.Sprintf("textfile: the tag of %s.%s says nothing that is known", t, sf.Name))
			}
			if _, twice := f.index[name]; twice {
				panic(fmt.Sprintf("textfile: %s has two fields for the key %q", t, name))
			}
			f.index[name] = len(f.list)
			if sf.Tag.Get("about") != "-" {
				f.names = append(f.names, name)
			}
			f.list = append(f.list, field{name, index, option == "required", sf.Type})
		}
	}
}

// readStruct reads a mapping into the struct v.
func readStruct(d *decoding, n Node, v reflect.Value, p *plan) {
	f := p.fields
	if f.at != nil {
		*v.FieldByIndex(f.at).Addr().Interface().(*At) = n.At()
	}
	if n.Kind() != Mapping {
		d.add(n.mustBe("keys with values, such as " + f.example()))
		return
	}
	seen := make([]bool, len(f.list))
	for i := range len(n.at.parts) / 2 {
		pair := n.pairAt(i)
		name := pair.Key.String()
		at, known := f.index[name]
		if !known && (pair.Key.at.told || d.isFull()) {
			continue
		}
		if !known {
			p, meant := unknownKey(pair.Key, f.names)
			d.add(p)
			if i, ok := f.index[meant]; ok {
				seen[i] = seen[i] || n.Get(meant).at == nil
			}
			continue
		}
		if seen[at] {
			continue // told when the file was parsed
		}
		seen[at] = true
		field := &f.list[at]
		if value := pair.Value; value.Kind() != Missing {
			d.value(value, v.FieldByIndex(field.index), n.planOf(field.kind))
		} else {
			d.add(value.emptyValue())
		}
	}
	for i := range f.list {
		if f.list[i].required && !seen[i] && !n.at.holes {
			d.add(n.Problem("%s is missing", f.list[i].name))
		}
	}
}

// example shows a key of the struct.
func (f *fields) example() string {
	if len(f.names) == 0 {
		return "{}"
	}
	return f.names[0] + ": …"
}
