package wire

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	longestEntity = 33 // of the HTML entities, with "&" and ";"

	// A message has 3,000 characters at most, so nobody loses a word; without a bound, each row could be as long as an answer.
	longestText = 16 << 10 // in bytes
	longestName = 200      // in letters, also of humanised times
)

// appendUnescaped appends the characters of a JSON string to dst. Escapes that mean nothing stand for
// themselves, halves of a surrogate pair become U+FFFD.
func appendUnescaped(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			return append(dst, s...)
		}
		dst, s = append(dst, s[:i]...), s[i+1:]
		size := 1
		switch s[0] {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			var r rune
			r, size = unicodeEscape(s)
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, s[0])
		}
		s = s[size:]
	}
}

// unicodeEscape reads "uXXXX", or a pair of surrogates "uXXXX\uXXXX", from the start of s.
func unicodeEscape(s []byte) (r rune, size int) {
	r = hex4(s)
	if r < 0 {
		return utf8.RuneError, 1
	}
	if !utf16.IsSurrogate(r) {
		return r, 5
	}
	if len(s) > 6 && s[5] == '\\' && s[6] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(s[6:])); pair != utf8.RuneError {
			return pair, 11
		}
	}
	return utf8.RuneError, 5
}

// hex4 reads the four digits behind the "u" at the start of s, or returns -1.
func hex4(s []byte) rune {
	if len(s) < 5 {
		return -1
	}
	n, err := strconv.ParseUint(string(s[1:5]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// decodeEntities appends s to dst with its HTML entities decoded. Only those that end in a semicolon
// are entities: the platform writes no others, and "&copy that" is something people say.
func decodeEntities(dst, s []byte) []byte {
	for {
		amp := bytes.IndexByte(s, '&')
		if amp < 0 {
			return append(dst, s...)
		}
		dst, s = append(dst, s[:amp]...), s[amp:]
		entity := s[:1]
		if end := bytes.IndexAny(s[1:min(len(s), longestEntity)], "&;"); end >= 0 && s[1+end] == ';' {
			entity = s[:end+2]
		}
		switch string(entity) {
		case "&amp;":
			dst = append(dst, '&')
		case "&lt;":
			dst = append(dst, '<')
		case "&gt;":
			dst = append(dst, '>')
		case "&quot;":
			dst = append(dst, '"')
		case "&#039;", "&#39;":
			dst = append(dst, '\'')
		default:
			dst = append(dst, html.UnescapeString(string(entity))...)
		}
		s = s[len(entity):]
	}
}

// ToString returns b as a string, with U+FFFD for each byte that is no UTF-8.
func ToString(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string([]rune(string(b)))
}

// shortenText returns the beginning of a text, as many whole letters as fit into size bytes.
func shortenText(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return strings.Clone(text[:size]) // or all of it would stay in memory
}

// shortenName returns the beginning of a name, longestName letters at most.
func shortenName(name string) string {
	if len(name) <= longestName {
		return name
	}
	letters := 0
	for i := range name {
		if letters == longestName {
			return strings.Clone(name[:i])
		}
		letters++
	}
	return name
}
