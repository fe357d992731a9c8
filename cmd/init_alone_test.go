package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Whoever takes a rule out of the files that init writes is held up by no test of another one: each stands on its own.
func TestStartersStandOnTheirOwn(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile(`(?m)^  - id: (\S+)\n(?:    .*\n|\n)*`)
	for _, language := range []string{"en", "es", "pt", "fr", "de"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if got := nectar(t, "init", "--dir", dir, "--language", language, "--hours", "Mon-Fri 09:00-18:00", "--timezone", "Europe/Madrid"); got.status != 0 {
				t.Fatal(got)
			}
			rules := filepath.Join(dir, "rules")
			files, err := filepath.Glob(filepath.Join(rules, "[0-9]*.yaml"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			taken := 0
			for _, file := range files {
				whole, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				places := block.FindAllSubmatchIndex(whole, -1)
				for _, at := range places {
					left := append(append([]byte{}, whole[:at[0]]...), whole[at[1]:]...)
					if err := os.WriteFile(file, left, 0o600); err != nil {
						t.Fatal(err)
					}
					if len(places) == 1 { // nothing of the file is left
						err = os.Remove(file)
					}
					if got := nectar(t, "check", rules); err != nil || got.status != 0 {
						t.Errorf("without %s: %v, %+v", whole[at[2]:at[3]], err, got)
					}
					taken++
				}
				if err := os.WriteFile(file, whole, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if taken < 6 {
				t.Errorf("%d rules and conversations were taken out", taken)
			}
		})
	}
}
