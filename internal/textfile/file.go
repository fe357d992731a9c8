package textfile

import (
	"strings"
	"sync"
)

// Bounds of a file. They are far above what people write, and keep a hostile file from doing harm.
const (
	MaxFile  = 8 << 20 // bytes
	maxDepth = 32      // lists and mappings in each other
	maxParts = 1 << 20 // keys, values and items
	maxTold  = 200     // problems told of one file
)

// file is a parsed file.
type file struct {
	name   string
	src    string
	root   part
	broken bool     // it could not be read to its end
	secret bool     // what is told of it repeats nothing of it
	plans  sync.Map // of reflect.Type to *plan
}

// part is a node of the tree. The parts of a mapping are its keys and values in turn.
type part struct {
	text  string
	parts []part
	line  int32
	hash  int32 // where in the file a comment follows as in "see our #launch"; 0 when none does
	kind  Kind
	style style
	told  bool // what is wrong with it has been told
	holes bool // a mapping of which lines were left out
}

// style is how something was written.
type style uint8

const (
	plain  style = iota
	single       // 'quotes'
	double       // "quotes"
	block        // a text behind | or >
	flow         // a list or a mapping in brackets
)

// Parse reads a file. It returns the whole of it also when there are problems, and what could be read of it
// can be decoded for more of them.
//
// A file is refused that is longer than [MaxFile], not UTF-8, nested deeper than 32 levels, or no
// YAML. Of YAML are left out what people never mean: tabs as indentation, several documents, anchors
// and aliases, merge keys, tags, directives, complex keys, and the same key twice. Parse takes time in
// proportion to the size.
func Parse(name string, src []byte) (Node, Problems) { return parse(&file{name: name}, src) }

// ParseSecret is [Parse] for a file in which passwords stand: no problem repeats what stands in the
// file, neither those that it returns nor those of the file's parts.
func ParseSecret(name string, src []byte) (Node, Problems) {
	return parse(&file{name: name, secret: true}, src)
}

func parse(f *file, src []byte) (Node, Problems) {
	whole := Node{file: f, at: &f.root}
	if len(src) > MaxFile {
		f.broken = true
		return whole, Problems{{File: f.name, Text: "the file is larger than 8 MB, which nobody has written by hand: split it"}}
	}
	f.src = strings.TrimPrefix(string(src), "\uFEFF")
	r := &reader{src: f.src, file: f.name, line: 1, secret: f.secret}
	if r.checkLegible() {
		r.readDocument(&f.root)
	}
	f.broken = r.broken
	return whole, r.problems
}
