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

func TestPublishPost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, account, a := signedIn(t, Config{})
		ana := p.AddPerson(Person{Username: "ana", FirstName: "Ana"})
		before := p.Ledger().Len()
		got := a.post("publish_post", "post_text", " 5 > 3, @ana #Maths ", "gif_src", "", "poll_data", "null").want(t, 200)
		if got.All["posts_total"] != float64(1) || at(got.Data, "offset_id") != nil {
			t.Errorf("answer %s", got.Body)
		}
		id := platform.PostID(at(got.Data, "id").(float64))
		for key, want := range map[string]any{
			"text": "5 &gt; 3, @ana #Maths", "type": "text", "user_id": num(account), "thread_id": float64(0),
			"target": "publication", "replys_count": "0", "likes_count": "0", "reposts_count": "0", "time": "just now",
			"time_raw": fmt.Sprint(time.Now().Unix()), "is_owner": true, "can_delete": true, "has_liked": false,
			"has_reposted": false, "has_saved": false, "is_repost": false, "advertising": false,
			"reply_to": []any{}, "media": []any{}, "og_data": "", "poll_data": nil,
		} {
			if diff := cmp.Diff(want, at(got.Data, key)); diff != "" {
				t.Errorf("%s: %s", key, diff)
			}
		}
		reply := p.Reply(ana, id, "indeed")
		got = a.post("publish_post", "post_text", "you see", "thread_id", text(reply)).want(t, 200)
		if at(got.Data, "reply_to", "username") != "ana" || at(got.Data, "thread_id") != num(reply) ||
			at(got.Data, "target") != "pub_reply" {
			t.Errorf("reply %s", got.Body)
		}
		var kinds []EntryKind
		for _, e := range p.Ledger().Since(before) {
			kinds = append(kinds, e.Kind)
		}
		if diff := cmp.Diff([]EntryKind{Published, Replied, Published}, kinds); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPublishPostRefuses(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana", Private: true})
	foe := p.AddPerson(Person{Username: "foe"})
	closed, hostile := p.Post(ana, "for friends"), p.Post(foe, "hm")
	p.Block(foe, account)
	long := strings.Repeat("é", 600)
	for _, c := range []struct {
		name  string
		pairs []string
		code  int
	}{
		{"nothing", nil, 400},
		{"spaces", []string{"post_text", "  "}, 400},
		{"too long", []string{"post_text", long + "!"}, 400},
		{"no such thread", []string{"post_text", "hi", "thread_id", "1"}, 400},
		{"thread of a private profile", []string{"post_text", "hi", "thread_id", text(closed)}, 400},
		{"thread of somebody who blocked", []string{"post_text", "hi", "thread_id", text(hostile)}, 400},
		{"one option", []string{"post_text", "?", "poll_data", `[{"value":"A"}]`}, 400},
		{"options of another shape", []string{"post_text", "?", "poll_data", `["A","B"]`}, 400},
		{"longest", []string{"post_text", long}, 200},
		{"poll", []string{"post_text", "?", "poll_data", `[{"value":"A"},{"value":"B"}]`}, 200},
		{"gif alone", []string{"gif_src", "https://gifs.example/1.gif"}, 200},
	} {
		if got := a.post("publish_post", c.pairs...); got.Code != c.code {
			t.Errorf("%s: code %d, want %d", c.name, got.Code, c.code)
		}
	}
	rows := at(a.get("profile_posts", "user_id", text(account)).want(t, 200).Data, "posts")
	if diff := cmp.Diff([]any{"gif", "poll", "text"}, column(rows, "type")); diff != "" {
		t.Error(diff)
	}
	if at(rows, 1, "poll", "options", 1, "option") != "B" || at(rows, 0, "media", 0, "src") == nil {
		t.Errorf("rows %v", rows)
	}
}

