package match

import (
	"slices"
	"strings"
)

// Same reports whether p and q say the same; order, case and accents of their entries do not count.
func (p Pattern) Same(q Pattern) bool {
	return p.Fuzzy == q.Fuzzy && sameEntries(p.onlyRows(), q.onlyRows()) &&
		sameEntries(p.rows(), q.rows()) && sameEntries(p.noneRows(), q.noneRows()) &&
		sameEntries(p.parts(), q.parts()) && sameEntries(p.Matches, q.Matches)
}

// CoversPattern reports whether p provably holds for every text for which q does. False says nothing: among
// regular expressions only equal ones are compared, and a part is known to be there only where another
// part holds it, or a word without double letters does.
func (p Pattern) CoversPattern(q Pattern) bool {
	for _, row := range p.noneRows() {
		if !slices.ContainsFunc(q.noneRows(), func(other string) bool { return inRow(row, other) }) {
			return false
		}
	}
	if len(p.Only) > 0 && (len(q.Only) == 0 || q.Fuzzy && !p.Fuzzy || !subset(q.onlyRows(), p.onlyRows())) {
		return false
	}
	if !p.wantsAny() {
		return true
	}
	if !q.wantsAny() {
		return false
	}
	for _, row := range q.rows() {
		if !p.holdsWith(row, q.Fuzzy) {
			return false
		}
	}
	for _, part := range q.parts() {
		if !slices.ContainsFunc(p.parts(), func(s string) bool { return strings.Contains(part, s) }) {
			return false
		}
	}
	for _, expression := range q.Matches {
		if !slices.Contains(p.Matches, expression) {
			return false
		}
	}
	return true
}

// holdsWith reports whether something that p wants is wherever a row of words is, with typos or without.
func (p *Pattern) holdsWith(row string, fuzzy bool) bool {
	short := fuzzy && mayHaveShort(row)
	typos := short || fuzzy && slices.ContainsFunc(strings.Fields(row), func(w string) bool { return typosIn(w) > 0 })
	if !typos || p.Fuzzy {
		if slices.ContainsFunc(p.rows(), func(other string) bool {
			return inRow(row, other) && (!short || mayHaveShort(other) || !hasShort(other))
		}) {
			return true
		}
	}
	if typos || strings.Contains(row, " ") || squeezeRuns(row, 2, 1) != row {
		return false
	}
	return slices.ContainsFunc(p.parts(), func(part string) bool { return strings.Contains(row, part) })
}

// mayHaveShort reports whether a row of words is found with a typo in one of its short words.
func mayHaveShort(row string) bool {
	return len(strings.Fields(row)) >= fewWords && hasShort(row)
}

func hasShort(row string) bool {
	return slices.ContainsFunc(strings.Fields(row), func(w string) bool { return lettersIn(w) == shortTypo })
}

// rows returns the words of entries that must be there, joined by spaces.
func (p *Pattern) rows() []string { return joinedWords(p.AnyWord, p.AnyPhrase) }

func (p *Pattern) onlyRows() []string { return joinedWords(p.Only) }

func (p *Pattern) noneRows() []string { return joinedWords(p.NoneWord, p.NonePhrase) }

func joinedWords(lists ...[]string) []string {
	var rows []string
	for _, list := range lists {
		for _, entry := range list {
			for _, words := range spellingsOf(entry) {
				rows = append(rows, strings.Join(words, " "))
			}
		}
	}
	return rows
}

func (p *Pattern) parts() []string {
	var parts []string
	for _, entry := range p.Contains {
		parts = append(parts, Read(entry).folded)
	}
	return parts
}

// inRow reports whether the words of part stand in a row among those of row.
func inRow(row, part string) bool {
	return part != "" && strings.Contains(" "+row+" ", " "+part+" ")
}

func sameEntries(a, b []string) bool {
	return subset(a, b) && subset(b, a)
}

func subset(a, b []string) bool {
	for _, s := range a {
		if !slices.Contains(b, s) {
			return false
		}
	}
	return true
}
