package welcome_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page that explains plugins shows the code of this one.
func TestPageShowsThisCode(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "plugins.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(content)
	}
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllSubmatch(page, -1)
	if len(blocks) < 8 {
		t.Errorf("the page shows %d pieces of code", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(code.String(), string(b[1])) {
			t.Errorf("the page shows code that is not there:\n%s", b[1])
		}
	}
}
