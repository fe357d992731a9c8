package emulator

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// judge reads a ledger from its beginning, in portions as they come, and knows at any time what is
// still owed.
type judge struct {
	expect Expect
	name   func(platform.UserID) string // for the details
	seq    int64                        // of the last entry read
	owed   int                          // replies, notes and toggles that are missing at this point
	count  Verdict                      // the plain counters

	conversations map[platform.UserID]*conversation
	inOrder       []*conversation // as they began
	notes         map[cause][]*note
	latencies     []time.Duration
	found         details // of what shows at once

	likes, reposts, follows toggles
}

// cause names what a note answers, however often it happens.
type cause struct {
	kind EntryKind
	by   platform.UserID
	post platform.PostID
}

func newJudge(expect Expect, name func(platform.UserID) string) *judge {
	return &judge{
		expect: expect, name: name,
		conversations: map[platform.UserID]*conversation{},
		notes:         map[cause][]*note{},
		likes:         newToggles(), reposts: newToggles(), follows: newToggles(),
	}
}

func (j *judge) read(entries iter.Seq[Entry]) {
	for e := range entries {
		j.seq = e.Seq
		switch {
		case e.From == j.expect.Account:
			j.did(e, e.Seq > j.expect.Since)
		case e.Kind == Deleted:
			j.deleted(e)
		case e.To == j.expect.Account:
			j.asked(e, e.Seq > j.expect.Since)
		}
	}
}

// did enters what the account did; counts tells that it was after the backlog.
func (j *judge) did(e Entry, counts bool) {
	switch e.Kind {
	case Liked, Unliked:
		j.switched(j.likes.of(int64(e.Post)), e.Kind == Liked, counts && e.ByAPI, counts)
	case Reposted, Unreposted:
		j.switched(j.reposts.of(int64(e.Post)), e.Kind == Reposted, counts && e.ByAPI, counts)
	case Followed, FollowRequested, Unfollowed:
		j.switched(j.follows.of(int64(e.To)), e.Kind != Unfollowed, counts && e.ByAPI, counts)
	case Blocked, Unblocked:
		j.blocked(j.conversation(e.To), e.Kind == Blocked)
	default:
		if counts {
			j.delivered(e)
		}
	}
}

func (j *judge) delivered(e Entry) {
	switch e.Kind {
	case Arrived:
		j.arrived(j.conversation(e.To), e)
	case Published:
		j.arrived(j.conversation(publications), e)
	case LoggedIn:
		j.count.Logins++
	case Refreshed:
		j.count.Refreshes++
	default: // says nothing about the account's work
	}
}

// asked enters what a person did to the account.
func (j *judge) asked(e Entry, counts bool) {
	c := j.conversation(e.From)
	switch {
	case e.Kind == Blocked || e.Kind == Unblocked:
		j.blocked(c, e.Kind == Blocked)
		return
	case !counts:
		return
	}
	switch e.Kind {
	case Said:
		j.said(c, e)
	case Mentioned, Replied:
		j.named(c, e)
	case Reposted:
		j.notify(c, cause{Reposted, e.From, e.Post}, j.conversation(e.From), one(e, j.expect.ThankReposts))
	case Unreposted:
		j.withdraw(cause{Reposted, e.From, e.Post})
	case Followed:
		j.notify(c, cause{Followed, e.From, 0}, j.conversation(e.From), one(e, j.expect.WelcomeFollowers))
		if j.expect.FollowBack {
			j.wish(c, j.follows.of(int64(e.From)))
		}
	case Unfollowed:
		j.withdraw(cause{Followed, e.From, 0})
		j.excuse(j.follows.of(int64(e.From)))
	default: // asks for nothing
	}
}

// said enters a private message and what answers it.
func (j *judge) said(c *conversation, e Entry) {
	j.count.Messages++
	if j.expect.Replies == nil {
		return
	}
	for _, text := range j.expect.Replies(e) {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		c.expect(due{text: text, said: e.Text, at: e.At, debt: j.owe(c.blocked)})
	}
}

// named enters a post that names the account or answers one of its posts.
func (j *judge) named(c *conversation, e Entry) {
	if j.expect.LikeMentions && e.Kind == Mentioned || j.expect.LikeReplies && e.Kind == Replied {
		j.wish(c, j.likes.of(int64(e.Post)))
	}
	if j.expect.RepostMentions && e.Kind == Mentioned {
		j.wish(c, j.reposts.of(int64(e.Post)))
	}
	if j.expect.Publishes != nil {
		to := j.conversation(publications)
		j.notify(c, cause{e.Kind, e.From, e.Post}, to, func() []string { return j.expect.Publishes(e) })
	}
}

// deleted enters that a person deleted a post: it can be liked, reposted and answered no more.
func (j *judge) deleted(e Entry) {
	if e.Post == 0 {
		return
	}
	j.excuse(j.likes.of(int64(e.Post)))
	j.excuse(j.reposts.of(int64(e.Post)))
	j.withdraw(cause{Mentioned, e.From, e.Post})
	j.withdraw(cause{Replied, e.From, e.Post})
}

// one turns the answer to e, of which there is at most one, into a list.
func one(e Entry, answer func(Entry) (string, bool)) func() []string {
	return func() []string {
		if answer == nil {
			return nil
		}
		text, want := answer(e)
		if !want {
			return nil
		}
		return []string{text}
	}
}

// verdict counts what has been read so far.
func (j *judge) verdict() Verdict {
	v, d := j.count, slices.Clone(j.found)
	for _, c := range j.inOrder {
		c.judge(&v, &d, j.nameOf(c))
	}
	post := func(id int64) string { return fmt.Sprintf("post %d", id) }
	person := func(id int64) string { return j.name(platform.UserID(id)) }
	v.LikesWrong = j.likes.judge(&v, &d, "like", post)
	v.RepostsWrong = j.reposts.judge(&v, &d, "repost", post)
	v.FollowsWrong = j.follows.judge(&v, &d, "follow", person)
	latencies := slices.Clone(j.latencies)
	slices.Sort(latencies)
	v.P50, v.P99 = percentile(latencies, 50), percentile(latencies, 99)
	v.Details = d
	return v
}

func (j *judge) nameOf(c *conversation) string {
	if c.peer == publications {
		return "the account's page"
	}
	return j.name(c.peer)
}
