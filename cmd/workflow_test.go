package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	usedAction   = regexp.MustCompile(`(?m)^[ -]*uses: *(.*)$`)
	pinnedAction = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	pinnedTool   = regexp.MustCompile(`(?m)^(?:linter|checker)=\S+@v\d+\.\d+\.\d+$`)
	ranTool      = regexp.MustCompile(`go (?:run|install) [^"$\n]*@(?:latest|main|master)`)
)

// A tag can be moved to another commit, also by whoever has taken over its repository; a hash cannot.
func TestActionsAreNamedByTheirHash(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range usedAction.FindAllStringSubmatch(string(content), -1) {
			looked++
			if !pinnedAction.MatchString(m[1]) {
				t.Errorf("%s: %q is no action by the hash of a commit, with the version behind it: OWNER/NAME@HASH # v1.2.3", filepath.Base(file), m[1])
			}
		}
	}
	if looked < 3 {
		t.Errorf("only %d actions were looked at", looked)
	}
}

// What .ci/run runs of others has a version, so that it says the same tomorrow.
func TestToolsHaveAVersion(t *testing.T) {
	content, err := os.ReadFile("../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(pinnedTool.FindAll(content, -1)); n != 2 {
		t.Errorf("%d tools have a version, want the linter and the checker", n)
	}
	if m := ranTool.Find(content); m != nil {
		t.Errorf("%s has no version", m)
	}
}
