package wire_test

import (
	"encoding/json"
	"html"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/platform/internal/wire"
	"pgregory.net/rapid"
)

// said reads a text as a platform sends it.
func said(tb testing.TB, sent string) string {
	tb.Helper()
	b, err := json.Marshal(sent) // "<" as an escape
	if err != nil {
		tb.Fatal(err)
	}
	v := wire.Value(b)
	raw := wire.Value(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b)))
	if v.Said() != raw.Said() {
		tb.Errorf("%q is read as %q with escapes and as %q without", sent, v.Said(), raw.Said())
	}
	return v.Said()
}

// Markup goes, what people write stays.
func TestMarkup(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"when do you<br />open?":                                                        "when do you\nopen?",
		"when do you<br>open?<BR/>now<br clear=all>please":                              "when do you\nopen?\nnow\nplease",
		"one<br />\ntwo<br />\r\nthree":                                                 "one\ntwo\nthree",
		"one<br><br>two":                                                                "one\n\ntwo",
		`<a href="https://n.example/@bot" class="mention">@bot</a> price?`:              "@bot price?",
		`look at <a href="https://x.example/a" target="_blank">https://x.example/a</a>`: "look at https://x.example/a",
		`<A HREF='https://x.example/?a=1&amp;b=2'>x.example/?a=1&amp;b=2</A>!`:          "x.example/?a=1&b=2!",
		"is a < b and c > d?":                                                           "is a < b and c > d?",
		"5 &lt; 6 &amp; 7":                                                              "5 < 6 & 7",
		"<p>one</p><p>two</p>":                                                          "one\ntwo",
		"<p>one<p>two":                                                                  "one\ntwo",
		"<div>one</div>\n<div>two</div>":                                                "one\n\ntwo",
		"<ul><li>one</li><li>two</li></ul>":                                             "one\ntwo",
		"I <3 you":                                                                      "I <3 you",
		"<3 <3":                                                                         "<3 <3",
		"a<b":                                                                           "a<b",
		"x<a and y>b":                                                                   "x<a and y>b",
		"if a<b>c then":                                                                 "if a<b>c then",
		"<b>hello</b> <i>you</i>":                                                       "hello you",
		"<strong class=\"x\">hello</strong>":                                            "hello",
		"a </b> c":                                                                      "a </b> c",
		"</a>":                                                                          "</a>",
		"use &lt;br /&gt; here":                                                         "use <br /> here",
		"&lt;b&gt;x&lt;/b&gt;":                                                          "<b>x</b>",
		`ok <img class="emoji" alt="😀" src="https://x.example/1.png"/> fine`:  "ok 😀 fine",
		`see <a href="https://x.example/long`:                                 "see",
		`see <a href="https://x.example/long" target="_blank">https://x.exam`: "see https://x.exam",
		"<ana@example.org>":        "<ana@example.org>",
		"<https://x.example/>":     "<https://x.example/>",
		"<name>":                   "<name>",
		"Dear <customer>, hi":      "Dear <customer>, hi",
		"<":                        "<",
		"a<br":                     "a<br",
		"1<2<3>2":                  "1<2<3>2",
		"  spaces stay  ":          "  spaces stay  ",
		"caf&eacute;<br>&#128077;": "café\n👍",
		"":                         "",
	} {
		if got := said(t, sent); got != want {
			t.Errorf("%q is %q, want %q", sent, got, want)
		}
	}
}

// What is escaped is what somebody wrote, whatever it looks like.
func TestEscapedTextsStayAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"<", ">", "</b>", "<b>", "<br />", "<a href=\"x\">", " ", "a", "&", "é", "\n", "<p>"})).Draw(t, "text"), "")
		b, err := json.Marshal(html.EscapeString(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := wire.Value(b).Said(); got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func FuzzMarkup(f *testing.F) {
	f.Add(`<a href="x" <b>y</b><p><img alt='`)
	f.Add(strings.Repeat("<b>", 5000))
	f.Fuzz(func(t *testing.T, sent string) {
		if got := said(t, sent); strings.Contains(got, "<br />") && !strings.Contains(sent, "&") {
			t.Errorf("%q became %q", sent, got)
		}
	})
}
