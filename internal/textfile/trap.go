package textfile

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// What the reader says about lines that mean something else than they seem to.

// needsQuotes tells that a text cannot begin as the one at pos does, and moves to the next line.
func (r *reader) needsQuotes(p *part) {
	end, comment := r.plainEnd(r.pos)
	if comment >= 0 && r.eatsText(comment) {
		end = r.lineEnd(r.pos)
	}
	raw := strings.TrimSpace(r.src[r.pos:end])
	p.kind, p.text, p.told = Scalar, raw, true
	switch c := raw[0]; {
	case c == '&' && !strings.Contains(raw, " "):
		r.addProblem(r.line, "%s would mark this place to be copied elsewhere, which is not known here: write it out, or put quotes around the text", raw)
	case c == '*' && len(raw) > 1 && !strings.ContainsAny(raw[1:], " *"):
		r.addProblem(r.line, "%s would copy what stands elsewhere, which is not known here: write it out, or put quotes around the text", raw)
	case strings.HasPrefix(raw, "!!") && !r.secret:
		r.addProblem(r.line, "%s is not known here: leave it out, or put quotes around the text", raw)
	default:
		first, _ := utf8.DecodeRuneInString(raw)
		r.addProblem(r.line, "a text that starts with %c needs quotes: %s", first, r.written(raw))
	}
	r.skipDeeper()
}

// withColon tells that a text has a colon which ends a key. It ends at end.
func (r *reader) withColon(colon, end int) {
	what := wording(`with ": "`)
	if r.isEnd(colon+1) || colon+1 == end {
		what = "that ends with a colon"
	}
	r.addProblem(r.line, "a text %s needs quotes: %s", what, r.written(r.src[r.pos:end]))
}

// tellTrailing tells that behind the value p stands more, and moves to the end of the line.
func (r *reader) tellTrailing(p *part) {
	rest := r.src[r.pos:r.lineEnd(r.pos)]
	raw := rest
	if int(p.line) == r.line {
		raw = r.src[r.from:r.lineEnd(r.pos)]
	}
	switch {
	case rest[0] == '#':
		r.addProblem(r.line, "put a space in front of the #")
	case p.style == flow && int(p.line) == r.line:
		r.addProblem(r.line, "a text that starts with %c needs quotes: %s", raw[0], r.written(raw))
	case p.style == flow:
		r.addProblem(r.line, "there is something behind the bracket: %s", quote(rest))
	case p.style == plain:
		r.addProblem(r.line, "there is something behind the text: %s", quote(rest))
	case int(p.line) != r.line:
		r.addProblem(int(p.line), "the quote that opens here is closed in the middle of line %d: put a quote at the end of the text", r.line)
	default:
		if n := len(raw) - 1; n > 1 && raw[0] == raw[n] { // the quotes at its ends were meant: 'It's fine'
			raw = raw[1:n]
		}
		r.addProblem(r.line, "the text goes on behind its closing quote: put other quotes around all of it: %s", r.written(raw))
	}
	*p = part{text: raw, line: p.line, kind: Scalar, told: true}
	r.pos = r.lineEnd(r.pos)
}

// tellUnclosed tells that the quote at pos is never closed, and moves to the next line.
func (r *reader) tellUnclosed(p *part) {
	q := r.at(r.pos)
	raw := strings.TrimRight(r.src[r.pos+1:r.lineEnd(r.pos)], " \t")
	p.text, p.told = raw, true
	if end, with := otherQuote(raw, rune(q)); end > 0 {
		r.addProblem(r.line, "the quote that opens here is %c, and the one that closes is %c: write the same on both sides: %s", q, with, r.written(raw[:end]))
	} else if q == '\'' && !strings.Contains(raw, `"`) {
		r.addProblem(r.line, "a text that starts with ' needs \" around it, or a ' at its end: %s", r.written("'"+raw))
	} else {
		r.addProblem(r.line, "the quote that opens here is never closed: put %c at the end of the text", q)
	}
	r.skipLine()
}

// otherQuote finds where a text ends in another quote than the one it began with, and which that is; 0 when it does not.
func otherQuote(raw string, opened rune) (end int, with rune) {
	for i, ch := range raw {
		if ch == opened || !strings.ContainsRune("\"'“”„‟‘’‚‛«»`´", ch) {
			continue
		}
		behind := strings.TrimLeft(raw[i+utf8.RuneLen(ch):], " \t")
		if behind == "" || strings.ContainsRune(",]}", rune(behind[0])) || strings.HasPrefix(behind, "#") {
			return i, ch
		}
	}
	return 0, 0
}

