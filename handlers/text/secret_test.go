package text_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// What is told of a file with secrets is the same whatever its letters and digits are, so it shows none of them.
func TestSecretFilesAreNotRepeated(t *testing.T) {
	paths, err := filepath.Glob("../../internal/textfile/testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(content, `\`) {
			continue // behind it stands not any letter
		}
		_, problems := textfile.ParseSecret("a.yaml", content)
		others := bytes.Clone(content)
		for i, c := range others {
			others[i] = another(c)
		}
		_, same := textfile.ParseSecret("a.yaml", others)
		if got, want := same.Error(), problems.Error(); got != want {
			t.Errorf("%s:\n%s\nwith other letters:\n%s", path, want, got)
		}
		told += len(problems)
	}
	if told < 60 {
		t.Errorf("only %d problems were looked at", told)
	}
}

func TestPartsOfASecretFileAreNotRepeated(t *testing.T) {
	file, problems := textfile.ParseSecret("a.yaml", []byte("text: {hunter2: x}\nnumber: hunter2\nhunter2: x\n"))
	problems = append(problems, file.Decode(new(everything))...)
	if len(problems) < 3 || strings.Contains(problems.Error(), "hunter2") {
		t.Error(problems)
	}
}

// another returns the next letter or digit.
func another(ch byte) byte {
	switch {
	case ch == 'z' || ch == 'Z':
		return ch - 25
	case ch == '9':
		return '1'
	case ch >= 'a' && ch < 'z' || ch >= 'A' && ch < 'Z' || ch >= '1' && ch < '9':
		return ch + 1
	default:
		return ch
	}
}

func TestWhatIsSaidOfASecretFile(t *testing.T) {
	for src, want := range map[string]string{
		"password: !tag hunter2\n":                   "1: a text that starts with ! needs quotes",
		"password: !!str hunter2\n":                  "1: a text that starts with ! needs quotes",
		"password: &hunter2\n":                       "1: this would mark this place to be copied elsewhere, which is not known here: write it out, or put quotes around the text",
		"a: b\npassword: *hunter2\n":                 "2: this would copy what stands elsewhere, which is not known here: write it out, or put quotes around the text",
		"password: hunter2: x\n":                     `1: a text with ": " needs quotes`,
		"password:hunter2\n":                         "1: put a space after the colon",
		"password: 'hunter2\n":                       "1: a text that starts with ' needs \" around it, or a ' at its end",
		"password: \"hunter2\n":                      "1: the quote that opens here is never closed: put \" at the end of the text",
		"password: 'hunter2' hunter2\n":              "1: the text goes on behind its closing quote: put other quotes around all of it",
		"password: \"\\hunter2\"\n":                  `1: between double quotes \ begins a special character, and \… is none: put single quotes around the text, or write \\`,
		"a: {password: hunter2 {\n":                  "1: a text with { needs quotes here",
		"hunter2: x\nhunter2: y\n":                   "2: this stands here twice: on line 1 too. Keep one",
		"hunter2\n":                                  "1: the file must begin with keys, such as name: FAQ answers, not with …",
		"a: b\n---\nc: d\n":                          "2: --- begins another document: a file holds one. Delete the line, or make two files",
		"a: b\n  hunter2: c\n":                       "2: this line is indented more than line 1, so it would go on with its text: indent it like line 1, or put quotes around the whole text",
		"a:\n    b: c\n  hunter2: d\n":               "3: this line is indented by 2 spaces, like no line above that it could belong to",
		"a: [x, 'hunter2' hunter2]\n":                "1: there is a comma missing in front of …, or quotes around the text",
		"<<: hunter2\n":                              "1: << would copy what stands elsewhere, which is not known here: write it out",
		"a: \x01hunter2\n":                           "1: there is an invisible character here (U+0001): delete it",
		"? hunter2\n":                                "1: a line cannot start with ?: put quotes around the text",
		"a: b\nhunter2\n":                            "2: there is no key on this line. A text of several lines needs quotes around all of it",
		"a: >x hunter2\n":                            "1: a text that starts with > needs quotes",
		"a: - hunter2\n":                             "1: a list begins on the line below its key, and a text that starts with - needs quotes",
		"%YAML hunter2\n":                            "1: lines that start with % are not known here: delete the line",
		"a: [hunter2\n":                              "1: the bracket that opens here is never closed: put ] at the end",
		"a: \"x\n  y\" hunter2\n":                    "1: the quote that opens here is closed in the middle of line 2: put a quote at the end of the text",
		"a:\n  -hunter2: c\n":                        "2: put a space after the dash: - …:",
		"a: hunter2\n\tb: c\n":                       "2: there is a tab in front of this line: use spaces",
		"a: [b]hunter2 [\n":                          "1: a text that starts with [ needs quotes",
		strings.Repeat(" ", textfile.MaxFile) + "hu": " the file is larger than 8 MB, which nobody has written by hand: split it",
	} {
		_, problems := textfile.ParseSecret("a.yaml", []byte(src))
		if len(problems) == 0 {
			t.Errorf("%.40q is read", src)
			continue
		}
		if got := strings.TrimPrefix(problems[0].String(), "a.yaml:"); got != want {
			t.Errorf("%.40q:\ngot  %s\nwant %s", src, got, want)
		}
	}
}
