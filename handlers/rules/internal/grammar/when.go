package grammar

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// When is a kind of event, in the words of people's screens.
type When string

// What rules can wait for.
const (
	OnMessage When = "message"
	OnMention When = "mention"
	OnReply   When = "reply"
	OnRepost  When = "repost"
	OnLike    When = "like"
	OnFollow  When = "follow"
	OnNoMatch When = "no_match" // a message, mention or reply that nothing answered
	OnSilence When = "silence"  // a message that nobody has answered for a while, for any reason
	// OnHeldBack waits for messages, mentions and replies when their answer was held back.
	OnHeldBack When = "held_back"
)

// FromText reads an event word.
func (w *When) FromText(n textfile.Node) textfile.Problems {
	return textfile.OneOf(n, w, OnMessage, OnMention, OnReply, OnRepost, OnLike, OnFollow, OnNoMatch, OnSilence, OnHeldBack)
}

// WhenOf returns the word for a kind of event, "" for kinds that rules do not see.
func WhenOf(kind event.Kind) When {
	switch kind {
	case event.KindMessage, event.KindMention, event.KindReply, event.KindRepost, event.KindLike, event.KindFollow:
		return When(kind)
	default:
		return ""
	}
}

// SaysSomething reports whether somebody said something.
func (w When) SaysSomething() bool { return w == OnMessage || w == OnMention || w == OnReply }

// about reports whether the event is about a post.
func (w When) aboutPost() bool {
	return w == OnMention || w == OnReply || w == OnRepost || w == OnLike
}
