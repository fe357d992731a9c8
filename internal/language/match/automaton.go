package match

import "bytes"

// automaton finds all of many strings in one pass over a text, as Aho and Corasick taught. Its nodes
// are numbered level by level, so that the children of a node stand side by side and a node needs no
// table of its own: 10,000 strings take some hundred kilobytes.
type automaton struct {
	label []byte  // the byte that leads to the node
	first []int32 // the first child; the last one is before the next node's first
	fail  []int32 // the node of the longest suffix of this one
	ends  []int32 // the string that ends here, or -1
	next  []int32 // the nearest node with a string among the suffixes, or 0
	root  [256]int32
}

// newAutomaton returns the automaton for strings that are sorted, not empty, and different.
func newAutomaton(needles []string) *automaton {
	a := &automaton{label: []byte{0}, ends: []int32{-1}}
	type part struct{ from, to, depth int } // the strings that begin with the way to a node
	parts := []part{{0, len(needles), 0}}
	for n := 0; n < len(parts); n++ {
		p := parts[n]
		a.first = append(a.first, int32(len(parts)))
		from := p.from
		if from < p.to && len(needles[from]) == p.depth {
			a.ends[n] = int32(from)
			from++
		}
		for from < p.to {
			c, to := needles[from][p.depth], from+1
			for to < p.to && needles[to][p.depth] == c {
				to++
			}
			parts = append(parts, part{from, to, p.depth + 1})
			a.label, a.ends = append(a.label, c), append(a.ends, -1)
			from = to
		}
	}
	a.first = append(a.first, int32(len(parts)))
	a.link()
	return a
}

// link finds where to go on when no child fits.
func (a *automaton) link() {
	a.fail, a.next = make([]int32, len(a.label)), make([]int32, len(a.label))
	for m := a.first[0]; m < a.first[1]; m++ {
		a.root[a.label[m]] = m
	}
	for n := int32(1); int(n) < len(a.label); n++ {
		for m := a.first[n]; m < a.first[n+1]; m++ {
			a.fail[m] = a.step(a.fail[n], a.label[m])
		}
		f := a.fail[n]
		a.next[n] = f
		if a.ends[f] < 0 {
			a.next[n] = a.next[f]
		}
	}
}

func (a *automaton) step(n int32, c byte) int32 {
	for n != 0 {
		from := a.first[n]
		if i := bytes.IndexByte(a.label[from:a.first[n+1]], c); i >= 0 {
			return from + int32(i)
		}
		n = a.fail[n]
	}
	return a.root[c]
}

// find calls found with the number of each string in the text, until that says that it knows it, and with
// it those at its end.
func (a *automaton) find(text string, found func(needle int32) (isNew bool)) {
	n := int32(0)
	for i := range len(text) {
		n = a.step(n, text[i])
		m := n
		if a.ends[m] < 0 {
			m = a.next[m]
		}
		for m != 0 && found(a.ends[m]) {
			m = a.next[m]
		}
	}
}
