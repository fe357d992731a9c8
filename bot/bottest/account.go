package bottest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/transcript"
	"github.com/nectar-bot/nectar/platform/session"
)

// Account is an account of the bot, with the people who deal with it.
type Account struct {
	w      *World
	name   event.Account
	id     platform.UserID
	people map[string]*Person
	posts  expectations // what the account publishes by itself
}

func (w *World) newAccount(name event.Account) *Account {
	a := &Account{w: w, name: name, people: map[string]*Person{}}
	c := a.byMail()
	a.id = w.platform.AddAccount(emulator.Person{Username: string(name), FirstName: capital(string(name))}, c.Email, c.Password)
	a.posts = expectations{ledger: w.platform.Ledger(), is: func(e emulator.Entry) bool {
		return e.From == a.id && e.Kind == emulator.Published && e.To == 0
	}}
	return a
}

// signInCredentials are what the bot signs in with.
func (a *Account) signInCredentials() session.Credentials {
	if a.w.cfg.Credentials != nil {
		return a.w.cfg.Credentials(a.name)
	}
	return a.byMail()
}

// byMail are the credentials that the platform knows of every account.
func (a *Account) byMail() session.Credentials {
	return session.Credentials{Email: string(a.name) + "@example.com", Password: "correct horse"}
}

// ID returns the account's id on the platform.
func (a *Account) ID() platform.UserID { return a.id }

// Person returns somebody by user name who deals with this account, new on the platform if need be.
func (a *Account) Person(name string) *Person {
	p := a.people[name]
	if p == nil {
		id := a.w.platform.UserID(name)
		if id == 0 {
			id = a.w.platform.AddPerson(emulator.Person{Username: name, FirstName: capital(name)})
		}
		p = newPerson(a, name, id)
		a.people[name] = p
	}
	return p
}

// Posts lets the owner of the account write a post.
func (a *Account) Posts(text string) platform.PostID {
	a.w.t.Helper()
	id := a.w.platform.Post(a.id, text)
	a.w.must(id != 0, "%s cannot post %q", a.name, text)
	return id
}

// Tells lets the owner of the account write to a person, with the phone and past the bot.
func (a *Account) Tells(p *Person, text string) {
	a.w.t.Helper()
	a.w.must(a.w.platform.SayAs(a.id, p.id, text) != 0, "%s cannot tell %s %q", a.name, p.name, text)
}

// ExpectsPost waits for the next post that the bot publishes, which is not a reply, and wants it to be
// this text.
func (a *Account) ExpectsPost(text string) platform.PostID {
	a.w.t.Helper()
	e := a.w.awaitEntry(&a.posts, "a post", anyEntry)
	if e.Text != text {
		a.w.fail("expected the bot to post %q, and it posted %q", text, e.Text)
	}
	return e.Post
}

// Transcript returns what happened between the account and people, without times.
func (a *Account) Transcript() string { return a.transcriptText(true) }

func (a *Account) transcriptText(plain bool) string {
	var b strings.Builder
	err := transcript.Write(a.w.platform, &b, transcript.Config{Account: a.id, Plain: plain})
	if err != nil {
		a.w.fail("%v", err)
	}
	return b.String()
}

// capital returns name with a capital first letter.
func capital(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}
