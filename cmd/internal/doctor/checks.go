package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/audit"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/advice"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// patient is the account that the doctor looks at. What one check learns, the next ones use.
type patient struct {
	client *platform.Client
	broker *session.Broker
	cfg    *config.Config
	clock  clock

	id       platform.UserID
	list     chatList
	chats    []platform.Chat    // the newest ones
	messages []platform.Message // of the first chat
	snapshot bool               // there is no get_messages
	posts    []platform.Post
}

// check is one look at the platform. It reads; it changes nothing, but for marking messages as seen.
type check struct {
	name    string
	without string // what the bot does without it; "" when it cannot
	look    look
}

// notUsed is what the bot does without what only plugins use.
const notUsed = "the bot does not need it, but a plugin may"

// DoctorChecks lists what the doctor reads of an account, in order.
func DoctorChecks() []check {
	return []check{
		{"sign-in", "", lookSignIn},
		{"clock", "", lookClock},
		{"get_notifications notifs", "", lookNotifications(platform.Notifs)},
		{"get_notifications mentions", "", lookNotifications(platform.Mentions)},
		{"get_chats", "", lookChats},
		{"length of get_chats", "", lookLength},
		{"get_messages", "the bot sees only the last message of each chat; earlier ones of a burst are lost", lookMessages},
		{"long messages in get_chats", "", lookCut},
		{"reading marks as seen", "", lookSeen},
		{"profile", "", lookProfile},
		{"profile_posts", "a post in doubt is held for a person", lookPosts},
		{"thread_data", "the bot cannot like, repost or answer posts: it could not see what became of it", lookThread},
		{"thread_replys", "a public reply in doubt is held for a person", ofPost((*platform.Client).ThreadReplies, func(id platform.PostID) platform.ThreadRepliesParams {
			return platform.ThreadRepliesParams{Thread: id}
		})},
		{"fetch_likes", notUsed, ofPost((*platform.Client).Likes, func(id platform.PostID) platform.LikesParams { return platform.LikesParams{Post: id} })},
		{"feeds", notUsed, count((*platform.Client).Feed, platform.PageParams{})},
		{"fetch_followers", notUsed, ofAccount((*platform.Client).Followers)},
		{"fetch_following", notUsed, ofAccount((*platform.Client).Following)},
		{"follow_requests", notUsed, count((*platform.Client).FollowRequests, platform.PageParams{})},
		{"get_bookmarks", notUsed, count((*platform.Client).Bookmarks, platform.PageParams{})},
		{"search_people", notUsed, count((*platform.Client).SearchPeople, platform.SearchParams{Query: "a"})},
		{"search_posts", notUsed, count((*platform.Client).SearchPosts, platform.SearchParams{Query: "a"})},
		{"search_hashtags", notUsed, count((*platform.Client).SearchHashtags, platform.SearchParams{Query: "a"})},
	}
}

// run makes the check and puts what it found into words.
func (c check) run(ctx context.Context, p *patient) Finding {
	said, st, err := c.look(ctx, p)
	switch {
	case err == nil:
		return Finding{Check: c.name, Status: st, Said: said}
	case c.without != "" && platform.Absent(err):
		return Finding{Check: c.name, Status: Missing, Said: c.without}
	}
	hint := advice.AdviceOn(err)
	if paused, ok := errors.AsType[*session.PausedError](err); ok {
		err = paused.Err // when it would be tried again is of no interest here
	}
	said = err.Error()
	if hint != "" {
		said = hint + " (" + said + ")"
	}
	return Finding{Check: c.name, Status: Failed, Said: said}
}

// look is what a check does.
type look = func(ctx context.Context, p *patient) (said string, st Status, err error)

// list is a call that reads the first page of a list.
type list[P, T any] = func(c *platform.Client, ctx context.Context, with P) ([]T, error)

// count is a look at a list.
func count[P, T any](read list[P, T], with P) look {
	return func(ctx context.Context, p *patient) (string, Status, error) {
		found, err := read(p.client, ctx, with)
		return onFirstPage(len(found)), Good, err
	}
}

// ofAccount is count for a list that belongs to the account.
func ofAccount[T any](read list[platform.PeopleParams, T]) look {
	return func(ctx context.Context, p *patient) (string, Status, error) {
		return count(read, platform.PeopleParams{ID: p.id})(ctx, p)
	}
}

// ofPost is count for a list that belongs to a post.
func ofPost[P, T any](read list[P, T], of func(id platform.PostID) P) look {
	return func(ctx context.Context, p *patient) (string, Status, error) {
		if len(p.posts) == 0 {
			return noPost, Good, nil
		}
		return count(read, of(p.posts[0].ID))(ctx, p)
	}
}

func onFirstPage(n int) string { return fmt.Sprintf("%d on the first page", n) }

const (
	noPost = "not tried: the account has no post yet"
	noChat = "not tried: there is no chat yet; write to the account once and run this again"
)

func lookSignIn(ctx context.Context, p *patient) (string, Status, error) {
	// First, as who it is may be known without a sign-in.
	_, err := p.broker.SessionID(ctx)
	if said := words.AnotherText(err, p.cfg); said != "" {
		return said, Failed, nil
	}
	if err != nil {
		return "", Failed, err
	}
	id, err := p.broker.Me(ctx)
	if err != nil {
		return "", Failed, err
	}
	p.id = id
	s := p.broker.State()
	until := "the platform does not say how long the session lasts"
	if !s.Expiry.IsZero() {
		until = "the session lasts until " + s.Expiry.Format(time.DateOnly)
	}
	return fmt.Sprintf("@%s, user %d; %s", s.Username, id, until), Good, nil
}

