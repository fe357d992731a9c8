package textfile_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Files that were written to do harm are refused with few words, or read as what they are.
func TestHostileFiles(t *testing.T) {
	effort.Long(t)
	for name, tc := range map[string]struct{ begin, again, says string }{
		"brackets in brackets":  {"a: ", "[", "more than 32 deep"},
		"braces in braces":      {"a: ", "{", "needs quotes"},
		"lists in lists":        {"", "- ", "more than 32 deep"},
		"an open list":          {"a: [", "x,", "more than a million parts"},
		"an open mapping":       {"a: {", "x: y,", "stands here twice"},
		"an open quote":         {`a: "`, " x", "never closed"},
		"many open quotes":      {"a:\n", "- \"x\n", "never closed"},
		"open quotes, escaped":  {"a:\n", "- \"\\\"\n", "never closed"},
		"empty lines in quotes": {`a: "`, "  \n", "never closed"},
		"open brackets":         {"a:\n", "- [x\n", "never closed"},
		"the same key":          {"", "a: b\n", "stands here twice"},
		"marks":                 {"a:\n", "- &x\n", "not known here"},
		"copies":                {"a: &a [x]\nb:\n", "- *a\n", "not known here"},
		"lines without a key":   {"a: \"b\"\n", "x\n", "no key on this line"},
		"dashes":                {"", "-", "must begin with keys"},
		"colons":                {"", "a: ", "needs quotes"},
		"empty items":           {"a:\n", "-\n", "more than a million parts"},
		"empty lines":           {"", "\n", "the file is empty"},
		"spaces":                {"", " ", "the file is empty"},
	} {
		if effort.Few() && len(name)%3 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			src := tc.begin + strings.Repeat(tc.again, (3<<20)/len(tc.again))
			got := problemsOf([]byte(src))
			if len(got) == 0 || len(got) > 400 || !strings.Contains(got.Error(), tc.says) {
				t.Errorf("want some problems that say %q, got %d: %.200s", tc.says, len(got), got.Error())
			}
		})
	}
}

func TestLargeFiles(t *testing.T) {
	if _, problems := textfile.Parse("a.yaml", make([]byte, textfile.MaxFile+1)); len(problems) != 1 || !strings.Contains(problems[0].Text, "larger than 8 MB") {
		t.Error("of a file that is too large:", problems)
	}
	long := "a: |\n" + strings.Repeat("  a line\n", (textfile.MaxFile-10)/9)
	f, problems := textfile.Parse("a.yaml", []byte(long))
	if got := f.Get("a").String(); len(problems) > 0 || got != strings.Repeat("a line\n", len(got)/7) {
		t.Error("a long text:", problems, len(got))
	}
}
