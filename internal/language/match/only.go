package match

import "slices"

// AnySymbol is the entry of [Pattern.Only] that stands for any symbol such as 👍.
const AnySymbol = "emoji"

// only is what a text may say at all.
type only struct {
	entries []string
	rows    [][]string // words in a row
	symbols bool       // symbols alone are enough
	fuzzy   bool
}

func newOnly(p *Pattern) only {
	o := only{fuzzy: p.Fuzzy}
	for _, entry := range p.Only {
		if entry == AnySymbol {
			o.symbols = true
			continue
		}
		for _, row := range spellingsOf(entry) {
			o.entries, o.rows = append(o.entries, entry), append(o.rows, row)
		}
	}
	return o
}

func (o *only) isAsked() bool { return o.symbols || len(o.rows) > 0 }

// saysOnly reports whether a text says nothing but what it may: rows of words one behind the other, with symbols between them.
func (r *Reading) saysOnly(o *only) bool {
	_, n := r.onlyUpTo(o)
	return n == len(r.words) && n > 0 && (o.symbols || slices.ContainsFunc(r.words, func(w word) bool { return !w.isSymbol() }) || r.hasRow(o))
}

// hasRow reports whether one of the rows is there.
func (r *Reading) hasRow(o *only) bool {
	return slices.ContainsFunc(o.rows, func(row []string) bool { return r.findRow(row, o.fuzzy) >= 0 })
}

// onlyUpTo returns up to which word a text says nothing but what it may, and the first entry that it says; "" for none.
func (r *Reading) onlyUpTo(o *only) (entry string, n int) {
	reached := make([]bool, len(r.words)+1)
	reached[0] = true
	for at := range r.words {
		if !reached[at] {
			continue
		}
		n = at
		if r.words[at].isSymbol() {
			reached[at+1] = true
		}
		for i, row := range o.rows {
			if len(row) > 0 && r.rowAt(row, at, o.fuzzy) == len(row) {
				reached[at+len(row)] = true
				if entry == "" {
					entry = o.entries[i]
				}
			}
		}
	}
	if reached[len(r.words)] {
		n = len(r.words)
	}
	if entry == "" && o.symbols {
		entry = AnySymbol
	}
	return entry, n
}
