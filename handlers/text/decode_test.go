package text_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/internal/textfile"
)

func TestDecode(t *testing.T) {
	src := `# yaml-language-server: $schema=../schema/rules.v1.json
version: 1
name: "FAQ"
reply: one
say: "Hi {{first_name|there}}"
any_word: [a, "yes"]
choices: { correct: ["yes", yep], change: [no way] }
limits:
  per_person: 1 per 12h
private: true
times: 2
factor: 0.5
if: { number: 3 }
then:
  - forget
  - reply: [a, b]
`
	f, problems := textfile.Parse("a.yaml", []byte(src))
	var got everything
	if problems = append(problems, f.Decode(&got)...); len(problems) > 0 {
		t.Fatal(problems)
	}
	summary := map[string]any{
		"at": got.At, "version": got.Version, "name": got.Name, "reply": got.Reply, "say": got.Say.String(), "words": got.Words, "choices": got.Choices.Keys,
		"limit": got.Limits.Person.String(), "private": got.Private, "times": got.Times, "factor": got.Factor, "if": got.If.Get("number").At().Line,
		"then": []any{got.Then[0].Label, got.Then[1].Line, got.Then[1].Reply[1].String()}, "nothing": got.If.Get("x").Kind(),
	}
	want := map[string]any{
		"at": textfile.At{File: "a.yaml", Line: 2}, "version": 1, "name": "FAQ", "reply": textfile.List[said]{"one"}, "say": "Hi {{first_name|there}}",
		"words": []string{"a", "yes"}, "choices": []string{"correct", "change"}, "limit": "1 per 12h", "private": true, "times": 2, "factor": 0.5,
		"if": 13, "then": []any{"forget", 16, "b"}, "nothing": textfile.Missing,
	}
	if diff := cmp.Diff(want, summary); diff != "" {
		t.Error(diff)
	}
	if words := maps.Collect(got.Choices.All()); len(words) != 2 || got.Choices.At("change").Line != 7 {
		t.Error("choices:", words, got.Choices.At("change").Line)
	}
}

// A struct that cannot be read from a file is a mistake of the program.
func TestDecodeIntoNonsense(t *testing.T) {
	f, _ := textfile.Parse("a.yaml", []byte("a: b\n"))
	for name, dst := range map[string]any{
		"no pointer": everything{}, "a channel": &struct {
			C chan int `text:"a"`
		}{}, "a key twice": &struct {
			A string `text:"a"`
			B string `text:"a"`
		}{}, "an unknown option": &struct {
			A string `text:"a,needed"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "textfile: ") {
					t.Error("got", said)
				}
			}()
			t.Error("decoded:", f.Decode(dst))
		})
	}
}
