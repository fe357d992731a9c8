package stage

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Rehearse plays a show and compares what happens with the transcript in the comment at the top of a
// Go file: its indented lines, without those that begin with "$".
func Rehearse(ctx context.Context, show Show, file string) error {
	want, err := documented(file)
	if err != nil {
		return err
	}
	var played strings.Builder
	if err := show.play(ctx, &played, true); err != nil {
		return fmt.Errorf("%w, after:\n%s", err, played.String())
	}
	if got := played.String(); got != want {
		return fmt.Errorf("%s documents:\n%sbut this happened:\n%s", file, want, got)
	}
	return nil
}

// documented returns the transcript at the top of a Go file.
func documented(file string) (string, error) {
	src, err := os.ReadFile(file) //nolint:gosec // a test names the file
	if err != nil {
		return "", fmt.Errorf("read the transcript: %w", err)
	}
	var transcript strings.Builder
	for line := range strings.Lines(string(src)) {
		if !strings.HasPrefix(line, "//") {
			break
		}
		if said, ok := strings.CutPrefix(line, "//\t"); ok && !strings.HasPrefix(said, "$") {
			transcript.WriteString(said)
		}
	}
	return transcript.String(), nil
}
