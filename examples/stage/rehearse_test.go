package stage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nectar-bot/nectar/examples/stage"
)

const transcript = "// Command x is polite.\n//\n//\t$ go run x\n//\tana      hello\n//\tbot  →   ana: a polite answer to hello\n//\n// More words.\npackage main\n\n//\tnot this\n"

func TestRehearse(t *testing.T) {
	for name, c := range map[string]struct {
		top  string
		word string
		want []string // in the error; none: there is none
	}{
		"as documented":      {transcript, "polite", nil},
		"documented wrongly": {strings.Replace(transcript, "polite answer", "rude answer", 1), "polite", []string{"documents:\nana      hello\nbot  →   ana: a rude", "this happened:\nana      hello\nbot  →   ana: a polite"}},
		"nothing documented": {"package main\n", "polite", []string{"documents:\nbut this happened:\nana      hello\n"}},
		"not as expected":    {transcript, "rude", []string{`step 2, ana expects "rude"`, "after:\nana      hello\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(c.top), 0o600); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				err := stage.Rehearse(t.Context(), show(c.word), file)
				if (err == nil) != (c.want == nil) {
					t.Fatal(err)
				}
				for _, want := range c.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q does not contain %q", err, want)
					}
				}
			})
		})
	}
}

func TestRehearseWithoutAFile(t *testing.T) {
	if err := stage.Rehearse(t.Context(), show("polite"), "nowhere.go"); err == nil || !strings.HasPrefix(err.Error(), "read the transcript: ") {
		t.Error(err)
	}
}
