package rules_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3" // editors read files by another parser than ours, too
)

func schemaOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	content, err := rules.Schema(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name+".json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asEditorsRead returns a file as YAML 1.2 has it, where a day is a text.
func asEditorsRead(t *testing.T, content []byte) any {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal(content, &n); err != nil {
		t.Fatal(err)
	}
	var plain func(n *yaml.Node) any
	plain = func(n *yaml.Node) any {
		switch {
		case n.Kind == yaml.DocumentNode:
			return plain(n.Content[0])
		case n.Kind == yaml.SequenceNode:
			list := []any{}
			for _, item := range n.Content {
				list = append(list, plain(item))
			}
			return list
		case n.Kind == yaml.MappingNode:
			m := map[string]any{}
			for i := 0; i < len(n.Content); i += 2 {
				m[n.Content[i].Value] = plain(n.Content[i+1])
			}
			return m
		case n.ShortTag() == "!!timestamp":
			return n.Value
		}
		var v any
		if err := n.Decode(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	return plain(&n)
}

func schemaNameOf(path string) string {
	switch filepath.Base(path) {
	case rules.SettingsFile:
		return "settings"
	case rules.RepliesFile:
		return "replies"
	default:
		return "rules"
	}
}

func TestTheReferenceFilesFitTheSchema(t *testing.T) {
	paths, err := filepath.Glob("testdata/reference/*.yaml")
	if err != nil || len(paths) != 6 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := schemaOf(t, schemaNameOf(path)).Validate(asEditorsRead(t, content)); err != nil {
			t.Errorf("%s: %#v", path, err)
		}
	}
}

// What the checker reads without a problem fits the schema: an editor must not underline it.
func TestWhatTheCheckerAcceptsFitsTheSchema(t *testing.T) {
	effort.Long(t)
	paths, err := filepath.Glob("testdata/check/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	fitting := 0
	for _, path := range paths {
		c := readCase(t, path)
		if !rules.ReadAndCheck(c.src).OK() {
			continue
		}
		for name, content := range c.src {
			fitting++
			if err := schemaOf(t, schemaNameOf(name)).Validate(asEditorsRead(t, content)); err != nil {
				t.Errorf("%s, %s: %#v", path, name, err)
			}
		}
	}
	if fitting < 20 {
		t.Errorf("only %d files were looked at", fitting)
	}
}

func TestEditorsUnderline(t *testing.T) {
	const rule = "version: 1\nrules:\n  - id: price\n    when: message\n    then: [{ reply: hello }]\n"
	const talk = "version: 1\nconversations:\n  - id: lead\n    steps:\n      - id: date\n        ask: When?\n        expect: date\n        next: done\n"
	s := schemaOf(t, "rules")
	for _, fine := range []string{rule, talk} {
		if err := s.Validate(asEditorsRead(t, []byte(fine))); err != nil {
			t.Fatalf("%s\n%#v", fine, err)
		}
	}
	for name, tc := range map[string]struct{ file, old, new string }{
		"a version that there is not": {rule, "version: 1", "version: 2"},
		"no version":                  {rule, "version: 1", "name: x"},
		"an unknown key":              {rule, "when: message", "when: message\n    trigger: message"},
		"a missing key":               {rule, "    when: message\n", ""},
		"an unknown event":            {rule, "message", "massage"},
		"an unknown act":              {rule, "reply: hello", "answer: hello"},
		"an empty text":               {rule, "reply: hello", `reply: ""`},
		"nothing to say":              {rule, "reply: hello", "reply: {}"},
		"an act that says nothing":    {rule, "{ reply: hello }", "{}"},
		"an unknown word alone":       {rule, "{ reply: hello }", "forget"},
		"like of something else":      {rule, "reply: hello", "like: it"},
		"a wrong status":              {rule, "when: message", "when: message\n    status: on"},
		"a wrong time":                {rule, "when: message", "when: message\n    merge_messages: soon"},
		"a wrong limit":               {rule, "when: message", "when: message\n    limits: { per_person: often }"},
		"a wrong condition":           {rule, "when: message", "when: message\n    if: { test: { any_word: [a] } }"},
		"a wrong kind of list":        {rule, "when: message", "when: message\n    if: { text: { any_word: { a: b } } }"},
		"a test of nothing":           {rule, "when: message", "when: message\n    tests: [{ say: a, expect: answer }]"},
		"an unknown kind of answer":   {talk, "expect: date", "expect: day"},
		"choices without texts":       {talk, "expect: date", "expect: choices"},
		"a step in a wrong way":       {talk, "next: done", "next: 5"},
		"a branch without a step":     {talk, "next: done", "next: [{ if: { guests: over 150 } }]"},
		"steps that are none":         {talk, "- id: date\n        ask: When?\n        expect: date\n        next: done", "date"},
		"a campaign without slots":    {rule, "rules:", "campaigns: [{ id: a, do: repost, starts: 2027-01-01, ends: 2027-01-02 }]\nrules:"},
		"text in place of a list":     {rule, "rules:\n  - id: price\n    when: message\n    then: [{ reply: hello }]", "rules: none"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := strings.Replace(tc.file, tc.old, tc.new, 1)
			if broken == tc.file {
				t.Fatal("nothing was broken")
			}
			if s.Validate(asEditorsRead(t, []byte(broken))) == nil {
				t.Errorf("this fits the schema:\n%s", broken)
			}
		})
	}
}

func TestOtherSchemasUnderline(t *testing.T) {
	for name, tc := range map[string]struct{ schema, file string }{
		"an unknown setting":    {"settings", "version: 1\ntime_zone: Europe/Lisbon\n"},
		"hours without days":    {"settings", "version: 1\nhours: { open: [9-5] }\n"},
		"a team that is a word": {"settings", "version: 1\nwho: { sales: me }\n"},
		"a reply of a number":   {"replies", "version: 1\nreplies: { price: 12 }\n"},
		"no version":            {"replies", "replies: { price: hello }\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if schemaOf(t, tc.schema).Validate(asEditorsRead(t, []byte(tc.file))) == nil {
				t.Errorf("this fits the schema:\n%s", tc.file)
			}
		})
	}
}

