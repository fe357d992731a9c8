package main

import (
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// unionSchema returns the schema of a type that reads itself, nil for every other one.
func (b *schemaBuilder) unionSchema(t reflect.Type) *jsonschema.Schema {
	var schema func() *jsonschema.Schema
	switch t {
	case reflect.TypeFor[template.Template]():
		return sentenceSchema()
	case reflect.TypeFor[grammar.Say]():
		schema = b.say
	case reflect.TypeFor[grammar.Act]():
		schema = b.act
	case reflect.TypeFor[grammar.Conditions]():
		schema = b.conditions
	case reflect.TypeFor[grammar.Answers]():
		schema = b.answers
	case reflect.TypeFor[grammar.Expect]():
		schema = b.expect
	case reflect.TypeFor[grammar.Next]():
		schema = b.next
	case reflect.TypeFor[grammar.Branch]():
		schema = b.branch
	case reflect.TypeFor[grammar.Team]():
		schema = func() *jsonschema.Schema {
			addresses := b.schemaOf(reflect.TypeFor[textfile.List[grammar.Address]]())
			return anyOf(append(addresses.AnyOf, b.objectSchema(t))...)
		}
	case reflect.TypeFor[grammar.PlannedSlots]():
		schema = func() *jsonschema.Schema {
			one := b.defineSchema(t.Elem().Name(), func() *jsonschema.Schema {
				return anyOf(b.schemaOf(reflect.TypeFor[text.WhenTimes]()), b.objectSchema(t.Elem()))
			})
			return anyOf(one, &jsonschema.Schema{Type: "array", Items: one})
		}
	case reflect.TypeFor[grammar.PlannedText](), reflect.TypeFor[grammar.Draft]():
		schema = func() *jsonschema.Schema { return anyOf(sentenceSchema(), b.objectSchema(t)) }
	case reflect.TypeFor[grammar.LastDay]():
		return anyOf(&jsonschema.Schema{Const: "never"}, b.schemaOf(reflect.TypeFor[text.Day]()))
	case reflect.TypeFor[grammar.StopPost]():
		schema = func() *jsonschema.Schema {
			return anyOf(&jsonschema.Schema{Const: "deleted"}, b.objectSchema(t))
		}
	default:
		return phrase(t)
	}
	return b.defineSchema(t.Name(), schema)
}

// phrase returns the schema of a value that is written as some words.
func phrase(t reflect.Type) *jsonschema.Schema {
	const d = `\d+[smhdw]`
	switch t {
	case reflect.TypeFor[grammar.Address]():
		return writtenSchema(`^(ntfy|slack|discord|telegram|https?)://.+|^mailto:.+@.+`, "ntfy://ntfy.sh/TOPIC", "mailto:team@example.org")
	case reflect.TypeFor[grammar.Server]():
		return writtenSchema(`^smtps?://.+`, "smtp://bot%40example.org:${SMTP_PASSWORD}@smtp.example.org")
	case reflect.TypeFor[grammar.Returns]():
		return writtenSchema(`^(after )?`+d+`( of silence)?$`, "after 12h of silence")
	case reflect.TypeFor[grammar.Jitter]():
		return writtenSchema(`^up to `+d+`$`, "up to 12m")
	case reflect.TypeFor[grammar.AtLeast]():
		return writtenSchema(`^`+d+` before$`, "2h before")
	case reflect.TypeFor[grammar.IfMissed]():
		return writtenSchema(`^(skip|next_slot|within `+d+`)$`, "skip", "within 20m", "next_slot")
	case reflect.TypeFor[grammar.Age]():
		return writtenSchema(`^(\d+y|(`+d+`)+)$`, "1y", "90d")
	case reflect.TypeFor[grammar.Times]():
		return writtenSchema(`^[1-9]\d* times?$`, "3 times")
	default:
		return nil
	}
}

// texts is one text, or several of them.
func (b *schemaBuilder) texts() *jsonschema.Schema {
	return b.schemaOf(reflect.TypeFor[textfile.List[template.Template]]())
}

// say is a text, several of them, or a saved one.
func (b *schemaBuilder) say() *jsonschema.Schema {
	long := keys("text", b.texts(), "A text, or several to be used in turn.")
	long.Properties.Set("saved", described(sentenceSchema(), "The name of a reply in replies.yaml."))
	long.MinProperties, long.MaxProperties = new(uint64(1)), new(uint64(1))
	return anyOf(append(b.texts().AnyOf, long)...)
}

// act is one thing to do.
func (b *schemaBuilder) act() *jsonschema.Schema {
	s := b.objectSchema(reflect.TypeFor[grammar.Act]())
	s.MinProperties, s.MaxProperties = new(uint64(1)), new(uint64(2))
	s.Properties.Set("like", described(&jsonschema.Schema{Const: "the_post"}, s.Properties.Value("like").Description))
	s.Properties.Set("repost", described(&jsonschema.Schema{Const: "the_post"}, s.Properties.Value("repost").Description))
	s.Properties.Set("follow", described(&jsonschema.Schema{Const: "them"}, s.Properties.Value("follow").Description))
	return anyOf(s, &jsonschema.Schema{Enum: []any{"ignore", "forget_answers"}})
}

// conditions are one condition, or several of them.
func (b *schemaBuilder) conditions() *jsonschema.Schema {
	one := b.schemaOf(reflect.TypeFor[grammar.Condition]())
	return anyOf(one, &jsonschema.Schema{Type: "array", Items: one})
}

// answer is what an answer has to be.
func (b *schemaBuilder) answer() *jsonschema.Schema {
	return described(anyOf(wordSchema(), &jsonschema.Schema{Type: "array", Items: wordSchema()}),
		"A range such as over 150 or 10..400, a text, or several of which one has to be it.")
}

// answers are conditions by the names of answers.
func (b *schemaBuilder) answers() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: b.answer()}
}

