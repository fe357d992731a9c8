package match

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"
)

// Index finds among many patterns those that hold for a text. It does not change any more, but for
// what it keeps to be faster, and may be used by many goroutines.
//
// A text is looked at once, not once for each pattern: its words lead to the patterns that name them, a
// phrase is looked for where its rarest word stands, one automaton finds all parts, and a regular
// expression is tried only where a part is that it cannot do without. What a pattern must not say is
// looked for when everything else holds.
type Index struct {
	patterns  []Pattern
	none      [][]int32 // by pattern: sequences that must not be there
	only      []only    // by pattern: what it may say at all
	open      []int32   // patterns that hold unless one of these is there
	words     vocabulary
	sequences []sequence
	keyed     [][]int32 // by word: sequences that are looked for where it stands
	needles   []needle
	automaton *automaton
	// expressions are all regular expressions, always those that are tried for every text.
	expressions []*expression
	always      []int32
	scratches   sync.Pool
}

// sequence is words in a row.
type sequence struct {
	words    []int32
	key      int     // the rarest of them
	patterns []int32 // that hold where it is
}

// needle is a part of a text.
type needle struct {
	patterns    []int32
	expressions []int32 // that can match only where it is
}

// NewIndex returns an index of the patterns, or a *PatternError. It keeps the slices of the patterns.
func NewIndex(patterns []Pattern) (*Index, error) {
	b := builder{
		x:         &Index{patterns: slices.Clone(patterns), none: make([][]int32, len(patterns)), only: make([]only, len(patterns))},
		sequences: map[string]int32{}, needles: map[string]*needle{}, expressions: map[string]int32{},
	}
	b.x.words.init()
	for i := range patterns {
		if err := b.add(int32(i), &patterns[i]); err != nil {
			return nil, err
		}
	}
	b.finish()
	return b.x, nil
}

// builder builds an index.
type builder struct {
	x           *Index
	sequences   map[string]int32
	needles     map[string]*needle
	expressions map[string]int32
	name        []byte
	always      int // the size of all expressions that are tried for every text
	err         error
}

func (b *builder) add(i int32, p *Pattern) error {
	b.err = nil
	for _, list := range [][]string{p.AnyWord, p.AnyPhrase} {
		for _, entry := range list {
			for _, s := range b.sequencesOf(i, entry, p.Fuzzy) {
				b.x.sequences[s].patterns = append(b.x.sequences[s].patterns, i)
			}
		}
	}
	for _, list := range [][]string{p.NoneWord, p.NonePhrase} {
		for _, entry := range list {
			b.x.none[i] = append(b.x.none[i], b.sequencesOf(i, entry, false)...)
		}
	}
	for _, entry := range p.Contains {
		b.contains(i, entry)
	}
	for _, entry := range p.Matches {
		b.matches(i, entry)
	}
	b.only(i, p)
	return b.err
}

// only takes over what the text may say at all, and looks for it where nothing else has to be there.
func (b *builder) only(i int32, p *Pattern) {
	o := newOnly(p)
	b.x.only[i] = o
	open := o.symbols || len(p.Only) == 0
	for _, entry := range p.Only {
		if entry == AnySymbol {
			continue
		}
		for _, s := range b.sequencesOf(i, entry, p.Fuzzy) {
			if !open && !p.wantsAny() {
				b.x.sequences[s].patterns = append(b.x.sequences[s].patterns, i)
			}
		}
	}
	if open && !p.wantsAny() {
		b.x.open = append(b.x.open, i)
	}
}

// problem notes the first problem of a pattern.
func (b *builder) problem(i int32, entry, problem string) {
	if b.err == nil {
		b.err = &PatternError{int(i), entry, problem}
	}
}

// checked reports whether an entry is short enough.
func (b *builder) checked(i int32, entry string) bool {
	if len(entry) > MaxEntry {
		b.problem(i, entry[:40]+"…", "this is too long to look for: 1000 bytes at most")
		return false
	}
	return true
}

