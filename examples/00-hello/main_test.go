package main

import (
	"os"
	"strings"
	"testing"
)

// asHello in the environment makes this test binary the example itself.
const asHello = "HELLO_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asHello) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestItTakesNoMoreThan15Lines(t *testing.T) {
	src, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(src)) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "//") {
			lines++
		}
	}
	if lines > 15 {
		t.Errorf("it takes %d lines", lines)
	}
}
