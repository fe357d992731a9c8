package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// TextID is an id that a text of a campaign gets.
type TextID struct {
	Line         int
	ID, Campaign string
	Words        string // of the text
}

// errTextPlace is why a text cannot get an id as it is written.
var errTextPlace = errors.New("write texts one below the other, each behind a dash, without brackets around them")

// WithTextIDs returns a rule file in which each text of its campaigns has an id, and the ids that are new. Nothing else is another in it.
// The error says which text cannot get one, and what to write instead.
func WithTextIDs(name string, src []byte) ([]byte, []TextID, error) {
	before, problems := textfile.Parse(name, src)
	if bad := problems.Errors(); len(bad) > 0 {
		return nil, nil, bad
	}
	ids := missingIDs(before)
	f := newLineFile(src)
	for i := len(ids) - 1; i >= 0; i-- { // from the last one on: the lines before stay where they are
		if !f.nameItem(&ids[i]) {
			return nil, nil, fmt.Errorf("%s, line %d: %q cannot get an id: %w", name, ids[i].Line, ids[i].Words, errTextPlace)
		}
	}
	patched := bytes.Join(f.lines, nil)
	// Read once more: how YAML reads lines that somebody else has written is a guess, and a wrong one would change what is published.
	after, problems := textfile.Parse(name, patched)
	if len(problems.Errors()) > 0 || !isNamedCopy(before, after) {
		return nil, nil, fmt.Errorf("%s: its texts cannot get ids without changing what else stands there: %w", name, errTextPlace)
	}
	return patched, ids, nil
}

// missingIDs returns the ids that texts get, in the order of the file.
func missingIDs(f textfile.Node) (ids []TextID) {
	for _, c := range f.Get("campaigns").Items() {
		texts, taken := c.Get("texts").Items(), map[string]bool{}
		for _, item := range slices.Concat(texts, c.Get("slots").Items()) {
			taken[item.Get("id").String()] = true
		}
		for _, item := range texts {
			if item.Kind() != textfile.Scalar {
				continue
			}
			id := freeID(item.String(), taken)
			taken[id] = true
			ids = append(ids, TextID{Line: item.At().Line, ID: id, Campaign: c.Get("id").String(), Words: item.String()})
		}
	}
	return ids
}

// freeID makes an id of the first words of a text.
func freeID(words string, taken map[string]bool) string {
	const mostWords, mostLetters = 3, 32
	parts := strings.FieldsFunc(strings.ToLower(words), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	letters := []rune(strings.Join(parts[:min(len(parts), mostWords)], "-"))
	id := string(letters[:min(len(letters), mostLetters)])
	switch id {
	case "":
		id = "text"
	case "yes", "no", "y", "n", "on", "off", "true", "false", "null": // YAML reads them as something else
		id = "text-" + id
	}
	for n, free := 2, id; ; n++ {
		if !taken[free] {
			return free
		}
		free = fmt.Sprintf("%s-%d", id, n)
	}
}

// nameItem writes an id in front of a text that stands behind a dash; false where it does not.
func (f *lineFile) nameItem(t *TextID) bool {
	i := t.Line - 1
	dash, said, _ := f.readIndent(i)
	if !isItem(said) || len(said) < 3 {
		return false
	}
	line := f.lines[i]
	behind := bytes.TrimLeft(line[dash+1:], " ")
	in := len(line) - len(behind) // the column of what stands behind the dash
	f.lines[i] = slices.Concat(line[:in], fmt.Appendf(nil, "id: %s%s%stext: ", t.ID, f.eol, strings.Repeat(" ", in)), behind)
	for i++; i < len(f.lines); i++ {
		at, _, blank := f.readIndent(i)
		switch {
		case blank:
		case at <= dash:
			return true
		default: // it goes on, and has to stand farther in than its key
			f.lines[i] = slices.Concat(bytes.Repeat([]byte(" "), in-dash), f.lines[i])
		}
	}
	return true
}

// isNamedCopy reports whether a file reads as before, but for texts that have an id now.
func isNamedCopy(before, after textfile.Node) bool {
	if before.Kind() == textfile.Scalar && after.Kind() == textfile.Mapping {
		pairs := after.Pairs()
		return len(pairs) == 2 && pairs[0].Key.String() == "id" && pairs[1].Key.String() == "text" && pairs[1].Value.String() == before.String()
	}
	was, is := before.Pairs(), after.Pairs()
	return before.Kind() == after.Kind() && before.String() == after.String() && slices.EqualFunc(before.Items(), after.Items(), isNamedCopy) &&
		slices.EqualFunc(was, is, func(a, b textfile.Pair) bool {
			return a.Key.String() == b.Key.String() && isNamedCopy(a.Value, b.Value)
		})
}