// sequencesOf returns the numbers of the sequences of words of which one has to be there for an entry.
func (b *builder) sequencesOf(i int32, entry string, fuzzy bool) []int32 {
	if !b.checked(i, entry) {
		return nil
	}
	ways := spellingsOf(entry)
	if len(ways) == 0 {
		b.problem(i, entry, "there is no word in it: no letter, digit or emoji. For other characters use contains")
	}
	var all []int32
	for _, words := range ways {
		found := false
		for j := range words {
			// One of its short words at a time may have a typo.
			if fuzzy && mayBeMistyped(words, j) {
				found = true
				all = append(all, b.sequence(words, fuzzy, j))
			}
		}
		if !found {
			all = append(all, b.sequence(words, fuzzy, -1))
		}
	}
	return all
}

// sequence returns the number of a sequence of words. The one at short may have a typo although it is short.
func (b *builder) sequence(words []string, fuzzy bool, short int) int32 {
	ids := make([]int32, len(words))
	b.name = b.name[:0]
	for j, w := range words {
		most := 0
		switch {
		case j == short:
			most = 1
		case fuzzy:
			most = typosIn(w)
		}
		ids[j] = b.x.words.add(w, most)
		b.name = binary.LittleEndian.AppendUint32(b.name, uint32(ids[j]))
	}
	s, ok := b.sequences[string(b.name)]
	if !ok {
		s = int32(len(b.x.sequences))
		b.sequences[string(b.name)] = s
		b.x.sequences = append(b.x.sequences, sequence{words: ids})
	}
	return s
}

func (b *builder) needle(folded string) *needle {
	n := b.needles[folded]
	if n == nil {
		n = &needle{}
		b.needles[folded] = n
	}
	return n
}

func (b *builder) contains(i int32, entry string) {
	if !b.checked(i, entry) {
		return
	}
	folded := Read(entry).folded
	if folded == "" || folded == " " {
		b.problem(i, entry, "this is empty")
		return
	}
	n := b.needle(folded)
	n.patterns = append(n.patterns, i)
}

func (b *builder) matches(i int32, entry string) {
	if !b.checked(i, entry) {
		return
	}
	if entry == "" {
		b.problem(i, entry, "this is empty")
		return
	}
	e, ok := b.expressions[entry]
	if !ok {
		parsed, err := newExpression(entry)
		if err != nil {
			b.problem(i, entry, "this is no regular expression: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "))
			return
		}
		if !b.affordable(i, entry, parsed) {
			return
		}
		e = int32(len(b.x.expressions))
		b.expressions[entry] = e
		b.x.expressions = append(b.x.expressions, parsed)
		for _, folded := range parsed.needles {
			n := b.needle(folded)
			n.expressions = append(n.expressions, e)
		}
		if parsed.needles == nil {
			b.x.always = append(b.x.always, e)
		}
	}
	b.x.expressions[e].patterns = append(b.x.expressions[e].patterns, i)
}

// affordable reports whether an expression cannot cost a text too much.
func (b *builder) affordable(i int32, entry string, e *expression) bool {
	if e.needles == nil {
		b.always += e.size
	}
	switch {
	case e.size > MaxExpression:
		b.problem(i, entry, "this regular expression is too large: repeat less")
	case b.always > MaxAlways:
		b.problem(i, entry, "there are too many regular expressions without two letters in a row that must be there; each of them is tried for every text")
	}
	return b.err == nil
}

// finish computes what can be known only when all patterns are.
func (b *builder) finish() {
	x := b.x
	uses := make([]int32, x.words.idCount())
	for i := range x.sequences {
		if s := &x.sequences[i]; s.patterns != nil {
			for _, w := range s.words {
				uses[w]++
			}
		}
	}
	x.keyed = make([][]int32, x.words.idCount())
	for i := range x.sequences {
		s := &x.sequences[i]
		if s.patterns == nil {
			continue
		}
		for j, w := range s.words {
			if uses[w] < uses[s.words[s.key]] {
				s.key = j
			}
		}
		x.keyed[s.words[s.key]] = append(x.keyed[s.words[s.key]], int32(i))
	}
	sorted := make([]string, 0, len(b.needles))
	for folded := range b.needles {
		sorted = append(sorted, folded)
	}
	slices.Sort(sorted)
	x.needles = make([]needle, len(sorted))
	for i, folded := range sorted {
		x.needles[i] = *b.needles[folded]
	}
	x.automaton = newAutomaton(sorted)
	x.words.finishTexts()
}
