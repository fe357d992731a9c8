package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

const newsRules = `version: 1
timezone: Europe/Lisbon
campaigns:
  - id: news
    do: publish
    starts: 2027-03-01
    ends: 2027-03-05
    texts:
      - We are open   # as ever
      - { id: soup, text: There is soup }
    slots: [daily 09:30]
    repeat: { each_text: 3 times, gap: 1d }
`

// Texts without an id get one when somebody has seen it, in the files of a folder or in the file that is named, and nothing else changes.
func TestCheckFix(t *testing.T) {
	t.Parallel()
	const shown = "10-faq.yaml\n  line 9    id: we-are-open  We are open\n"
	want := strings.Replace(newsRules, "- We are open ", "- id: we-are-open\n        text: We are open ", 1)
	for name, c := range map[string]struct {
		answer, says, want string
		args               []string
		code               int
	}{
		"yes":           {"y\n", shown + "Write 1 id? [y/N] 1 id written.", want, nil, 0},
		"not asked":     {"", shown + "1 id written.", want, []string{"--yes"}, 0},
		"no":            {"n\n", shown, newsRules, nil, cli.ExitFailed},
		"beside --json": {"", "none of the others can be", newsRules, []string{"--json"}, cli.ExitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, one := range []bool{true, false} {
				dir := rulesIn(t, newsRules)
				path := dir
				if one {
					path = filepath.Join(dir, "10-faq.yaml")
				}
				var out strings.Builder
				sh := cli.Shell{Args: append([]string{"check", "--fix", path}, c.args...), Stdin: strings.NewReader(c.answer), Stdout: &out, Stderr: &out}
				if code := execute(t.Context(), sh); code != c.code || !strings.Contains(out.String(), c.says) {
					t.Errorf("exit %d: %s", code, out.String())
				}
				if is, err := os.ReadFile(filepath.Join(dir, "10-faq.yaml")); err != nil || string(is) != c.want {
					t.Errorf("%v: the file is\n%s", err, is)
				}
			}
		})
	}
}
