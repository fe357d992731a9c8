// Package effort (nothing is promised of it) says how much the tests do of what repeats: cases that differ little, seeds, histories.
//
//	go test ./...                     a part of it, the same each time
//	NECTAR_TEST=all go test ./...     all of it, as .ci/run does before a change is taken
//	go test -race ./...               a smaller part, since each case takes five times as long: see Case, Long and Shared
//	go test -short ./...              the smallest part: of a table one case or a few, and nothing that takes long
package effort

import (
	"flag"
	"os"
	"testing"
)

// Few reports whether a part of what repeats is enough.
func Few() bool { return chosenPart() || testing.Short() }

// chosenPart is Few before flags are parsed.
func chosenPart() bool { return racing || os.Getenv("NECTAR_TEST") != "all" }

// isLeast reports whether as little as possible is enough.
func isLeast() bool { return racing || testing.Short() }

// Long leaves a test out of -short, and of what the race detector watches, that takes long and has relatives that do not.
func Long(tb testing.TB) {
	tb.Helper()
	if isLeast() {
		tb.Skip("it takes long: -short and -race leave it out")
	}
}

// Shared leaves a test out of -short that takes long. Its goroutines share much: the race detector watches it.
func Shared(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it takes long: -short leaves it out")
	}
}

// Rapid lets properties draw the same histories in each run (-rapid.seed=0 draws others), and so many where few are enough. It is for
// TestMain: what the command line says comes later.
func Rapid(few string) {
	set := map[string]string{"rapid.seed": "1"}
	if chosenPart() {
		set["rapid.checks"] = few
	}
	for name, value := range set {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}
