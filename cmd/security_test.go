package cmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each test that docs/security.md names exists. What a hostile platform can do has a test there, or the sentence that nothing
// can be done, or that nothing bounds it.
func TestSecurityPage(t *testing.T) {
	root := ".."
	page, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testsBelow(t, root)
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]*)`").FindAllStringSubmatch(string(page), -1)
	for _, name := range named {
		if !tests[name[1]] {
			t.Errorf("docs/security.md names %s, and there is no such test", name[1])
		}
	}
	if len(named) < 50 {
		t.Errorf("docs/security.md names only %d tests", len(named))
	}
	_, list, _ := strings.Cut(string(page), "\n## A hostile or broken platform\n")
	rows := 0
	for line := range strings.Lines(list) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || strings.HasPrefix(line, "|--") || strings.HasPrefix(line, "| it can") || strings.HasPrefix(line, "| they can") {
			continue
		}
		rows++
		if what, by := cells[2], cells[3]; !strings.Contains(by, "`") && !strings.Contains(what, "othing can be done") && !strings.Contains(what, "othing bounds") {
			t.Errorf("there is neither a test nor the sentence that nothing can be done: %s", line)
		}
	}
	if rows < 30 {
		t.Errorf("only %d rows were looked at", rows)
	}
}

// testsBelow returns the names of all tests of the project.
func testsBelow(t *testing.T, root string) map[string]bool {
	t.Helper()
	begin := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w*)\(\w+ \*testing\.[TF]\)`)
	tests := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		for _, test := range begin.FindAllSubmatch(src, -1) {
			tests[string(test[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}
