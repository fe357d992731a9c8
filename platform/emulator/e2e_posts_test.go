package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

func (g *tour) reactions() {
	g.Helper()
	id := g.p.Post(g.ana, "a < b & c's #tag")
	post := func() platform.Post {
		g.Helper()
		return ok[platform.Thread](g)(g.c.Thread(g.Context(), id)).Post
	}
	same(g, "text", "a < b & c's #tag", post().Text)
	same(g, "time", time.Now().Add(g.dialect.Clock).Unix(), post().Time.Unix())
	for name, c := range map[string]struct {
		call  func(context.Context, platform.PostID) (platform.Toggled, error)
		state func(platform.Post) bool
	}{
		"like":     {g.c.LikePost, func(q platform.Post) bool { return q.HasLiked && q.Likes == 1 }},
		"repost":   {g.c.Repost, func(q platform.Post) bool { return q.HasReposted && q.Reposts == 1 }},
		"bookmark": {g.c.AddBookmark, func(q platform.Post) bool { return q.HasSaved }},
	} {
		for _, on := range []bool{true, false, true} {
			got := ok[platform.Toggled](g)(c.call(g.Context(), id))
			known := g.dialect.Toggle != ToggleSilent
			same(g, name, platform.Toggled{On: on && known, Known: known}, got)
			if q := post(); name == "bookmark" || !g.dialect.Untold {
				same(g, "state of "+name, on, c.state(q))
			}
			same(g, "untold", []bool{g.dialect.Untold, g.dialect.Untold}, []bool{post().LikeUntold, post().RepostUntold})
		}
	}
	same(g, "the emulator's state", []bool{true, true}, []bool{g.p.Liked(g.account, id), g.p.Reposted(g.account, id)})
	_, err := g.c.LikePost(g.Context(), 1)
	if !errors.Is(err, platform.ErrInvalid) {
		g.Errorf("like of a post that is not there: %v", err)
	}
}

func (g *tour) relations() {
	g.Helper()
	shy := g.p.AddPerson(Person{Username: "shy", FirstName: "Shy", Private: true})
	profile := func(id platform.UserID) platform.Profile {
		g.Helper()
		return ok[platform.Profile](g)(g.c.Profile(g.Context(), platform.ProfileParams{ID: id}))
	}
	follow := func(id platform.UserID) platform.Followed {
		g.Helper()
		return ok[platform.Followed](g)(g.c.Follow(g.Context(), id))
	}
	told := func(f platform.Followed) platform.Followed { // without a code "no" may also be "asked"
		if g.dialect.Code == CodeAbsent && f != platform.FollowActive {
			return platform.FollowUnknown
		}
		return f
	}
	for _, want := range []platform.Followed{platform.FollowActive, platform.FollowNone, platform.FollowActive} {
		same(g, "follow", told(want), follow(g.ana))
		same(g, "following", want == platform.FollowActive, profile(g.ana).IsFollowing)
	}
	same(g, "follow a private profile", told(platform.FollowRequested), follow(shy))
	same(g, "requested", []bool{true, false, true}, []bool{profile(shy).FollowRequested, profile(shy).IsFollowing, profile(shy).Private})
	g.p.Accept(shy, g.account)
	same(g, "accepted", []bool{false, true}, []bool{profile(shy).FollowRequested, profile(shy).IsFollowing})
	me := ok[platform.Profile](g)(g.c.Profile(g.Context(), platform.ProfileParams{Username: "@Nectar"}))
	same(g, "me", []any{g.account, true, "nectar", 2}, []any{me.ID, me.IsOwner, me.Username, me.Following})
	anonymous := ok[platform.Profile](g)(g.visitor.Profile(g.Context(), platform.ProfileParams{ID: g.ana}))
	same(g, "ana", []any{"ana_k", "Ana K", true, 1}, []any{anonymous.Username, anonymous.Name(), anonymous.Verified, anonymous.Followers})
	for _, on := range []bool{true, false} {
		ok[string](g)(g.c.BlockUser(g.Context(), shy))
		same(g, "blocked", []bool{on, on}, []bool{g.p.HasBlocked(g.account, shy), profile(shy).IsBlocked})
	}
	g.p.SetPrivacy(g.account, true, false)
	leo := g.p.UserID("leo")
	for i := range 3 {
		g.p.Follow(g.p.AddPerson(Person{Username: fmt.Sprintf("asker%d", i)}), g.account)
	}
	requests := ok[[]platform.Person](g)(g.c.FollowRequests(g.Context(), platform.PageParams{}))
	same(g, "requests", []any{3, "asker2", true}, []any{len(requests), requests[0].Username, requests[0].Pending})
	same(g, "left", 2, ok[int](g)(g.c.AcceptFollow(g.Context(), requests[0].Row)))
	same(g, "left", 1, ok[int](g)(g.c.IgnoreFollow(g.Context(), requests[1].Row)))
	same(g, "followed by", []bool{true, false, false}, []bool{
		g.p.Following(requests[0].ID, g.account), g.p.Following(requests[1].ID, g.account), g.p.Following(leo, g.account),
	})
	g.p.SetPrivacy(g.account, false, false)
}

