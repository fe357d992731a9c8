package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/platform"
)

// finding is what a check of the doctor found.
type finding struct {
	Check  string `json:"check"`
	Status status `json:"status"`
	Said   string `json:"said"`
}

// status is how a check ended.
type status string

const (
	good    status = "ok"
	missing status = "missing" // an optional endpoint that this platform does not have
	odd     status = "odd"     // works, with something a person should know
	bad     status = "bad"     // the bot cannot do without it
)

// patient is the account that the doctor looks at. What one check learns, the next ones use.
type patient struct {
	client *platform.Client
	me     func(ctx context.Context) (platform.UserID, error)

	id    platform.UserID
	chats []platform.Chat
	posts []platform.Post
}

// check is one look at the platform. It reads; it changes nothing, but for marking messages as seen.
type check struct {
	name     string
	optional bool
	look     func(ctx context.Context, p *patient) (said string, st status, err error)
}

func doctorChecks() []check {
	return []check{
		{"sign-in", false, lookSignIn},
		{"get_notifications (notifs)", false, lookNotifications(platform.Notifs)},
		{"get_notifications (mentions)", false, lookNotifications(platform.Mentions)},
		{"get_chats", false, lookChats},
		{"get_messages", true, lookMessages},
		{"reading marks as seen", true, lookSeen},
		{"profile", false, lookProfile},
		{"profile_posts", true, lookPosts},
		{"thread_data", true, lookThread},
		{"feeds", true, count("posts", func(ctx context.Context, p *patient) (int, error) {
			posts, err := p.client.Feed(ctx, platform.FeedParams{})
			return len(posts), err
		})},
		{"fetch_followers", true, count("followers", func(ctx context.Context, p *patient) (int, error) {
			people, err := p.client.Followers(ctx, platform.PeopleParams{ID: p.id})
			return len(people), err
		})},
		{"fetch_following", true, count("people", func(ctx context.Context, p *patient) (int, error) {
			people, err := p.client.Following(ctx, platform.PeopleParams{ID: p.id})
			return len(people), err
		})},
		{"follow_requests", true, count("requests", func(ctx context.Context, p *patient) (int, error) {
			people, err := p.client.FollowRequests(ctx, platform.FollowRequestsParams{})
			return len(people), err
		})},
		{"get_bookmarks", true, count("posts", func(ctx context.Context, p *patient) (int, error) {
			posts, err := p.client.Bookmarks(ctx, platform.BookmarksParams{})
			return len(posts), err
		})},
		{"search_people", true, count("people", func(ctx context.Context, p *patient) (int, error) {
			people, err := p.client.SearchPeople(ctx, platform.SearchParams{Query: "a"})
			return len(people), err
		})},
	}
}

// run makes the check and puts what it found into words.
func (c check) run(ctx context.Context, p *patient) finding {
	said, st, err := c.look(ctx, p)
	if err == nil {
		return finding{c.name, st, said}
	}
	f := finding{c.name, bad, err.Error()}
	if c.optional && absent(err) {
		f.Status, f.Said = missing, "this platform does not have it: "+err.Error()
	}
	return f
}

// absent tells whether an error looks like an endpoint that does not exist.
func absent(err error) bool {
	var unreadable *platform.Unreadable
	return errors.Is(err, platform.ErrNotFound) || errors.As(err, &unreadable) && unreadable.HTTPStatus == 404
}

func count(what string, read func(ctx context.Context, p *patient) (int, error)) func(context.Context, *patient) (string, status, error) {
	return func(ctx context.Context, p *patient) (string, status, error) {
		n, err := read(ctx, p)
		return fmt.Sprintf("%d %s on the first page", n, what), good, err
	}
}

func lookSignIn(ctx context.Context, p *patient) (string, status, error) {
	id, err := p.me(ctx)
	p.id = id
	return fmt.Sprintf("signed in as user %d", id), good, err
}

