package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/internal/words"
)

// Expect says what a correct bot does: the measure that a Verdict takes. Everything that Account
// does beyond it counts against the bot; an absent function asks for nothing.
type Expect struct {
	Account platform.UserID
	Since   int64 // position in the ledger; what people did up to it is backlog and asks for nothing

	// Replies returns the private messages that answer said, in order. They are compared without
	// the space around them; an empty one is none. It is called once for each message to Account,
	// in the order of the ledger. One that remembers what was said before serves a single Verdict
	// or AwaitQuiet: the next one begins with the first message again.
	Replies func(said emulator.Entry) []string
	// Publishes returns the posts that answer a mention or a reply.
	Publishes func(e emulator.Entry) []string
	// ThankReposts returns the message for somebody who reposted a post of Account; it is asked
	// once for each person and post.
	ThankReposts func(reposted emulator.Entry) (text string, want bool)
	// WelcomeFollowers returns the message for somebody who follows Account; it is asked once for
	// each person.
	WelcomeFollowers func(followed emulator.Entry) (text string, want bool)

	LikeMentions   bool // posts that mention Account end up liked
	LikeReplies    bool // replies to posts of Account end up liked
	RepostMentions bool // posts that mention Account end up reposted
	FollowBack     bool // followers of Account end up followed, or asked when they are private

	// Answered is told when a reply arrived, and to which message, in the order of the ledger. Optional.
	Answered func(said platform.MessageID, at time.Time)

	Within time.Duration // a reply that takes longer is late; 0: however long it takes
}

// Verdict is what the ledger says about the work of an account, measured by an Expect. What people
// took back before it was answered (a follow, a repost, a post), and what a block kept from being
// answered, may be answered or not.
type Verdict struct {
	Messages int `json:"messages"` // private messages that people wrote to the account
	Replies  int `json:"replies"`  // messages that arrived and answer one of them

	Lost       int `json:"lost"`         // messages and posts that never arrived
	Doubled    int `json:"doubled"`      // messages and posts that arrived and were not due (any more)
	OutOfOrder int `json:"out_of_order"` // replies that would have to be moved to put their conversation in order
	Late       int `json:"late"`         // replies that took longer than Expect.Within

	LikesWrong   int `json:"likes_wrong"`   // posts with a like in the wrong state at the end
	RepostsWrong int `json:"reposts_wrong"` // posts with a repost in the wrong state at the end
	FollowsWrong int `json:"follows_wrong"` // people with a follow in the wrong state at the end
	Flickers     int `json:"flickers"`      // likes, reposts and follows that the account switched more than once

	Logins    int `json:"logins"`
	Refreshes int `json:"refreshes"`

	P50 time.Duration `json:"p50_ns"` // from a message to the arrival of its reply: the median
	P99 time.Duration `json:"p99_ns"` // the same: 99 of 100 were not slower

	Details []string `json:"details,omitempty"` // the first findings, one line each, at most 20
}

// OK reports whether nothing was lost, doubled, out of order, late, wrong or flickering.
func (v Verdict) OK() bool { return v.findings() == 0 }

func (v Verdict) findings() int {
	return v.Lost + v.Doubled + v.OutOfOrder + v.Late + v.LikesWrong + v.RepostsWrong + v.FollowsWrong + v.Flickers
}

// String returns the verdict in one line.
func (v Verdict) String() string {
	word := "all clear"
	if !v.OK() {
		word = "not clear"
	}
	return fmt.Sprintf("%s: %d messages, %d replies, %d lost, %d doubled, %d out of order, %d late; "+
		"wrong at the end: %d likes, %d reposts, %d follows; %d flickers; %d logins, %d refreshes; p50 %v, p99 %v",
		word, v.Messages, v.Replies, v.Lost, v.Doubled, v.OutOfOrder, v.Late,
		v.LikesWrong, v.RepostsWrong, v.FollowsWrong, v.Flickers, v.Logins, v.Refreshes, v.P50, v.P99)
}

// Entries computes the verdict over the entries of a ledger. It is a pure function of its arguments,
// as far as the functions of expect are; details name people by their ids.
func Entries(entries []emulator.Entry, expect Expect) Verdict {
	j := newJudge(expect, words.PersonNumber)
	j.read(slices.Values(entries))
	return j.verdict()
}

// percentileOf returns the value that p of 100 values do not exceed; sorted is in ascending order.
func percentileOf(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*p+99)/100-1]
}

// maxDetails is the number of findings that a verdict tells in words.
const maxDetails = 20

// details collects the first findings.
type details []string

func (d *details) add(format string, args ...any) {
	if len(*d) < maxDetails {
		*d = append(*d, fmt.Sprintf(format, args...))
	}
}

func (d *details) isFull() bool { return len(*d) == maxDetails }
