package edit

import (
	"strings"
	"testing"
)

// A test is marked in the way in which it is written, and nothing else of the file is another one.
func TestSkipTest(t *testing.T) {
	t.Parallel()
	const head = "rules:\n  - id: a   # first\n    tests:"
	place := TestPlace{"rules", "a"}
	for _, c := range []struct {
		name, src string
		line      int
		want      string // "" when it is refused
	}{
		{"in braces", head + "\n      - { say: x, expect: reply }\n      - { say: y, expect: reply }  # two\n", 5, head + "\n      - { say: x, expect: reply }\n      - { skipped: \"W\", say: y, expect: reply }  # two\n"},
		{"line by line", head + "\n      - say: \"- { x\"\n        expect: reply\n      - say: y\n        expect: reply\n", 5, head + "\n      - skipped: \"W\"\n        say: \"- { x\"\n        expect: reply\n      - say: y\n        expect: reply\n"},
		{"in brackets", "rules:\r\n  - { id: a, tests: [{say: \"{\", expect: reply}] }\r\n", 2, "rules:\r\n  - { id: a, tests: [{ skipped: \"W\",say: \"{\", expect: reply}] }\r\n"},
		{"two in a line", head + " [{ say: x, expect: reply }, { say: y, expect: reply }]\n", 3, ""},
		{"of another one", "rules:\n  - id: b\n    tests:\n      - { say: x, expect: reply }\n", 4, ""},
		{"with Windows lines", head + "\r\n    - say: x\r\n      expect: reply\r\n", 4, head + "\r\n    - skipped: \"W\"\r\n      say: x\r\n      expect: reply\r\n"},
	} {
		src := c.src
		if strings.Contains(src, "\r\n    - say") {
			src, c.want = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\n", "\r\n"), strings.ReplaceAll(strings.ReplaceAll(c.want, "\r\n", "\n"), "\n", "\r\n")
		}
		got, err := SkipTest("x.yaml", []byte(src), place, c.line, "W")
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %v\n%q\nwant\n%q", c.name, err, got, c.want)
		}
	}
}
