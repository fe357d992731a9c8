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

func TestRate(t *testing.T) {
	for text, want := range map[string]float64{
		"1000/s": 1000, "60/m": 1, "1800/h": 0.5, "20": 20, "0.5": 0.5, "1e3/s": 1000, "1000000": 1_000_000,
		"": -1, "/s": -1, "0": -1, "-1/s": -1, "5/": -1, "5/d": -1, "5/s/s": -1, "5 /s": -1, "x": -1, "NaN": -1, "Inf/s": -1, "1000001": -1,
	} {
		r := cli.Rate(-1)
		err := r.Set(text)
		if float64(r) != want || (err == nil) != (want >= 0) {
			t.Errorf("%q: got %v, %v", text, float64(r), err)
		}
		again := cli.Rate(-1)
		if err == nil && (again.Set(r.String()) != nil || again != r) {
			t.Errorf("%q is printed as %q", text, r.String())
		}
	}
}
