// Package edit changes rule files as a person would, in the lines that it is about, and refuses where that would change
// anything else.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// TestPlace says whose test it is: in which list of a rule file, and the id there.
type TestPlace struct {
	List string // "rules" or "conversations"
	ID   string
}

// errTestPlace is why a test cannot be put into a file as it is written.
var errTestPlace = errors.New("write its keys and tests one below the other, without brackets around them, and save again")

// AddTest adds a test to those of a rule or conversation. Nothing but its lines is added to the file: what
// stands there stays byte by byte, and reads as before. test are the lines of the test, of which the first
// one begins with "- ".
func AddTest(name string, src []byte, place TestPlace, test []string) ([]byte, error) {
	before, problems := textfile.Parse(name, src)
	if len(problems.Errors()) > 0 {
		return nil, problems.Errors()
	}
	at, ok := place.find(before)
	if !ok {
		return nil, fmt.Errorf("there is no %s %s in %s any more", strings.TrimSuffix(place.List, "s"), place.ID, name)
	}
	f := newLineFile(src)
	column, ok := f.keyColumn(at)
	if !ok {
		return nil, fmt.Errorf("%s stands in one line or in brackets: %w", place.ID, errTestPlace)
	}
	line, dash := f.lastOf(at, column), column
	if tests := keyLine(at, "tests"); tests > 0 {
		line, dash, ok = f.lastTest(tests-1, column)
		if !ok {
			return nil, fmt.Errorf("the tests of %s stand in brackets: %w", place.ID, errTestPlace)
		}
	} else {
		test = append([]string{"tests:"}, IndentLines(test, "  ")...)
	}
	patched := f.insert(line, IndentLines(test, strings.Repeat(" ", dash)))
	// Read once more, and compared: where a line ends in a file of somebody else is a guess, and a wrong one would change their rules.
	after, problems := textfile.Parse(name, patched)
	if len(problems.Errors()) > 0 || !place.grown(before, after) { //mutate:test-place
		return nil, fmt.Errorf("a test cannot be added to %s without changing what else stands there: %w", place.ID, errTestPlace)
	}
	return patched, nil
}

// find returns the rule or conversation.
func (p TestPlace) find(f textfile.Node) (textfile.Node, bool) {
	for _, n := range f.Get(p.List).Items() {
		if n.Get("id").String() == p.ID && len(n.Pairs()) > 0 {
			return n, true
		}
	}
	return textfile.Node{}, false
}

// grown reports whether after is before with one more test at the end of those of the place.
func (p TestPlace) grown(before, after textfile.Node) bool {
	was, _ := p.find(before)
	is, ok := p.find(after)
	if !ok || len(is.Get("tests").Items()) != len(was.Get("tests").Items())+1 {
		return false
	}
	var a, b strings.Builder
	writeOutline(&a, before, was, 0)
	writeOutline(&b, after, is, 1)
	return a.String() == b.String()
}

