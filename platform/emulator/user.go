package emulator

import (
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Person describes somebody on the platform.
type Person struct {
	Username       string // without "@"; "person<id>" when empty, and when somebody has it already
	FirstName      string
	LastName       string
	About          string
	Verified       bool
	Private        bool // only followers see the profile; to follow is to ask
	RefuseMessages bool // only people whom this person follows may write
}

// user is a person or an account, with all that hangs on it.
type user struct {
	id       platform.UserID
	person   Person
	email    string
	password platform.Secret // "" for people who cannot sign in
	since    time.Time
	active   time.Time

	following roll[*user]
	followers roll[*user]
	requests  roll[*user] // who asked to follow
	blocked   map[*user]bool

	chats chats

	posts     int        // that were not deleted
	showings  []*showing // own posts and reposts, by row
	bookmarks roll[*post]
	liked     roll[*post]

	notifs   []*notification // by id
	mentions []*notification // by id
}

// AddPerson adds somebody and returns the id.
func (p *Platform) AddPerson(who Person) platform.UserID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.addUser(who).id
}

// AddAccount adds somebody who can sign in with that e-mail address and password: a bot's account.
func (p *Platform) AddAccount(who Person, email string, password platform.Secret) platform.UserID {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.addUser(who)
	u.email, u.password = email, password
	p.emails[strings.ToLower(email)] = u
	return u.id
}

func (p *Platform) addUser(who Person) *user {
	now := time.Now()
	u := &user{id: p.ids.nextUser(), person: who, since: now, active: now}
	name := strings.ToValidUTF8(strings.TrimPrefix(who.Username, "@"), "")
	if p.names[strings.ToLower(name)] != nil || name == "" {
		name = fmt.Sprintf("person%d", u.id)
	}
	u.person.Username = name
	u.person.FirstName = strings.ToValidUTF8(who.FirstName, "")
	u.person.LastName = strings.ToValidUTF8(who.LastName, "")
	u.person.About = strings.ToValidUTF8(who.About, "")
	p.users[u.id] = u
	p.names[strings.ToLower(name)] = u
	p.people = append(p.people, u)
	return u
}

// fullName returns the name that lists show.
func (u *user) fullName() string {
	return strings.TrimSpace(u.person.FirstName + " " + u.person.LastName)
}

// site is where the pages of the platform would be.
const site = "http://emulator.localhost/"

func (u *user) profileURL() string { return site + "@" + u.person.Username }
func (u *user) avatarURL() string  { return site + "upload/avatars/" + u.person.Username + ".png" }

// cutOff reports whether one of the two has blocked the other.
func (u *user) cutOff(other *user) bool { return u.blocked[other] || other.blocked[u] }

// seesUser reports whether viewer, who may be nil, may look at what u posts.
func (u *user) seesUser(author *user) bool {
	switch {
	case u == author:
		return true
	case u == nil:
		return !author.person.Private
	case u.cutOff(author):
		return false
	default:
		return !author.person.Private || u.following.has(author)
	}
}

// writeUsername writes a user name where it is documented without "@".
func (e *encoder) writeUsername(k string, u *user) {
	e.handle(k, u, e.dialect.AtNames)
}

// listName writes a user name where it is documented with "@".
func (e *encoder) listName(k string, u *user) {
	e.handle(k, u, !e.dialect.NoAtNames)
}

func (e *encoder) handle(k string, u *user, at bool) {
	name := u.person.Username
	if at {
		name = "@" + name
	}
	e.text(k, name)
}
