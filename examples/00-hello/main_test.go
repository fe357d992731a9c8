package main

import (
	"go/format"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/child"
)

func TestMain(m *testing.M) {
	child.Main(map[string]func(){"hello": main})
	os.Exit(m.Run())
}

func TestItIsTheProgramOfTheReadme(t *testing.T) {
	readme, program := read(t, "../../README.md"), read(t, "main.go")
	_, program, _ = strings.Cut(program, "\n") // the comment
	_, rest, _ := strings.Cut(readme, "```go\n")
	shown, _, _ := strings.Cut(rest, "```")
	formatted, err := format.Source([]byte(shown))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(formatted), program); diff != "" {
		t.Error(diff)
	}
}

func TestItTakesNoMoreThan15Lines(t *testing.T) {
	_, program, _ := strings.Cut(read(t, "main.go"), "\n")
	if lines := len(strings.FieldsFunc(program, func(r rune) bool { return r == '\n' })); lines > 15 {
		t.Errorf("it takes %d lines", lines)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