// publish publishes a post. Where the answer does not name it, it is read.
func (g *tour) publish(p platform.PublishPostParams) platform.Post {
	g.Helper()
	post, err := g.c.PublishPost(g.Context(), p)
	if !g.unnamed(err) {
		return post
	}
	last := g.p.Ledger().Since(g.p.Ledger().Len() - 1)[0].Post
	return ok[platform.Thread](g)(g.c.Thread(g.Context(), last)).Post
}

// unnamed reports whether an answer does not name what was made, as it should then.
func (g *tour) unnamed(err error) bool {
	g.Helper()
	if want := g.dialect.Nameless && g.dialect.Code == CodeAbsent; want != errors.Is(err, platform.ErrUnnamed) || want != platform.InDoubt(err) {
		g.Fatal(err)
	}
	return g.dialect.Nameless
}

func (g *tour) posts() {
	g.Helper()
	file := platform.Upload{Name: "a.png", ContentType: "image/png", Body: strings.NewReader("x"), Size: 1}
	stored := ok[platform.Uploaded](g)(g.c.UploadPostMedia(g.Context(), platform.UploadParams{Type: platform.UploadImage, File: file}))
	file.Body = strings.NewReader("y")
	spare := ok[platform.Uploaded](g)(g.c.UploadPostMedia(g.Context(), platform.UploadParams{Type: platform.UploadImage, File: file}))
	check(g, g.c.DeletePostMedia(g.Context(), platform.UploadImage, spare.ID))
	const text = `1 < 2 & it's "fine" @ana_k`
	root := g.publish(platform.PublishPostParams{Text: " " + text})
	same(g, "published", []any{text, 1, stored.ID}, []any{strings.TrimSpace(root.Text), len(root.Media), root.Media[0].ID})
	theirs := g.p.Reply(g.ana, root.ID, "why?")
	answer := g.publish(platform.PublishPostParams{Text: "because", Thread: theirs})
	thread := ok[platform.Thread](g)(g.c.Thread(g.Context(), theirs))
	same(g, "thread", []any{theirs, true, 1, root.ID, 1, answer.ID}, []any{
		thread.Post.ID, thread.CanReply, len(thread.Prev), thread.Prev[0].ID, len(thread.Next), thread.Next[0].ID,
	})
	replies := all(g, platform.All(g.Context(), g.c.ThreadReplies, platform.ThreadRepliesParams{Thread: root.ID}))
	same(g, "replies", []any{1, theirs, 1}, []any{len(replies), replies[0].ID, len(replies[0].Answers)})
	check(g, g.c.DeletePost(g.Context(), answer.ID))
	if _, err := g.c.Thread(g.Context(), answer.ID); !errors.Is(err, platform.ErrInvalid) {
		g.Errorf("a deleted post: %v", err)
	}
}

