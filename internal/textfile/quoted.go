package textfile

import (
	"strings"
	"unicode/utf8"
)

// readQuoted reads a text in quotes, which may go on over lines that are indented more than around. It
// returns false when the quotes do not close; then it has told, and moved to the next line.
func (r *reader) readQuoted(p *part, around int) bool {
	q := r.at(r.pos)
	p.kind, p.style = Scalar, single
	if q == '"' {
		p.style = double
	}
	if end := r.quoteEnd(r.pos); end >= 0 {
		inside := r.src[r.pos+1 : end-1]
		if q == '"' && strings.IndexByte(inside, '\\') < 0 || q == '\'' && strings.IndexByte(inside, '\'') < 0 {
			p.text, r.pos = inside, end
			return true
		}
	}
	opened, line, start := r.pos, r.line, r.start
	r.pos++
	var text []byte
	for {
		var joined bool
		text, joined = r.quotedLine(text, q)
		if !r.isEnd(r.pos) {
			p.text = string(text)
			r.pos++
			return true
		}
		breaks, ok := r.quotedNext(around)
		switch {
		case r.broken:
			return false
		case !ok:
			r.pos, r.line, r.start = opened, line, start
			r.tellUnclosed(p)
			return false
		case joined:
			text = append(text, strings.Repeat("\n", breaks-1)...)
		default:
			text = foldBreaks(text, breaks)
		}
	}
}

// quotedNext moves from the end of a line to where a text in quotes goes on, over so many line breaks.
func (r *reader) quotedNext(around int) (breaks int, ok bool) {
	for !r.end() {
		r.newLine()
		breaks++
		for r.at(r.pos) == ' ' {
			r.pos++
		}
		switch {
		case r.isEnd(r.pos):
		case r.at(r.pos) == '\t':
			r.tellTab()
			return 0, false
		default:
			return breaks, r.pos-r.start > around
		}
	}
	return 0, false
}

// quotedLine reads a line of a text in quotes, up to the quote that closes it or to the end of the
// line. joined says that a backslash stands there, which joins the line to the next.
func (r *reader) quotedLine(text []byte, q byte) (_ []byte, joined bool) {
	solid := len(text) // the blanks behind that vanish at a line break
	for !r.isEnd(r.pos) {
		c := r.src[r.pos]
		switch {
		case c == q && q == '\'' && r.at(r.pos+1) == q:
			text = append(text, q)
			r.pos += 2
			solid = len(text)
		case c == q:
			return text, false
		case c == '\\' && q == '"':
			if r.isEnd(r.pos + 1) {
				r.pos++
				return text, true
			}
			text = r.escape(text)
			solid = len(text)
		default:
			text = append(text, c)
			r.pos++
			if c != ' ' && c != '\t' {
				solid = len(text)
			}
		}
	}
	return text[:solid], false
}

// escapes are the characters that stand for others behind a backslash.
const escapes = "0\x00a\ab\bt\tn\nv\vf\fr\re\x1b  \"\"//\\\\"

// escape reads what begins with a backslash.
func (r *reader) escape(text []byte) []byte {
	c := r.at(r.pos + 1)
	digits := 0
	switch c {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case '_':
		r.pos += 2
		return utf8.AppendRune(text, 0xA0)
	default:
		for i := 0; i < len(escapes); i += 2 {
			if escapes[i] == c {
				r.pos += 2
				return append(text, escapes[i+1])
			}
		}
	}
	ch, ok := hex(r.src, r.pos+2, digits)
	if digits == 0 || !ok {
		_, size := utf8.DecodeRuneInString(r.src[r.pos+1:])
		r.addProblem(r.line, `between double quotes \ begins a special character, and \%s is none: put single quotes around the text, or write \\`, r.src[r.pos+1:r.pos+1+size])
		text = append(text, r.src[r.pos:r.pos+1+size]...)
		r.pos += 1 + size
		return text
	}
	r.pos += 2 + digits
	return utf8.AppendRune(text, ch)
}

// hex reads a number of digits, which are a character.
func hex(s string, at, digits int) (rune, bool) {
	if at+digits > len(s) {
		return 0, false
	}
	var ch rune
	for _, c := range []byte(s[at : at+digits]) {
		switch {
		case c >= '0' && c <= '9':
			ch = ch<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			ch = ch<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
		if ch > utf8.MaxRune {
			return 0, false
		}
	}
	return ch, utf8.ValidRune(ch)
}
