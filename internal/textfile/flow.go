package textfile

import "strings"

// readCollection reads the list or the mapping in brackets that begins at pos.
func (r *reader) readCollection(p *part, around int) {
	p.line, p.style = int32(r.line), flow
	if !r.enterLevel(r.pos - r.start) {
		return
	}
	defer r.leaveLevel()
	closing := byte(']')
	p.kind = Sequence
	if r.at(r.pos) == '{' {
		closing = '}'
		p.kind = Mapping
	}
	r.pos++
	seen := keys{}
	for {
		r.between(around)
		switch {
		case r.end():
			r.open(p, closing)
			return
		case r.at(r.pos) == closing:
			r.pos++
			return
		case r.at(r.pos) == ',':
			r.giveUp("there is a comma too many here")
			return
		}
		if p.kind == Sequence {
			p.parts = append(p.parts, part{})
			r.entry(&p.parts[len(p.parts)-1], around)
			r.lonely(&p.parts[len(p.parts)-1], around)
		} else {
			r.pair(p, &seen, around)
		}
		if r.broken || r.flowBad {
			return
		}
		r.between(around)
		switch r.at(r.pos) {
		case ',':
			r.pos++
		case closing:
		default:
			if r.end() {
				continue
			}
			r.giveUp(`there is a comma missing in front of %s, or quotes around the text`, quote(r.word()))
			return
		}
	}
}

// giveUp tells a problem in brackets, whose rest is not read then.
func (r *reader) giveUp(format string, args ...any) {
	r.addProblem(r.line, format, args...)
	r.flowBad = true
}

// between moves over blanks, line breaks and comments in brackets. It moves to the end when a line
// stands so far left that the brackets cannot go on there.
func (r *reader) between(around int) {
	for {
		r.skipBlanks()
		if r.at(r.pos) == '#' && r.isGap(r.pos-1) {
			if r.eatsText(r.pos) && r.flowHash == 0 {
				r.flowHash = r.line
			}
			r.pos = r.lineEnd(r.pos)
		}
		if r.end() || !r.isEnd(r.pos) {
			return
		}
		r.newLine()
		for r.at(r.pos) == ' ' {
			r.pos++
		}
		switch c := r.at(r.pos); {
		case c == '\t':
			r.tellTab()
			return
		case r.isEnd(r.pos) || c == '#' || c == ']' || c == '}':
		case r.pos-r.start <= around:
			r.pos = len(r.src)
			return
		}
	}
}

// open tells that brackets never close.
func (r *reader) open(p *part, closing byte) {
	if r.broken {
		return
	}
	if r.flowHash > 0 {
		r.fail(r.flowHash, "everything after # is a comment, so the %c is missing. Put quotes around the text", closing)
		return
	}
	r.fail(int(p.line), "the bracket that opens here is never closed: put %c at the end", closing)
}

// entry reads an item of a list in brackets, or a value of a mapping.
func (r *reader) entry(p *part, around int) {
	if !r.count() {
		return
	}
	p.line = int32(r.line)
	r.from = r.pos
	switch c := r.at(r.pos); {
	case c == '"' || c == '\'':
		if !r.readQuoted(p, around) && !r.broken {
			r.fail(int(p.line), "the quote that opens here is never closed")
		}
	case c == '{' && r.at(r.pos+1) == '{':
		r.flowText(p, true)
	case c == '[' || c == '{':
		r.readCollection(p, around)
	default:
		r.flowText(p, !r.startsFlow(r.pos))
	}
}

// startsFlow reports whether a text without quotes can begin in brackets at offset i.
func (r *reader) startsFlow(i int) bool {
	switch r.at(i) {
	case '?', ':':
		return false
	case '-':
		return wordly(r.at(i+1)) && !r.isGap(i+1)
	default:
		return r.startsPlain(i)
	}
}

// wordly reports whether a character can stand in a text without quotes in brackets.
func wordly(c byte) bool {
	return c != ',' && c != ']' && c != '}' && c != '[' && c != '{'
}

// flowText reads a text without quotes in brackets. bad says that it cannot begin as it does.
func (r *reader) flowText(p *part, bad bool) {
	p.kind = Scalar
	from := r.pos
	if bad {
		r.flowQuotes(from)
		return
	}
	for !r.isEnd(r.pos) {
		c := r.src[r.pos]
		switch {
		case c == ',' || c == ']' || c == '}':
		case c == '[' || c == '{':
			r.giveUp("a text with %c needs quotes here: %s", c, suggestQuotes(r.flowRest(from)))
			return
		case c == ':' && r.isBlank(r.pos+1) && r.pos > from:
		case r.flowColon():
			r.giveUp("a text that ends with a colon needs quotes: %s", suggestQuotes(r.flowRest(from)))
			return
		case c == '#' && r.isBlank(r.pos-1):
			if r.eatsText(r.pos) {
				p.hash = int32(r.pos)
			}
		default:
			r.pos++
			continue
		}
		break
	}
	p.text = strings.TrimRight(r.src[from:r.pos], " \t")
}

