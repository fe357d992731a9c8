package emulator

import (
	"strconv"
	"unicode/utf8"
)

// encoder writes an answer by hand: without reflection, straight into a buffer that is used again.
// Its methods know the scalar shapes of the dialect, so that its callers name what a value is
// documented to be ("a count, sent as text") and not how it looks today.
type encoder struct {
	buf     []byte
	dialect *Dialect
}

// comma separates what follows from what came before it in the same object or list.
func (e *encoder) comma() {
	if n := len(e.buf); n > 0 {
		switch e.buf[n-1] {
		case '{', '[', ':', ',':
		default:
			e.buf = append(e.buf, ',')
		}
	}
}

func (e *encoder) key(k string) {
	e.comma()
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, k...)
	e.buf = append(e.buf, '"', ':')
}

func (e *encoder) openObject()  { e.buf = append(e.buf, '{') }
func (e *encoder) closeObject() { e.buf = append(e.buf, '}') }

// openList begins a list. PHP sends an array with a gap in its keys as an object.
func (e *encoder) openList() {
	if e.dialect.ListsAsObjects {
		e.buf = append(e.buf, '{')
		return
	}
	e.buf = append(e.buf, '[')
}

// beginItem comes before the i-th item of a list. The keys of a list that came as an object have gaps.
func (e *encoder) beginItem(i int) {
	e.comma()
	if e.dialect.ListsAsObjects {
		e.buf = append(e.buf, '"')
		e.buf = strconv.AppendInt(e.buf, int64(2*i), 10)
		e.buf = append(e.buf, '"', ':')
	}
}

func (e *encoder) closeList() {
	if e.dialect.ListsAsObjects {
		e.buf = append(e.buf, '}')
		return
	}
	e.buf = append(e.buf, ']')
}

// emptyList stands for nothing, also where an object is documented.
func (e *encoder) emptyList(k string) {
	e.key(k)
	e.writeNothing()
}

func (e *encoder) writeNothing() {
	if e.dialect.EmptyAsObject {
		e.buf = append(e.buf, '{', '}')
		return
	}
	e.buf = append(e.buf, '[', ']')
}

func (e *encoder) writeNull(k string) {
	e.key(k)
	e.buf = append(e.buf, "null"...)
}

// text writes a string that holds no words of people.
func (e *encoder) text(k, s string) {
	e.key(k)
	e.string(s, false)
}

// writeWords writes what a person wrote, which the platform escapes for HTML.
func (e *encoder) writeWords(k, s string) {
	e.key(k)
	e.string(s, !e.dialect.RawText)
}

// writeNumber writes an integer that is documented as one: ids and codes.
func (e *encoder) writeNumber(k string, n int64) {
	e.key(k)
	e.writeInteger(n, e.dialect.NumbersAsText)
}

// count writes an integer that is documented as text: the counts of a post, Unix times.
func (e *encoder) count(k string, n int64) {
	e.key(k)
	e.writeInteger(n, !e.dialect.CountsAsNumbers)
}

func (e *encoder) writeInteger(n int64, quoted bool) {
	if quoted {
		e.buf = append(e.buf, '"')
	}
	e.buf = strconv.AppendInt(e.buf, n, 10)
	if quoted {
		e.buf = append(e.buf, '"')
	}
}

// writeFlag writes a boolean that is documented as one.
func (e *encoder) writeFlag(k string, on bool) {
	e.key(k)
	e.writeBoolean(on)
}

func (e *encoder) writeBoolean(on bool) {
	switch {
	case e.dialect.FlagsAsText && on:
		e.buf = append(e.buf, `"1"`...)
	case e.dialect.FlagsAsText:
		e.buf = append(e.buf, `"0"`...)
	case e.dialect.FlagsAsNumbers && on:
		e.buf = append(e.buf, '1')
	case e.dialect.FlagsAsNumbers:
		e.buf = append(e.buf, '0')
	default:
		e.buf = strconv.AppendBool(e.buf, on)
	}
}

// writeDigit writes a boolean that is documented as the text "0" or "1".
func (e *encoder) writeDigit(k string, on bool) {
	e.key(k)
	switch {
	case e.dialect.DigitsAsFlags:
		e.buf = strconv.AppendBool(e.buf, on)
	case on:
		e.buf = append(e.buf, `"1"`...)
	default:
		e.buf = append(e.buf, `"0"`...)
	}
}

// string appends s as a JSON string, after escaping it for HTML if asked to. s is valid UTF-8.
func (e *encoder) string(s string, html bool) {
	b := append(e.buf, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			if !e.dialect.UnicodeEscapes {
				i++
				continue
			}
			r, size := utf8.DecodeRuneInString(s[i:])
			b = appendUnicode(append(b, s[start:i]...), r)
			i += size
			start = i
			continue
		}
		esc := e.escape(c, html)
		if esc == "" {
			i++
			continue
		}
		b = append(append(b, s[start:i]...), esc...)
		i++
		start = i
	}
	e.buf = append(append(b, s[start:]...), '"')
}

// escape returns what stands for an ASCII character in a JSON string, "" for itself.
func (e *encoder) escape(c byte, html bool) string {
	if html {
		switch c {
		case '&':
			return "&amp;"
		case '<':
			return "&lt;"
		case '>':
			return "&gt;"
		case '"':
			return "&quot;"
		case '\'':
			return "&#039;"
		}
	}
	switch {
	case c == '"':
		return `\"`
	case c == '\\':
		return `\\`
	case c == '/' && e.dialect.UnicodeEscapes:
		return `\/`
	case c < ' ':
		return controls[c]
	default:
		return ""
	}
}

// controls are the JSON escapes of the characters below the space.
var controls = [' ']string{
	`\u0000`, `\u0001`, `\u0002`, `\u0003`, `\u0004`, `\u0005`, `\u0006`, `\u0007`,
	`\b`, `\t`, `\n`, `\u000b`, `\f`, `\r`, `\u000e`, `\u000f`,
	`\u0010`, `\u0011`, `\u0012`, `\u0013`, `\u0014`, `\u0015`, `\u0016`, `\u0017`,
	`\u0018`, `\u0019`, `\u001a`, `\u001b`, `\u001c`, `\u001d`, `\u001e`, `\u001f`,
}

// appendUnicode appends r the way PHP does by default: \uXXXX, in pairs above the basic plane.
func appendUnicode(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		b = appendUnit(b, 0xd800+r>>10)
		r = 0xdc00 + r&0x3ff
	}
	return appendUnit(b, r)
}

func appendUnit(b []byte, u rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
}
