package textfile

import (
	"strings"
	"unicode/utf8"
)

// reader reads the text of a file into a tree, in one pass. Between two parts it stands at the first
// character of a line that says something. What it can go on after, it tells and reads on; after
// anything else it stops.
//
// Everything it accepts, a parser of YAML 1.2 reads in the same way; the tests hold it to that. One of
// YAML 1.1 may differ: it ends a text without quotes in brackets at a question mark, [what?]. It is a
// reader of its own because a wrong line should be named as people see it, and because 10,000 rules
// should be read again in the time in which a general parser has not yet made its nodes.
type reader struct {
	src      string
	file     string
	pos      int
	line     int // of pos, from 1
	start    int // where the line of pos begins
	col      int // of the line's first character, when standing there
	depth    int
	parts    int
	columns  []int // of the lists and mappings around
	from     int   // where the value begins that is being read
	flowHash int   // the line in brackets behind which a comment took the rest, 0 for none
	deepest  int   // of the empty lines at the beginning of a block
	flowBad  bool  // the brackets were given up
	secret   bool  // what is told repeats nothing of the file
	problems Problems
	broken   bool
}

// checkLegible looks at the bytes before anything is read.
func (r *reader) checkLegible() bool {
	line, odd := 1, -1
	for i := 0; i < len(r.src) && odd < 0; i++ {
		c := r.src[i]
		switch {
		case c == '\n':
			line++
		case c < ' ' && c != '\t' && (c != '\r' || i+1 == len(r.src) || r.src[i+1] != '\n'), c == 0x7F:
			odd = i
		case c >= utf8.RuneSelf:
			ch, size := utf8.DecodeRuneInString(r.src[i:])
			if ch == utf8.RuneError && size == 1 || unprintable(ch) {
				odd = i
			}
			i += size - 1
		}
	}
	if odd < 0 {
		return true
	}
	ch, size := utf8.DecodeRuneInString(r.src[odd:])
	r.line = line
	switch {
	case ch == utf8.RuneError && size == 1:
		r.fail(line, "the file is not UTF-8 from here on: save it as UTF-8")
	case ch == '\r':
		r.fail(line, "the lines end as on very old computers: save the file with Unix or Windows line endings")
	default:
		r.fail(line, "there is an invisible character here (U+%04X): delete it", ch)
	}
	return false
}

// unprintable reports whether a character cannot be seen, and breaks lines or readers.
func unprintable(ch rune) bool {
	return ch >= 0x80 && ch < 0xA0 || ch == 0x2028 || ch == 0x2029 || ch == 0xFEFF || ch == 0xFFFE || ch == 0xFFFF
}

// addProblem adds a problem.
func (r *reader) addProblem(line int, format string, args ...any) {
	if len(r.problems) < maxTold && !r.broken {
		r.problems = append(r.problems, Problem{File: r.file, Line: line, Text: phraseProblem(r.secret, format, args)})
	}
}

// fail adds a problem after which nothing can be read.
func (r *reader) fail(line int, format string, args ...any) {
	if !r.broken {
		if len(r.problems) >= maxTold {
			r.problems = r.problems[:maxTold-1]
		}
		r.addProblem(line, format, args...)
	}
	r.broken = true
	r.pos, r.start, r.col = len(r.src), len(r.src), -1
}

// end reports whether nothing is left to read.
func (r *reader) end() bool { return r.pos >= len(r.src) }

// at returns the character at offset i, and 0 behind the end.
func (r *reader) at(i int) byte {
	if i < len(r.src) {
		return r.src[i]
	}
	return 0
}

// lineEnd returns where the line of offset i ends, without its line break.
func (r *reader) lineEnd(i int) int {
	if n := strings.IndexByte(r.src[i:], '\n'); n >= 0 {
		i += n
		if i > r.start && r.src[i-1] == '\r' {
			i--
		}
		return i
	}
	return len(r.src)
}

// isEnd reports whether at offset i stands a line break, or the end.
func (r *reader) isEnd(i int) bool { c := r.at(i); return c == '\n' || c == '\r' || i >= len(r.src) }

