package textfile_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// The reference files are read without a word.
func TestReference(t *testing.T) {
	for _, name := range []string{"10-faq", "20-catering-lead", "30-reactions", "40-spring-reposts", "settings", "replies"} {
		src, err := os.ReadFile("testdata/reference/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		f, problems := textfile.Parse(name, src)
		var top textfile.Map[textfile.Node]
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
		if got := textfile.NearestWord(word, steps); got != want {
			t.Errorf("nearest to %q: got %q, want %q", word, got, want)
		}
	}
}

func TestReport(t *testing.T) {
	r := textfile.Report{Files: 3, Problems: textfile.Problems{
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
	if _, err := (textfile.Report{Files: 3}).WriteTo(&got); err != nil || got.String() != "3 files read, no problems.\n" {
		t.Errorf("%v %q", err, got.String())
	}
}

func TestItemsAndPairs(t *testing.T) {
	f, _ := textfile.Parse("a.yaml", []byte("a: [x, 'y']\nb: { c: d }\n"))
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
