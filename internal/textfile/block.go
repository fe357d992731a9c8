package textfile

import "strings"

// readNode reads the part that begins at pos into p. around is the column of the list or mapping around
// it: its lines are indented more than that.
func (r *reader) readNode(p *part, around int) {
	if !r.count() {
		return
	}
	p.line = int32(r.line)
	col := r.pos - r.start
	var key part
	switch {
	case r.isAtDash():
		r.list(p, col)
	case r.readKey(&key):
		r.mapping(p, &key, col)
	case around < 0:
		r.noKey()
	default:
		r.value(p, around)
	}
}

// isAtDash reports whether an item of a list begins at pos.
func (r *reader) isAtDash() bool { return r.at(r.pos) == '-' && r.isGap(r.pos+1) }

// list reads the list whose first item begins at pos.
func (r *reader) list(p *part, col int) {
	p.kind = Sequence
	if !r.enterLevel(col) {
		return
	}
	defer r.leaveLevel()
	for !r.end() && r.isAtDash() {
		p.parts = append(p.parts, part{})
		r.item(&p.parts[len(p.parts)-1], col)
		if r.col != col {
			break
		}
	}
	switch {
	case r.end() || r.col < col:
	case r.col > col:
		last := &p.parts[len(p.parts)-1]
		r.tellDeeper(last.line, last)
	case len(r.columns) < 2 || r.columns[len(r.columns)-2] != col:
		r.fail(r.line, "there is no dash in front of this line, which is indented like the list above it")
	}
}

// item reads the item of a list whose dash stands at pos.
func (r *reader) item(p *part, col int) {
	p.line = int32(r.line)
	r.pos++
	for r.at(r.pos) == ' ' {
		r.pos++
	}
	if r.at(r.pos) == '\t' {
		r.fail(r.line, "there is a tab behind the dash: use a space")
		return
	}
	if !r.nothing(p) {
		r.readNode(p, col)
		return
	}
	if !r.broken && r.col > col {
		hash := p.hash
		r.readNode(p, col)
		p.hash = max(p.hash, hash)
		return
	}
	r.count()
}

// nothing reports whether the rest of the line is empty or a comment; then it moves to the next line.
func (r *reader) nothing(p *part) bool {
	r.skipBlanks()
	switch {
	case r.isEnd(r.pos):
	case r.at(r.pos) == '#':
		if r.eatsText(r.pos) {
			p.hash = int32(r.pos)
		}
		r.pos = r.lineEnd(r.pos)
	default:
		return false
	}
	r.newLine()
	r.next()
	return true
}

// mapping reads the mapping at a column, whose first key has been read.
func (r *reader) mapping(p, key *part, col int) {
	p.kind = Mapping
	if !r.enterLevel(col) {
		return
	}
	defer r.leaveLevel()
	seen, begun := keys{}, false
	for {
		p.parts = append(p.parts, *key, part{line: key.line})
		switch first := seen.add(p, len(p.parts)-2); {
		case first == nil || begun: // one that begins without its dash has all keys again
		case first.line == p.parts[0].line && len(p.parts) > 4:
			begun = true
			r.tellBegins(first, key)
		default:
			r.tellTwice(first, key)
		}
		value := &p.parts[len(p.parts)-1]
		if key.told && key.text == "<<" {
			value.kind, value.told, p.holes = Scalar, true, true
			r.skipDeeper()
		} else {
			r.behind(value, col)
		}
		for {
			if r.end() || r.col < col {
				return
			}
			if r.col > col {
				r.tellDeeper(key.line, value)
				return
			}
			if *key = (part{}); r.readKey(key) {
				break
			}
			if r.isAtDash() {
				r.fail(r.line, "this dash is indented like the keys above it: indent it like the dashes of its list, or write it below a key")
				return
			}
			p.holes = true
			r.noKey()
		}
	}
}

// behind reads what stands behind a key of the mapping at a column.
func (r *reader) behind(p *part, col int) {
	if !r.nothing(p) {
		if r.isAtDash() {
			r.count()
			r.addProblem(r.line, "a list begins on the line below its key, and a text that starts with - needs quotes")
			p.kind, p.told = Scalar, true
			r.skipDeeper()
			return
		}
		if r.count() {
			r.value(p, col)
		}
		return
	}
	if r.broken || r.end() {
		r.count()
		return
	}
	hash := p.hash
	switch {
	case r.col > col:
		r.readNode(p, col)
	case r.col == col && r.isAtDash():
		if r.count() {
			p.line = int32(r.line)
			r.list(p, col)
		}
	default:
		r.count()
	}
	if p.hash == 0 {
		p.hash = hash
	}
}

// readKey reads the key that begins at pos with its colon. It returns false, and has moved nowhere,
// where there is none.
func (r *reader) readKey(key *part) bool {
	from := r.pos
	key.kind, key.line = Scalar, int32(r.line)
	switch c := r.at(r.pos); c {
	case '"', '\'':
		end := r.quoteEnd(r.pos)
		if end < 0 {
			return false
		}
		i := end
		for r.isBlank(i) {
			i++
		}
		if r.at(i) != ':' || !r.isGap(i+1) {
			return false
		}
		r.readQuoted(key, -1)
		r.pos = i + 1
	case '[', '{', '|', '>', '#', ',', ']', '}':
		return false
	default:
		colon := r.findColon(r.pos)
		if colon < 0 || colon == from {
			return false
		}
		key.text = strings.TrimRight(r.src[from:colon], " \t")
		if !r.startsKey(key) {
			return false
		}
		r.pos = colon + 1
	}
	r.keyTraps(key)
	return r.count()
}

// findColon returns where, from offset i on its line, the colon of a key stands, or -1.
func (r *reader) findColon(i int) int {
	for from := i; !r.isEnd(i); i++ {
		switch r.src[i] {
		case ':':
			if r.isGap(i + 1) {
				return i
			}
		case '#':
			if i > from && r.isBlank(i-1) {
				return -1
			}
		}
	}
	return -1
}

// quoteEnd returns the offset behind the quotes that open at i, or -1 when they do not close on the line.
func (r *reader) quoteEnd(i int) int {
	q := r.src[i]
	for i++; !r.isEnd(i); i++ {
		switch {
		case r.src[i] == '\\' && q == '"':
			i++
			if r.isEnd(i) {
				return -1
			}
		case r.src[i] == q && q == '\'' && r.at(i+1) == q:
			i++
		case r.src[i] == q:
			return i + 1
		}
	}
	return -1
}

// keys finds the keys of a mapping that stand there twice.
type keys struct{ index map[string]int }

// few is up to how many keys are compared one by one.
const few = 12

// add adds the key at i of the mapping m, and returns the first one that is the same.
func (k *keys) add(m *part, i int) *part {
	name := m.parts[i].text
	if i < 2*few {
		for j := 0; j < i; j += 2 {
			if m.parts[j].text == name {
				return &m.parts[j]
			}
		}
		return nil
	}
	if k.index == nil {
		k.index = make(map[string]int, 4*few)
		for j := i - 2; j >= 0; j -= 2 {
			k.index[m.parts[j].text] = j
		}
	}
	if j, ok := k.index[name]; ok {
		return &m.parts[j]
	}
	k.index[name] = i
	return nil
}
