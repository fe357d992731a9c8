package cmd

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

func TestSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "30s": 30 * time.Second, "10m": 10 * time.Minute, "1h30m": 90 * time.Minute, "24h": 24 * time.Hour,
		"7d": 168 * time.Hour, "1d12h": 36 * time.Hour, "0d": 0, "7": -1, "": -1, "d": -1, "-1h": -1, "-1d": -1, "1.5d": -1, "7dx": -1, "x": -1,
	} {
		s := cli.Span(-1)
		err := s.Set(text)
		if got := time.Duration(s); got != want || (err == nil) != (want >= 0) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
		again := cli.Span(-1)
		if err == nil && (again.Set(s.String()) != nil || again != s) {
			t.Errorf("%q is printed as %q", text, s.String())
		}
	}
}
