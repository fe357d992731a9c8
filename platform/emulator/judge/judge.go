package judge

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
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
	kind emulator.EntryKind
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

func (j *judge) read(entries iter.Seq[emulator.Entry]) {
	for e := range entries {
		j.seq = e.Seq
		switch {
		case e.From == j.expect.Account:
			j.did(e, e.Seq > j.expect.Since)
		case e.Kind == emulator.Deleted:
			j.deleted(e)
		case e.To == j.expect.Account:
			j.asked(e, e.Seq > j.expect.Since)
		}
	}
}

// did enters what the account did; counts tells that it was after the backlog.
func (j *judge) did(e emulator.Entry, counts bool) {
	switch e.Kind {
	case emulator.Liked, emulator.Unliked:
		j.noteSwitched(j.likes.toggleOf(int64(e.Post)), e.Kind == emulator.Liked, counts && e.ByAPI, counts)
	case emulator.Reposted, emulator.Unreposted:
		j.noteSwitched(j.reposts.toggleOf(int64(e.Post)), e.Kind == emulator.Reposted, counts && e.ByAPI, counts)
	case emulator.Followed, emulator.FollowRequested, emulator.Unfollowed:
		j.noteSwitched(j.follows.toggleOf(int64(e.To)), e.Kind != emulator.Unfollowed, counts && e.ByAPI, counts)
	case emulator.Blocked, emulator.Unblocked:
		j.noteBlocked(j.conversationWith(e.To), e.Kind == emulator.Blocked)
	default:
		if counts {
			j.delivered(e)
		}
	}
}

func (j *judge) delivered(e emulator.Entry) {
	switch e.Kind {
	case emulator.Arrived:
		j.noteArrived(j.conversationWith(e.To), e)
	case emulator.Published:
		j.noteArrived(j.conversationWith(publications), e)
	case emulator.LoggedIn:
		j.count.Logins++
	case emulator.Refreshed:
		j.count.Refreshes++
	default: // says nothing about the account's work
	}
}

// asked enters what a person did to the account.
func (j *judge) asked(e emulator.Entry, counts bool) {
	c := j.conversationWith(e.From)
	switch {
	case e.Kind == emulator.Blocked || e.Kind == emulator.Unblocked:
		j.noteBlocked(c, e.Kind == emulator.Blocked)
		return
	case !counts:
		return
	}
	switch e.Kind {
	case emulator.Said:
		j.said(c, e)
	case emulator.Mentioned, emulator.Replied:
		j.named(c, e)
	case emulator.Reposted:
		j.notify(c, cause{emulator.Reposted, e.From, e.Post}, j.conversationWith(e.From), one(e, j.expect.ThankReposts))
	case emulator.Unreposted:
		j.noteWithdrawn(cause{emulator.Reposted, e.From, e.Post})
	case emulator.Followed:
		j.notify(c, cause{emulator.Followed, e.From, 0}, j.conversationWith(e.From), one(e, j.expect.WelcomeFollowers))
		if j.expect.FollowBack {
			j.noteWish(c, j.follows.toggleOf(int64(e.From)))
		}
	case emulator.Unfollowed:
		j.noteWithdrawn(cause{emulator.Followed, e.From, 0})
		j.excuseToggle(j.follows.toggleOf(int64(e.From)))
	default: // asks for nothing
	}
}

// said enters a private message and what answers it.
func (j *judge) said(c *conversation, e emulator.Entry) {
	j.count.Messages++
	if j.expect.Replies == nil {
		return
	}
	for _, text := range j.expect.Replies(e) {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		c.expectDue(due{text: text, said: e.Text, id: e.Message, at: e.At, debt: j.oweReply(c.blocked)})
	}
}

// named enters a post that names the account or answers one of its posts.
func (j *judge) named(c *conversation, e emulator.Entry) {
	if j.expect.LikeMentions && e.Kind == emulator.Mentioned || j.expect.LikeReplies && e.Kind == emulator.Replied {
		j.noteWish(c, j.likes.toggleOf(int64(e.Post)))
	}
	if j.expect.RepostMentions && e.Kind == emulator.Mentioned {
		j.noteWish(c, j.reposts.toggleOf(int64(e.Post)))
	}
	if j.expect.Publishes != nil {
		to := j.conversationWith(publications)
		j.notify(c, cause{e.Kind, e.From, e.Post}, to, func() []string { return j.expect.Publishes(e) })
	}
}

// deleted enters that a person deleted a post: it can be liked, reposted and answered no more.
func (j *judge) deleted(e emulator.Entry) {
	if e.Post == 0 {
		return
	}
	j.excuseToggle(j.likes.toggleOf(int64(e.Post)))
	j.excuseToggle(j.reposts.toggleOf(int64(e.Post)))
	j.noteWithdrawn(cause{emulator.Mentioned, e.From, e.Post})
	j.noteWithdrawn(cause{emulator.Replied, e.From, e.Post})
}

// one turns the answer to e, of which there is at most one, into a list.
func one(e emulator.Entry, answer func(emulator.Entry) (string, bool)) func() []string {
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
		c.judgeReplies(&v, &d, j.nameOf(c))
	}
	post := func(id int64) string { return fmt.Sprintf("post %d", id) }
	person := func(id int64) string { return j.name(platform.UserID(id)) }
	v.LikesWrong = j.likes.judgeFlickers(&v, &d, "like", post)
	v.RepostsWrong = j.reposts.judgeFlickers(&v, &d, "repost", post)
	v.FollowsWrong = j.follows.judgeFlickers(&v, &d, "follow", person)
	latencies := slices.Clone(j.latencies)
	slices.Sort(latencies)
	v.P50, v.P99 = percentileOf(latencies, 50), percentileOf(latencies, 99)
	v.Details = d
	return v
}

func (j *judge) nameOf(c *conversation) string {
	if c.peer == publications {
		return "the account's page"
	}
	return j.name(c.peer)
}
