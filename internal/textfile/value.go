package textfile

import "strings"

// value reads what begins at pos, behind a key or a dash, and moves to the next line.
func (r *reader) value(p *part, around int) {
	p.line = int32(r.line)
	r.from = r.pos
	switch c := r.at(r.pos); {
	case c == '"' || c == '\'':
		if r.readQuoted(p, around) {
			r.finishLine(p)
		}
	case c == '{' && r.at(r.pos+1) == '{':
		r.needsQuotes(p)
	case c == '[' || c == '{':
		r.brackets(p, around)
	case c == '|' || c == '>':
		r.blockText(p, around)
	case !r.startsPlain(r.pos):
		r.needsQuotes(p)
	default:
		r.plainText(p, around)
	}
}

// startsPlain reports whether a text without quotes can begin at offset i.
func (r *reader) startsPlain(i int) bool {
	switch r.at(i) {
	case '@', '`', '%', '&', '*', '!', '|', '>', ',', '[', ']', '{', '}', '#', '"', '\'':
		return false
	case '-', '?', ':':
		return !r.isGap(i + 1)
	default:
		return true
	}
}

// startsKey reports whether a key can begin like this.
func (r *reader) startsKey(key *part) bool { return key.text != "" && r.startsPlain(r.pos) }

// skipLine gives up the rest of a line.
func (r *reader) skipLine() {
	if r.broken {
		return
	}
	r.pos = r.lineEnd(r.pos)
	r.newLine()
	r.next()
}

// skipDeeper gives up the rest of a line, and the lines below it that would belong to it.
func (r *reader) skipDeeper() {
	r.skipLine()
	for !r.end() && len(r.columns) > 0 && r.col > r.columns[len(r.columns)-1] {
		r.skipLine()
	}
}

// brackets reads a list or a mapping in brackets behind a key or a dash.
func (r *reader) brackets(p *part, around int) {
	from, before := r.pos, len(r.problems)
	r.flowHash, r.flowBad = 0, false
	r.readCollection(p, around)
	r.from = from
	switch {
	case r.broken:
	case !r.flowBad:
		r.finishLine(p)
	case int(p.line) == r.line && r.prose(from):
		r.problems = r.problems[:before]
		r.pos = from
		*p = part{line: p.line}
		r.needsQuotes(p)
	default:
		p.told = true
		r.skipDeeper()
		if c := r.at(r.pos); !r.end() && (c == ']' || c == '}') {
			r.skipLine()
		}
	}
}

// prose reports whether the brackets that open at offset i are part of a text: [urgent] call us.
func (r *reader) prose(i int) bool {
	line := r.src[i:r.lineEnd(i)]
	closing := "]"
	if line[0] == '{' {
		closing = "}"
	}
	_, behind, found := strings.Cut(line, closing)
	behind = strings.TrimLeft(behind, " \t")
	return found && behind != "" && !strings.ContainsAny(behind[:1], "#,]}") && !strings.ContainsAny(line, `"'`)
}

// plainEnd returns where on its line a text without quotes ends that begins at i, without the blanks
// behind it, and where a comment begins behind it, or -1.
func (r *reader) plainEnd(i int) (end, comment int) {
	eol := r.lineEnd(i)
	line := r.src[i:eol]
	comment = -1
	for j := 0; j < len(line); j++ {
		n := strings.IndexByte(line[j:], '#')
		if n < 0 {
			break
		}
		j += n
		if j > 0 && (line[j-1] == ' ' || line[j-1] == '\t') {
			comment, line = i+j, line[:j]
			break
		}
	}
	return i + len(strings.TrimRight(line, " \t")), comment
}

// eatsText reports whether the comment at offset i looks like a part of the text: "#launch".
func (r *reader) eatsText(i int) bool {
	c := r.at(i + 1)
	return c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '{'
}

// plainText reads a text without quotes, which may go on over lines that are indented more than around.
func (r *reader) plainText(p *part, around int) {
	p.kind = Scalar
	colon := r.findColon(r.pos)
	end, comment := r.plainEnd(r.pos)
	p.text = r.src[r.pos:end]
	if colon >= 0 {
		r.withColon(colon, end)
		p.told = true
	}
	var text []byte
	for comment < 0 {
		from, breaks := r.continuation(end, around)
		if from < 0 {
			break
		}
		if r.continues(p, from) {
			return
		}
		if text == nil {
			text = []byte(p.text)
		}
		end, comment = r.plainEnd(from)
		text = append(foldBreaks(text, breaks), r.src[from:end]...)
	}
	if text != nil {
		p.text = string(text)
	}
	if comment >= 0 && r.eatsText(comment) {
		p.hash = int32(comment)
	}
	r.pos = end
	r.finishLine(p)
}

// foldBreaks adds what stands for line breaks in a text that goes on over lines.
func foldBreaks(text []byte, breaks int) []byte {
	if breaks == 1 {
		return append(text, ' ')
	}
	for range breaks - 1 {
		text = append(text, '\n')
	}
	return text
}

// continuation returns where a text goes on that stops on its line at offset i, and how many line
// breaks lie between. It moves to the line on which it goes on. It returns -1, and has moved nowhere,
// when the text ends there.
func (r *reader) continuation(i, around int) (from, breaks int) {
	line := r.line
	i = r.lineEnd(i)
	for i < len(r.src) {
		if r.src[i] == '\r' {
			i++
		}
		i, breaks = i+1, breaks+1
		line++
		start := i
		for r.at(i) == ' ' {
			i++
		}
		if r.isEnd(i) {
			continue
		}
		if i-start <= around || r.at(i) == '#' {
			return -1, 0
		}
		r.line, r.start, r.pos = line, start, i
		if r.at(i) == '\t' {
			r.tellTab()
			return -1, 0
		}
		return i, breaks
	}
	return -1, 0
}

// continues looks at a line that goes on with the text of p, and reports whether it was meant as
// something else; then it has told, and moved behind the line.
func (r *reader) continues(p *part, from int) bool {
	if r.unlikeSpaces() {
		return true
	}
	if r.findColon(from) < 0 && !r.isAtDash() && !r.isGlued(from) {
		return false
	}
	r.addProblem(r.line, "this line is indented more than line %d, so it would go on with its text: indent it like line %[1]d, or put quotes around the whole text", p.line)
	p.told = true
	r.skipDeeper()
	return true
}

// isGlued reports whether at offset i stands a key whose colon has no space behind it.
func (r *reader) isGlued(i int) bool {
	from := i
	for c := r.at(i); c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'; c = r.at(i) {
		i++
	}
	return i > from && r.at(i) == ':' && !strings.HasPrefix(r.src[i:], "://")
}
