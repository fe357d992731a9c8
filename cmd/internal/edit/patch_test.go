package edit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/internal/textfile"
	"pgregory.net/rapid"
)

// drawnFile draws a rule file as people write them, in many ways, with rules r0, r1, …
func drawnFile(t *rapid.T) (src string, rules int) {
	eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
	var b strings.Builder
	line := func(indent int, format string, args ...any) {
		b.WriteString(strings.Repeat(" ", indent) + fmt.Sprintf(format, args...) + eol)
	}
	noise := func(indent int) {
		switch rapid.IntRange(0, 5).Draw(t, "noise") {
		case 0:
			b.WriteString(eol)
		case 1:
			line(indent, "# a comment, tests: []")
		}
	}
	noise(0)
	line(0, "version: 1")
	line(0, "rules:   # from top to bottom")
	dash := rapid.SampledFrom([]int{0, 2, 4}).Draw(t, "dash")
	gap := rapid.SampledFrom([]int{1, 3}).Draw(t, "gap")
	rules = rapid.IntRange(1, 4).Draw(t, "rules")
	block := false // a text that takes the last line break, too
	for i := range rules {
		noise(dash)
		line(dash, "-%sid: r%d", strings.Repeat(" ", gap), i)
		in := dash + 1 + gap
		drawnKeys(t, in, line, noise)
		if block = rapid.Bool().Draw(t, "block"); block {
			line(in, "name: |")
			line(in+2, "a name")
			line(in+2, "# of two lines")
		}
		noise(in)
	}
	if rapid.Bool().Draw(t, "more") {
		line(0, "# the end")
		line(0, "name: after the rules")
		block = false
	}
	src = b.String()
	if !block && rapid.Bool().Draw(t, "cut") {
		src = strings.TrimRight(src, "\r\n")
	}
	return src, rules
}

// drawnKeys draws the tests of a rule and what stands around them.
func drawnKeys(t *rapid.T, in int, line func(int, string, ...any), noise func(int)) {
	line(in, "when: [message, mention]")
	noise(in)
	switch rapid.IntRange(0, 4).Draw(t, "tests") {
	case 0: // none
	case 1:
		line(in, "tests:")
	case 2:
		line(in, "tests:   # none yet")
		noise(in)
	default:
		deeper := rapid.SampledFrom([]int{0, 2, 4}).Draw(t, "deeper")
		line(in, "tests:")
		for range rapid.IntRange(1, 3).Draw(t, "how many") {
			noise(in)
			line(in+deeper, "- { say: \"a # b\",   expect: reply }  # why")
			line(in+deeper, "- say: x")
			line(in+deeper+2, "expect: [reply,")
			line(in+deeper+4, "label]")
		}
	}
	if rapid.Bool().Draw(t, "then") {
		noise(in)
		line(in, "then:")
		line(in+2, "- reply: \"several")
		line(in+6, "lines\"")
	}
}

// A test is added to the right rule, reads as it was meant, and every other byte stays where it was.
func TestAddTestChangesNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src, rules := drawnFile(t)
		if _, problems := textfile.Parse("x.yaml", []byte(src)); len(problems.Errors()) > 0 {
			t.Fatalf("the file is wrong itself: %s\n%s", problems, src)
		}
		place := TestPlace{"rules", fmt.Sprintf("r%d", rapid.IntRange(0, rules-1).Draw(t, "which"))}
		said := rapid.String().Draw(t, "said")
		patched, err := AddTest("x.yaml", []byte(src), place, []string{"- say: " + InQuotes(said), "  expect: reply"})
		if err != nil {
			t.Fatalf("%s\n%s", err, src)
		}
		for _, n := range afterwards(t, patched, src).Get("rules").Items() {
			tests := n.Get("tests").Items()
			found := len(tests) > 0 && tests[len(tests)-1].Get("say").String() == strings.ToValidUTF8(said, "\ufffd") && said != "x"
			if found != (n.Get("id").String() == place.ID) && said != "x" {
				t.Fatalf("the test is with %s, and not with %s:\n%s", n.Get("id"), place.ID, patched)
			}
		}
	})
}

