//go:build unix

package cmd

import (
	"bytes"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

var (
	crowdSize = flag.Int("accounts", 10_000, "accounts of BenchmarkCrowd")
	crowdFew  = flag.Int("open", 500, "one account in so many has something open of a kind, in BenchmarkCrowd")
)

// crowdCommands are what people ask, of which nothing is about one account alone.
func crowdCommands(w *multitude) [][]string {
	number := func(i, n int) string { return fmt.Sprintf("message:%d", 1000*i+n+1) }
	last := w.accounts - 1
	return [][]string{
		{"events"},
		{"events", "--quarantined"},
		{"events", "--pending"},
		{"events", "--outcome", "handled"},
		{"events", "--peer", fmt.Sprintf("@person%d", 100*last+1)},
		{"outbox"},
		{"outbox", "--needs-approval"},
		{"outbox", "--due"},
		{"outbox", "--peer", fmt.Sprint(100*last + 1)},
		{"why", number(last, 0)},
		{"why", number(last, 0) + "/rules/0"},
		{"why", "message:999999999"},
		{"conversations"},
		{"conversations", "--taken-over"},
		{"conversations", "show", fmt.Sprintf("@person%d", 100*last+1)},
		{"lists"},
		{"lists", "leads"},
		{"notices"},
		{"summary"},
		{"pause"},
		{"accounts"},
		{"rules"},
		{"campaigns"},
		{"replay", "--since", "1h", w.rules},
		{"forget", "--list-ignored"},
		{"outbox", "--account", string(w.name(last))},
		{"events", "--account", string(w.name(last))},
	}
}

// BenchmarkCrowd is what a command costs beside many accounts, with the start of its process left out.
func BenchmarkCrowd(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		benchCrowd(b, newCrowd(b, "sqlite:"+filepath.Join(b.TempDir(), "nectar.db"), *crowdSize, *crowdFew, time.Now()))
	})
	b.Run("postgres", func(b *testing.B) {
		s := pgtest.New(b)
		benchCrowd(b, newCrowd(b, s.URL(""), *crowdSize, *crowdFew, time.Now()))
	})
}

func benchCrowd(b *testing.B, w *multitude) {
	b.Helper()
	for _, args := range crowdCommands(w) {
		b.Run(strings.ReplaceAll(strings.Join(args, "_"), w.rules, "rules"), func(b *testing.B) {
			lines := 0
			for b.Loop() {
				var out, err bytes.Buffer
				sh := cli.Shell{Args: args, Environ: w.environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err}
				if status := execute(b.Context(), sh); status == cli.ExitUsage || out.Len() == 0 && !strings.HasSuffix(args[len(args)-1], "999999999") {
					b.Fatalf("status %d: %s%s", status, &out, &err)
				}
				lines = bytes.Count(out.Bytes(), []byte("\n"))
			}
			b.ReportMetric(float64(lines), "lines")
		})
	}
}