// expect is a kind of answer, several of them, or one with its bounds.
func (b *schemaBuilder) expect() *jsonschema.Schema {
	long := keys("number", b.schemaOf(reflect.TypeFor[bounds.Range]()), "A number in this range, for example 10..400.")
	long.Properties.Set("choices", described(b.schemaOf(reflect.TypeFor[textfile.Map[textfile.List[string]]]()),
		"What people may choose, with the words that stand for it."))
	long.MinProperties = new(uint64(1))
	return anyOf(append(b.schemaOf(reflect.TypeFor[textfile.List[grammar.ExpectKind]]()).AnyOf, long)...)
}

// next is a step, a list of branches, or steps by choice.
func (b *schemaBuilder) next() *jsonschema.Schema {
	return anyOf(sentenceSchema(),
		&jsonschema.Schema{Type: "array", Items: b.schemaOf(reflect.TypeFor[grammar.Branch]()), MinItems: new(uint64(1))},
		&jsonschema.Schema{Type: "object", AdditionalProperties: sentenceSchema()})
}

// branch is a step under conditions, which may name answers.
func (b *schemaBuilder) branch() *jsonschema.Schema {
	s := b.objectSchema(reflect.TypeFor[grammar.Branch]())
	named := b.objectSchema(reflect.TypeFor[grammar.Condition]())
	named.AdditionalProperties = b.answer()
	for _, key := range []string{"day", "date"} { // an answer, where one is kept by that name
		named.Properties.Set(key, described(anyOf(append(named.Properties.Value(key).AnyOf, b.answer())...), named.Properties.Value(key).Description))
	}
	one := b.defineSchema("BranchCondition", func() *jsonschema.Schema { return named })
	s.Properties.Set("if", described(anyOf(one, &jsonschema.Schema{Type: "array", Items: one}), s.Properties.Value("if").Description))
	return s
}

// keys returns the schema of a mapping with one key.
func keys(key string, s *jsonschema.Schema, about string) *jsonschema.Schema {
	o := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	o.Properties.Set(key, described(s, about))
	return o
}

// described returns a schema with what is said about it.
func described(s *jsonschema.Schema, about string) *jsonschema.Schema {
	s.Description = strings.TrimSpace(about)
	return s
}
