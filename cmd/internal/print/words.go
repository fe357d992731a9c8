package print

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// WrapText cuts a text into lines of at most width columns, between words where there are any.
func WrapText(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && TextWidth(line)+1+TextWidth(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
		for TextWidth(line) > width {
			head := (&runewidth.Condition{}).Truncate(line, width, "")
			if head == "" { // a single character is wider than the line
				break
			}
			lines, line = append(lines, head), line[len(head):]
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// mostWords is how many words of a text are compared; longer ones are told apart as a whole.
const mostWords = 1000

// MarkedWords marks the words in which two texts differ: [-removed words-] and {+new words+}.
func MarkedWords(was, is string) (string, string) {
	old, fresh := strings.Fields(was), strings.Fields(is)
	if was == is || len(old) > mostWords || len(fresh) > mostWords {
		return was, is
	}
	keepOld, keepFresh := common(old, fresh)
	return marked(old, keepOld, "[-", "-]"), marked(fresh, keepFresh, "{+", "+}")
}

// common tells which words belong to the longest row of words that both have, in their order.
func common(a, b []string) (inA, inB []bool) {
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := range slices.Backward(a) {
		for j := range slices.Backward(b) {
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			inA[i], inB[j] = true, true
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return inA, inB
}

// marked puts marks around words in a row that are not kept.
func marked(words []string, keep []bool, open, end string) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = word
		if keep[i] {
			continue
		}
		if i == 0 || keep[i-1] {
			out[i] = open + out[i]
		}
		if i == len(words)-1 || keep[i+1] {
			out[i] += end
		}
	}
	return strings.Join(out, " ")
}