// lonely makes a mapping of an item behind which a colon stands: [label: new] is [{ label: new }].
func (r *reader) lonely(p *part, around int) {
	if r.broken || r.flowBad || r.at(r.pos) != ':' || p.kind != Scalar || p.style != plain || !r.count() {
		return
	}
	key := *p
	r.keyTraps(&key)
	r.pos++
	r.skipBlanks()
	*p = part{kind: Mapping, style: flow, line: key.line, parts: []part{key, {line: key.line}}}
	switch c := r.at(r.pos); {
	case r.isEnd(r.pos) || c == '#' || !wordly(c) && c != '[' && c != '{':
		r.giveUp("a text that ends with a colon needs quotes: %s", suggestQuotes(key.text+":"))
	default:
		r.entry(&p.parts[1], around)
	}
}

// flowQuotes tells that a text in brackets cannot begin as it does.
func (r *reader) flowQuotes(from int) {
	r.giveUp("a text that starts with %c needs quotes: %s", r.src[from], suggestQuotes(r.flowRest(from)))
}

// flowColon reports whether at pos stands a colon behind which a value may follow, in brackets.
func (r *reader) flowColon() bool {
	return r.at(r.pos) == ':' && (r.isGap(r.pos+1) || !wordly(r.at(r.pos+1)))
}

// flowRest is a text in brackets from an offset on, up to the next comma or bracket.
func (r *reader) flowRest(from int) string {
	rest := r.src[from:r.lineEnd(from)]
	after := 0
	if strings.HasPrefix(rest, "{{") {
		after = max(0, strings.Index(rest, "}}")+2)
	}
	if n := strings.IndexAny(rest[min(after+1, len(rest)):], ",]}"); n >= 0 {
		rest = rest[:min(after+1, len(rest))+n]
	}
	return strings.TrimSpace(rest)
}

// pair reads a key and its value in brackets into the mapping p.
func (r *reader) pair(p *part, seen *keys, around int) {
	key := part{line: int32(r.line), kind: Scalar}
	from := r.pos
	switch c := r.at(r.pos); {
	case c == '"' || c == '\'':
		if r.quoteEnd(r.pos) < 0 {
			r.fail(r.line, "the quote that opens here is not closed on its line")
			return
		}
		r.readQuoted(&key, around)
		r.skipBlanks()
	case !r.startsFlow(r.pos):
		r.flowQuotes(from)
		return
	default:
		for !r.isEnd(r.pos) && wordly(r.at(r.pos)) && !r.flowColon() && (r.at(r.pos) != '#' || !r.isBlank(r.pos-1)) {
			r.pos++
		}
		key.text = strings.TrimRight(r.src[from:r.pos], " \t")
	}
	if r.at(r.pos) != ':' || !r.isGap(r.pos+1) {
		r.noFlowKey(&key)
		return
	}
	r.pos++
	r.keyTraps(&key)
	if !r.count() {
		return
	}
	p.parts = append(p.parts, key, part{line: key.line})
	if first := seen.add(p, len(p.parts)-2); first != nil {
		r.tellTwice(first, &key)
	}
	value := &p.parts[len(p.parts)-1]
	r.between(around)
	if c := r.at(r.pos); c == ',' || c == '}' || r.end() {
		return
	}
	r.entry(value, around)
	if r.at(r.pos) == ':' && !r.flowBad && !r.broken {
		r.giveUp(`a text with ": " needs quotes: %s: %s`, key.text, suggestQuotes(r.flowRest(r.from)))
	}
}

// noFlowKey tells that between { and } stands a text which is no key.
func (r *reader) noFlowKey(key *part) {
	name, rest, glued := strings.Cut(key.text, ":")
	switch {
	case r.at(r.pos) == ':' && key.style != plain, glued && rest != "":
		if rest == "" {
			rest = r.word()
		}
		r.giveUp("put a space after the colon: %s: %s", name, strings.TrimPrefix(rest, ":"))
	case r.at(r.pos) == ':':
		r.giveUp("there is nothing behind %s: write a value, or leave the key out", quote(key.text))
	default:
		r.giveUp("between { and } stand keys with values, such as { %s: … }; a list is written between [ and ]", cut(key.text, 20))
	}
}

// word is what stands at pos, up to a blank, a comma or a bracket.
func (r *reader) word() string {
	rest := r.src[r.pos:r.lineEnd(r.pos)]
	if n := strings.IndexAny(rest[min(1, len(rest)):], " \t,]}"); n >= 0 {
		rest = rest[:n+1]
	}
	return rest
}
