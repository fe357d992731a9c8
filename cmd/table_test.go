package cmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/audit"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/doctor"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/readback"
)

// Characters that are two columns wide, or none, leave the columns where they are.
func TestTablesStayAligned(t *testing.T) {
	tab := print.Table{Head: []string{"WHO", "EMPTY", "WHAT", "WHY"}}
	tab.Add("@ana", "", print.QuotePlain("いつ開きますか？", 0), "one")
	tab.Add("@léo", "", print.QuotePlain("le\u0301o 🎉", 0), "two")
	tab.Add("@kim", "", print.QuotePlain("営業時間を教えてください", 12), "three")
	tab.DropEmpty("EMPTY", "WHO")
	var out strings.Builder
	if err := tab.Print(&out, "nothing"); err != nil {
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
		if got := print.PlainText(c.text, c.n); got != c.want {
			t.Errorf("plain(%q, %d) is %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// Lines about people and about what a platform said are as fit for a terminal as tables are.
func TestLinesForEyes(t *testing.T) {
	const hostile = "A\x1b[2J\u009b31m\u202eb\x7fc"
	var out strings.Builder
	found := readback.Audited{Accounts: []audit.Report{{
		Account: "main", Total: audit.Count{Missing: 1}, Notes: []string{"chat 7: " + hostile},
		Conversations: []*audit.Conversation{{Peer: 7, Name: hostile, Count: audit.Count{Missing: 1}, MissingEvents: []string{"message:1"}}},
	}}}
	found.Print(&out)
	(&readback.Repair{Asked: []readback.Repaired{{Peer: 7, Name: hostile, Note: hostile}}}).Print(&out, "nectar.db")
	(&doctor.Doctor{Out: &out}).NoteFinding(doctor.Finding{Check: "chats", Status: doctor.Odd, Said: hostile})
	tab := print.Table{Head: []string{"NAME", "MORE"}}
	tab.Add(hostile, hostile)
	if err := tab.Print(&out, ""); err != nil {
		t.Error(err)
	}
	cli.ExitStatus(fmt.Errorf("refused: %s\nand %s", hostile, hostile), &out)
	if i := strings.IndexFunc(out.String(), unfit); i >= 0 || strings.Count(out.String(), "A[2J31mbc") != 9 {
		t.Errorf("%q", out.String())
	}
}
