package simulate_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// trace is what happened in a run, for comparing two of them and for reading.
type trace struct {
	begin time.Time

	mu    sync.Mutex
	lines []line
}

type line struct {
	at   time.Duration
	text string
}

func (t *trace) add(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line{time.Since(t.begin), fmt.Sprintf(format, args...)})
}

// String returns the lines in the order of time. Those of one instant have no order of their own.
func (t *trace) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortStableFunc(t.lines, func(a, b line) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.text, b.text)) })
	var b strings.Builder
	for _, l := range t.lines {
		fmt.Fprintf(&b, "%16.9f %s\n", l.at.Seconds(), l.text)
	}
	return b.String()
}

// firstDifference returns where two decision records part, with the lines before.
func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("after\n%s\none run says\n%s\nanother\n%s", strings.Join(as[max(0, i-8):i], "\n"),
				strings.Join(as[i:min(i+3, len(as))], "\n"), strings.Join(bs[i:min(i+3, len(bs))], "\n"))
		}
	}
	return fmt.Sprintf("one run has %d lines, another %d", len(as), len(bs))
}
