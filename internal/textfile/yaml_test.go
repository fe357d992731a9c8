package textfile_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/internal/textfile"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// Lines made of what YAML is made of: whatever is accepted of them, a YAML parser reads in the same way.
func TestLinesReadLikeYAML(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"a", "b c", "k:", "k: ", "- ", "-", ": ", ":", "#", " #x", " # c", "'", "\"", "[", "]", "{", "}", ",", ", ", "?", "? ", "|", ">", "|-", ">+", "|2",
		"\\n", "\\", "''", "&x", "*x", "!t", "%", "@", "`", "~", " ", "  ", "\t", "é", "{{a}}", "[]", "{}", "<<", "---", "...", "'x'", "\"y\"", "k: v", "- x",
	})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 7).Draw(t, "lines") {
			b.WriteString(strings.Repeat(" ", rapid.IntRange(0, 4).Draw(t, "indent")))
			b.WriteString(rapid.SampledFrom([]string{"k: ", "l:", "- ", "", "m: ", "- n: "}).Draw(t, "begin"))
			b.WriteString(strings.Join(rapid.SliceOfN(word, 0, 4).Draw(t, "words"), ""))
			b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\n\n", "\r\n", " \n", ""}).Draw(t, "end"))
		}
		f, problems := textfile.Parse("a.yaml", []byte(b.String()))
		if len(problems) > 0 {
			return
		}
		if diff := unlikeYAML(f, b.String()); diff != "" {
			t.Fatalf("%s\n%s", diff, b.String())
		}
	})
}

// What a YAML writer writes is accepted.
func TestReadsWhatYAMLWrites(t *testing.T) {
	visible := rapid.String().Filter(func(s string) bool { return !strings.ContainsAny(s, "\u0085\u2028\u2029\uFEFF") })
	texts := rapid.OneOf(visible, rapid.StringMatching(`[a-z \n:#'"\\{}\[\],-]{0,30}`))
	keys := rapid.StringMatching(`[a-z][a-z0-9_ -]{0,20}[a-z0-9]`)
	var tree func(depth int) *rapid.Generator[any]
	tree = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return texts.AsAny()
		}
		return rapid.OneOf(
			texts.AsAny(),
			rapid.SliceOfN(tree(depth-1), 0, 4).AsAny(),
			rapid.MapOfN(keys, tree(depth-1), 0, 4).AsAny(),
		)
	}
	rapid.Check(t, func(t *rapid.T) {
		src, err := yaml.Marshal(map[string]any{"k": tree(4).Draw(t, "tree"), "end": "x"})
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(src, new(yaml.Node)); err != nil {
			return // it cannot read everything that it writes
		}
		f, problems := textfile.Parse("a.yaml", src)
		if len(problems) > 0 {
			t.Fatalf("%v\n%s", problems, src)
		}
		if diff := unlikeYAML(f, string(src)); diff != "" {
			t.Fatalf("%s\n%s", diff, src)
		}
	})
}
