package text_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/internal/textfile"
)

var update = flag.Bool("update", false, "write the reports of testdata anew")

// Each file of testdata has a trap or a mistake, and beside it stands what the checker says.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("../../internal/textfile/testdata/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if _, err := report(name, src).WriteTo(&got); err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(path, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// report checks a file.
func report(name string, src []byte) textfile.Report {
	f, problems := textfile.Parse(name, src)
	problems = append(problems, f.Decode(new(everything))...)
	return textfile.Report{Files: 1, Problems: problems}
}
