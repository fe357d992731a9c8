package view

import (
	"bytes"
	"encoding/json"
	"slices"

	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
)

// fieldsIn returns the fields of an entry's data. Those of rules are a list of them. What a plugin has put there is shown as it is: a field for each name of an
// object, in its order, or else all of it as one.
func fieldsIn(data json.RawMessage) []ruledecision.Field {
	var fields []ruledecision.Field
	nameless := func(f ruledecision.Field) bool { return f.Name == "" }
	if json.Unmarshal(data, &fields) == nil && !slices.ContainsFunc(fields, nameless) {
		return fields
	}
	if fields, ok := fieldsOfObject(data); ok {
		return fields
	}
	return []ruledecision.Field{{Name: "data", Value: valueText(data)}}
}

// fieldsOfObject returns the fields of an object; false when it is none.
func fieldsOfObject(data json.RawMessage) (fields []ruledecision.Field, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, false
		}
		text, _ := name.(string)
		fields = append(fields, ruledecision.Field{Name: text, Value: valueText(value)})
	}
	return fields, true
}

// valueText returns a text as it is, and any other value as JSON.
func valueText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var short bytes.Buffer
	if json.Compact(&short, value) != nil {
		return string(value)
	}
	return short.String()
}
