package simulate_test

import (
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// ofKind returns the entries of some kinds.
func ofKind(entries []emulator.Entry, kinds ...emulator.EntryKind) []emulator.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e emulator.Entry) bool { return !slices.Contains(kinds, e.Kind) })
}

// whatIsSaid returns what entries say.
func whatIsSaid(entries []emulator.Entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Text
	}
	return all
}

// inOrder tells what of got is not wanted, comes twice, or comes before what is wanted earlier. No text
// is wanted twice.
func inOrder(wanted, got []string) (wrong []string) {
	last := -1
	for _, text := range got {
		at := slices.Index(wanted, text)
		switch {
		case at < 0:
			wrong = append(wrong, fmt.Sprintf("not due: %q", text))
		case at <= last:
			wrong = append(wrong, fmt.Sprintf("doubled, or out of order: %q", text))
		}
		last = max(last, at)
	}
	return wrong
}

// missing tells what is wanted and did not come.
func missing(wanted, got []string) (wrong []string) {
	for _, text := range wanted {
		if !slices.Contains(got, text) {
			wrong = append(wrong, fmt.Sprintf("lost: %q", text))
		}
	}
	return wrong
}
