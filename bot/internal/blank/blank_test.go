package blank_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/blank"
	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " ": "", "a b": "a b", " a b ": "a b", "a  b": "a b", "a\n\tb": "a b", "a\u00a0b\u2003": "a b", "a\xffb": "a\uFFFDb", "a\uFFFDb": "a\uFFFDb",
	} {
		if got := blank.FoldSpace(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	part := rapid.SampledFrom([]string{"a", "é", "日", "👍", " ", "  ", "\n", "\u00a0", "\u200b", "\xff", "\xe6\x97", "\uFFFD"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), "")
		if got, want := blank.FoldSpace(text), strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " "); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	})
}

// What stands so already costs nothing.
func TestFoldOfFoldedTextAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { blank.FoldSpace("¿Qué días abren? 12 €") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
