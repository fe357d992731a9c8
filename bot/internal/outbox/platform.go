package outbox

import (
	"context"
	"iter"

	"github.com/nectar-bot/nectar/platform"
)

// Platform is what the dispatcher calls: [Client] implements it.
type Platform interface {
	SendMessage(ctx context.Context, p platform.SendMessageParams) (platform.Message, error)
	PublishPost(ctx context.Context, p platform.PublishPostParams) (platform.Post, error)
	LikePost(ctx context.Context, id platform.PostID) (platform.Toggled, error)
	Repost(ctx context.Context, id platform.PostID) (platform.Toggled, error)
	Follow(ctx context.Context, id platform.UserID) (platform.Followed, error)
	DeleteMessage(ctx context.Context, id platform.MessageID) error
	DeletePost(ctx context.Context, id platform.PostID) error

	Messages(ctx context.Context, p platform.MessagesParams) ([]platform.Message, error)
	AllMessages(ctx context.Context, p platform.MessagesParams) iter.Seq2[platform.Message, error]
	Thread(ctx context.Context, id platform.PostID) (platform.Thread, error)
	AllThreadReplies(ctx context.Context, p platform.ThreadRepliesParams) iter.Seq2[platform.Post, error]
	ProfilePosts(ctx context.Context, p platform.ProfilePostsParams) ([]platform.Post, error)
	AllProfilePosts(ctx context.Context, p platform.ProfilePostsParams) iter.Seq2[platform.Post, error]
	Profile(ctx context.Context, p platform.ProfileParams) (platform.Profile, error)
	Feed(ctx context.Context, p platform.PageParams) ([]platform.Post, error)
}

// Client is a client as the dispatcher reads it.
type Client struct{ *platform.Client }

var _ Platform = Client{}

// AllThreadReplies reads the replies to a post to the end of the list.
func (c Client) AllThreadReplies(ctx context.Context, p platform.ThreadRepliesParams) iter.Seq2[platform.Post, error] {
	return platform.All(ctx, c.ThreadReplies, p)
}

// AllProfilePosts reads the posts of a person to the end of the list, without adverts.
func (c Client) AllProfilePosts(ctx context.Context, p platform.ProfilePostsParams) iter.Seq2[platform.Post, error] {
	return platform.All(ctx, c.ProfilePosts, p)
}
