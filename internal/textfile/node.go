package textfile

import "fmt"

// Kind is what a part of a file is.
type Kind uint8

// The kinds of parts.
const (
	Missing  Kind = iota // nothing stands there
	Scalar               // a text, a number, a word
	Sequence             // a list
	Mapping              // keys with values
)

// Node is a part of a parsed file. The zero value is a part that is missing.
type Node struct {
	file *file
	at   *part
	key  string // under which it stands, also as part of a list
	line int    // of a missing part: where it should stand
}

// Pair is a key of a mapping with what stands behind it.
type Pair struct{ Key, Value Node }

// At says where something stands. Embedded in a struct it is filled in by Decode.
type At struct {
	File string `json:"-"`
	Line int    `json:"-"` // from 1
}

// Problem returns a finding at this place.
func (a At) Problem(format string, args ...any) Problem {
	return Problem{File: a.File, Line: a.Line, Text: fmt.Sprintf(format, args...)}
}

// Hint returns a finding at this place with which the file works all the same.
func (a At) Hint(format string, args ...any) Problem {
	p := a.Problem(format, args...)
	p.Hint = true
	return p
}

// Key returns the key behind which the part stands, also for the items of a list; "" at the top.
func (n Node) Key() string { return n.key }

// Kind returns what the part is. An empty value, "reply:" and nothing behind it, is Missing.
func (n Node) Kind() Kind {
	if n.at == nil {
		return Missing
	}
	return n.at.kind
}

// String returns the text of a scalar, as people will read it, and "" for everything else.
func (n Node) String() string {
	if n.at == nil {
		return ""
	}
	return n.at.text
}

// Quoted reports whether a scalar was written with quotes, or as a block behind | or >.
func (n Node) Quoted() bool { return n.at != nil && n.at.kind == Scalar && n.at.style != plain }

// Shortened reports whether a comment follows that looks like a part of the text: correct #horse.
func (n Node) Shortened() bool { return n.at != nil && n.at.hash > 0 }

// Items returns the items of a list.
func (n Node) Items() []Node {
	if n.Kind() != Sequence {
		return nil
	}
	items := make([]Node, len(n.at.parts))
	for i := range n.at.parts {
		items[i] = n.itemAt(i)
	}
	return items
}

// itemAt returns item i of a list.
func (n Node) itemAt(i int) Node { return Node{file: n.file, at: &n.at.parts[i], key: n.key} }

// Pairs returns the keys and values of a mapping in the order in which they were written.
func (n Node) Pairs() []Pair {
	if n.Kind() != Mapping {
		return nil
	}
	pairs := make([]Pair, len(n.at.parts)/2)
	for i := range pairs {
		pairs[i] = n.pairAt(i)
	}
	return pairs
}

// pairAt returns pair i of a mapping.
func (n Node) pairAt(i int) Pair {
	key := &n.at.parts[2*i]
	return Pair{
		Key:   Node{file: n.file, at: key, key: n.key},
		Value: Node{file: n.file, at: &n.at.parts[2*i+1], key: key.text},
	}
}

// Get returns what stands behind a key of a mapping, or a part that is missing.
func (n Node) Get(key string) Node {
	if n.Kind() == Mapping {
		for i := range len(n.at.parts) / 2 {
			if n.at.parts[2*i].text == key {
				return n.pairAt(i).Value
			}
		}
	}
	return Node{file: n.file, key: key, line: n.At().Line}
}

// At returns where the part begins. A part that is missing has the line of what it is missing from.
func (n Node) At() At {
	at := At{Line: n.line}
	if n.file != nil {
		at.File = n.file.name
	}
	if n.at != nil {
		at.Line = int(n.at.line)
	}
	return at
}

// Problem returns a finding about the part. Of a file of [ParseSecret] it shows no string of args.
func (n Node) Problem(format string, args ...any) Problem {
	return n.At().Problem("%s", phraseProblem(n.file != nil && n.file.secret, format, args))
}

// hintAt returns a finding about the part with which the file works all the same, as Problem does.
func (n Node) hintAt(format string, args ...any) Problem {
	p := n.Problem(format, args...)
	p.Hint = true
	return p
}
