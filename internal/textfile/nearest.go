package textfile

import (
	"strings"
	"unicode/utf8"
)

// NearestWord returns the one of known that is spelled most like word, and "" when none is near. The
// first of several that are equally near is taken.
func NearestWord(word string, known []string) string {
	folded := []rune(loose(word))
	if len(folded) == 0 || len(folded) > 64 {
		return ""
	}
	best, nearest := len(folded)/3+1, ""
	for _, k := range known {
		if n := utf8.RuneCountInString(k); n > len(folded)+best || n+best < len(folded) {
			continue
		}
		if d := EditDistance(folded, []rune(loose(k))); d < best {
			best, nearest = d, k
			if d == 0 {
				break
			}
		}
	}
	return nearest
}

// loose takes from a word what people mistake in keys.
func loose(word string) string {
	return strings.Map(func(ch rune) rune {
		if ch == '-' || ch == ' ' {
			return '_'
		}
		return ch
	}, strings.ToLower(word))
}

// EditDistance is how many elements must be changed, added, left out or swapped with their neighbour to make b of a: letters of a word, or words of a text.
func EditDistance[E comparable](a, b []E) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	before, above, row := rows[0], rows[1], rows[2]
	for j := range above {
		above[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			change := above[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