func lookNotifications(t platform.NotificationType) func(context.Context, *patient) (string, status, error) {
	return func(ctx context.Context, p *patient) (string, status, error) {
		rows, err := p.client.Notifications(ctx, platform.NotificationsParams{Type: t})
		if err != nil {
			return "", bad, err
		}
		known := map[platform.Subject]bool{
			platform.SubjectFollow: true, platform.SubjectFollowRequest: true, platform.SubjectFollowAccept: true,
			platform.SubjectLike: true, platform.SubjectReply: true, platform.SubjectRepost: true,
			platform.SubjectMention: true, platform.SubjectVisit: true,
		}
		for _, n := range rows {
			if !known[n.Subject] {
				return fmt.Sprintf("%d rows; the subject %q is not known here and reaches handlers as \"other\"", len(rows), n.Subject), odd, nil
			}
		}
		return fmt.Sprintf("%d rows on the first page", len(rows)), good, nil
	}
}

func lookChats(ctx context.Context, p *patient) (string, status, error) {
	chats, err := p.client.Chats(ctx)
	p.chats = chats
	unread := 0
	for _, c := range chats {
		unread += c.Unread
	}
	return fmt.Sprintf("%d chats, %d unread messages", len(chats), unread), good, err
}

func lookMessages(ctx context.Context, p *patient) (string, status, error) {
	if len(p.chats) == 0 {
		return "not tried: there is no chat yet. Write to the account once and run this again", odd, nil
	}
	ms, err := p.client.Messages(ctx, platform.MessagesParams{Peer: p.chats[0].Peer})
	if err != nil {
		if absent(err) {
			err = fmt.Errorf("only the last message of each chat can be seen, earlier ones of a burst are lost: %w", err)
		}
		return "", bad, err
	}
	for i := 1; i < len(ms); i++ {
		if ms[i].ID <= ms[i-1].ID {
			return "the ids do not grow; messages cannot be ordered", bad, nil
		}
	}
	return fmt.Sprintf("%d messages of the first chat", len(ms)), good, nil
}

// lookSeen tells whether reading a chat marks it as seen on the owner's phone.
func lookSeen(ctx context.Context, p *patient) (string, status, error) {
	for _, c := range p.chats {
		if c.Unread == 0 {
			continue
		}
		if _, err := p.client.Messages(ctx, platform.MessagesParams{Peer: c.Peer}); err != nil {
			return "", bad, err
		}
		after, err := p.client.Chats(ctx)
		if err != nil {
			return "", bad, err
		}
		for _, a := range after {
			if a.Peer == c.Peer && a.Unread < c.Unread {
				return "yes: messages that the bot reads no longer count as unread on the owner's phone", odd, nil
			}
		}
		return "no", good, nil
	}
	return "not tried: no chat has unread messages", good, nil
}

func lookProfile(ctx context.Context, p *patient) (string, status, error) {
	me, err := p.client.Profile(ctx, platform.ProfileParams{ID: p.id})
	if err == nil && me.ID != p.id {
		return fmt.Sprintf("asked for user %d, got user %d", p.id, me.ID), bad, nil
	}
	return fmt.Sprintf("@%s, %d followers", me.Username, me.Followers), good, err
}

func lookPosts(ctx context.Context, p *patient) (string, status, error) {
	posts, err := p.client.ProfilePosts(ctx, platform.ProfilePostsParams{ID: p.id, Type: "posts"})
	p.posts = posts
	return fmt.Sprintf("%d posts on the first page", len(posts)), good, err
}

func lookThread(ctx context.Context, p *patient) (string, status, error) {
	if len(p.posts) == 0 {
		return "not tried: the account has no post yet", good, nil
	}
	t, err := p.client.Thread(ctx, p.posts[0].ID)
	if err == nil && t.Post.ID != p.posts[0].ID {
		return "another post came back; likes and reposts cannot be checked", bad, nil
	}
	return "the state of likes and reposts can be read", good, err
}
