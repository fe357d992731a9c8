package cmd

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// What people write reaches eyes through plain: tables and lines of text call it. printCSV and printJSON have ways of
// their own, that lose less.

// plain returns a text as one line without signs that nobody sees, at most n columns wide; 0 is no limit.
// People write anything: it must not reach into a terminal.
func plain(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || breaksLines(r):
			return ' '
		case unseen(r):
			return -1
		}
		return r
	}, text)
	if n > 0 {
		text = (&runewidth.Condition{}).Truncate(text, n, "…")
	}
	return text
}

// quoted is plain between quotation marks.
func quoted(text string, n int) string { return `"` + plain(text, n) + `"` }

// unseen reports whether a sign controls a terminal, sets the direction of a text, or cannot be seen.
func unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// breaksLines reports whether a new line begins at a sign, for whoever reads all of Unicode.
func breaksLines(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// legible returns a text without control characters, with its line breaks.
func legible(said string) string {
	lines := strings.Split(strings.TrimRight(said, "\n"), "\n")
	for i, line := range lines {
		lines[i] = oneLine(line)
	}
	return strings.Join(lines, "\n")
}

// oneLine is plain, but for what joins emoji.
func oneLine(said string) string {
	const joiner = "\u200d"
	parts := strings.Split(said, joiner)
	for i, part := range parts {
		parts[i] = plain(part, 0)
	}
	return strings.Join(parts, joiner)
}

// sayTo returns a way to write lines to people.
func sayTo(w io.Writer) func(format string, args ...any) {
	return func(format string, args ...any) { _, _ = fmt.Fprintln(w, legible(fmt.Sprintf(format, args...))) }
}
