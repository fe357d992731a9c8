package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// The words that editors offer are those that are read: a new one has to be told in both places.
func TestWords(t *testing.T) {
	reads[decision.Status](t)
	reads[grammar.When](t)
	reads[grammar.HeldReason](t)
	reads[grammar.InQuiet](t)
	reads[grammar.OpenClosed](t)
	reads[grammar.IfRefused](t)
	reads[grammar.Expected](t)
	reads[grammar.ExpectKind](t, string(grammar.ExpectChoices)) // which are written with their texts
	reads[grammar.Doing](t)
	reads[grammar.Apply](t)
	reads[grammar.Turns](t)
}

// reads compares the words of a type with those that the reader names where none of them stands; of some it has more to say.
func reads[T ~string](t *testing.T, apart ...string) {
	t.Helper()
	var dst struct {
		Value T `text:"value"`
	}
	f, problems := textfile.Parse("a.yaml", []byte("value: []\n"))
	if problems = append(problems, f.Decode(&dst)...); len(problems) != 1 {
		t.Fatalf("%T: %v", dst.Value, problems)
	}
	named := strings.TrimSuffix(strings.TrimPrefix(problems[0].Text, "write one of "), " here")
	read := slices.DeleteFunc(strings.Split(named, ", "), func(w string) bool { return slices.Contains(apart, w) })
	var offered []string
	for _, w := range wordsOf(reflect.TypeFor[T]()) {
		offered = append(offered, fmt.Sprint(w))
	}
	if diff := cmp.Diff(read, offered); diff != "" {
		t.Errorf("%T: what is read, and what editors offer:\n%s", dst.Value, diff)
	}
}
