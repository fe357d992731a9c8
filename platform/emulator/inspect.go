package emulator

import (
	"strings"

	"github.com/nectar-bot/nectar/platform"
)

// Ledger returns everything that happened, in order. It goes on growing.
func (p *Platform) Ledger() *Ledger { return &p.ledger }

// Messages returns what a and b wrote to each other, the oldest first, as a sees it but with texts
// as they were stored; also messages that somebody deleted.
func (p *Platform) Messages(a, b platform.UserID) []platform.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	u, v := p.users[a], p.users[b]
	if u == nil || v == nil || u.chats.by[v] == nil {
		return nil
	}
	c := u.chats.by[v]
	out := make([]platform.Message, len(c.log.list))
	for i, m := range c.log.list {
		kind := "none"
		if m.image != "" {
			kind = "image"
		}
		out[i] = platform.Message{
			ID: m.id, From: m.from.id, To: m.to.id, Own: m.from == u, Text: m.text,
			MediaType: kind, MediaURL: m.image, Seen: c.wasSeen(m), Time: m.at.UTC().Format(messageLayout),
		}
	}
	return out
}

// Liked reports whether somebody likes a post.
func (p *Platform) Liked(who platform.UserID, id platform.PostID) bool {
	return p.onPost(who, id, func(u *user, q *post) bool { return q.likes.has(u) })
}

// Reposted reports whether somebody reposted a post.
func (p *Platform) Reposted(who platform.UserID, id platform.PostID) bool {
	return p.onPost(who, id, func(u *user, q *post) bool { return q.reposts.has(u) })
}

// Address is where the page of a post would be, as its url says; nobody serves it.
func (p *Platform) Address(id platform.PostID) string { return postURL(id) }

// Following reports whether a follows b.
func (p *Platform) Following(a, b platform.UserID) bool {
	return p.onUser(a, b, func(u, v *user) bool { return u.followingOf(v) == followActive })
}

// Requested reports whether a asked to follow b, who has a private profile.
func (p *Platform) Requested(a, b platform.UserID) bool {
	return p.onUser(a, b, func(u, v *user) bool { return u.followingOf(v) == followRequested })
}

// Username returns somebody's user name without "@", "" for nobody.
func (p *Platform) Username(who platform.UserID) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.users[who]; u != nil {
		return u.person.Username
	}
	return ""
}

// UserID returns who has that user name, with "@" or without; 0 for nobody.
func (p *Platform) UserID(username string) platform.UserID {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.names[strings.ToLower(strings.TrimPrefix(username, "@"))]; u != nil {
		return u.id
	}
	return 0
}

// Logins returns how often an account signed in.
func (p *Platform) Logins() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logins
}

// Refreshes returns how often an account renewed its session.
func (p *Platform) Refreshes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.renewals
}

// Calls returns how many calls of an endpoint came in, failed ones included.
func (p *Platform) Calls(name string) int64 {
	if e := p.endpoints[name]; e != nil {
		return e.count.Load()
	}
	return 0
}
