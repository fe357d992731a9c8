package print

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ByteOrderMark begins a table for spreadsheets: without it, Excel takes the letters of other languages for those of its own.
const ByteOrderMark = "\uFEFF"

// WriteCSV writes lines as RFC 4180 wants them, every field between quotation marks, behind a byte order mark unless bare is set. No reader takes a
// field, or a part of one, for a formula, with any separator; and nobody is shown signs that cannot be seen.
func WriteCSV(w io.Writer, lines [][]string, bare bool) error {
	var b strings.Builder
	if !bare {
		b.WriteString(ByteOrderMark)
	}
	for _, line := range lines {
		for i, field := range line {
			if i > 0 {
				b.WriteByte(',')
			}
			field = strings.ReplaceAll(DefuseValue(field), `"`, `""`)
			b.WriteString(`"` + strings.ReplaceAll(field, "\n", "\r\n") + `"`)
		}
		b.WriteString("\r\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// formulas are the signs with which formulas begin; full-width ones are taken for the others.
const formulas = "=+-@\uFF1D\uFF0B\uFF0D\uFF20"

// DefuseValue returns a value that a spreadsheet takes for a text: an apostrophe stands where a formula could begin, at the
// start and behind everything at which a spreadsheet splits that does not look at quotation marks.
func DefuseValue(value string) string {
	value = strings.Map(inCell, strings.ReplaceAll(value, "\r\n", "\n"))
	if value == "" {
		return ""
	}
	var b strings.Builder
	if value[0] == '\t' || value[0] == '\n' { // some cut it off, and look at what stands behind
		b.WriteByte('\'')
	}
	for value != "" {
		end := strings.IndexAny(value, ";\t\n") + 1
		if end == 0 {
			end = len(value)
		}
		begins := strings.TrimLeftFunc(value[:end], func(r rune) bool { return r == '"' || unicode.IsSpace(r) || isUnseen(r) })
		//mutate:defuse
		if r, _ := utf8.DecodeRuneInString(begins); strings.ContainsRune(formulas, r) {
			b.WriteByte('\'')
		}
		b.WriteString(value[:end])
		value = value[end:]
	}
	return b.String()
}

// inCell keeps line breaks and tabs, and what joins emoji and letters; other signs that nobody sees are left out.
func inCell(r rune) rune {
	const nonJoiner, joiner = '\u200C', '\u200D'
	switch {
	case r == '\t', r == nonJoiner, r == joiner:
		return r
	case breaksLines(r):
		return '\n'
	case isUnseen(r):
		return -1
	}
	return r
}
