// Package emulate runs a platform in memory for other programs: with people who are made up, or whom a person is, by what they type.
package emulate

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

const typedHelp = `write for example:
  ana: hello               a private message
  ana sends a picture      in private
  ana mentions: look, @bot a post that names the account
  ana replies: nice        a reply to the account's last post
  ana likes                the account's last post; also: ana reposts, ana follows, ana unfollows
  ana posts: our menu      a post of hers; its address is printed, for rule files and campaigns
  ana deletes 3            her post 3
  bot posts: our menu      a post of the account
  bot reposts 3            by hand, on the phone; also: bot takes back 3
  bot to ana: I am here    a message that a person of yours wrote by hand
  clock -20m               the platform's clock goes so far ahead of this machine's; 0: it is right`

// typist does on the platform what somebody types.
type typist struct {
	platform *emulator.Platform
	account  platform.UserID
	people   map[string]platform.UserID
	post     platform.PostID // the account's last one
	out      io.Writer
}

// NewTypist returns a typist who has typed nothing yet.
func NewTypist(p *emulator.Platform, account platform.UserID, out io.Writer) *typist {
	return &typist{platform: p, account: account, people: map[string]platform.UserID{}, out: out}
}

// Run reads lines until in ends or ctx is done.
func (ty *typist) Run(ctx context.Context, in io.Reader) {
	for line, err := range cli.ReadLines(ctx, in) {
		if err != nil {
			_, _ = fmt.Fprintf(ty.out, "nothing is read any more: %v\n", err)
			return
		}
		if problem := ty.do(strings.TrimSpace(line)); problem != "" {
			_, _ = fmt.Fprintln(ty.out, problem)
		}
	}
}

// do does one line; it returns what is wrong with it.
func (ty *typist) do(line string) string {
	if line == "" || strings.HasPrefix(line, "#") {
		return ""
	}
	if by, err := time.ParseDuration(strings.TrimPrefix(line, "clock ")); err == nil && strings.HasPrefix(line, "clock ") {
		ty.platform.SetClock(by)
		return ""
	}
	head, said, says := strings.Cut(line, ":")
	said = strings.TrimSpace(said)
	who, deed, _ := strings.Cut(strings.TrimSpace(head), " ")
	who, deed = strings.ToLower(strings.TrimPrefix(who, "@")), strings.TrimSpace(deed)
	if who == "bot" {
		return ty.own(deed, said)
	}
	id := ty.person(who)
	ok := false
	if ofHers, which := posted(deed, "deletes"); which {
		return ty.said(line, ty.platform.DeletePost(id, ofHers))
	}
	switch {
	case says && deed == "" && said != "":
		ok = ty.platform.Say(id, ty.account, said) != 0
	case deed == "sends a picture" && !says:
		ok = ty.platform.SayImage(id, ty.account) != 0
	case says && deed == "mentions":
		ok = ty.platform.Mention(id, ty.account, said) != 0
	case says && deed == "posts" && said != "":
		post := ty.platform.Post(id, said)
		_, _ = fmt.Fprintf(ty.out, "%s's post %d: %s\n", who, post, ty.platform.Address(post))
		return ""
	case says && deed == "replies":
		ok = ty.platform.Reply(id, ty.last(), said) != 0
	case deed == "likes":
		ok = ty.platform.Like(id, ty.last())
	case deed == "reposts":
		ok = ty.platform.Repost(id, ty.last())
	case deed == "follows":
		ok = ty.platform.Follow(id, ty.account)
	case deed == "unfollows":
		ok = ty.platform.Unfollow(id, ty.account)
	default:
		return typedHelp
	}
	return ty.said(line, ok)
}

// said returns what is said of a line that was done, or not.
func (ty *typist) said(line string, ok bool) string {
	if !ok {
		return "that cannot be done, or is so already: " + line
	}
	return ""
}

// posted reads what is done with a post: deletes 3.
func posted(deed, what string) (platform.PostID, bool) {
	number, is := strings.CutPrefix(deed, what+" ")
	id, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	return platform.PostID(id), is && err == nil
}

// own does what the account does by hand.
func (ty *typist) own(deed, said string) string {
	peer, toSomebody := strings.CutPrefix(deed, "to ")
	line := strings.TrimSpace("bot " + deed)
	if id, is := posted(deed, "reposts"); is {
		return ty.said(line, ty.platform.Repost(ty.account, id))
	}
	if id, is := posted(deed, "takes back"); is {
		return ty.said(line, ty.platform.Unrepost(ty.account, id))
	}
	switch {
	case deed == "posts" && said != "":
		ty.post = ty.platform.Post(ty.account, said)
	case toSomebody && said != "":
		ty.platform.SayAs(ty.account, ty.person(strings.ToLower(strings.TrimPrefix(peer, "@"))), said)
	default:
		return typedHelp
	}
	return ""
}

// last returns the account's last post; there is always one.
func (ty *typist) last() platform.PostID {
	if ty.post == 0 {
		ty.post = ty.platform.Post(ty.account, "Hello, world!")
	}
	return ty.post
}

// person returns somebody by user name, who is there from now on.
func (ty *typist) person(name string) platform.UserID {
	if id, ok := ty.people[name]; ok {
		return id
	}
	first := name
	if first != "" {
		first = strings.ToUpper(first[:1]) + first[1:]
	}
	ty.people[name] = ty.platform.AddPerson(emulator.Person{Username: name, FirstName: first})
	return ty.people[name]
}
