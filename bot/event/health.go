package event

import (
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// The ways in which a source becomes unhealthy, as SourceHealth.Unhealthy says. Each takes five minutes of evidence at least.
const (
	// UnhealthyFailing is a source of which all polls fail.
	UnhealthyFailing = "its polls fail"
	// UnhealthyStuck is a poll that neither ends nor moves: nobody answers or takes what was read.
	UnhealthyStuck = "its poll is stuck"
	// UnhealthyStale is a list that is not alive: its newest row shows the same age although that must have
	// changed. It shows after twice the unit of that age: an hour for minutes, two days for days. Only
	// English times are understood.
	UnhealthyStale = "its list stands still"
	// UnhealthyEmpty is a chat list that had rows and has none any more.
	UnhealthyEmpty = "its list is empty"
	// UnhealthyHidden is a chat list that counts unread messages which get_messages does not show.
	UnhealthyHidden = "its messages are not shown"
	// UnhealthyBlind is a chat list that shows nothing of new messages: only sweeps find them.
	UnhealthyBlind = "its list shows no news"
	// UnhealthyUnread is chats that moved and cannot be read, while no other chat can either. Chats that the
	// platform refuses to show do not count: that may be about the other person.
	UnhealthyUnread = "its chats cannot be read"
)

// SourceHealth says how well a source is heard.
type SourceHealth struct {
	Source         Source    // event.Messages, also where get_messages is missing, event.Notifs or event.Mentions
	LastGood       time.Time // the end of the last poll that succeeded; zero before the first one
	LastEvent      time.Time // when the last event was delivered; zero before the first one
	Failures       int       // polls that failed since the last good one
	Unhealthy      string    // why nothing new can be heard, one of the constants; empty while the source hears
	UnhealthySince time.Time // when the evidence began; zero while the source hears
	Cause          string    // the last failure in one line, if failures are the reason
	Polls          int       // since the start
	Failed         int       // of these, how many failed
	SetBack        int       // cursors that stood too high since the start, and were set back
	ReadingSince   time.Time // since when a reading goes on that has come to no end for two minutes; zero: there is none

	// List is how much of the chat list arrived last, and how near that came to the bounds; zero before the first
	// one, and for the other sources. Cut says what cut it, and CutSince since when each list was; then its newest
	// chats are heard.
	List     platform.ChatList
	Cut      platform.CutBy
	CutSince time.Time
}

// Advice says in a sentence what a person can do about the deafness, "" while the source hears.
func (h SourceHealth) Advice() string {
	switch h.Unhealthy {
	case UnhealthyFailing, UnhealthyUnread:
		return "run nectar doctor: it says what the platform refuses; nothing is lost, and reading goes on by itself once it answers"
	case UnhealthyStuck:
		return "look for handlers that hang, for a disk that is full, and for a platform that accepts calls and never answers; a restart loses nothing"
	case UnhealthyStale:
		return "something between the bot and the platform, such as a cache, serves old answers: take it out of the way, then run nectar audit"
	case UnhealthyEmpty:
		return "if nobody deleted all chats, the session may see another account: run nectar doctor, and sign in anew if it says so"
	case UnhealthyHidden:
		return "a cache may serve old messages, or the platform hides some: compare with the phone, then run nectar audit"
	case UnhealthyBlind:
		return "answers come half a minute late or more: a cache may serve an old chat list; take it out of the way, then run nectar audit"
	default:
		return ""
	}
}
