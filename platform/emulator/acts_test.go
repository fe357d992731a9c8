package emulator_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

// Each act is one entry, with who did it to whom.
func TestActsAreEnteredIntoTheLedger(t *testing.T) {
	t.Parallel()
	p := New(Config{})
	me := p.AddAccount(Person{Username: "nectar"}, email, password)
	ann, bob := p.AddPerson(Person{Username: "ann"}), p.AddPerson(Person{Username: "bob"})
	shy := p.AddPerson(Person{Username: "shy", Private: true})
	var want []Entry
	expect := func(e Entry, happened bool) {
		t.Helper()
		if !happened {
			t.Errorf("%v did not happen", e.Kind)
		}
		want = append(want, e)
	}
	say := func(kind EntryKind, from, to platform.UserID, text string, id platform.MessageID) {
		t.Helper()
		expect(Entry{Kind: kind, From: from, To: to, Text: text, Message: id}, id != 0)
	}
	write := func(kind EntryKind, from, to platform.UserID, text string, id platform.PostID) platform.PostID {
		t.Helper()
		expect(Entry{Kind: kind, From: from, To: to, Text: text, Post: id}, id != 0)
		return id
	}
	say(Said, ann, me, "hi", p.Say(ann, me, " hi\n"))
	say(Said, ann, me, "Image", p.SayImage(ann, me))
	say(SaidByPhone, me, ann, "it is me", p.SayAs(me, ann, "it is me"))
	news := write(Posted, me, 0, "news", p.Post(me, "news "))
	write(Mentioned, ann, me, "@nectar look", p.Mention(ann, me, "look"))
	write(Mentioned, ann, me, "look, @Nectar!", p.Mention(ann, me, "look, @Nectar!"))
	write(Mentioned, ann, bob, "@bob hi @bobby", p.Mention(ann, bob, "hi @bobby"))
	write(Mentioned, bob, me, "me@bob.example @nectar", p.Post(bob, "me@bob.example @nectar"))
	reply := write(Replied, ann, me, "and @bob?", p.Reply(ann, news, "and @bob?"))
	expect(Entry{Kind: Mentioned, From: ann, To: bob, Text: "and @bob?", Post: reply}, true)
	expect(Entry{Kind: Liked, From: ann, To: me, Post: news}, p.Like(ann, news))
	expect(Entry{Kind: Unliked, From: ann, To: me, Post: news}, p.Unlike(ann, news))
	expect(Entry{Kind: Reposted, From: ann, To: me, Post: news}, p.Repost(ann, news))
	expect(Entry{Kind: Unreposted, From: ann, To: me, Post: news}, p.Unrepost(ann, news))
	expect(Entry{Kind: Followed, From: ann, To: me}, p.Follow(ann, me))
	expect(Entry{Kind: Unfollowed, From: ann, To: me}, p.Unfollow(ann, me))
	expect(Entry{Kind: FollowRequested, From: ann, To: shy}, p.Follow(ann, shy))
	expect(Entry{Kind: Unfollowed, From: ann, To: shy}, p.Unfollow(ann, shy))
	expect(Entry{Kind: Visited, From: ann, To: me}, p.Visit(ann, me))
	expect(Entry{Kind: Blocked, From: ann, To: me}, p.Block(ann, me))
	expect(Entry{Kind: Unblocked, From: ann, To: me}, p.Unblock(ann, me))
	expect(Entry{Kind: Deleted, From: ann, Post: reply, Text: "and @bob?"}, p.DeletePost(ann, reply))
	if diff := cmp.Diff(want, p.Ledger().Since(0), cmpopts.IgnoreFields(Entry{}, "Seq", "At")); diff != "" {
		t.Error(diff)
	}
}

