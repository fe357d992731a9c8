//go:build !race

package match_test

import (
	"slices"
	"testing"

	"github.com/nectar-bot/nectar/internal/language/match"
)

// The race detector makes pools forget.
func TestMatchAllocatesNothing(t *testing.T) {
	x, err := match.NewIndex([]match.Pattern{
		{AnyWord: []string{"price"}, Fuzzy: true}, {AnyPhrase: []string{"opening hours"}, NoneWord: []string{"refund"}}, {Contains: []string{"wedd"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := match.Read("What is the priiice of a weddinggg, and your opening hours?")
	into := make([]int, 0, 8)
	into = x.Match(r, into[:0])
	if !slices.Equal(into, []int{0, 1, 2}) {
		t.Fatalf("matched %v", into)
	}
	if n := testing.AllocsPerRun(200, func() { into = x.Match(r, into[:0]) }); n >= 1 {
		t.Errorf("Match allocates %v times", n)
	}
}
