package textfile

// blockText reads a text behind | or >, whose lines stand below and are indented more than around,
// and moves to the next line.
func (r *reader) blockText(p *part, around int) {
	p.kind, p.style = Scalar, block
	folded := r.at(r.pos) == '>'
	chomp, indent := byte(0), 0
	i := r.pos + 1
	for ; ; i++ {
		if c := r.at(i); (c == '-' || c == '+') && chomp == 0 {
			chomp = c
		} else if c >= '1' && c <= '9' && indent == 0 {
			indent = max(around, 0) + int(c-'0')
		} else {
			break
		}
	}
	r.from, r.pos = r.pos, i
	r.skipBlanks()
	if !r.isEnd(r.pos) && (r.at(r.pos) != '#' || !r.isBlank(r.pos-1)) {
		r.pos = r.from
		r.needsQuotes(p)
		return
	}
	r.pos = r.lineEnd(r.pos)
	r.newLine()
	r.blockLines(p, around, indent, folded, chomp)
	if !r.broken {
		r.pos = r.start
		r.next()
	}
}

// blockLines reads the lines of such a text. An indent of 0 means that of its first line.
func (r *reader) blockLines(p *part, around, indent int, folded bool, chomp byte) {
	var text []byte
	breaks := 0 // not written yet
	blank := true
	for !r.end() {
		i := r.pos
		for r.at(i) == ' ' && (indent == 0 || i-r.start < indent) {
			i++
		}
		if r.isEnd(i) {
			r.pos = i
			breaks++
			if indent == 0 && i-r.start > r.deepest {
				r.deepest = i - r.start
			}
			if r.end() {
				breaks--
			}
			r.newLine()
			continue
		}
		if indent = r.blockIndent(i, around, indent); indent == 0 {
			return
		}
		if i-r.start < indent {
			break
		}
		spaced := r.isBlank(i)
		text = blockBreaks(text, breaks, folded && !blank && !spaced && len(text) > 0)
		end := r.lineEnd(i)
		text = append(text, r.src[i:end]...)
		blank, breaks = spaced, 0
		r.pos = end
		if !r.end() {
			breaks = 1
			r.newLine()
		} else {
			r.start = end
		}
	}
	r.deepest = 0
	switch {
	case chomp == '+':
		text = blockBreaks(text, breaks, false)
	case chomp == 0 && breaks > 0 && len(text) > 0:
		text = append(text, '\n')
	}
	p.text = string(text)
}

// blockIndent returns how far such a text is indented, on its line that begins at offset i. It returns
// 0 when the line cannot be read; then it has told.
func (r *reader) blockIndent(i, around, indent int) int {
	switch {
	case r.at(i) == '\t' && (indent == 0 || i-r.start < indent):
		r.tellTab()
		return 0
	case indent > 0:
		return indent
	}
	indent = max(i-r.start, around+1, 1)
	if r.deepest > indent {
		r.fail(r.line, "the first line of this text is indented less than the empty lines above it: delete the spaces there")
		return 0
	}
	return indent
}

// blockBreaks adds line breaks between two lines, folded into a space or into one break less.
func blockBreaks(text []byte, breaks int, folded bool) []byte {
	if folded {
		return foldBreaks(text, breaks)
	}
	for range breaks {
		text = append(text, '\n')
	}
	return text
}
