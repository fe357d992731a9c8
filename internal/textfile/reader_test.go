package textfile_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/internal/textfile"
	"go.yaml.in/yaml/v3"
)

// What is accepted is read as a YAML parser reads it.
func TestReadsLikeYAML(t *testing.T) {
	for _, src := range yamls(t) {
		f, problems := textfile.Parse("a.yaml", []byte(src))
		if len(problems) > 0 {
			t.Errorf("%v\n%s", problems, src)
			continue
		}
		if diff := unlikeYAML(f, src); diff != "" {
			t.Errorf("%s\n%s", diff, src)
		}
	}
}

// yamls returns files that are accepted.
func yamls(tb testing.TB) []string {
	tb.Helper()
	files := []string{
		"a: 1\n", "a: b", "---\na: b\n", "# c\n---\na: b\n", "a:\n- b\n- c\nd: e\n", "a:\n  - b\n  -\n    c: d\n  - - x\n    - y\n",
		"a: b\n  c\n\n\n  d # e\nf: g\n", "a: 'it''s'\nb: \"\\u00e9\\n\\t\\\"\"\n", "a: \"x\n  y\n\n  z\\\n\n  w  \n  v\"\nb: c\n",
		"a: |\n  x\n   y\n\n  z\n\nb: >\n  one\n  two\n\n   three\n  four\n\n\nc: |-\n  x\nd: >+\n  y\n\n", "a: |2\n    x\n  y\nb: >-\n\n  x\n  # y\n",
		"a: |\n\n\n  x\n", "a:\nb: ~\n", "a: [b, 'c', \"d\", {e: f}, [g]]\nb: {}\nc: []\nd: {e: , f: {g: h}}\n",
		"a: [\n  b,  # c\n  d,\n]\ne: { f: 1,\n  g: 2 }\n", "a: b#c\nd: http://x/y:z\ne: -1\nf: ?x\ng: :x\n", "a : b\n'c d' : e\n\"f\": g\n", "a: x\r\nb:\r\n  - c\r\n  - |\r\n    d\r\n    e\r\n",
		"\uFEFFa: b\n", "a:\n  b:\n    c: d\n  e: f\n", "- a: b\n  c: d\n- e\n", "a: >\n   x\n    y\n   z\n", "a: b\n\n# c\n", "a: []   # x\n", "a: [b: c, d, e: {f: g}]\n", "a: |\n  x", "a: >\n  x\n  ", "a: |+\n  x\n\n ", "- |\n x\n- b", "a: \"b\"", "a: [b]", "a:", "a: #", "a: |\n  x\n # c\nb: c", "a: |+\n\nb: c\n", "a: |\n\nb: c\n", "a: |",
		"a: >\n\n\n  x\n\n\n\n  y\n", "a: ünï ☕ 文字\n", "a: \"\n  x\"\nb: '\n\n  x\n  '\n", "a: - b\n"[:3] + "b\n", "a: {b: \"c\", 'd': e}\n",
		"a: [what?, why? so, b ?c, d ? e, f?g]\nb: {what?: c, why? so: d?}\nc: ?x\nd: what?\n",
	}
	paths, err := filepath.Glob("testdata/reference/*.yaml")
	if err != nil || len(paths) < 4 {
		tb.Fatal(paths, err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		files = append(files, string(src))
	}
	return files
}

// unlikeYAML says where YAML has it that something else stands. The parser that is asked is one of
// YAML 1.1, which ends a text without quotes in brackets at a question mark: [what?]. In YAML 1.2
// (7.3.3) it is a character like any other, but for the first. So where the two disagree, the parser
// is asked again, with another character in the place of each question mark.
func unlikeYAML(f textfile.Node, src string) string {
	diff := unlikeParsed(f, src, "?")
	if diff == "" || !strings.Contains(src, "?") {
		return diff
	}
	if asked := asking("", f); asked != "" {
		return asked
	}
	standIn := '\uE000'
	for strings.ContainsRune(src, standIn) {
		standIn++
	}
	return unlikeParsed(f, strings.ReplaceAll(src, "?", string(standIn)), string(standIn))
}

// unlikeParsed compares with what the YAML parser makes of src, in which mark stands for each question mark.
func unlikeParsed(f textfile.Node, src, mark string) string {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
		return err.Error()
	}
	if len(doc.Content) == 0 {
		return "YAML finds nothing"
	}
	var unmark func(n *yaml.Node)
	unmark = func(n *yaml.Node) {
		n.Value = strings.ReplaceAll(n.Value, mark, "?")
		for _, part := range n.Content {
			unmark(part)
		}
	}
	unmark(&doc)
	return unlike("", f, doc.Content[0])
}

