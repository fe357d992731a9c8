package match_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/internal/language/match"
)

// message is what people write to a bakery, of usual length.
const message = "Hello there! Could you please tell me what the price of the big box is, and when do you open on Saturday? Thanks a lot"

// vocabulary draws words that look like words.
func vocabulary(n int) []string {
	rnd := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("ba be bo ca ce co da de do fa fe fo ga go ha he ho la le lo ma me mo na ne no pa pe po ra re ro sa se so ta te to va ve vo")
	words := make([]string, n)
	for i := range words {
		for range 2 + rnd.IntN(3) {
			words[i] += syllables[rnd.IntN(len(syllables))]
		}
		words[i] += string(rune('a' + rnd.IntN(26)))
	}
	return words
}

// kinds are the ways in which patterns can look for something.
func kinds() []struct {
	name string
	make func(i int, w []string) match.Pattern
} {
	words := func(i int, w []string) match.Pattern {
		return match.Pattern{AnyWord: w[3*i : 3*i+2], NoneWord: []string{"refund", "angry"}}
	}
	phrases := func(i int, w []string) match.Pattern {
		return match.Pattern{AnyPhrase: []string{w[3*i] + " the " + w[3*i+1], "when do you " + w[3*i+2]}}
	}
	contains := func(i int, w []string) match.Pattern {
		return match.Pattern{Contains: []string{w[3*i], w[3*i+1] + " " + w[3*i+2]}}
	}
	matches := func(i int, w []string) match.Pattern {
		return match.Pattern{Matches: []string{`\b` + w[3*i] + `\w*\s+(` + w[3*i+1] + `|` + w[3*i+2] + `)\b`}}
	}
	return []struct {
		name string
		make func(i int, w []string) match.Pattern
	}{
		{"words", words},
		{"phrases", phrases},
		{"contains", contains},
		{"patterns", matches},
		{"mixed", func(i int, w []string) match.Pattern {
			return []func(int, []string) match.Pattern{words, phrases, contains}[i%3](i, w)
		}},
		{"fuzzy", func(i int, w []string) match.Pattern {
			return match.Pattern{AnyWord: w[3*i : 3*i+2], Fuzzy: true}
		}},
	}
}

// build returns n patterns of a kind, and two that hold for the message.
func build(b *testing.B, n int, kind func(i int, w []string) match.Pattern) []match.Pattern {
	b.Helper()
	w := vocabulary(3 * n)
	patterns := make([]match.Pattern, n, n+2)
	for i := range patterns {
		patterns[i] = kind(i, w)
	}
	return append(patterns, match.Pattern{AnyWord: []string{"price"}}, match.Pattern{AnyPhrase: []string{"when do you open"}})
}

func BenchmarkMatch(b *testing.B) {
	for _, kind := range kinds() {
		for _, n := range []int{10, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s-%d", kind.name, n), func(b *testing.B) {
				x, err := match.NewIndex(build(b, n, kind.make))
				if err != nil {
					b.Fatal(err)
				}
				r := match.Read(message)
				var into []int
				b.ReportAllocs()
				for b.Loop() {
					into = x.Match(r, into[:0])
				}
				if len(into) < 2 {
					b.Fatalf("matched %v", into)
				}
			})
		}
	}
}

func BenchmarkNewIndex(b *testing.B) {
	for _, kind := range kinds() {
		b.Run(kind.name+"-10000", func(b *testing.B) {
			patterns := build(b, 10_000, kind.make)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := match.NewIndex(patterns); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, text := range []struct{ name, text string }{
		{"English", message},
		{"French", strings.Repeat("À quelle heure êtes-vous ouverts le samedi ? ", 3)},
		{"Japanese", strings.Repeat("明日は営業していますか。", 4)},
	} {
		b.Run(text.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				match.Read(text.text)
			}
		})
	}
}
