package match

import "slices"

// Match appends the indices of the patterns that hold for a text to into, in ascending order.
func (x *Index) Match(r *Reading, into []int) []int {
	s, _ := x.scratches.Get().(*scratch)
	if s == nil {
		s = newScratch(x)
	}
	from := len(into)
	s.result, s.reading = into, r
	s.begin()
	s.read(r)
	s.sequences()
	s.parts(r)
	for _, e := range x.always {
		s.try(r, e)
	}
	for _, i := range x.open {
		s.holds(i)
	}
	into, s.result, s.reading = s.result, nil, nil
	x.scratches.Put(s)
	if found := into[from:]; !slices.IsSorted(found) {
		slices.Sort(found)
	}
	return into
}

// scratch is what is known of one text. It is used again for the next one: what was marked then has an
// older epoch.
type scratch struct {
	x     *Index
	epoch uint32

	reading *Reading
	// ids are the numbers of the text's words, those of word i are ids[at[i]:at[i+1]].
	ids, at []int32
	// By word, sequence, needle, expression and pattern: the epoch in which it was met.
	words, rows, needles, expressions, patterns []uint32
	result                                      []int
}

func newScratch(x *Index) *scratch {
	return &scratch{
		x: x, words: make([]uint32, x.words.idCount()), rows: make([]uint32, len(x.sequences)),
		needles: make([]uint32, len(x.needles)), expressions: make([]uint32, len(x.expressions)),
		patterns: make([]uint32, len(x.patterns)),
	}
}

func (s *scratch) begin() {
	s.epoch++
	if s.epoch == 0 {
		for _, marks := range [][]uint32{s.words, s.rows, s.needles, s.expressions, s.patterns} {
			clear(marks)
		}
		s.epoch = 1
	}
}

// first reports whether a thing is met for the first time.
func (s *scratch) first(marks []uint32, i int32) bool {
	if marks[i] == s.epoch {
		return false
	}
	marks[i] = s.epoch
	return true
}

// read looks up the words.
func (s *scratch) read(r *Reading) {
	s.ids, s.at = s.ids[:0], append(s.at[:0], 0)
	for i := range r.words {
		s.ids = s.x.words.find(&r.words[i], s.ids)
		s.at = append(s.at, int32(len(s.ids)))
	}
	for _, id := range s.ids {
		s.words[id] = s.epoch
	}
}

// sequences finds the words and phrases that are there.
func (s *scratch) sequences() {
	for at := range len(s.at) - 1 {
		for _, id := range s.ids[s.at[at]:s.at[at+1]] {
			for _, n := range s.x.keyed[id] {
				q := &s.x.sequences[n]
				if s.rows[n] != s.epoch && s.stands(q.words, at-q.key) {
					s.rows[n] = s.epoch
					s.hold(q.patterns)
				}
			}
		}
	}
}

// stands reports whether the words are those from a place on.
func (s *scratch) stands(words []int32, at int) bool {
	if at < 0 || at+len(words) >= len(s.at) { //mutate:whole-words
		return false
	}
	for i, w := range words {
		if !slices.Contains(s.ids[s.at[at+i]:s.at[at+i+1]], w) {
			return false
		}
	}
	return true
}

// there reports whether the words are in a row anywhere.
func (s *scratch) there(words []int32) bool {
	for _, w := range words {
		if s.words[w] != s.epoch {
			return false
		}
	}
	if len(words) == 1 {
		return true
	}
	for at := range len(s.at) - len(words) {
		if s.stands(words, at) {
			return true
		}
	}
	return false
}

// parts finds what the text contains, and tries the expressions for which that is enough.
func (s *scratch) parts(r *Reading) {
	if len(s.x.needles) == 0 {
		return
	}
	found := func(n int32) bool {
		if !s.first(s.needles, n) {
			return false
		}
		s.hold(s.x.needles[n].patterns)
		for _, e := range s.x.needles[n].expressions {
			s.try(r, e)
		}
		return true
	}
	s.x.automaton.find(r.folded, found)
	for _, v := range r.variants {
		s.x.automaton.find(v, found)
	}
}

// try tries an expression, unless its patterns hold already.
func (s *scratch) try(r *Reading, e int32) {
	if !s.first(s.expressions, e) {
		return
	}
	x := s.x.expressions[e]
	for _, i := range x.patterns {
		if s.patterns[i] != s.epoch {
			if x.isPossible(r.folded) && x.matchesText(r.written) {
				s.hold(x.patterns)
			}
			return
		}
	}
}

func (s *scratch) hold(patterns []int32) {
	for _, i := range patterns {
		s.holds(i)
	}
}

// holds adds a pattern of which something is there to the result, unless something is that must not be.
func (s *scratch) holds(i int32) {
	if !s.first(s.patterns, i) {
		return
	}
	for _, n := range s.x.none[i] {
		if s.there(s.x.sequences[n].words) {
			return
		}
	}
	if o := &s.x.only[i]; o.isAsked() && !s.reading.saysOnly(o) {
		return
	}
	s.result = append(s.result, int(i))
}