// noKey tells that a line among keys has no key, and moves to the next one.
func (r *reader) noKey() {
	if len(r.problems) == maxTold {
		r.skipLine()
		return
	}
	end, _ := r.plainEnd(r.pos)
	raw := r.src[r.pos:end]
	name, rest, colon := strings.Cut(raw, ":")
	tell := r.addProblem
	if len(r.columns) == 0 {
		tell = r.fail
	}
	switch c := r.at(r.pos); {
	case spaceLength(raw) > 0:
		r.failIndented()
	case c == ':' && r.isGap(r.pos+1):
		tell(r.line, "there is no key in front of the colon")
	case c == '?' && r.isGap(r.pos+1):
		tell(r.line, "a line cannot start with ?: put quotes around the text")
	case strings.HasPrefix(rest, "\u00A0"):
		tell(r.line, "the space after the colon is a non-breaking one: type it again")
	case colon && rest != "" && !strings.HasPrefix(rest, "//") && r.isGlued(r.pos):
		tell(r.line, "put a space after the colon: %s: %s", name, cut(rest, 40))
	case c == '*' || c == '&' || c == '!' || c == '@' || c == '`' || c == '%':
		tell(r.line, "a line cannot start with %c: put quotes around the text", c)
	case len(r.columns) == 0:
		tell(r.line, "the file must begin with keys, such as name: FAQ answers, not with %s", quote(raw))
	default:
		tell(r.line, "there is no key on this line. A text of several lines needs quotes around all of it: %s", quote(raw))
	}
	if len(r.columns) > 0 {
		r.skipDeeper()
	}
}

// tellTwice tells that a key stands there a second time.
func (r *reader) tellTwice(first, again *part) {
	r.addProblem(int(again.line), "%s stands here twice: on line %d too. Keep one", quote(again.text), first.line)
}

// tellBegins tells that the first key of something stands there again.
func (r *reader) tellBegins(first, again *part) {
	r.addProblem(int(again.line), "%s stands here twice: on line %d too. When another one begins here, put a dash in front of it: - %s:", quote(again.text), first.line, again.text)
}

// keyTraps looks at a key.
func (r *reader) keyTraps(key *part) {
	if key.style != plain {
		return
	}
	if key.text == "<<" {
		key.told = true
		r.addProblem(int(key.line), "<< would copy what stands elsewhere, which is not known here: write it out")
		return
	}
	if key.text != "" && key.text[0] == '-' {
		key.told = true
		r.addProblem(int(key.line), "put a space after the dash: - %s:", key.text[1:])
		return
	}
	if len(key.text) > 1000 {
		r.fail(int(key.line), "this key is longer than 1000 characters: put quotes around the text")
		return
	}
	for i := range len(key.text) {
		if key.text[i] >= utf8.RuneSelf {
			if strings.ContainsAny(key.text, "\u00A0\u200B\u2060") {
				key.told = true
				r.addProblem(int(key.line), "there is a non-breaking or invisible space in front of the colon: type the spaces again")
			}
			return
		}
	}
}

// tellAstray tells that a line is indented like nothing above it.
func (r *reader) tellAstray() {
	r.fail(r.line, "this line is indented by %s, like no line above that it could belong to", wording(count(r.col, "space")))
}

// tellDeeper tells that a line is indented more than what it follows.
func (r *reader) tellDeeper(above int32, value *part) {
	if len(value.parts) > 0 && value.style != flow {
		r.tellAstray()
		return
	}
	r.fail(r.line, "this line is indented more than line %d, but cannot belong to it: indent it like line %[1]d", above)
}

// written shows how a text is written with quotes, with the key in front of it.
func (r *reader) written(raw string) string {
	if r.from < r.start || r.from > len(r.src) {
		return suggestQuotes(raw)
	}
	before := strings.TrimLeft(r.src[r.start:r.from], " -")
	if before != "" && !strings.ContainsAny(before, "[{\"") && len(before) < 40 {
		return strings.TrimRight(before, " \t") + " " + suggestQuotes(raw)
	}
	return suggestQuotes(raw)
}

// suggestQuotes puts quotes around a text.
func suggestQuotes(raw string) string {
	raw = cut(raw, 60)
	switch {
	case !strings.ContainsAny(raw, `"\`):
		return `"` + raw + `"`
	case !strings.Contains(raw, "'"):
		return "'" + raw + "'"
	default:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(raw) + `"`
	}
}

// quote shows what was written.
func quote(s string) string { return fmt.Sprintf("%q", cut(s, 60)) }

// cut shortens a text to so many characters.
func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
