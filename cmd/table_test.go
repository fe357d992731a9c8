package cmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/audit"
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
		{"one\u2028two\u0085three\u009b31m", 0, "one two three31m"},
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

// Lines about people and about what a platform said are as fit for a terminal as tables are.
func TestLinesForEyes(t *testing.T) {
	const hostile = "A\x1b[2J\u009b31m\u202eb\x7fc"
	var out strings.Builder
	found := audited{Accounts: []audit.Report{{
		Account: "main", Total: audit.Count{Missing: 1}, Notes: []string{"chat 7: " + hostile},
		Conversations: []*audit.Conversation{{Peer: 7, Name: hostile, Count: audit.Count{Missing: 1}, MissingEvents: []string{"message:1"}}},
	}}}
	found.print(&out)
	(&repair{Asked: []repaired{{Peer: 7, Name: hostile, Note: hostile}}}).print(&out, "nectar.db")
	(&doctor{out: &out}).note(finding{Check: "chats", Status: odd, Said: hostile})
	tab := table{head: []string{"NAME", "MORE"}}
	tab.add(hostile, hostile)
	if err := tab.print(&out, ""); err != nil {
		t.Error(err)
	}
	exitStatus(fmt.Errorf("refused: %s\nand %s", hostile, hostile), &out)
	if i := strings.IndexFunc(out.String(), unfit); i >= 0 || strings.Count(out.String(), "A[2J31mbc") != 9 {
		t.Errorf("%q", out.String())
	}
}
