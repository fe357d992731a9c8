package text_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/text"
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
	f, problems := text.Parse("a.yaml", []byte(src))
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
		"at": text.At{File: "a.yaml", Line: 2}, "version": 1, "name": "FAQ", "reply": text.List[said]{"one"}, "say": "Hi {{first_name|there}}",
		"words": []string{"a", "yes"}, "choices": []string{"correct", "change"}, "limit": "1 per 12h", "private": true, "times": 2, "factor": 0.5,
		"if": 13, "then": []any{"forget", 16, "b"}, "nothing": text.Missing,
	}
	if diff := cmp.Diff(want, summary); diff != "" {
		t.Error(diff)
	}
	if words := maps.Collect(got.Choices.All()); len(words) != 2 || got.Choices.At("change").Line != 7 {
		t.Error("choices:", words, got.Choices.At("change").Line)
	}
}

// The reference files are read without a word.
func TestReference(t *testing.T) {
	for _, name := range []string{"10-faq", "20-catering-lead", "30-reactions", "40-spring-reposts", "settings", "replies"} {
		src, err := os.ReadFile("testdata/reference/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		f, problems := text.Parse(name, src)
		var top text.Map[text.Node]
		if problems = append(problems, f.Decode(&top)...); len(problems) > 0 || len(top.Keys) < 3 && name != "replies" {
			t.Error(problems, top.Keys)
		}
	}
}

func TestNearest(t *testing.T) {
	steps := []string{"ask-date", "ask-guests", "confirm", "say", "to-a-human"}
	for word, want := range map[string]string{
		"ask-dates": "ask-date", "ask_date": "ask-date", "comfirm": "confirm", "Confirm": "confirm", "sya": "say", "toahuman": "to-a-human",
		"zebra": "", "": "", "no": "", strings.Repeat("a", 100): "",
	} {
		if got := text.Nearest(word, steps); got != want {
			t.Errorf("nearest to %q: got %q, want %q", word, got, want)
		}
	}
}

func TestReport(t *testing.T) {
	r := text.Report{Files: 3, Problems: text.Problems{
		{File: "30-reactions.yaml", Test: "opening-hours", Text: `"when do you open tomorrow?" expected reply, got no_reply: none_word matched "open"`},
		{File: "30-reactions.yaml", Line: 22, Text: `everything after # is a comment`},
		{File: "20-catering-lead.yaml", Line: 61, Text: `confirm → next: there is no step "ask-dates". Did you mean "ask-date"?`},
		{File: "20-catering-lead.yaml", Line: 9, Text: "this is checked, not run", Hint: true},
	}}
	want := `20-catering-lead.yaml
  line 9   hint: this is checked, not run
  line 61  confirm → next: there is no step "ask-dates". Did you mean "ask-date"?
30-reactions.yaml
  line 22  everything after # is a comment
  test     opening-hours: "when do you open tomorrow?" expected reply, got no_reply: none_word matched "open"
3 files read, 3 problems, 1 hint; nothing was changed.
`
	var got bytes.Buffer
	if _, err := r.WriteTo(&got); err != nil || got.String() != want {
		t.Errorf("%v %s", err, cmp.Diff(want, got.String()))
	}
	j, err := json.Marshal(r.Problems[3])
	if want := `{"file":"20-catering-lead.yaml","line":9,"text":"this is checked, not run","hint":true}`; err != nil || string(j) != want {
		t.Errorf("%v %s", err, j)
	}
	if r.OK() || len(r.Problems.Errors()) != 3 || len(r.Problems) != 4 {
		t.Error(r.Problems.Errors(), r.Problems)
	}
	got.Reset()
	if _, err := (text.Report{Files: 3}).WriteTo(&got); err != nil || got.String() != "3 files read, no problems.\n" {
		t.Errorf("%v %q", err, got.String())
	}
}

// A struct that cannot be read from a file is a mistake of the program.
func TestDecodeIntoNonsense(t *testing.T) {
	f, _ := text.Parse("a.yaml", []byte("a: b\n"))
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
				if said, _ := recover().(string); !strings.HasPrefix(said, "text: ") {
					t.Error("got", said)
				}
			}()
			t.Error("decoded:", f.Decode(dst))
		})
	}
}

func TestItemsAndPairs(t *testing.T) {
	f, _ := text.Parse("a.yaml", []byte("a: [x, 'y']\nb: { c: d }\n"))
	var got []string
	for _, p := range f.Pairs() {
		got = append(got, p.Key.String())
		for _, item := range p.Value.Items() {
			got = append(got, item.Key()+"="+item.String())
		}
		for _, inner := range p.Value.Pairs() {
			got = append(got, inner.Key.String()+"="+inner.Value.String())
		}
	}
	if want := []string{"a", "a=x", "a=y", "b", "c=d"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}
