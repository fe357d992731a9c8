package emulator_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

func TestChatsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, account, a := signedIn(t, Config{})
		ana := p.AddPerson(Person{Username: "ana_k", FirstName: "Ana", LastName: "K", Verified: true})
		leo := p.AddPerson(Person{Username: "leo"})
		a.get("get_chats").want(t, 204)
		p.Say(ana, account, "hi <b>you</b>")
		p.Say(leo, account, "hello")
		time.Sleep(90 * time.Second)
		p.Say(ana, account, ` a "quote" & more `)
		got := a.get("get_chats").want(t, 200)
		row := at(got.Data, 0).(map[string]any)
		delete(row, "avatar")
		delete(row, "chat_url")
		delete(row, "chat_id")
		if diff := cmp.Diff(map[string]any{
			"user_id": num(ana), "username": "ana_k", "name": "Ana K", "verified": "1", "time": "just now",
			"last_message": "a &quot;quote&quot; &amp; more", "new_messages": float64(2),
		}, row); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]any{num(ana), num(leo)}, column(got.Data, "user_id")); diff != "" {
			t.Error(diff)
		}
		if at(got.Data, 1, "time") != "1 minute ago" {
			t.Errorf("time = %v", at(got.Data, 1, "time"))
		}
		p.Say(leo, account, "still there?")
		a.get("get_messages", "user_id", text(ana)).want(t, 200)
		got = a.get("get_chats").want(t, 200)
		if diff := cmp.Diff([]any{num(leo), num(ana)}, column(got.Data, "user_id")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]any{float64(2), ""}, column(got.Data, "new_messages")); diff != "" {
			t.Error(diff)
		}
	})
}

// talk lets people say n messages to the account, and returns their ids.
func talk(p *Platform, from, account platform.UserID, n int) []any {
	ids := make([]any, n)
	for i := range ids {
		ids[i] = num(p.Say(from, account, fmt.Sprintf("message %d", i)))
	}
	return ids
}

func TestMessagesPage(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	a.get("get_messages", "user_id", text(ana)).want(t, 204)
	ids := talk(p, ana, account, 50)
	id := func(i int) string { return fmt.Sprint(ids[i]) }
	for _, c := range []struct {
		name     string
		pairs    []string
		from, to int // the messages that come
	}{
		{"newest page", nil, 30, 50},
		{"zeros count as absent", []string{"offset_up", "0", "offset_down", "0"}, 30, 50},
		{"page size", []string{"page_size", "7"}, 43, 50},
		{"older", []string{"offset_up", id(30)}, 10, 30},
		{"oldest, a short page", []string{"offset_up", id(10)}, 0, 10},
		{"newer, the oldest of them first", []string{"offset_down", id(4)}, 5, 25},
		{"newer, a short page", []string{"offset_down", id(44)}, 45, 50},
		{"between", []string{"offset_down", id(4), "offset_up", id(8)}, 5, 8},
		{"nothing older", []string{"offset_up", id(0)}, 0, 0},
		{"nothing newer", []string{"offset_down", id(49)}, 0, 0},
		{"nothing newer than the largest id", []string{"offset_down", "9223372036854775807"}, 0, 0},
		{"odd page size", []string{"page_size", "-3"}, 30, 50},
	} {
		got := a.get("get_messages", append(c.pairs, "user_id", text(ana))...)
		code := 200
		if c.from == c.to {
			code = 204
		}
		if diff := cmp.Diff(ids[c.from:c.to], column(got.Data, "id")); diff != "" || got.Code != code {
			t.Errorf("%s: code %d, want %d\n%s", c.name, got.Code, code, diff)
		}
	}
	a.get("get_messages", "user_id", "7777").want(t, 400)
	a.get("get_messages", "user_id", text(account)).want(t, 400)
	a.get("get_messages").want(t, 400)
}

