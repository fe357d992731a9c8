package match

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// expression is a regular expression that is compiled when it is needed for the first time.
type expression struct {
	source   string
	size     int
	needles  []string   // one of them is in the folded form of every text that matches; nil: not known
	others   [][]string // one of each of these is there as well
	patterns []int32
	compiled atomic.Pointer[regexp.Regexp]
}

// flags of entries of Matches.
const flags = syntax.Perl | syntax.FoldCase

func newExpression(source string) (*expression, error) {
	tree, err := syntax.Parse(source, flags)
	if err != nil {
		return nil, err
	}
	e := &expression{source: source, size: size(tree), others: required(tree)}
	if len(e.others) > 0 {
		i := best(e.others)
		e.needles = e.others[i]
		e.others = slices.Delete(e.others, i, i+1)
	}
	return e, nil
}

// isPossible reports whether what the expression cannot do without is in a folded text.
func (e *expression) isPossible(folded string) bool {
	for _, set := range e.others {
		if !slices.ContainsFunc(set, func(s string) bool { return strings.Contains(folded, s) }) {
			return false
		}
	}
	return true
}

// matchesText reports whether the expression matches a text, which is not folded.
func (e *expression) matchesText(text string) bool {
	re := e.compiled.Load()
	if re == nil {
		var err error
		// The parentheses of a source that could be parsed are in pairs.
		if re, err = regexp.Compile("(?i)" + e.source); err != nil {
			return false
		}
		e.compiled.Store(re)
	}
	return re.MatchString(text[:min(len(text), MaxMatched)])
}

// mostNeedles is how many strings are looked for in place of one expression, and how many sets of them.
const mostNeedles = 16

// required returns sets of strings. At least one string of each set is in the folded form of every text
// that the expression matches.
func required(re *syntax.Regexp) [][]string {
	switch re.Op {
	case syntax.OpLiteral:
		return literals(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var all [][]string
		for _, sub := range re.Sub {
			all = append(all, required(sub)...)
		}
		return all[:min(len(all), mostNeedles)]
	case syntax.OpAlternate:
		var either []string
		for _, sub := range re.Sub {
			sets := required(sub)
			if len(sets) == 0 {
				return nil
			}
			either = append(either, sets[best(sets)]...)
		}
		if len(either) <= mostNeedles {
			return [][]string{either}
		}
	default:
	}
	return nil
}

// best returns the index of the set whose shortest string is the longest.
func best(sets [][]string) int {
	best := 0
	for i, set := range sets {
		if shortest(set) > shortest(sets[best]) {
			best = i
		}
	}
	return best
}

func shortest(s []string) int {
	if len(s) == 0 {
		return 0
	}
	n := len(s[0])
	for _, s := range s[1:] {
		n = min(n, len(s))
	}
	return n
}

// literals returns the parts of a literal that are in the folded text wherever the literal is in the text:
// letters and digits, two at least.
func literals(runes []rune) [][]string {
	var b strings.Builder
	for _, r := range runes {
		if !stays(r) {
			b.WriteByte(' ')
			continue
		}
		folded, more := foldedLetter(r)
		b.WriteRune(folded)
		b.WriteString(more)
	}
	var parts [][]string
	for s := range strings.FieldsSeq(b.String()) {
		if utf8.RuneCountInString(s) >= 2 {
			parts = append(parts, []string{s})
		}
	}
	return parts
}

// stays reports whether a letter or digit is folded in the same way beside any other. Outside of
// Latin and Greek, where accents are dropped, it may become another letter by an accent that follows.
func stays(r rune) bool {
	switch {
	case isSilent(r) || isApostrophe(r) || composeText(string(r)) != string(r) || !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return false
	case unicode.In(r, unicode.Latin, unicode.Greek) || '0' <= r && r <= '9':
		return true
	default:
		return norm.NFC.PropertiesString(string(r)).BoundaryAfter()
	}
}

// MaxExpression is how large a regular expression of Matches may be, in steps it is made of ("a{50}" has
// 50), and MaxAlways how large those may be together that have no two letters or digits in a row that must
// be there, and are tried for every text.
const (
	MaxExpression = 1000
	MaxAlways     = 10_000
)

// size returns how large an expression is.
func size(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpRepeat:
		return min(size(re.Sub[0])*max(re.Min, re.Max, 1), 1<<30)
	default:
	}
	for _, sub := range re.Sub {
		n += size(sub)
	}
	return n
}