// isBlank reports whether at offset i stands a space or a tab.
func (r *reader) isBlank(i int) bool { c := r.at(i); return c == ' ' || c == '\t' }

// isGap reports whether at offset i stands something that divides words.
func (r *reader) isGap(i int) bool { return r.isBlank(i) || r.isEnd(i) }

// skipBlanks moves over spaces and tabs.
func (r *reader) skipBlanks() {
	for r.isBlank(r.pos) {
		r.pos++
	}
}

// newLine moves over the line break at pos.
func (r *reader) newLine() {
	if r.at(r.pos) == '\r' {
		r.pos++
	}
	if r.at(r.pos) == '\n' {
		r.pos++
		r.line++
	}
	r.start = r.pos
}

// next moves to the first character of the next line that says something, from the beginning of a line.
func (r *reader) next() {
	for !r.end() {
		r.start = r.pos
		for r.at(r.pos) == ' ' {
			r.pos++
		}
		r.col = r.pos - r.start
		switch c := r.at(r.pos); {
		case c == '\t':
			r.tellTab()
			return
		case r.end():
		case r.isEnd(r.pos):
			r.newLine()
		case c == '#':
			r.pos = r.lineEnd(r.pos)
			r.newLine()
		case r.unlikeSpaces():
			return
		case r.col == 0 && r.marker():
			r.mark()
			return
		default:
			return
		}
	}
	r.col = -1
}

func (r *reader) tellTab() {
	r.fail(r.line, "there is a tab in front of this line: use spaces")
}

// finishLine moves over the rest of a line, where only a comment may stand, to the next line that says
// something. p is what stood there last.
func (r *reader) finishLine(p *part) {
	gap := r.isBlank(r.pos) || r.pos == r.start
	r.skipBlanks()
	switch {
	case r.isEnd(r.pos):
	case r.at(r.pos) == '#' && gap:
		r.pos = r.lineEnd(r.pos)
	default:
		r.tellTrailing(p)
	}
	if r.broken {
		return
	}
	r.newLine()
	r.next()
}

// marker reports whether at the beginning of a line stands --- or ...
func (r *reader) marker() bool {
	s := r.src[r.pos:]
	return (strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...")) && r.isGap(r.pos+3)
}

func (r *reader) mark() {
	r.fail(r.line, "%s begins another document: a file holds one. Delete the line, or make two files", wording(r.src[r.pos:r.pos+3]))
}

// readDocument reads the whole file.
func (r *reader) readDocument(root *part) {
	if strings.HasPrefix(r.src, "%") {
		r.fail(1, "lines that start with %% are not known here: delete the line")
		return
	}
	r.opening()
	root.line = int32(max(1, r.line))
	switch {
	case r.broken:
	case r.end():
		r.fail(0, "the file is empty")
	default:
		r.readNode(root, -1)
		if !r.broken && !r.end() {
			r.tellAstray()
		}
	}
}

// opening moves to the first line that says something, over the --- that may stand before it.
func (r *reader) opening() {
	for !r.end() {
		end := r.lineEnd(r.pos)
		line := strings.TrimRight(r.src[r.pos:end], " ")
		if line == "---" {
			r.pos = end
			r.newLine()
			break
		}
		if trimmed := strings.TrimLeft(line, " "); trimmed != "" && trimmed[0] != '#' {
			break
		}
		r.pos = end
		r.newLine()
	}
	r.next()
}

// count counts a part, and bounds how many there are.
func (r *reader) count() bool {
	r.parts++
	if r.parts > maxParts {
		r.fail(r.line, "the file has more than a million parts: split it")
	}
	return !r.broken
}

// enterLevel goes into a list or a mapping at a column; leave must follow when it returns true.
func (r *reader) enterLevel(col int) bool {
	if r.depth == maxDepth {
		r.fail(r.line, "lists and keys stand in each other more than %d deep", maxDepth)
		return false
	}
	r.depth++
	r.columns = append(r.columns, col)
	return true
}

func (r *reader) leaveLevel() {
	r.depth--
	r.columns = r.columns[:len(r.columns)-1]
}
