package bottest

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Person is somebody who deals with an account of the bot. What Persons do takes effect on the
// platform at once; the bot learns of it when it polls.
type Person struct {
	w       *World
	account *Account
	id      platform.UserID
	name    string
	post    platform.PostID // the last one of this person
	deeds   expectations    // what the bot did to this person
}

func newPerson(a *Account, name string, id platform.UserID) *Person {
	p := &Person{w: a.w, account: a, id: id, name: name}
	p.deeds = expectations{ledger: a.w.platform.Ledger(), is: func(e emulator.Entry) bool {
		return e.ByAPI && e.From == a.id && e.To == id && deeds[e.Kind]
	}}
	return p
}

// deeds are the kinds of entry that people can expect.
var deeds = map[emulator.EntryKind]bool{
	emulator.Arrived: true, emulator.Published: true, emulator.Liked: true, emulator.Unliked: true, emulator.Reposted: true,
	emulator.Unreposted: true, emulator.Followed: true, emulator.Unfollowed: true, emulator.FollowRequested: true,
}

func (p *Person) key() event.Key { return event.Key{Account: p.account.name, Peer: p.id} }

// ID returns the person's id on the platform.
func (p *Person) ID() platform.UserID { return p.id }

// Says writes private messages, one right after the other.
func (p *Person) Says(texts ...string) {
	p.w.t.Helper()
	for _, text := range texts {
		p.w.must(p.w.platform.Say(p.id, p.account.id, text) != 0, "%s cannot say %q", p.name, text)
	}
}

// SaysImage sends a picture.
func (p *Person) SaysImage() {
	p.w.t.Helper()
	p.w.must(p.w.platform.SayImage(p.id, p.account.id) != 0, "%s cannot send a picture", p.name)
}

// Mentions writes a post that names the account.
func (p *Person) Mentions(text string) platform.PostID {
	p.w.t.Helper()
	p.post = p.w.platform.Mention(p.id, p.account.id, text)
	p.w.must(p.post != 0, "%s cannot mention the account in %q", p.name, text)
	return p.post
}

// Replies answers a post.
func (p *Person) Replies(to platform.PostID, text string) platform.PostID {
	p.w.t.Helper()
	p.post = p.w.platform.Reply(p.id, to, text)
	p.w.must(p.post != 0, "%s cannot reply %q to post %d", p.name, text, to)
	return p.post
}

// Likes likes a post.
func (p *Person) Likes(post platform.PostID) {
	p.w.t.Helper()
	p.w.must(p.w.platform.Like(p.id, post), "%s cannot like post %d, or likes it already", p.name, post)
}

// Reposts reposts a post.
func (p *Person) Reposts(post platform.PostID) {
	p.w.t.Helper()
	p.w.must(p.w.platform.Repost(p.id, post), "%s cannot repost post %d, or did so already", p.name, post)
}

// Unreposts takes a repost back.
func (p *Person) Unreposts(post platform.PostID) {
	p.w.t.Helper()
	p.w.must(p.w.platform.Unrepost(p.id, post), "%s has not reposted post %d", p.name, post)
}

// Follows follows the account, or asks for it when the account is private.
func (p *Person) Follows() {
	p.w.t.Helper()
	p.w.must(p.w.platform.Follow(p.id, p.account.id), "%s cannot follow %s, or does so already", p.name, p.account.name)
}

// Unfollows follows the account no longer.
func (p *Person) Unfollows() {
	p.w.t.Helper()
	p.w.must(p.w.platform.Unfollow(p.id, p.account.id), "%s does not follow %s", p.name, p.account.name)
}

// Blocks blocks the account.
func (p *Person) Blocks() {
	p.w.t.Helper()
	p.w.must(p.w.platform.Block(p.id, p.account.id), "%s has blocked %s already", p.name, p.account.name)
}
