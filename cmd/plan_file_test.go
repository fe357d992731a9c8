package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A table takes the place of one that was written before, and of nothing else: a slip of a name costs nobody a rule file.
func TestPlanTakesThePlaceOfNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const file = springFiles + "/40-spring-reposts.yaml"
	rule, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, name, content, want string }{
		{"--csv", "40-spring.yaml", string(rule), "it is there, and is no table of a plan: name another file"},
		{"--ics", "41-spring.yaml", string(rule), "it is there, and is no calendar that can be brought up to date: name another file"},
		{"--csv", "spring.ics", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", "is no table of a plan"},
		{"--csv", "prices.csv", "item,price\r\nbox,12\r\n", "is no table of a plan"},
		{"--csv", "empty.csv", "", ""},
		{"--csv", "none.csv", "none", ""},
	} {
		path := filepath.Join(dir, c.name)
		if c.content != "none" {
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := planned(t, beforeSpring, "plan", file, c.flag, path)
		is, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			if got.status != 0 || !strings.HasPrefix(string(is), "\uFEFF"+`"account","campaign","slot",`) {
				t.Errorf("%s: %+v\n%s", c.name, got, is)
			}
			if again := planned(t, beforeSpring, "plan", file, c.flag, path); again.status != 0 {
				t.Errorf("%s a second time: %+v", c.name, again)
			}
			continue
		}
		if got.status != 1 || !strings.Contains(got.stderr, path+": ") || !strings.Contains(got.stderr, c.want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", c.name, got)
		}
		if string(is) != c.content {
			t.Errorf("%s holds %q now", c.name, is)
		}
	}
	if got := planned(t, beforeSpring, "plan", file, "--csv", dir); got.status != 1 || !strings.Contains(got.stderr, dir+": it is no ordinary file") {
		t.Errorf("%+v", got)
	}
}
