// Package print writes what commands print: tables, CSV and JSON, in plain characters that no terminal takes for orders, cut to
// the width there is.
package print

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// What people write reaches eyes through plain: tables and lines of text call it. printCSV and printJSON have ways of
// their own, that lose less.

// PlainText returns a text as one line without signs that nobody sees, at most n columns wide; 0 is no limit.
// People write anything: it must not reach into a terminal.
func PlainText(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || breaksLines(r):
			return ' '
		case isUnseen(r):
			return -1
		}
		return r
	}, text)
	if n > 0 {
		text = (&runewidth.Condition{}).Truncate(text, n, "…")
	}
	return text
}

// QuotePlain is plain between quotation marks.
func QuotePlain(text string, n int) string { return `"` + PlainText(text, n) + `"` }

// isUnseen reports whether a sign controls a terminal, sets the direction of a text, or cannot be seen.
func isUnseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// breaksLines reports whether a new line begins at a sign, for programs that know all line breaks of Unicode.
func breaksLines(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// LegibleText returns a text without control characters, with its line breaks.
func LegibleText(said string) string {
	lines := strings.Split(strings.TrimRight(said, "\n"), "\n")
	for i, line := range lines {
		lines[i] = OneLine(line)
	}
	return strings.Join(lines, "\n")
}

// OneLine is plain, but for what joins emoji.
func OneLine(said string) string {
	const joiner = "\u200d"
	parts := strings.Split(said, joiner)
	for i, part := range parts {
		parts[i] = PlainText(part, 0)
	}
	return strings.Join(parts, joiner)
}

// SayLine writes a line to people.
func SayLine(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format+"\n", args...)
	return err
}

// SayTo returns a way to write lines to people.
func SayTo(w io.Writer) func(format string, args ...any) {
	return func(format string, args ...any) { _, _ = fmt.Fprintln(w, LegibleText(fmt.Sprintf(format, args...))) }
}