// upload sends a file of that type and content.
func (a *api) upload(kind, content string) answer {
	a.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", "f")
	if err != nil {
		a.t.Fatal(err)
	}
	_, _ = file.Write([]byte(content)) // a bytes.Buffer takes everything
	for k, v := range map[string]string{"session_id": a.session, "type": kind} {
		if err := form.WriteField(k, v); err != nil {
			a.t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		a.t.Fatal(err)
	}
	return a.do(a.request("POST", "upload_post_media", form.FormDataContentType(), &body))
}

func TestUploadsWaitForTheNextPost(t *testing.T) {
	t.Parallel()
	_, account, a := signedIn(t, Config{})
	a.upload("audio", "x").want(t, 400)
	a.upload("image", "").want(t, 500)
	a.post("upload_post_media", "type", "image").want(t, 500)
	var ids []string
	for range 10 {
		got := a.upload("image", "x").want(t, 200)
		if at(got.Data, "type") != "Image" || at(got.Data, "url") == nil {
			t.Errorf("answer %s", got.Body)
		}
		ids = append(ids, fmt.Sprint(at(got.Data, "media_id")))
	}
	a.upload("Image", "x").want(t, 400)
	a.post("delete_post_media", "type", "image", "media_id", ids[3]).want(t, 200)
	a.post("delete_post_media", "type", "image", "media_id", ids[3]).want(t, 400)
	got := a.post("publish_post", "post_text", "").want(t, 200)
	if media := at(got.Data, "media").([]any); len(media) != 9 || at(got.Data, "type") != "image" {
		t.Errorf("%d files, type %v", len(media), at(got.Data, "type"))
	}
	a.upload("Video", "x").want(t, 200)
	a.upload("video", "x").want(t, 400)
	a.post("publish_post", "post_text", "film").want(t, 200)
	a.post("publish_post", "post_text", "words").want(t, 200)
	rows := at(a.get("profile_posts", "user_id", text(account), "type", "media").want(t, 200).Data, "posts")
	if diff := cmp.Diff([]any{"video", "image"}, column(rows, "type")); diff != "" {
		t.Error(diff)
	}
}

func TestThread(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	root := p.Post(account, "root")
	child := p.Reply(ana, root, "child")
	var replies []any
	for i := range 25 {
		id := p.Reply(ana, child, fmt.Sprint("reply ", i))
		replies = append([]any{num(id)}, replies...)
	}
	leaf := p.Reply(account, platform.PostID(replies[0].(float64)), "leaf")
	got := a.get("thread_data", "thread_id", text(child)).want(t, 200)
	if at(got.Data, "post", "id") != num(child) || at(got.Data, "can_reply") != true || got.Message != "" {
		t.Errorf("answer %s", got.Body)
	}
	if diff := cmp.Diff([]any{num(root)}, column(at(got.Data, "prev"), "id")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(replies[:20], column(at(got.Data, "next"), "id")); diff != "" {
		t.Error(diff)
	}
	if at(got.Data, "next", 0, "replys", 0, "id") != num(leaf) || at(got.Data, "post", "replys_count") != "25" {
		t.Errorf("answer %s", got.Body)
	}
	last := fmt.Sprint(at(got.Data, "next", 19, "id"))
	rest := a.get("thread_replys", "thread_id", text(child), "offset", last).want(t, 200)
	if diff := cmp.Diff(replies[20:], column(rest.Data, "id")); diff != "" {
		t.Error(diff)
	}
	a.get("thread_replys", "thread_id", text(leaf)).want(t, 204)
	a.session = ""
	if got := a.get("thread_data", "thread_id", text(child)).want(t, 200); at(got.Data, "can_reply") != false {
		t.Error("a visitor without a session may reply")
	}
	a.get("thread_data", "thread_id", "1").want(t, 400)
	a.get("thread_replys", "thread_id", "1").want(t, 400)
}

func TestFeedsAndProfiles(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana, leo := p.AddPerson(Person{Username: "ana"}), p.AddPerson(Person{Username: "leo"})
	a.get("feeds").want(t, 204)
	p.Follow(account, ana)
	own := p.Post(account, "own")
	strange := p.Post(leo, "strange")
	theirs := p.Post(ana, "theirs")
	p.Reply(ana, own, "a reply is in no feed")
	p.Repost(ana, strange)
	p.Repost(ana, own)
	feed := func(pairs ...string) any { return at(a.get("feeds", pairs...).Data, "feeds") }
	if diff := cmp.Diff([]any{num(own), num(strange), num(theirs), num(own)}, column(feed(), "id")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{true, true, false, false}, column(feed(), "is_repost")); diff != "" {
		t.Error(diff)
	}
	if at(feed(), 0, "reposter", "username") != "ana" || at(feed(), 0, "owner", "username") != "nectar" {
		t.Errorf("row %v", at(feed(), 0))
	}
	row := fmt.Sprint(at(feed("page_size", "2"), 1, "offset_id"))
	if diff := cmp.Diff([]any{num(theirs), num(own)}, column(feed("offset", row), "id")); diff != "" {
		t.Error(diff)
	}
	p.Unrepost(ana, own)
	p.DeletePost(leo, strange)
	if diff := cmp.Diff([]any{num(theirs), num(own)}, column(feed(), "id")); diff != "" {
		t.Error(diff)
	}
	p.Like(ana, own)
	p.Like(ana, theirs)
	for kind, want := range map[string][]any{
		"": {num(theirs)}, "posts": {num(theirs)}, "media": {},
		"liked": {num(theirs), num(own)}, "likes": {num(theirs), num(own)},
	} {
		got := at(a.get("profile_posts", "user_id", text(ana), "type", kind).Data, "posts")
		if diff := cmp.Diff(want, column(got, "id")); diff != "" {
			t.Errorf("%q: %s", kind, diff)
		}
	}
	a.get("profile_posts", "user_id", text(ana), "type", "odd").want(t, 400)
	a.get("profile_posts", "user_id", "1").want(t, 400)
}

func TestDeletePost(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	own, theirs := p.Post(account, "own #tag"), p.Post(ana, "theirs")
	p.Like(ana, own)
	a.post("add_bookmark", "post_id", text(own)).want(t, 200)
	a.post("delete_post", "post_id", text(theirs)).want(t, 400)
	a.post("delete_post", "post_id", text(own)).want(t, 200)
	a.post("delete_post", "post_id", text(own)).want(t, 400)
	a.post("like_post", "post_id", text(own)).want(t, 400)
	a.get("thread_data", "thread_id", text(own)).want(t, 400)
	a.get("profile_posts", "user_id", text(account)).want(t, 204)
	a.get("profile_posts", "user_id", text(ana), "type", "liked").want(t, 204)
	a.get("get_bookmarks").want(t, 204)
	a.get("get_notifications", "type", "notifs").want(t, 404)
	a.get("search_hashtags", "query", "tag").want(t, 204)
	a.get("search_posts", "query", "own").want(t, 204)
	if got := a.get("profile", "user_id", text(account)); at(got.Data, "post_count") != float64(0) {
		t.Errorf("post_count %v", at(got.Data, "post_count"))
	}
}
