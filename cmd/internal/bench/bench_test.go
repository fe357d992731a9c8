package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What docs/performance.md, its pictures and README.md show is what was measured.
func TestPagesShowWhatWasMeasured(t *testing.T) {
	t.Parallel()
	pages, err := renderPages("../../../docs/performance")
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < len(questions)+2 {
		t.Errorf("only %d files were looked at", len(pages))
	}
	for path, want := range pages {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s shows something else than was measured (%v): go run ./cmd/internal/bench pages docs/performance", path, err)
		}
	}
}

// record is a file of what was measured, in a test: two cases of two runs, of which one does not tell what was written.
const record = `{
  "question": "Which is <quicker>?", "machine": "linux/amd64, 2 cores, go1.26.8", "day": "2026-11-30", "figures": ["replies_per_second", "written_bytes_per_reply"],
  "cases": [
    {"name": "this", "flags": "--messages 5", "commit": "abc", "short": true, "runs": [
      {"replies_per_second": 7912.4, "written_bytes_per_reply": 15141}, {"replies_per_second": 8104.2, "written_bytes_per_reply": 15141.7}]},
    {"name": "that", "flags": "--bare", "commit": "abc", "runs": [{"replies_per_second": 19349}, {"replies_per_second": 18111}]}
  ]
}`

func recordFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "speed.json")
	if err := os.WriteFile(path, []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A table has the middle of the runs, how far they go, and the command.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "| | replies/s | written per reply, bytes | `nectar demo --json …` |\n|---|---:|---:|---|\n" +
			"| this | 8,010 (7,910–8,100) | 15,100 | `--messages 5` |\n| that | 18,700 (18,100–19,300) | – | `--bare` |\n" +
			"\nMeasured on 2026-11-30 (linux/amd64, 2 cores, go1.26.8): medians; runs of each: 2.\n"},
		{[]string{"--short"}, "| | replies/s | written per reply, bytes | `nectar demo --json …` |\n|---|---:|---:|---|\n| this | 8,010 | 15,100 | `--messages 5` |\n"},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), append([]string{"table", recordFile(t)}, test.args...), &out, io.Discard); err != nil || out.String() != test.want {
			t.Errorf("%v: %v\n%s\nwant\n%s", test.args, err, out.String(), test.want)
		}
	}
}

// A picture is well-formed, has a bar for each median, a line where runs differ, and words where something is not known.
func TestDraw(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"draw", recordFile(t)}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	picture := out.String()
	if err := xml.Unmarshal(out.Bytes(), new(struct{})); err != nil {
		t.Errorf("%v in\n%s", err, picture)
	}
	for part, times := range map[string]int{`class="bar"`: 3, `class="spread"`: 3, ">8,010<": 1, ">–<": 1, "Which is &lt;quicker&gt;?": 2} {
		if n := strings.Count(picture, part); n != times {
			t.Errorf("%s is there %d times, want %d\n%s", part, n, times, picture)
		}
	}
}