// asking says where a text without quotes begins as a key of several lines does: "? x". A key may
// be a question mark alone, with its colon right behind it.
func asking(path string, n textfile.Node) string {
	if s := n.String(); !n.Quoted() && (s == "?" || strings.HasPrefix(s, "? ")) {
		return path + ": a text begins with a question mark and a space"
	}
	for i, item := range n.Items() {
		if wrong := asking(fmt.Sprintf("%s/%d", path, i), item); wrong != "" {
			return wrong
		}
	}
	for _, pair := range n.Pairs() {
		key := pair.Key.String()
		wrong := asking(path+"/"+key, pair.Value)
		if key != "?" {
			wrong = cmp.Or(asking(path, pair.Key), wrong)
		}
		if wrong != "" {
			return wrong
		}
	}
	return ""
}

func unlike(path string, n textfile.Node, y *yaml.Node) string {
	wrong := func(got, want any) string { return fmt.Sprintf("%s: got %#v, want %#v", path, got, want) }
	if n.Kind() != textfile.Missing && n.At().Line != y.Line && y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		return wrong(n.At().Line, y.Line)
	}
	switch n.Kind() {
	case textfile.Missing:
		if y.Kind != yaml.ScalarNode || y.Value != "" || y.Style != 0 {
			return wrong("nothing", y.Value)
		}
	case textfile.Scalar:
		if y.Kind != yaml.ScalarNode || y.Value != n.String() {
			return wrong(n.String(), y.Value)
		}
		if n.Quoted() != (y.Style != 0) {
			return wrong(n.Quoted(), y.Style)
		}
	case textfile.Sequence:
		if y.Kind != yaml.SequenceNode || len(y.Content) != len(n.Items()) {
			return wrong(len(n.Items()), len(y.Content))
		}
		for i, item := range n.Items() {
			if diff := unlike(fmt.Sprintf("%s/%d", path, i), item, y.Content[i]); diff != "" {
				return diff
			}
		}
	case textfile.Mapping:
		if y.Kind != yaml.MappingNode || len(y.Content) != 2*len(n.Pairs()) {
			return wrong(len(n.Pairs()), len(y.Content)/2)
		}
		for i, pair := range n.Pairs() {
			if pair.Key.String() != y.Content[2*i].Value {
				return wrong(pair.Key.String(), y.Content[2*i].Value)
			}
			if diff := unlike(path+"/"+pair.Key.String(), pair.Value, y.Content[2*i+1]); diff != "" {
				return diff
			}
		}
	}
	return ""
}

// Whatever is in a file, it is read or refused, and what is read is what a YAML parser reads.
func FuzzParse(f *testing.F) {
	for _, src := range yamls(f) {
		f.Add([]byte(src))
	}
	paths, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, problems := textfile.Parse("a.yaml", src)
		for _, p := range problems {
			if p.Text == "" || p.Line < 0 || p.Line > strings.Count(string(src), "\n")+1 {
				t.Fatalf("%+v", p)
			}
		}
		var dst anything
		for _, p := range append(file.Decode(&dst), file.Decode(new(textfile.Node))...) {
			if p.Text == "" || p.Line < 1 {
				t.Fatalf("%+v", p)
			}
		}
		if len(problems) == 0 {
			if diff := unlikeYAML(file, string(src)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