func lookNotifications(t platform.NotificationType) look {
	known := map[platform.Subject]bool{
		platform.SubjectFollow: true, platform.SubjectFollowRequest: true, platform.SubjectFollowAccept: true,
		platform.SubjectLike: true, platform.SubjectReply: true, platform.SubjectRepost: true,
		platform.SubjectMention: true, platform.SubjectVisit: true,
	}
	return func(ctx context.Context, p *patient) (string, Status, error) {
		rows, err := p.client.Notifications(ctx, platform.NotificationsParams{Type: t})
		ids := make([]int64, len(rows))
		for i, n := range rows {
			ids[i] = int64(n.ID)
		}
		if said := oddID(ids); said != "" {
			return onFirstPage(len(rows)) + said, Odd, err
		}
		for _, n := range rows {
			if !known[n.Subject] {
				return fmt.Sprintf("%s; the subject %q is not known, and reaches handlers as \"other\"", onFirstPage(len(rows)), n.Subject), Odd, err
			}
		}
		return onFirstPage(len(rows)), Good, err
	}
}

func lookMessages(ctx context.Context, p *patient) (string, Status, error) {
	if len(p.chats) == 0 {
		return noChat, Odd, nil
	}
	found, err := p.client.Messages(ctx, platform.MessagesParams{Peer: p.chats[0].Peer})
	p.messages, p.snapshot = found, err != nil
	ids := make([]int64, len(found))
	for i, m := range found {
		ids[i] = int64(m.ID)
	}
	if said := oddID(ids); said != "" {
		return onFirstPage(len(found)) + " of the newest chat" + said, Odd, err
	}
	return onFirstPage(len(found)) + " of the newest chat", Good, err
}

// oddID tells of a row with an id far above those of all others, "" when there is none.
func oddID(ids []int64) string {
	if !audit.Odd(ids) {
		return ""
	}
	return fmt.Sprintf("; one shows the id %d, far above all others: the bot handles it, and does not count what it has read by it", slices.Max(ids))
}

// lookCut reports whether the chat list shows messages whole. Where there is no get_messages, that is
// all the bot sees.
func lookCut(_ context.Context, p *patient) (string, Status, error) {
	if len(p.chats) == 0 {
		return noChat, Good, nil
	}
	if p.snapshot {
		for _, c := range p.chats {
			if shown, cut := strings.CutSuffix(c.Last, "..."); cut {
				return fmt.Sprintf("they seem to be cut after %d characters; the bot does not see the rest", utf8.RuneCountInString(shown)), Odd, nil
			}
		}
		return "whole, as far as can be seen", Good, nil
	}
	if n := len(p.messages); n > 0 && !p.messages[n-1].Media() {
		shown, cut := strings.CutSuffix(p.chats[0].Last, "...")
		if whole := p.messages[n-1].Text; cut && whole != p.chats[0].Last && strings.HasPrefix(whole, shown) {
			return fmt.Sprintf("cut after %d characters; the bot reads them whole with get_messages", utf8.RuneCountInString(shown)), Good, nil
		}
	}
	return "whole, as far as can be seen", Good, nil
}

// lookSeen reports whether reading a chat marks it as seen on the owner's phone.
func lookSeen(ctx context.Context, p *patient) (string, Status, error) {
	if p.snapshot {
		return "no: there is no get_messages", Good, nil
	}
	for _, c := range p.chats {
		if c.Unread == 0 {
			continue
		}
		if _, err := p.client.Messages(ctx, platform.MessagesParams{Peer: c.Peer}); err != nil {
			return "", Failed, err
		}
		after, err := p.client.Chats(ctx)
		if cut := (*platform.Cut)(nil); err != nil && !errors.As(err, &cut) {
			return "", Failed, err
		}
		for _, a := range after {
			if a.Peer == c.Peer && a.Unread < c.Unread {
				return "yes: what the bot has read no longer counts as unread on the owner's phone", Odd, nil
			}
		}
		return "no", Good, nil
	}
	return "not tried: no chat has unread messages", Good, nil
}

func lookProfile(ctx context.Context, p *patient) (string, Status, error) {
	me, err := p.client.Profile(ctx, platform.ProfileParams{ID: p.id})
	if err == nil && me.ID != p.id {
		return fmt.Sprintf("asked for user %d, got user %d", p.id, me.ID), Failed, nil
	}
	return fmt.Sprintf("@%s; followers: %d", me.Username, me.Followers), Good, err
}

func lookPosts(ctx context.Context, p *patient) (string, Status, error) {
	posts, err := p.client.ProfilePosts(ctx, platform.ProfilePostsParams{ID: p.id, Type: platform.PostsOfPerson})
	p.posts = posts
	return onFirstPage(len(posts)), Good, err
}

func lookThread(ctx context.Context, p *patient) (string, Status, error) {
	if len(p.posts) == 0 {
		return noPost, Good, nil
	}
	t, err := p.client.Thread(ctx, p.posts[0].ID)
	if err == nil && t.Post.ID != p.posts[0].ID {
		return fmt.Sprintf("asked for post %d, got post %d", p.posts[0].ID, t.Post.ID), Failed, nil
	}
	return "what the account likes and reposts can be read", Good, err
}
