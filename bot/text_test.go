package bot_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		" ?! ":                       "",
		"Hello, World!":              "hello|world",
		"don't—stop":                 "don|t|stop",
		"at 24h, 3.5 €":              "at|24h|3|5",
		"STRASSE straße STRAẞE":      "strasse|strasse|strasse",
		"Café cafe\u0301 CAFÉ":       "cafe|cafe|cafe",
		"Señor año Ñ":                "senor|ano|n",
		"Łódź Æsop œuvre Þór Øre":    "lodz|aesop|oeuvre|thor|ore",
		"İstanbul ISTANBUL ıstanbul": "istanbul|istanbul|istanbul",
		"Phở Hà Nội":                 "pho|ha|noi",
		"Ştefan Ștefan":              "stefan|stefan",
		"ЁЛКА ёлка Елка":             "елка|елка|елка",
		"Άνθρωπος ΑΝΘΡΩΠΟΣ":          "ανθρωποσ|ανθρωποσ",
		"Ίρις ΙΡΙΣ ιρις":             "ιρισ|ιρισ|ιρισ",
		"\u212Aelvin \u212Bngström":  "kelvin|angstrom",
		"请给我菜单":                      "请|给|我|菜|单",
		"コーヒー2杯":                     "コ|ー|ヒ|ー|2|杯",
		"ขอ\u0e49":                   "ข|อ\u0e49",
		"नमस्ते दुनिया":              "नमस्ते|दुनिया",
		"مرحبا بكم":                  "مرحبا|بكم",
		"안녕하세요 여러분":                  "안녕하세요|여러분",
		"👍🏽 ok👍":                     "👍|ok|👍",
		"❤️":                         "❤",
		"a\u200db co\u00adop":        "ab|coop",
		"\xff bad \xfe":              "bad",
	} {
		if diff := cmp.Diff(want, strings.Join(bot.Words(text), "|")); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{"Hello, World!", "STRAẞE", "请给我 menu 👍🏽", "İ\u0307", "\xff", "नमस्ते"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := bot.Words(text)
		for _, w := range words {
			if w == "" || !utf8.ValidString(w) {
				t.Fatalf("%q has the word %q", text, w)
			}
		}
		if again := bot.Words(strings.Join(words, " ")); !cmp.Equal(words, again) {
			t.Errorf("%q: the words %q become %q", text, words, again)
		}
	})
}

func BenchmarkWords(b *testing.B) {
	text := "Hello! Could you tell me when the café opens on Saturday, please?"
	b.ReportAllocs()
	for b.Loop() {
		bot.Words(text)
	}
}
