package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// schemaOf returns the JSON Schema of files of a kind: one of schemaNames.
func schemaOf(name string) ([]byte, error) {
	var root reflect.Type
	title := ""
	switch name {
	case "rules":
		root, title = reflect.TypeFor[grammar.File](), "Rule file"
	case "settings":
		root, title = reflect.TypeFor[grammar.Settings](), "settings.yaml: what all rule files of a folder share"
	case "replies":
		root, title = reflect.TypeFor[grammar.Replies](), "replies.yaml: saved replies"
	default:
		return nil, fmt.Errorf("nobody has said of what the schema %q is made", name)
	}
	b := schemaBuilder{defs: jsonschema.Definitions{}}
	s := b.objectSchema(root)
	s.Version, s.Title = jsonschema.Version, title
	if len(b.defs) > 0 {
		s.Definitions = b.defs
	}
	encoded, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema of %s: %w", name, err)
	}
	return append(encoded, '\n'), nil
}

// schemaBuilder makes schemas of the structs that files are decoded into.
type schemaBuilder struct{ defs jsonschema.Definitions }

// schemaOf returns the schema of a type.
func (b *schemaBuilder) schemaOf(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		return b.schemaOf(t.Elem())
	}
	if union := b.unionSchema(t); union != nil {
		return union
	}
	if words := wordsOf(t); words != nil {
		return &jsonschema.Schema{Type: "string", Enum: words}
	}
	if s := valueSchema(t); s != nil {
		return s
	}
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Slice:
		return b.slice(t)
	case reflect.Struct:
		return b.structure(t)
	default:
		return wordSchema()
	}
}

// wordSchema returns the schema of a short text. A number is one, too: any_word: [24, open].
func wordSchema() *jsonschema.Schema {
	return &jsonschema.Schema{MinLength: new(uint64(1)), Extras: map[string]any{"type": []string{"string", "number"}}}
}

// sentenceSchema returns the schema of a text that people read.
func sentenceSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MinLength: new(uint64(1))}
}

// slice returns the schema of a list; for a textfile.List one value may stand.
func (b *schemaBuilder) slice(t reflect.Type) *jsonschema.Schema {
	items := &jsonschema.Schema{Type: "array", Items: b.schemaOf(t.Elem())}
	if strings.HasPrefix(t.Name(), "List[") {
		return anyOf(b.schemaOf(t.Elem()), items)
	}
	return items
}

// structure returns the schema of a struct: a textfile.Map, or one that is defined once.
func (b *schemaBuilder) structure(t reflect.Type) *jsonschema.Schema {
	if strings.HasPrefix(t.Name(), "Map[") {
		get, _ := t.MethodByName("Get")
		return &jsonschema.Schema{Type: "object", AdditionalProperties: b.schemaOf(get.Type.Out(0))}
	}
	return b.defineSchema(t.Name(), func() *jsonschema.Schema { return b.objectSchema(t) })
}

// defineSchema defines a schema under a name, once, and returns a reference to it.
func (b *schemaBuilder) defineSchema(name string, schema func() *jsonschema.Schema) *jsonschema.Schema {
	if _, known := b.defs[name]; !known {
		b.defs[name] = nil // it may contain itself
		b.defs[name] = schema()
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// objectSchema returns the schema of a struct by its tags.
func (b *schemaBuilder) objectSchema(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for field := range t.Fields() {
		tag, tagged := field.Tag.Lookup("text")
		if !tagged || field.Tag.Get("about") == "-" { // of another version
			continue
		}
		key, option, _ := strings.Cut(tag, ",")
		property := b.schemaOf(field.Type)
		if key == "version" {
			property = &jsonschema.Schema{Const: grammar.FormatVersion}
		}
		property.Description = field.Tag.Get("about")
		s.Properties.Set(key, property)
		if option == "required" {
			s.Required = append(s.Required, key)
		}
	}
	return s
}

// anyOf returns the schema of what can be written in several ways.
func anyOf(ways ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: ways} }

// writtenSchema returns the schema of a text of a form.
func writtenSchema(pattern string, examples ...any) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: pattern, Examples: examples}
}

// wordsOf returns the words of which one stands for a value of a type, nil when there are none.
func wordsOf(t reflect.Type) []any {
	switch t {
	case reflect.TypeFor[decision.Status]():
		return []any{decision.Paused, decision.Watch, decision.Ask, decision.Live}
	case reflect.TypeFor[grammar.When]():
		return []any{grammar.OnMessage, grammar.OnMention, grammar.OnReply, grammar.OnRepost, grammar.OnLike, grammar.OnFollow, grammar.OnNoMatch, grammar.OnSilence, grammar.OnHeldBack}
	case reflect.TypeFor[grammar.HeldReason]():
		return []any{grammar.HeldLimit, grammar.HeldTooMany, grammar.HeldHours, grammar.HeldCeiling, grammar.HeldPaused}
	case reflect.TypeFor[grammar.InQuiet]():
		return []any{grammar.Hold, grammar.Drop}
	case reflect.TypeFor[grammar.OpenClosed]():
		return []any{grammar.Open, grammar.Closed}
	case reflect.TypeFor[grammar.IfRefused]():
		return []any{grammar.Skip}
	case reflect.TypeFor[grammar.Expected]():
		return []any{
			grammar.ExpectReply, grammar.ExpectMessage, grammar.ExpectLike, grammar.ExpectRepost, grammar.ExpectFollow, grammar.ExpectHandoff, grammar.ExpectLabel, grammar.ExpectList,
			grammar.ExpectNotify, grammar.ExpectIgnored, grammar.ExpectNoReply, grammar.ExpectNoAction,
		}
	case reflect.TypeFor[grammar.ExpectKind]():
		return []any{grammar.ExpectText, grammar.ExpectNumber, grammar.ExpectDate, grammar.ExpectTime, grammar.ExpectEmail, grammar.ExpectPhone, grammar.ExpectYesNo, grammar.ExpectMedia}
	case reflect.TypeFor[grammar.Doing]():
		return []any{"repost", "publish"}
	case reflect.TypeFor[grammar.Apply]():
		return []any{grammar.AtOnce}
	case reflect.TypeFor[grammar.Turns]():
		return []any{"in_order", "shuffle", "least_used"}
	default:
		return nil
	}
}
