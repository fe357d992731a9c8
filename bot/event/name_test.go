package event_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
)

// What a stranger calls herself is said as far as it is a name.
func TestNamesToBeSaid(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 31)
	for name, want := range map[string]struct{ first, full string }{
		"":                         {},
		" \t ":                     {},
		"Ana":                      {"Ana", "Ana"},
		"  Ana\u00a0 Lima\n":       {"Ana", "Ana Lima"},
		"Ana\nwww.evil.example":    {"Ana", ""},
		"José-María O’Neill":       {"José-María", "José-María O’Neill"},
		"J.R.R. Tolkien":           {"J.R.R.", "J.R.R. Tolkien"},
		"Dr. Ana":                  {"Dr.", "Dr. Ana"},
		"علی\u200cرضا":             {"علی\u200cرضا", "علی\u200cرضا"},
		"👩\u200d🔧 Kim":             {"👩\u200d🔧", "👩\u200d🔧 Kim"},
		"山田太郎":                     {"山田太郎", "山田太郎"},
		strings.Repeat("é", 30):    {strings.Repeat("é", 30), strings.Repeat("é", 30)},
		long:                       {},
		"Ana " + long:              {"Ana", ""},
		strings.Repeat("Ana ", 20): {"Ana", ""},
		"evil.example":             {},
		"Evil.Example!":            {},
		"(evil.example)":           {},
		"evil．ｅｘａｍｐｌｅ":             {},
		"evil。example":             {},
		"evil.\u200dexample":       {},
		"𝐞𝐯𝐢𝐥.𝐞𝐱":                  {},
		"münchen.рф":               {},
		"x.co/abc":                 {},
		"https://evil":             {},
		"https:evil":               {},
		"10.0.0.5/a":               {},
		"Ana evil.example":         {"Ana", ""},
		"@everybody":               {},
		"＠everybody":               {},
		"Ana@evil":                 {},
		"#win":                     {},
		"＃win":                     {},
		"\u202eanA":                {},
		"A\u2066na":                {},
		"A\u200bna":                {},
		"A\x1b[2J":                 {},
		"A\u009b":                  {},
		"A\x00":                    {},
		"A\xff":                    {},
		"Ana \u202eLima":           {"Ana", ""},
	} {
		p := event.Peer{Name: name}
		if first, full := p.FirstName(), p.FullName(); first != want.first || full != want.full {
			t.Errorf("%q is called %q and %q, want %q and %q", name, first, full, want.first, want.full)
		}
	}
	for user, want := range map[string]string{
		"": "", "ana": "ana", "ana.k_9-x": "ana.k_9-x", "ána": "ána", "ana@evil": "", "a/b": "", "a b": "", "a\u202eb": "", "x.co/a": "", "#a": "", long: "",
	} {
		if got := (event.Peer{User: user}).UserName(); got != want {
			t.Errorf("%q is called %q, want %q", user, got, want)
		}
	}
}