// writeOutline writes what a part of a file says, without the last tests of one of its parts.
func writeOutline(b *strings.Builder, n, of textfile.Node, without int) {
	switch n.Kind() {
	case textfile.Missing:
	case textfile.Scalar:
		fmt.Fprintf(b, "%q", n.String())
	case textfile.Sequence:
		b.WriteByte('[')
		for _, item := range n.Items() {
			writeOutline(b, item, of, without)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case textfile.Mapping:
		b.WriteByte('{')
		for _, p := range n.Pairs() {
			if n == of && p.Key.String() == "tests" {
				outlineTests(b, p.Value, without)
				continue
			}
			fmt.Fprintf(b, "%q:", p.Key.String())
			writeOutline(b, p.Value, of, without)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	}
}

func outlineTests(b *strings.Builder, tests textfile.Node, without int) {
	items := tests.Items()
	for _, item := range items[:max(0, len(items)-without)] {
		writeOutline(b, item, textfile.Node{}, 0)
		b.WriteByte(';')
	}
}

// keyLine returns the line on which a key of a mapping stands, from 1; 0 when it is not there.
func keyLine(n textfile.Node, key string) int {
	for _, p := range n.Pairs() {
		if p.Key.String() == key {
			return p.Key.At().Line
		}
	}
	return 0
}

// lineFile is a file line by line, with their line breaks.
type lineFile struct {
	lines [][]byte
	eol   string
}

func newLineFile(src []byte) *lineFile {
	f := &lineFile{eol: "\n"}
	f.lines = slices.Collect(bytes.Lines(src))
	if len(f.lines) > 0 && bytes.HasSuffix(f.lines[0], []byte("\r\n")) {
		f.eol = "\r\n"
	}
	return f
}

// readIndent returns how far a line is indented and what stands there; blank when nothing does.
func (f *lineFile) readIndent(i int) (column int, said []byte, blank bool) {
	line := bytes.TrimRight(f.lines[i], " \t\r\n")
	said = bytes.TrimLeft(line, " ")
	return len(line) - len(said), said, len(said) == 0
}

// isItem reports whether a list item begins with what stands on a line.
func isItem(said []byte) bool { return bytes.HasPrefix(said, []byte("- ")) || string(said) == "-" }

// keyColumn returns the column of the keys of a mapping that is written line by line.
func (f *lineFile) keyColumn(n textfile.Node) (int, bool) {
	key := n.Pairs()[0].Key
	column, said, _ := f.readIndent(key.At().Line - 1)
	for isItem(said) {
		rest := bytes.TrimLeft(said[1:], " ")
		column += len(said) - len(rest)
		said = rest
	}
	said = bytes.TrimLeft(said, `"'`)
	return column, bytes.HasPrefix(said, []byte(key.String()))
}

// lastOf returns the last line of a mapping that is written line by line.
func (f *lineFile) lastOf(n textfile.Node, column int) int {
	last := n.Pairs()[0].Key.At().Line - 1
	for i := last + 1; i < len(f.lines); i++ {
		at, said, blank := f.readIndent(i)
		switch {
		case blank:
		case at >= column:
			last = i
		case said[0] != '#':
			return last
		}
	}
	return last
}

// lastTest returns the last line of the tests that begin with a key on a line, and the column of their
// dashes; false when they stand in brackets.
func (f *lineFile) lastTest(key, column int) (last, dash int, ok bool) {
	_, said, _ := f.readIndent(key)
	_, behind, _ := bytes.Cut(said, []byte(":"))
	if behind = bytes.TrimSpace(behind); len(behind) > 0 && behind[0] != '#' {
		return 0, 0, false
	}
	last, dash = key, -1
	for i := key + 1; i < len(f.lines); i++ {
		at, said, blank := f.readIndent(i)
		switch {
		case blank:
			continue
		case dash < 0 && said[0] != '#' && at >= column && isItem(said):
			dash = at
		}
		switch {
		case dash >= 0 && (at > dash || at == dash && isItem(said)):
			last = i
		case said[0] != '#':
			i = len(f.lines)
		}
	}
	if dash < 0 {
		dash = column + 2 // there is none yet
	}
	return last, dash, true
}

// insert puts lines behind a line.
func (f *lineFile) insert(behind int, lines []string) []byte {
	added := strings.Join(lines, f.eol)
	if bytes.HasSuffix(f.lines[behind], []byte("\n")) {
		added += f.eol
	} else {
		added = f.eol + added
	}
	return slices.Concat(bytes.Join(f.lines[:behind+1], nil), []byte(added), bytes.Join(f.lines[behind+1:], nil))
}

// IndentLines returns the lines with by in front of each.
func IndentLines(lines []string, by string) []string {
	in := make([]string, len(lines))
	for i, line := range lines {
		in[i] = by + line
	}
	return in
}

// InQuotes writes a text for a rule file, between double quotes.
func InQuotes(said string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, ch := range strings.ToValidUTF8(said, string(utf8.RuneError)) {
		switch {
		case ch == '"' || ch == '\\':
			b.WriteByte('\\')
			b.WriteRune(ch)
		case ch == '\n':
			b.WriteString(`\n`)
		case ch == '\t':
			b.WriteString(`\t`)
		case strconv.IsPrint(ch) || ch == '\u200d' || ch == '\ufe0f': // the last two join emoji
			b.WriteRune(ch)
		case ch > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, ch)
		default:
			fmt.Fprintf(&b, `\u%04x`, ch)
		}
	}
	b.WriteByte('"')
	return b.String()
}
