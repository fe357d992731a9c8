package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// SkipTest marks a test as one that may fail: that of a rule or conversation which begins on that line, or holds it. Nothing else is changed.
func SkipTest(name string, src []byte, place TestPlace, line int, why string) ([]byte, error) {
	before, problems := textfile.Parse(name, src)
	if len(problems.Errors()) > 0 {
		return nil, problems.Errors()
	}
	of, ok := place.find(before)
	if !ok {
		return nil, fmt.Errorf("there is no %s %s in %s any more", strings.TrimSuffix(place.List, "s"), place.ID, name)
	}
	tests := of.Get("tests").Items()
	at := -1
	for i, test := range tests {
		if test.At().Line <= line {
			at = i
		}
	}
	unclear := fmt.Errorf("%s line %d: that test cannot be marked in the line that it stands in: write skipped: %s into it", name, line, InQuotes(why))
	if at < 0 || at > 0 && tests[at-1].At().Line == tests[at].At().Line {
		return nil, unclear
	}
	f := newLineFile(src)
	for _, lines := range f.marked(tests[at], "skipped: "+InQuotes(why)) {
		after := bytes.Join(lines, nil)
		if place.skips(before, name, after, at, why) {
			return after, nil
		}
	}
	return nil, unclear
}

// marked returns the file with something more in a test, once for each way in which the test may be written.
func (f *lineFile) marked(test textfile.Node, mark string) [][][]byte {
	var all [][][]byte
	i := test.At().Line - 1
	with := func(line string) {
		all = append(all, slices.Concat(f.lines[:i], [][]byte{[]byte(line)}, f.lines[i+1:]))
	}
	line := string(f.lines[i])
	if column, ok := f.keyColumn(test); ok {
		with(line[:column] + mark + f.eol + strings.Repeat(" ", column) + line[column:])
	}
	for at := range line {
		if line[at] == '{' {
			with(line[:at+1] + " " + mark + "," + line[at+1:])
		}
	}
	return all
}

// skips reports whether a file says what it said before, but that a test is skipped.
func (p TestPlace) skips(before textfile.Node, name string, src []byte, at int, why string) bool {
	after, problems := textfile.Parse(name, src)
	is, ok := p.find(after)
	if tests := is.Get("tests").Items(); len(problems.Errors()) > 0 || !ok || at >= len(tests) || tests[at].Get("skipped").String() != why {
		return false
	}
	var a, b strings.Builder
	writeOutline(&a, before, textfile.Node{}, 0)
	writeOutline(&b, after, textfile.Node{}, 0)
	return a.String() == strings.Replace(b.String(), fmt.Sprintf("%q:%q,", "skipped", why), "", 1)
}