func TestThereIsNoOtherSchema(t *testing.T) {
	if _, err := rules.Schema("rule"); err == nil || !strings.Contains(err.Error(), "rules, settings, replies") {
		t.Errorf("got %v", err)
	}
}

// Editors show what is said about a key, so something is said about each.
func TestEveryKeyIsExplained(t *testing.T) {
	for name, doc := range rules.Documents() {
		seen := map[reflect.Type]bool{}
		var look func(typ reflect.Type)
		look = func(typ reflect.Type) {
			switch typ.Kind() {
			case reflect.Pointer, reflect.Slice:
				look(typ.Elem())
				return
			case reflect.Struct:
			default:
				return
			}
			if seen[typ] || !strings.HasSuffix(typ.PkgPath(), "handlers/rules/internal/grammar") {
				return
			}
			seen[typ] = true
			for f := range typ.Fields() {
				if tag, ok := f.Tag.Lookup("text"); ok {
					if about := f.Tag.Get("about"); about == "" {
						t.Errorf("%s: nothing is said about %s in %s", name, tag, typ.Name())
					}
				}
				look(f.Type)
			}
		}
		look(doc)
		if len(seen) == 0 {
			t.Errorf("%s: nothing was looked at", name)
		}
	}
}

// The words that the schema knows are the words that are read.
func TestTheSchemaKnowsEveryWord(t *testing.T) {
	effort.Long(t)
	for word, file := range map[string]string{
		"status": "version: 1\nstatus: nonsense\n",
		"when":   "version: 1\nrules: [{ id: a, when: nonsense, then: [{ label: a }] }]\n",
		"reason": "version: 1\nrules: [{ id: a, when: held_back, reason: nonsense, then: [{ label: a }] }]\n",
		"expect": "version: 1\nrules: [{ id: a, when: message, then: [{ label: a }], tests: [{ say: a, expect: nonsense }] }]\n",
		"quiet":  "version: 1\nin_quiet_hours: nonsense\n",
		"hours":  "version: 1\nrules: [{ id: a, when: message, if: { hours: nonsense }, then: [{ label: a }] }]\n",
		"refuse": "version: 1\nrules: [{ id: a, when: message, then: [{ reply: a, if_refused: nonsense }] }]\n",
		"kind":   "version: 1\nconversations: [{ id: a, steps: [{ id: a, ask: a, expect: nonsense }] }]\n",
		"do":     "version: 1\ncampaigns: [{ id: a, do: nonsense, starts: 2027-01-01, ends: 2027-01-02, slots: [Tue 09:30] }]\n",
		"turn":   "version: 1\ncampaigns: [{ id: a, do: repost, turn: nonsense, starts: 2027-01-01, ends: 2027-01-02, slots: [Tue 09:30] }]\n",
	} {
		t.Run(word, func(t *testing.T) {
			said := rules.ReadAndCheck(rules.Sources{"a.yaml": []byte(file)}).Problems.Errors().Error()
			_, list, ok := strings.Cut(said, "Write one of ")
			if !ok {
				t.Fatalf("the words are not listed: %s", said)
			}
			list, _, _ = strings.Cut(list, "\n")
			for known := range strings.SplitSeq(list, ", ") {
				if known == "choices" {
					continue // it is never written alone
				}
				if err := schemaOf(t, "rules").Validate(asEditorsRead(t, []byte(strings.Replace(file, "nonsense", known, 1)))); err != nil &&
					strings.Contains(err.Error(), "value must be one of") {
					t.Errorf("the schema does not know %s: %v", known, err)
				}
			}
		})
	}
}
