package emulator_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

func TestProfile(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana_k", FirstName: "Ana", LastName: "K", About: "a < b", Private: true, Verified: true})
	p.Follow(account, ana)
	p.Accept(ana, account)
	p.Post(ana, "news")
	for _, by := range [][]string{{"user_id", text(ana)}, {"username", "ana_k"}, {"username", "@Ana_K"}} {
		got := a.get("profile", by...).want(t, 200)
		for key, want := range map[string]any{
			"id": num(ana), "user_name": "ana_k", "first_name": "Ana", "last_name": "K", "about": "a &lt; b",
			"is_verified": true, "profile_privacy": "followers", "post_count": float64(1), "follower_count": float64(1),
			"following_count": float64(0), "is_following": true, "can_view_profile": true, "is_owner": false, "wallet": "0.00",
		} {
			if diff := cmp.Diff(want, at(got.Data, key)); diff != "" {
				t.Errorf("%v: %s: %s", by, key, diff)
			}
		}
	}
	a.get("profile").want(t, 400)
	a.get("profile", "user_id", "1").want(t, 400)
	if got := a.get("profile", "user_id", text(account)).want(t, 200); at(got.Data, "is_owner") != true {
		t.Errorf("own profile %s", got.Body)
	}
	a.session = ""
	got := a.get("profile", "user_id", text(ana)).want(t, 200)
	if at(got.Data, "is_following") != false || at(got.Data, "can_view_profile") != false {
		t.Errorf("without a session: %s", got.Body)
	}
	a.get("profile_posts", "user_id", text(ana)).want(t, 204)
	a.get("fetch_followers", "user_id", text(ana)).want(t, 204)
}

// crowd adds n people, and returns their ids, the last first.
func crowd(p *Platform, n int, act func(platform.UserID)) []any {
	ids := make([]any, n)
	for i := range ids {
		id := p.AddPerson(Person{Username: fmt.Sprintf("crowd_%d", i), FirstName: "Crowd"})
		ids[n-1-i] = num(id)
		act(id)
	}
	return ids
}

// pages reads a list page by page, and returns the ids in it.
func (a *api) pages(path []any, cursor, name string, pairs ...string) []any {
	a.t.Helper()
	var ids []any
	offset := "0"
	for range 10 {
		got := a.get(name, append(pairs, "offset", offset)...)
		rows := at(got.Data, path...)
		page := column(rows, "id")
		if len(page) == 0 {
			return ids
		}
		ids = append(ids, page...)
		offset = fmt.Sprintf("%.0f", at(rows, len(page)-1, cursor))
	}
	a.t.Fatalf("%s does not end", name)
	return nil
}

func TestListsPage(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	liked := p.Post(account, "news")
	people := crowd(p, 45, func(id platform.UserID) {
		p.Follow(id, account)
		p.Follow(account, id)
		p.Like(id, liked)
	})
	var posts []any
	for i := range 45 {
		id := p.Post(account, fmt.Sprintf("post #tag%d", i))
		a.post("add_bookmark", "post_id", text(id))
		posts = append([]any{num(id)}, posts...)
	}
	tags := make([]any, 45)
	for i := range tags {
		tags[i] = float64(45 - i)
	}
	all := append(append([]any{}, posts...), num(liked))
	for _, c := range []struct {
		name   string
		pairs  []string
		path   []any
		cursor string
		want   []any
	}{
		{"fetch_followers", []string{"user_id", text(account)}, nil, "offset_id", people},
		{"fetch_followers", nil, nil, "offset_id", people},
		{"fetch_following", []string{"page_size", "7"}, nil, "offset_id", people},
		{"fetch_likes", []string{"post_id", text(liked)}, nil, "offset_id", people},
		{"get_bookmarks", nil, nil, "offset_id", posts},
		{"feeds", nil, []any{"feeds"}, "offset_id", all},
		{"profile_posts", []string{"user_id", text(account), "type", "posts"}, []any{"posts"}, "offset_id", all},
		{"search_people", []string{"query", "CROWD"}, nil, "id", people},
		{"search_people", []string{"query", "@crowd_"}, nil, "id", people},
		{"search_posts", []string{"query", "Post #TAG"}, nil, "offset_id", posts},
		{"search_posts", []string{"query", " "}, nil, "offset_id", all},
		{"search_hashtags", []string{"query", "#tag"}, nil, "id", tags},
	} {
		if diff := cmp.Diff(c.want, a.pages(c.path, c.cursor, c.name, c.pairs...)); diff != "" {
			t.Errorf("%s %v: %s", c.name, c.pairs, diff)
		}
	}
}

func TestListsOfPeople(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana", FirstName: "Ana", LastName: "K", About: "x"})
	p.Follow(ana, account)
	p.Follow(account, ana)
	row := at(a.get("fetch_followers").want(t, 200).Data, 0)
	for key, want := range map[string]any{
		"id": num(ana), "username": "@ana", "fname": "Ana", "lname": "K", "name": "Ana K", "verified": "0", "about": "x",
		"followers": float64(1), "posts": float64(0), "is_following": true, "is_user": false,
	} {
		if diff := cmp.Diff(want, at(row, key)); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	a.get("fetch_likes", "post_id", "1").want(t, 400)
	a.get("fetch_followers", "user_id", "1").want(t, 400)
	a.get("search_people", "query", "nobody of that name").want(t, 204)
	for _, name := range []string{"search_people", "search_posts", "search_hashtags"} {
		a.get(name).want(t, 400)
	}
	found := a.get("search_people", "query", "ana").want(t, 200)
	if at(found.Data, 0, "offset_id") != nil {
		t.Error("search_people has an offset_id")
	}
}

func TestPageCap(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{PageCap: 5})
	ana := p.AddPerson(Person{Username: "ana"})
	talk(p, ana, account, 9)
	rows := func() int {
		return len(column(a.get("get_messages", "user_id", text(ana), "page_size", "100").Data, "id"))
	}
	if rows() != 5 {
		t.Errorf("%d rows", rows())
	}
	p.SetDialect(Dialect{PageCap: 3})
	if rows() != 3 {
		t.Errorf("%d rows", rows())
	}
}
