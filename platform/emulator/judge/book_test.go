package judge_test

import (
	"time"

	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

const (
	bot platform.UserID = 1
	ana platform.UserID = 2
	leo platform.UserID = 3
)

// book is a ledger written by hand, one second from entry to entry.
type book []Entry

func (b *book) add(e Entry) {
	e.Seq = int64(len(*b)) + 1
	e.At = time.Unix(1_700_000_000+e.Seq, 0)
	*b = append(*b, e)
}

func (b *book) say(from platform.UserID, texts ...string) {
	for _, text := range texts {
		b.add(Entry{Kind: Said, From: from, To: bot, Text: text})
	}
}

func (b *book) answer(to platform.UserID, texts ...string) {
	for _, text := range texts {
		b.add(Entry{Kind: Arrived, From: bot, To: to, Text: text, ByAPI: true})
	}
}

// person enters what somebody does to the account.
func (b *book) person(who platform.UserID, kind EntryKind, post platform.PostID) {
	b.add(Entry{Kind: kind, From: who, To: bot, Post: post})
}

// deed enters what the account does through the API.
func (b *book) deed(kind EntryKind, to platform.UserID, post platform.PostID) {
	b.add(Entry{Kind: kind, From: bot, To: to, Post: post, ByAPI: true})
}

func echo(said Entry) []string { return []string{"echo: " + said.Text} }

func thank(Entry) (string, bool)   { return "thank you", true }
func welcome(Entry) (string, bool) { return "welcome", true }

var everything = judge.Expect{
	Account: bot, Replies: echo, ThankReposts: thank, WelcomeFollowers: welcome,
	LikeMentions: true, LikeReplies: true, RepostMentions: true, FollowBack: true,
}
