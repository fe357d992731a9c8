package cmd

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// Nothing begins like a formula, wherever a spreadsheet splits.
func TestDefused(t *testing.T) {
	for value, want := range map[string]string{
		"":                       "",
		"hello; it = 3\n- no":    "hello; it = 3\n'- no",
		"=1":                     "'=1",
		" \u00a0=1":              "' \u00a0=1",
		"\uff1d1\uff0b1":         "'\uff1d1\uff0b1",
		"a;=1;\"+2;@x\t-3\r\n=4": "a;'=1;'\"+2;'@x\t'-3\n'=4",
		"a\r@b\u2028=c\u0085=d":  "a\n'@b\n'=c\n'=d",
		"\t=1":                   "'\t'=1",
		"\nx":                    "'\nx",
		"\x1b=1\u202e":           "'=1",
		"\u200d=1":               "'\u200d=1",
		"a\x00\u009bb":           "ab",
		"👩\u200d🔧":               "👩\u200d🔧",
	} {
		if got := print.DefuseValue(value); got != want {
			t.Errorf("%q becomes %q, want %q", value, got, want)
		}
	}
}

var formulaStart = regexp.MustCompile(`^[=+\-@＝＋－＠]`)

// formulaBegins finds what a spreadsheet would calculate in text that it splits at sep without a look at quotation
// marks.
func formulaBegins(text, separators string) string {
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		piece = strings.TrimLeft(piece, "\" \u00a0\u3000")
		if formulaStart.MatchString(piece) {
			return piece
		}
	}
	return ""
}

// What is printed for spreadsheets reads back as what was written, but for signs and apostrophes, and holds no formula.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"", "a,b", "=1", "\"", "a;=1", "\r\n=2", "\r=\r", "\u202e\u009b@x", " \t+1", "'=1", "\xff=", ";\"=1&", "\u2028-1", "👩\u200d🔧"} {
		f.Add(s, "x"+s)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		var out strings.Builder
		if err := print.WriteCSV(&out, [][]string{{"head", "more"}, {one, two}}, true); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
			return r != '\t' && r != '\r' && r != '\n' && r != '\u200c' && r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029)
		}) {
			t.Fatalf("it passes on signs: %q", text)
		}
		lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(lines) != 2 || len(lines[1]) != 2 {
			t.Fatalf("%v, %q from %q", err, lines, text)
		}
		for i, was := range []string{one, two} {
			if got := lines[1][i]; stripped(got) != stripped(was) {
				t.Errorf("%q became %q", was, got)
			} else if found := formulaBegins(got, ";\t\n\r"); found != "" {
				t.Errorf("%q becomes a formula: %q", was, found)
			}
		}
		if found := formulaBegins(text, ";\t\r\n"); found != "" {
			t.Errorf("%q becomes a formula: %q", text, found)
		}
		if strings.Count(text, `"`)%2 != 0 || !strings.HasPrefix(text, `"head","more"`+"\r\n"+`"`) {
			t.Errorf("not every field is quoted: %q", text)
		}
	})
}

// stripped is a text without all that may change.
func stripped(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\'' || unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}

// What is printed for machines reads back as it was, and is fit for a terminal as it stands there.
func FuzzJSONOutput(f *testing.F) {
	for _, s := range []string{"", "<a>&", "\x7f", "\u0085\u009b", "\u202e\u2066\u200f\u061c", "\U000e0041", "\ufffd\xff", "\u2028", "\\u202e", "\ufeff", "é\u200dß"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := map[string]any{"key " + s: s, "raw": json.RawMessage(`["` + strings.Map(func(r rune) rune {
			if r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError {
				return -1
			}
			return r
		}, s) + `"]`)}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, write := range []func(io.Writer, any) error{print.WriteLine, print.WriteJSON} {
			var out strings.Builder
			if err := write(&out, v); err != nil {
				t.Fatal(err)
			}
			if i := strings.IndexFunc(out.String(), func(r rune) bool {
				return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029)
			}); i >= 0 || !utf8.ValidString(out.String()) {
				t.Fatalf("it passes on a sign: %q", out.String())
			}
			var read any
			if err := json.Unmarshal([]byte(out.String()), &read); err != nil {
				t.Fatalf("%v: %s", err, out.String())
			}
			if got, err := json.Marshal(read); err != nil || !sameJSON(t, got, want) {
				t.Errorf("%v: %s instead of %s", err, got, want)
			}
		}
	})
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	one, _ := json.Marshal(x)
	two, _ := json.Marshal(y)
	return string(one) == string(two)
}

// unfit reports signs that no output may have.
func unfit(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r > '~' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) || r == '\u2028'
}
