package emulator

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// What people do. Each method takes effect at once and enters it into the ledger. A method that
// returns an id returns 0, and one that returns a bool false, when the platform refuses (a block, a
// private profile, an empty or too long text, an unknown id) or nothing changed; then the ledger
// says nothing.

// Say lets a person write a private message.
func (p *Platform) Say(from, to platform.UserID, text string) platform.MessageID {
	return p.say(Said, from, to, message{text: text})
}

// SayImage lets a person send a picture.
func (p *Platform) SayImage(from, to platform.UserID) platform.MessageID {
	return p.say(Said, from, to, message{image: site + "upload/images/picture.png"})
}

// SayAs lets the owner of an account write a private message with the phone: the API shows it as
// the account's own, and the bot did not send it.
func (p *Platform) SayAs(account, to platform.UserID, text string) platform.MessageID {
	return p.say(SaidByPhone, account, to, message{text: text})
}

func (p *Platform) say(kind EntryKind, from, to platform.UserID, m message) platform.MessageID {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.from, m.to = p.users[from], p.users[to]
	stored, refused := p.send(m, kind)
	if refused != nil {
		return 0
	}
	return stored.id
}

// MarkSeen lets the owner of an account read the chat with peer on the phone.
func (p *Platform) MarkSeen(account, peer platform.UserID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.users[account]; u != nil {
		if c := u.chats.by[p.users[peer]]; c != nil {
			c.markSeen()
		}
	}
}

// DeleteChat lets somebody delete the chat with peer: it goes out of the lists of both, with all that was said.
func (p *Platform) DeleteChat(by, peer platform.UserID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.users[by]
	if u == nil {
		return
	}
	if c := u.chats.by[p.users[peer]]; c != nil {
		c.clear(true)
		c.other.clear(true)
	}
}

// Post lets somebody write a post. Whom it names is notified.
func (p *Platform) Post(by platform.UserID, text string) platform.PostID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(post{by: p.users[by], text: text})
}

// PostedAt makes a post with a time in the past that nobody has looked at yet. In lists it stands where a post of now would.
func (p *Platform) PostedAt(by platform.UserID, text string, at time.Time) platform.PostID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(post{by: p.users[by], text: text, at: at})
}

// Mention lets somebody write a post that names whom; "@name " is put before a text that does not.
func (p *Platform) Mention(by, whom platform.UserID, text string) platform.PostID {
	p.mu.Lock()
	defer p.mu.Unlock()
	u, v := p.users[by], p.users[whom]
	if v == nil || u == v {
		return 0
	}
	if !slices.Contains(p.mentionedUsers(text, u), v) {
		text = "@" + v.person.Username + " " + text
	}
	return p.write(post{by: u, text: text})
}

// Reply lets somebody answer a post.
func (p *Platform) Reply(by platform.UserID, to platform.PostID, text string) platform.PostID {
	p.mu.Lock()
	defer p.mu.Unlock()
	parent := p.postByID(to)
	if parent == nil {
		return 0
	}
	return p.write(post{by: p.users[by], text: text, parent: parent})
}

func (p *Platform) write(draft post) platform.PostID {
	q, refused := p.publish(draft, false)
	if refused != nil {
		return 0
	}
	return q.id
}

// DeletePost lets somebody delete an own post.
func (p *Platform) DeletePost(by platform.UserID, id platform.PostID) bool {
	return p.onPost(by, id, func(u *user, q *post) bool {
		if q.by != u {
			return false
		}
		p.remove(q, false)
		return true
	})
}

// Like lets somebody like a post.
func (p *Platform) Like(by platform.UserID, id platform.PostID) bool {
	return p.onPost(by, id, func(u *user, q *post) bool { return p.setLike(u, q, true, false) })
}

// Unlike takes a like back.
func (p *Platform) Unlike(by platform.UserID, id platform.PostID) bool {
	return p.onPost(by, id, func(u *user, q *post) bool { return p.setLike(u, q, false, false) })
}

// Repost lets somebody repost a post.
func (p *Platform) Repost(by platform.UserID, id platform.PostID) bool {
	return p.onPost(by, id, func(u *user, q *post) bool { return p.setRepost(u, q, true, false) })
}

// Unrepost takes a repost back.
func (p *Platform) Unrepost(by platform.UserID, id platform.PostID) bool {
	return p.onPost(by, id, func(u *user, q *post) bool { return p.setRepost(u, q, false, false) })
}

// onPost runs act on a post that somebody may see.
func (p *Platform) onPost(by platform.UserID, id platform.PostID, act func(*user, *post) bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	u, q := p.users[by], p.postByID(id)
	return u != nil && q != nil && u.seesUser(q.by) && act(u, q)
}

// Follow lets somebody follow whom, or ask for it when the profile is private.
func (p *Platform) Follow(by, whom platform.UserID) bool {
	return p.onUser(by, whom, func(u, v *user) bool { return p.followUser(u, v, false) })
}

// Unfollow ends following, or takes the request back.
func (p *Platform) Unfollow(by, whom platform.UserID) bool {
	return p.onUser(by, whom, func(u, v *user) bool { return p.unfollowUser(u, v, false) })
}

// Accept lets asker, who asked for it, follow somebody with a private profile.
func (p *Platform) Accept(by, asker platform.UserID) bool {
	return p.onUser(by, asker, func(u, v *user) bool { return p.accept(u, v, false) })
}

// Block lets somebody block whom: they follow each other no longer and cannot write to each other.
func (p *Platform) Block(by, whom platform.UserID) bool {
	return p.onUser(by, whom, func(u, v *user) bool { return p.setBlock(u, v, true, false) })
}

// Unblock takes a block back.
func (p *Platform) Unblock(by, whom platform.UserID) bool {
	return p.onUser(by, whom, func(u, v *user) bool { return p.setBlock(u, v, false, false) })
}

// Visit lets somebody look at the profile of whom.
func (p *Platform) Visit(by, whom platform.UserID) bool {
	return p.onUser(by, whom, func(u, v *user) bool { return p.visit(u, v, false) })
}

func (p *Platform) onUser(by, whom platform.UserID, act func(u, v *user) bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	u, v := p.users[by], p.users[whom]
	return u != nil && v != nil && act(u, v)
}
