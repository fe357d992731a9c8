package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkValue executes a statement with a text and a number.
func BenchmarkValue(b *testing.B) {
	for _, size := range []int{20, 400, 4000} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "bench.db")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				b.Fatal(err)
			}
			c, err := Open(path, []string{"synchronous(OFF)"})
			if err != nil {
				b.Fatal(err)
			}
			s, err := c.Prepare(`SELECT 1 WHERE ?1 = 'x' AND ?2 = 7`)
			if err != nil {
				b.Fatal(err)
			}
			text := strings.Repeat("a", size)
			for b.Loop() {
				s.Str(text)
				s.Int(7)
				if _, err := s.Each(func() {}); err != nil {
					b.Fatal(err)
				}
			}
			s.Close()
			if err := c.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
