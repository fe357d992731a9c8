package event

import "github.com/nectar-bot/nectar/platform"

// Message is a private message, as a message handler gets it.
type Message struct {
	ID    platform.MessageID // 0 where the deployment has no get_messages
	From  Peer
	Text  string
	Image string // address of a picture, or ""
}

// Mention is a post that mentions the account.
type Mention struct {
	Post platform.PostID
	From Peer
	Text string
}

// Reply is a reply to a post of the account.
type Reply struct {
	Post platform.PostID
	From Peer
	Text string
}

// Like is a like of a post of the account.
type Like struct {
	Post platform.PostID
	From Peer
}

// Repost is a repost of a post of the account.
type Repost struct {
	Post platform.PostID
	From Peer
}

// Follow is a new follower.
type Follow struct{ From Peer }

// FollowRequest is somebody who asks to follow a private account.
type FollowRequest struct{ From Peer }

// Other is a notification of a subject that has no type of its own.
type Other struct {
	Kind    Kind
	Subject platform.Subject
	From    Peer
	Post    platform.PostID
}

// From returns the event's peer.
func (e Event) From() Peer { return Peer{ID: e.Peer, Name: e.Name, User: e.User} }

// Message narrows the event; false when it is of another kind. So do the methods below.
func (e Event) Message() (Message, bool) {
	var id platform.MessageID
	if e.ID.Source == Messages {
		id = platform.MessageID(e.ID.Number)
	}
	return Message{ID: id, From: e.From(), Text: e.Text, Image: e.Image}, e.Kind == KindMessage
}

// Mention narrows the event.
func (e Event) Mention() (Mention, bool) {
	return Mention{Post: e.Post, From: e.From(), Text: e.Text}, e.Kind == KindMention
}

// Reply narrows the event.
func (e Event) Reply() (Reply, bool) {
	return Reply{Post: e.Post, From: e.From(), Text: e.Text}, e.Kind == KindReply
}

// Like narrows the event.
func (e Event) Like() (Like, bool) { return Like{e.Post, e.From()}, e.Kind == KindLike }

// Repost narrows the event.
func (e Event) Repost() (Repost, bool) { return Repost{e.Post, e.From()}, e.Kind == KindRepost }

// Follow narrows the event.
func (e Event) Follow() (Follow, bool) { return Follow{e.From()}, e.Kind == KindFollow }

// FollowRequest narrows the event.
func (e Event) FollowRequest() (FollowRequest, bool) {
	return FollowRequest{e.From()}, e.Kind == KindFollowRequest
}

// Other narrows the event: any kind that has no type of its own.
func (e Event) Other() (Other, bool) {
	ok := e.Kind == KindOther || e.Kind == KindVisit || e.Kind == KindFollowAccept
	return Other{e.Kind, e.Subject, e.From(), e.Post}, ok
}