// afterwards reads a patched file, which must be the old one with lines in between.
func afterwards(t *rapid.T, patched []byte, src string) textfile.Node {
	before := 0
	for before < len(src) && before < len(patched) && src[before] == patched[before] {
		before++
	}
	behind := 0
	for behind < len(src)-before && src[len(src)-1-behind] == patched[len(patched)-1-behind] {
		behind++
	}
	if before+behind != len(src) {
		t.Fatalf("more than lines were added:\n%s\n%s", src, patched)
	}
	if added := string(patched[before : len(patched)-behind]); strings.Count(added, "\n") < 2 ||
		strings.Contains(src, "\r\n") && strings.Count(added, "\r\n") != strings.Count(added, "\n") {
		t.Fatalf("no lines as the others were added: %q", added)
	}
	f, problems := textfile.Parse("x.yaml", patched)
	if len(problems.Errors()) > 0 {
		t.Fatalf("%s\n%s", problems, patched)
	}
	return f
}

func TestAddTestKeepsTheHabitsOfTheFile(t *testing.T) {
	t.Parallel()
	test := []string{"- { say: \"new\", expect: reply }"}
	for name, tc := range map[string]struct{ src, want string }{
		"no tests yet": {
			"rules:\n  - id: a\n    when: message\n\n  # of b\n  - id: b\n",
			"rules:\n  - id: a\n    when: message\n    tests:\n      - { say: \"new\", expect: reply }\n\n  # of b\n  - id: b\n",
		},
		"tests as far left as can be": {
			"rules:\n- id: a\n  tests:\n  - { say: \"old\", expect: reply } # first\n  when: message\n",
			"rules:\n- id: a\n  tests:\n  - { say: \"old\", expect: reply } # first\n  - { say: \"new\", expect: reply }\n  when: message\n",
		},
		"no line break at the end": {
			"rules:\n  - id: a\n    when: message",
			"rules:\n  - id: a\n    when: message\n    tests:\n      - { say: \"new\", expect: reply }",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := AddTest("x.yaml", []byte(tc.src), TestPlace{"rules", "a"}, test)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAddTestLeavesWhatItCannotExtend(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"a rule in brackets":    "rules:\n  - { id: a, when: message }\n",
		"rules in brackets":     "rules: [{ id: a, when: message }]\n",
		"a rule over lines":     "rules:\n  - {\n      id: a,\n      when: message }\n",
		"tests in brackets":     "rules:\n  - id: a\n    tests: [{ say: x, expect: reply }]\n",
		"a text that would end": "rules:\n  - id: a\n    name: |+\n      long\n\n\n  - id: b\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := AddTest("x.yaml", []byte(src), TestPlace{"rules", "a"}, []string{"- { say: x, expect: reply }"}); !errors.Is(err, errTestPlace) {
				t.Errorf("got %v and\n%s", err, got)
			}
		})
	}
	if _, err := AddTest("x.yaml", []byte("rules:\n  - id: b\n"), TestPlace{"rules", "a"}, nil); err == nil || err.Error() != "there is no rule a in x.yaml any more" {
		t.Error(err)
	}
}

// What was typed comes out of the file as it went in.
func FuzzInQuotes(f *testing.F) {
	for _, said := range []string{"", `say "hi" \o/`, "a: b # c", "{{first_name}}", "\x1b[31m\u202e", "👩‍👧 ñ 日本\n\ttab", "\xff"} {
		f.Add(said)
	}
	f.Fuzz(func(t *testing.T, said string) {
		src := []byte("say: " + InQuotes(said) + "\n")
		file, problems := textfile.Parse("x.yaml", src)
		if len(problems) > 0 || bytes.Count(src, []byte("\n")) != 1 {
			t.Fatalf("%s: %q", problems, src)
		}
		if got := file.Get("say").String(); got != strings.ToValidUTF8(said, "\ufffd") {
			t.Errorf("%q became %q", said, got)
		}
	})
}