func TestMessageAsDocumented(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	theirs := p.Say(ana, account, "  it's <i>5</i> & \"more\"\n")
	got := a.post("send_message", "user_id", text(ana), "type", "text", "message", " fine \t").want(t, 200)
	ours := p.Messages(account, ana)[1].ID
	if got.Message != "Message sent" || at(got.Data, "id") != num(ours) {
		t.Errorf("sent %s, stored %d", got.Body, ours)
	}
	rows := a.get("get_messages", "user_id", text(ana)).want(t, 200).Data
	for i := range 2 {
		row := at(rows, i).(map[string]any)
		if _, err := time.Parse("02 Jan, 2006 15:04", row["time"].(string)); err != nil {
			t.Error(err)
		}
		delete(row, "time")
	}
	want := []any{
		map[string]any{
			"id": num(theirs), "sent_by": num(ana), "sent_to": num(account), "owner": false, "side": "left",
			"message":    "it&#039;s &lt;i&gt;5&lt;/i&gt; &amp; &quot;more&quot;",
			"media_file": "", "media_type": "none", "seen": "0", "deleted_fs1": "N", "deleted_fs2": "N",
		},
		map[string]any{
			"id": num(ours), "sent_by": num(account), "sent_to": num(ana), "owner": true, "side": "right",
			"message": "fine", "media_file": "", "media_type": "none", "seen": "0", "deleted_fs1": "N", "deleted_fs2": "N",
		},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	if got := p.Messages(account, ana); got[0].Text != `it's <i>5</i> & "more"` || !got[0].Seen || got[0].Own || !got[1].Own {
		t.Errorf("stored %+v", got)
	}
}

func TestTextsSurvive(t *testing.T) {
	t.Parallel()
	for _, d := range []Dialect{{}, {UnicodeEscapes: true}, {RawText: true}, {ListsAsObjects: true, NumbersAsText: true}} {
		p, account, a := signedIn(t, Config{Dialect: d})
		ana := p.AddPerson(Person{Username: "ana"})
		for _, s := range []string{
			"здравствуй, мир", "مرحبا", "नमस्ते", "你好/再见", "🙂👩‍👩‍👧", "tab\tand\nline", "back\\slash", "\u0000nul\u0007", "a\u2028b",
		} {
			p.Say(ana, account, s)
			got := a.get("get_chats").want(t, 200)
			row := at(got.Data, 0)
			if d.ListsAsObjects {
				row = at(got.Data, "0")
			}
			want := p.Messages(account, ana)
			if last := at(row, "last_message"); last != want[len(want)-1].Text {
				t.Errorf("%q came as %q", s, last)
			}
		}
	}
}

func TestSendMessageRefuses(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	add := func(who Person) string { return text(p.AddPerson(who)) }
	ana := add(Person{Username: "ana"})
	shy := add(Person{Username: "shy", RefuseMessages: true})
	friend := add(Person{Username: "friend", RefuseMessages: true})
	foe := add(Person{Username: "foe"})
	p.Follow(p.UserID("@Friend"), account)
	p.Block(p.UserID("foe"), account)
	long := strings.Repeat("ж", 3000)
	before := p.Ledger().Len()
	for _, c := range []struct {
		name, to, kind, text string
		code                 int
	}{
		{"nobody", "", "text", "hi", 400},
		{"a stranger", "9999", "text", "hi", 400},
		{"itself", text(account), "text", "hi", 400},
		{"no type", ana, "", "hi", 400},
		{"media without a file", ana, "media", "hi", 400},
		{"no text", ana, "text", "", 400},
		{"spaces", ana, "text", " \n ", 400},
		{"too long", ana, "text", long + "!", 400},
		{"no permission", shy, "text", "hi", 400},
		{"blocked", foe, "text", "hi", 400},
		{"longest", ana, "text", " " + long + " ", 200},
		{"a follower that refuses others", friend, "text", "hi", 200},
	} {
		got := a.post("send_message", "user_id", c.to, "type", c.kind, "message", c.text)
		if got.Code != c.code {
			t.Errorf("%s: code %d %q, want %d", c.name, got.Code, got.Message, c.code)
		}
	}
	entries := p.Ledger().Since(before)
	if len(entries) != 2 || entries[0].Kind != Arrived || !entries[0].ByAPI || entries[0].Text != long {
		t.Errorf("%d entries", len(entries))
	}
}

func TestPicturesInChats(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	p.SayImage(ana, account)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for k, v := range map[string]string{"session_id": a.session, "user_id": text(ana), "type": "media"} {
		if err := form.WriteField(k, v); err != nil {
			t.Fatal(err)
		}
	}
	file, err := form.CreateFormFile("image", "cat.png")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte("\x89PNG")); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	got := a.do(a.request("POST", "send_message", form.FormDataContentType(), &body)).want(t, 200)
	url, _ := at(got.Data, "media_file").(string)
	name, _ := at(got.Data, "media_name").(string)
	if !strings.HasPrefix(url, "http://") || !strings.HasSuffix(url, "/"+name) || !strings.HasSuffix(name, ".png") {
		t.Errorf("media_file %q, media_name %q", url, name)
	}
	rows := a.get("get_messages", "user_id", text(ana)).want(t, 200).Data
	if diff := cmp.Diff([]any{"Image", "Image"}, column(rows, "message")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{"image", "image"}, column(rows, "media_type")); diff != "" {
		t.Error(diff)
	}
}

