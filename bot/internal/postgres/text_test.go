package postgres

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestOddTexts: whatever bytes a text has, PostgreSQL is given a proper one that becomes the same again, and a proper text
// stays as it is, unless it has one of the runes that stand for bytes.
func TestOddTexts(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", "é", "\x00", "\xff", "\xed\xa0\x80", "\U0010ff00", "\U0010ffff", "\U0010feff", "\xf4\x8f\xbc", "\ufffd", "\xf4", "message:1/"}
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(r, "pieces"), "")
		stored := intoText(text)
		if !utf8.ValidString(stored) || strings.Contains(stored, "\x00") {
			r.Errorf("%q is stored as %q", text, stored)
		}
		if back := FromText(stored); back != text {
			r.Errorf("%q comes back as %q", text, back)
		}
		odd := strings.ContainsFunc(text, func(c rune) bool { return c == 0 || c >= '\U0010ff00' }) || !utf8.ValidString(text)
		if !odd && stored != text {
			r.Errorf("%q is proper, and stored as %q", text, stored)
		}
	})
}