// What the platform refuses leaves no mark.
func TestRefusedActsChangeNothing(t *testing.T) {
	t.Parallel()
	p := New(Config{})
	me := p.AddAccount(Person{Username: "nectar"}, email, password)
	ann, foe := p.AddPerson(Person{Username: "ann"}), p.AddPerson(Person{Username: "foe"})
	shy := p.AddPerson(Person{Username: "shy", Private: true, RefuseMessages: true})
	news, closed := p.Post(me, "news"), p.Post(shy, "for friends")
	p.Block(foe, me)
	before := p.Ledger().Len()
	for name, done := range map[string]bool{
		"nobody writes":                    p.Say(1, me, "hi") != 0,
		"to nobody":                        p.Say(ann, 1, "hi") != 0,
		"to oneself":                       p.Say(ann, ann, "hi") != 0,
		"nothing":                          p.Say(ann, me, " ") != 0,
		"too much":                         p.Say(ann, me, strings.Repeat("x", 3001)) != 0,
		"to somebody who refuses":          p.Say(ann, shy, "hi") != 0,
		"to somebody who blocked":          p.SayAs(me, foe, "hi") != 0,
		"to somebody who is blocked":       p.Say(foe, me, "hi") != 0,
		"a post of nothing":                p.Post(ann, "") != 0,
		"a post too long":                  p.Post(ann, strings.Repeat("x", 601)) != 0,
		"a post by nobody":                 p.Post(1, "hi") != 0,
		"a mention of nobody":              p.Mention(ann, 1, "hi") != 0,
		"a reply to nothing":               p.Reply(ann, 1, "hi") != 0,
		"a reply to a private profile":     p.Reply(ann, closed, "hi") != 0,
		"a reply to somebody who blocked":  p.Reply(foe, news, "hi") != 0,
		"a like of nothing":                p.Like(ann, 1),
		"a like of a private profile":      p.Like(ann, closed),
		"an unlike without a like":         p.Unlike(ann, news),
		"a follow of nobody":               p.Follow(ann, 1),
		"a follow of oneself":              p.Follow(ann, ann),
		"a follow of somebody who blocked": p.Follow(me, foe),
		"an unfollow without a follow":     p.Unfollow(ann, me),
		"a second block":                   p.Block(foe, me),
		"a visit of oneself":               p.Visit(ann, ann),
		"deleting another's post":          p.DeletePost(ann, news),
		"accepting who did not ask":        p.Accept(shy, ann),
	} {
		if done {
			t.Errorf("%s happened", name)
		}
	}
	if n := p.Ledger().Len(); n != before {
		t.Errorf("%d entries more", n-before)
	}
}

// The ledger's order is the order in which things took place, whoever did them.
func TestLedgerHasTheOrderOfEffects(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	const people, each = 8, 25
	var wg sync.WaitGroup
	for i := range people {
		id := p.AddPerson(Person{Username: fmt.Sprint("p", i)})
		wg.Go(func() {
			for n := range each {
				p.Say(id, account, fmt.Sprint("in ", n))
				p.Post(id, fmt.Sprint("post ", n))
			}
		})
		wg.Go(func() {
			for n := range each {
				a.post("send_message", "user_id", text(id), "type", "text", "message", fmt.Sprint("out ", n))
				a.get("get_chats")
				a.get("get_messages", "user_id", text(id))
			}
		})
	}
	wg.Wait()
	var message platform.MessageID
	var post platform.PostID
	counts := map[EntryKind]int{}
	for _, e := range p.Ledger().Since(0) {
		counts[e.Kind]++
		if e.Message != 0 && e.Message <= message || e.Post != 0 && e.Post <= post {
			t.Fatalf("entry %+v comes after message %d and post %d", e, message, post)
		}
		message, post = max(message, e.Message), max(post, e.Post)
	}
	const total = people * each
	if diff := cmp.Diff(map[EntryKind]int{LoggedIn: 1, Said: total, Arrived: total, Posted: total}, counts); diff != "" {
		t.Error(diff)
	}
}

func TestPeople(t *testing.T) {
	t.Parallel()
	p := New(Config{})
	ann := p.AddPerson(Person{Username: "@Ann"})
	again := p.AddPerson(Person{Username: "ann"})
	nameless := p.AddPerson(Person{})
	if p.Username(ann) != "Ann" || p.UserID("@ANN") != ann || p.UserID("ann") != ann {
		t.Errorf("%q is %d", p.Username(ann), p.UserID("ann"))
	}
	for _, id := range []platform.UserID{again, nameless} {
		if want := fmt.Sprint("person", id); p.Username(id) != want || p.UserID(want) != id {
			t.Errorf("%q, want %q", p.Username(id), want)
		}
	}
	if p.Username(1) != "" || p.UserID("nobody") != 0 || p.Messages(ann, again) != nil {
		t.Error("nobody is somebody")
	}
}