func TestSeen(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	unread := func() any { return at(a.get("get_chats").Data, 0, "new_messages") }
	seen := func() []any { return column(a.get("get_messages", "user_id", text(ana)).Data, "seen") }
	p.Say(ana, account, "one")
	p.Say(ana, account, "two")
	if unread() != float64(2) || p.Unread(account, ana) != 2 {
		t.Errorf("new_messages %v", unread())
	}
	p.MarkSeen(account, ana)
	p.Say(ana, account, "three")
	if unread() != float64(1) {
		t.Errorf("new_messages %v after the phone read two of three", unread())
	}
	if diff := cmp.Diff([]any{"1", "1", "0"}, seen()); diff != "" {
		t.Error(diff)
	}
	if unread() != "" {
		t.Errorf("new_messages %v after get_messages", unread())
	}
	p.SetDialect(Dialect{ReadKeepsUnseen: true})
	p.Say(ana, account, "four")
	seen()
	if diff := cmp.Diff([]any{"1", "1", "1", "0"}, seen()); diff != "" || unread() != float64(1) {
		t.Errorf("new_messages %v\n%s", unread(), diff)
	}
	a.post("send_message", "user_id", text(ana), "type", "text", "message", "ours")
	if unread() != float64(1) {
		t.Errorf("an own message counts as unread: %v", unread())
	}
}

func TestDeleteAndClear(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	one := p.Say(ana, account, "one")
	two := p.Say(ana, account, "two")
	ids := func() []any { return column(a.get("get_messages", "user_id", text(ana)).Data, "id") }
	chat := func(key string) any { return at(a.get("get_chats").Data, 0, key) }
	a.post("delete_message", "message_id", text(two)).want(t, 200)
	a.post("delete_message", "message_id", text(two)).want(t, 400)
	a.post("delete_message", "message_id", "1").want(t, 400)
	if chat("last_message") != "one" || chat("new_messages") != float64(1) {
		t.Errorf("chat %v, unread %v", chat("last_message"), chat("new_messages"))
	}
	if diff := cmp.Diff([]any{num(one)}, ids()); diff != "" {
		t.Error(diff)
	}
	a.post("clear_chat", "user_id", text(ana)).want(t, 200)
	if diff := cmp.Diff([]any{}, ids()); diff != "" || chat("last_message") != "" {
		t.Errorf("after clear_chat: %v\n%s", chat("last_message"), diff)
	}
	a.post("clear_chat", "user_id", text(ana), "delete_chat", "1").want(t, 200)
	a.get("get_chats").want(t, 204)
	three := p.Say(ana, account, "three")
	if diff := cmp.Diff([]any{num(three)}, ids()); diff != "" || chat("last_message") != "three" {
		t.Error(diff)
	}
	a.post("clear_chat", "user_id", "1").want(t, 400)
	if got := p.Messages(ana, account); len(got) != 3 {
		t.Errorf("the other side has %d messages", len(got))
	}
}

func TestSearchMessages(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	talk(p, ana, account, 12) // 0, 1, 10 and 11 have a "1" or a "0"
	got := a.get("search_messages", "user_id", text(ana), "query", "MESSAGE 1", "page_size", "2").want(t, 200)
	if got.All["total"] != float64(3) {
		t.Errorf("total %v", got.All["total"])
	}
	if diff := cmp.Diff([]any{"message 11", "message 10"}, column(got.Data, "message")); diff != "" {
		t.Error(diff)
	}
	last := fmt.Sprint(at(got.Data, 1, "id"))
	got = a.get("search_messages", "user_id", text(ana), "query", "message 1", "offset_up", last).want(t, 200)
	if diff := cmp.Diff([]any{"message 1"}, column(got.Data, "message")); diff != "" {
		t.Error(diff)
	}
	a.get("search_messages", "user_id", text(ana), "query", "nothing like it").want(t, 204)
	a.get("search_messages", "user_id", "1", "query", "x").want(t, 400)
}