// lists reads each list to its end, over more than two pages.
func (g *tour) lists() {
	g.Helper()
	mia := g.p.AddPerson(Person{Username: "mia"})
	ok[platform.Followed](g)(g.c.Follow(g.Context(), mia))
	liked := g.p.Post(mia, "liked")
	var people []platform.UserID
	for i := range 45 {
		id := g.p.AddPerson(Person{Username: fmt.Sprintf("crowd%d", i)})
		g.p.Follow(id, mia)
		g.p.Follow(mia, id)
		g.p.Like(id, liked)
		people = append([]platform.UserID{id}, people...)
	}
	posts := []platform.PostID{liked}
	for i := range 45 {
		posts = append([]platform.PostID{g.p.Post(mia, fmt.Sprintf("mia's #day%d", i))}, posts...)
	}
	who := func(name string, want []platform.UserID, list []platform.Person) {
		g.Helper()
		got := make([]platform.UserID, len(list))
		for i := range list {
			got[i] = list[i].ID
		}
		same(g, name, want, got)
	}
	around := platform.PeopleParams{ID: mia}
	who("followers", append(append([]platform.UserID{}, people...), g.account), all(g, platform.All(g.Context(), g.c.Followers, around)))
	who("following", people, all(g, platform.All(g.Context(), g.visitor.Following, around)))
	who("likes", people, all(g, platform.All(g.Context(), g.c.Likes, platform.LikesParams{Post: liked, PageSize: 30})))
	who("people", people, all(g, platform.All(g.Context(), g.c.SearchPeople, platform.SearchParams{Query: "CROWD"})))
	which := func(name string, want []platform.PostID, list []platform.Post) {
		g.Helper()
		var got []platform.PostID
		for i := range list {
			if list[i].UserID == mia {
				got = append(got, list[i].ID)
			}
		}
		same(g, name, want, got)
	}
	which("profile", posts, all(g, platform.All(g.Context(), g.c.ProfilePosts, platform.ProfilePostsParams{ID: mia})))
	which("feed", posts, all(g, platform.All(g.Context(), g.c.Feed, platform.PageParams{PageSize: 50})))
	which("search", posts[:45], all(g, platform.All(g.Context(), g.c.SearchPosts, platform.SearchParams{Query: "#day"})))
	likes := platform.ProfilePostsParams{ID: people[0], Type: platform.LikedByPerson}
	which("liked", posts[45:], ok[[]platform.Post](g)(g.c.ProfilePosts(g.Context(), likes)))
	tags := all(g, platform.All(g.Context(), g.c.SearchHashtags, platform.SearchParams{Query: "day"}))
	same(g, "tags", []any{45, "day44", 1}, []any{len(tags), tags[0].Tag, tags[0].Posts})
	saved := all(g, platform.All(g.Context(), g.c.Bookmarks, platform.PageParams{}))
	same(g, "bookmarks", []any{1, "a < b & c's #tag", true}, []any{len(saved), saved[0].Text, saved[0].HasSaved})
}

// empties reads lists without rows: all are empty, and none is an error.
func (g *tour) empties() {
	g.Helper()
	nobody := g.p.AddPerson(Person{Username: "nobody"})
	post := g.p.Post(nobody, "alone")
	if !g.dialect.NoOffset && !g.dialect.RowsAscending {
		same(g, "mentions", 0, len(ok[[]platform.Notification](g)(g.c.Notifications(g.Context(),
			platform.NotificationsParams{Type: platform.Mentions, Offset: 1}))))
	}
	same(g, "likes", 0, len(all(g, platform.All(g.Context(), g.c.Likes, platform.LikesParams{Post: post}))))
	same(g, "followers", 0, len(all(g, platform.All(g.Context(), g.c.Followers, platform.PeopleParams{ID: nobody}))))
	same(g, "replies", 0, len(all(g, platform.All(g.Context(), g.c.ThreadReplies, platform.ThreadRepliesParams{Thread: post}))))
	same(g, "found", 0, len(all(g, platform.All(g.Context(), g.c.SearchPosts, platform.SearchParams{Query: "no such thing"}))))
	check(g, g.c.Logout(g.Context()))
	if g.dialect.Unauthorized400 {
		return
	}
	if _, err := g.c.Chats(g.Context()); !errors.Is(err, platform.ErrUnauthorized) {
		g.Errorf("after logging out: %v", err)
	}
}
