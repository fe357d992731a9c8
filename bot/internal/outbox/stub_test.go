package outbox_test

import (
	"context"
	"iter"

	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
)

// stub is a platform some of whose calls are done otherwise.
type stub struct {
	outbox.Platform
	send     func(context.Context, platform.SendMessageParams) (platform.Message, error)
	messages func(context.Context, platform.MessagesParams) ([]platform.Message, error)
	like     func(context.Context, platform.PostID) (platform.Toggled, error)
	publish  func(context.Context, platform.PublishPostParams) (platform.Post, error)
	thread   func(context.Context, platform.PostID) (platform.Thread, error)
	page     func(context.Context, platform.ProfilePostsParams) iter.Seq2[platform.Post, error]
	chat     func(context.Context, platform.MessagesParams) iter.Seq2[platform.Message, error]
	feed     func(context.Context, platform.PageParams) ([]platform.Post, error)
}

func (s *stub) SendMessage(ctx context.Context, p platform.SendMessageParams) (platform.Message, error) {
	if s.send != nil {
		return s.send(ctx, p)
	}
	return s.Platform.SendMessage(ctx, p)
}

func (s *stub) Messages(ctx context.Context, p platform.MessagesParams) ([]platform.Message, error) {
	if s.messages != nil {
		return s.messages(ctx, p)
	}
	return s.Platform.Messages(ctx, p)
}

func (s *stub) LikePost(ctx context.Context, id platform.PostID) (platform.Toggled, error) {
	if s.like != nil {
		return s.like(ctx, id)
	}
	return s.Platform.LikePost(ctx, id)
}

func (s *stub) PublishPost(ctx context.Context, p platform.PublishPostParams) (platform.Post, error) {
	if s.publish != nil {
		return s.publish(ctx, p)
	}
	return s.Platform.PublishPost(ctx, p)
}

func (s *stub) Thread(ctx context.Context, id platform.PostID) (platform.Thread, error) {
	if s.thread != nil {
		return s.thread(ctx, id)
	}
	return s.Platform.Thread(ctx, id)
}

func (s *stub) AllProfilePosts(ctx context.Context, p platform.ProfilePostsParams) iter.Seq2[platform.Post, error] {
	if s.page != nil {
		return s.page(ctx, p)
	}
	return s.Platform.AllProfilePosts(ctx, p)
}

func (s *stub) AllMessages(ctx context.Context, p platform.MessagesParams) iter.Seq2[platform.Message, error] {
	if s.chat != nil {
		return s.chat(ctx, p)
	}
	return s.Platform.AllMessages(ctx, p)
}

func (s *stub) Feed(ctx context.Context, p platform.PageParams) ([]platform.Post, error) {
	if s.feed != nil {
		return s.feed(ctx, p)
	}
	return s.Platform.Feed(ctx, p)
}
