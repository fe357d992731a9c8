package platform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
)

const anaRow = `{"user_id":90,"username":"ana_k","name":"Ana K","verified":"0","chat_id":14,` +
	`"time":"5 minutes ago","last_message":"hi","new_messages":2,"chat_url":"https:\/\/social.example\/conversation\/@ana_k"}`

// chatRow is what a row shows, kept.
type chatRow struct {
	Peer    platform.UserID
	Unread  int
	Digest  uint64
	Time    string
	RawTime string
	Chat    platform.Chat
}

// readRows reads the chat list of a client.
func readRows(tb testing.TB, client *platform.Client) ([]chatRow, platform.ChatList, error) {
	tb.Helper()
	var rows []chatRow
	list, err := client.ChatRows(tb.Context(), func(i int, row *platform.ChatRow) {
		rows = append(rows[:i], chatRow{row.Peer, row.Unread, row.Digest, row.Time(), string(row.RawTime()), row.Decode()})
	})
	if list.Rows > len(rows) {
		tb.Fatalf("%d rows are said to have arrived, and %d did", list.Rows, len(rows))
	}
	return rows[:list.Rows], list, err
}

func chatRows(t *testing.T, body string) []chatRow {
	t.Helper()
	rows, _, err := readRows(t, answering(t, body))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestChatRows(t *testing.T) {
	got := chatRows(t, `{"code":200,"data":[`+anaRow+`,{"user_id":"91","new_messages":"","time":"just &amp; now"},{"user_id":92}]}`)
	var table []string
	for _, row := range got {
		table = append(table, fmt.Sprint(row.Peer, " ", row.Unread, " ", row.Time, " ", row.RawTime))
	}
	if diff := cmp.Diff([]string{`90 2 5 minutes ago "5 minutes ago"`, `91 0 just & now "just &amp; now"`, "92 0  "}, table); diff != "" {
		t.Fatal(diff)
	}
	want := platform.Chat{Peer: 90, Chat: 14, Username: "ana_k", Name: "Ana K", Last: "hi", Unread: 2, Time: "5 minutes ago"}
	if diff := cmp.Diff(want, got[0].Chat); diff != "" {
		t.Error(diff)
	}
}

// TestDigestOfARow changes each part of a row.
func TestDigestOfARow(t *testing.T) {
	digest := func(row string) uint64 {
		t.Helper()
		return chatRows(t, `{"code":200,"data":[`+row+`]}`)[0].Digest
	}
	base := digest(anaRow)
	for _, same := range []string{
		strings.Replace(anaRow, "5 minutes ago", "6 minutes ago", 1),
		strings.Replace(anaRow, `"5 minutes ago"`, "1709450000", 1),
	} {
		if digest(same) != base {
			t.Errorf("the time changes the digest: %s", same)
		}
	}
	seen := map[uint64]string{base: anaRow}
	for i := range len(anaRow) {
		if strings.Contains("0123456789", anaRow[i:i+1]) && !strings.Contains(anaRow[i:], "minutes") {
			changed := anaRow[:i] + "7" + anaRow[i+1:]
			if changed == anaRow {
				continue
			}
			if other, twice := seen[digest(changed)]; twice {
				t.Errorf("one digest for\n%s\n%s", other, changed)
			}
			seen[digest(changed)] = changed
		}
	}
	for _, other := range []string{
		strings.Replace(anaRow, `"hi"`, `"ho"`, 1),
		strings.Replace(anaRow, `"hi"`, `"hi "`, 1),
		strings.Replace(anaRow, `"hi"`, `""`, 1),
		strings.Replace(anaRow, `"new_messages":2`, `"new_messages":3`, 1),
		strings.Replace(anaRow, `"time":"5 minutes ago",`, "", 1),
		strings.Replace(anaRow, `"time"`, `"Time"`, 1),
	} {
		if previous, twice := seen[digest(other)]; twice {
			t.Errorf("one digest for\n%s\n%s", previous, other)
		}
		seen[digest(other)] = other
	}
	const asEver = 0x67dd5c77b47efc2
	if base != asEver {
		t.Errorf("the digest of a row is not what it was in earlier versions: %#x", base)
	}
}

func TestDigestDoesNotDependOnThePlace(t *testing.T) {
	first := chatRows(t, `{"code":200,"data":[`+anaRow+`]}`)
	second := chatRows(t, "<br>notice<br>\n"+`{"data" : {"3" : {"user_id":91}, "7" : `+anaRow+` } , "code":"200"}`)
	if len(second) != 2 || first[0].Digest != second[1].Digest {
		t.Errorf("got %+v and %+v", first, second)
	}
}

func TestChatRowsOfOddLists(t *testing.T) {
	for _, test := range []struct {
		name, body string
		rows       int
		kind       string
	}{
		{"empty", `{"code":200,"data":[]}`, 0, ""},
		{"empty with white space", `{"code":200,"data":[ ]}`, 0, ""},
		{"empty object", `{"code":200,"data":{}}`, 0, ""},
		{"null", `{"code":200,"data":null}`, 0, ""},
		{"no data", `{"code":204,"data":[]}`, 0, ""},
		{"data absent", `{"code":200}`, 0, ""},
		{"rows that are none", `{"code":200,"data":[null,"",7,[],[1,{"a":"]"}],` + anaRow + `,{}]}`, 1, ""},
		{"escaped key", `{"code":200,"data":[{"us\u0065r_id":90}]}`, 1, ""},
		{"only rows without a peer", `{"code":200,"data":[{"uid":90},{"uid":91}]}`, 0, "unreadable"},
		{"an object that is no list", `{"code":200,"data":{"total":1}}`, 0, "unreadable"},
		{"a text", `{"code":200,"data":"none"}`, 0, "unreadable"},
		{"cut in a row", `{"code":200,"data":[{"user_id":90`, 0, "unreadable"},
		{"cut behind a row", `{"code":200,"data":[` + anaRow, 1, "cut"},
		{"row not closed", `{"code":200,"data":[{"user_id":90]}`, 0, "unreadable"},
		{"comma too much", `{"code":200,"data":[` + anaRow + `,]}`, 1, "cut"},
		{"comma missing", `{"code":200,"data":[` + anaRow + anaRow + `]}`, 1, "cut"},
		{"no list from a row on", `{"code":200,"data":{"1":` + anaRow + `,"total":1}}`, 1, "cut"},
		{"cut, with the code behind it", `{"data":[` + anaRow + `,{"user_id":91},{"user`, 2, "cut"},
		{"cut and refused", `{"code":401,"data":[` + anaRow + `,{"user_id":91},{"user`, 0, "refused"},
		{"cut in the message", `{"data":[` + anaRow + `],"message":"Cha`, 1, "cut"},
		{"cut before the end", `{"code":200,"data":[` + anaRow + `]`, 1, "cut"},
		{"something behind it", `{"code":200,"data":[` + anaRow + `]}<br>`, 0, "unreadable"},
		{"two lists", `{"code":200,"data":[{"user_id":91},{"user_id":92}],"data":[` + anaRow + `]}`, 1, ""},
		{"two lists, the second is none", `{"code":200,"data":[{"user_id":91}],"data":null}`, 0, ""},
		{"refused with rows", `{"data":[` + anaRow + `],"code":401}`, 0, "refused"},
		{"nested too deep", `{"code":200,"data":[` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `]}`, 0, "unreadable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := answering(t, test.body)
			rows, _, err := readRows(t, client)
			if counts := err == nil || kind(err) == "cut"; kind(err) != test.kind || counts && len(rows) != test.rows {
				t.Errorf("%d rows, %v", len(rows), err)
			}
			if chats, err := client.Chats(t.Context()); kind(err) != test.kind || len(chats) != test.rows {
				t.Errorf("Chats: %d rows, %v", len(chats), err)
			}
		})
	}
}
