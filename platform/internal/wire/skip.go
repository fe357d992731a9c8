package wire

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth bounds how deep values nest; answers of the platform nest less than ten deep.
const maxDepth = 100

// Skip returns the index behind the JSON value that begins at b[i], or -1 if no whole one does.
func Skip(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		end, _ := skipString(b, i)
		return end
	case '{', '[':
		return skipNested(b, i, depth)
	case 't':
		return skipWord(b, i, "true")
	case 'f':
		return skipWord(b, i, "false")
	case 'n':
		return skipWord(b, i, "null")
	default:
		return skipNumber(b, i)
	}
}

// skipNested skips an object or an array.
func skipNested(b []byte, i, depth int) int {
	if depth >= maxDepth {
		return -1
	}
	keyed, closing := b[i] == '{', ClosingOf(b[i])
	i = SkipSpaces(b, i+1)
	if i < len(b) && b[i] == closing {
		return i + 1
	}
	for {
		if keyed {
			if _, i = readKey(b, i); i < 0 {
				return -1
			}
		}
		if i = Skip(b, i, depth+1); i < 0 {
			return -1
		}
		if i = SkipSpaces(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case closing:
			return i + 1
		case ',':
			i = SkipSpaces(b, i+1)
		default:
			return -1
		}
	}
}

// readKey returns the key that begins at b[i], and the index of the value behind it, or -1.
func readKey(b []byte, i int) (key []byte, at int) {
	if i >= len(b) || b[i] != '"' {
		return nil, -1
	}
	end, escaped := skipString(b, i)
	if end < 0 {
		return nil, -1
	}
	colon := SkipSpaces(b, end)
	if colon >= len(b) || b[colon] != ':' {
		return nil, -1
	}
	if at = SkipSpaces(b, colon+1); at >= len(b) {
		return nil, -1
	}
	key = b[i+1 : end-1]
	if escaped {
		key = appendUnescaped([]byte{}, key)
	}
	return key, at
}

// Eight bytes of the same kind, to look at eight characters of a string at once.
const (
	lowBits     = 0x0101010101010101
	highBits    = 0x8080808080808080
	quotes      = lowBits * '"'
	backslashes = lowBits * '\\'
)

// skipString returns the index behind the string that begins at b[i], or -1, and whether there may be
// escapes in it. What else stands in it is not checked: reading it repairs it.
func skipString(b []byte, i int) (end int, escaped bool) {
	first := i + 1
	var seen uint64
	for i = first; i < len(b); i++ {
		for i+8 <= len(b) {
			word := binary.LittleEndian.Uint64(b[i:])
			// A byte that becomes 0 by the exclusive or is found by the borrow of the subtraction.
			quote, back := word^quotes, word^backslashes
			seen |= (back - lowBits) &^ back & highBits
			if found := (quote - lowBits) &^ quote & highBits; found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		if i == len(b) {
			break
		}
		switch b[i] {
		case '\\':
			seen = 1
		case '"':
			if seen == 0 || !isEscaped(b[first:i]) {
				return i + 1, seen != 0
			}
		}
	}
	return -1, false
}

// isEscaped reports whether what follows text belongs to it: behind an odd number of backslashes.
func isEscaped(text []byte) bool {
	n := len(text)
	for n > 0 && text[n-1] == '\\' {
		n--
	}
	return (len(text)-n)%2 == 1
}

func skipWord(b []byte, i int, word string) int {
	if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
		return i + len(word)
	}
	return -1
}

// skipNumber skips a number. Its form is not checked: reading it does that.
func skipNumber(b []byte, i int) int {
	first := i
	for i < len(b) {
		switch c := b[i]; {
		case '0' <= c && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			i++
		default:
			if i == first {
				return -1
			}
			return i
		}
	}
	return -1 // a number always stands inside something
}

// ClosingOf returns the end of what a brace or a bracket begins; in ASCII the pairs are two apart.
func ClosingOf(opening byte) byte { return opening + 2 }

// SkipSpaces returns the index behind white space. Other control characters between values count as such.
func SkipSpaces(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	return i
}

// IsDigits reports whether b is a number without a sign.
func IsDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}
