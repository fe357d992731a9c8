package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Characters that are two columns wide, or none, leave the columns where they are.
func TestTablesStayAligned(t *testing.T) {
	tab := table{head: []string{"WHO", "EMPTY", "WHAT", "WHY"}}
	tab.add("@ana", "", quoted("いつ開きますか？", 0), "one")
	tab.add("@léo", "", quoted("le\u0301o 🎉", 0), "two")
	tab.add("@kim", "", quoted("営業時間を教えてください", 12), "three")
	tab.squeeze("EMPTY", "WHO")
	var out strings.Builder
	if err := tab.print(&out, "nothing"); err != nil {
		t.Fatal(err)
	}
	want := `WHO   WHAT                WHY
@ana  "いつ開きますか？"  one
@léo  "` + "le\u0301o" + ` 🎉"            two
@kim  "営業時間を…"       three
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"one\ntwo\x1b[2J", 0, "one two[2J"},
		{"\u202eevil", 0, "evil"},
		{"hello", 5, "hello"},
		{"hello!", 5, "hell…"},
		{"日本語", 5, "日本…"},
		{"", 5, ""},
	} {
		if got := plain(c.text, c.n); got != c.want {
			t.Errorf("plain(%q, %d) is %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
