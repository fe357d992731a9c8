package outbox_test

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"sync"

	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
)

// unreadability keeps what is on the platform from being read, at times.
type unreadability struct {
	mu     sync.Mutex
	on     bool
	random *rand.Rand
}

// turn lets nothing be read, or everything again.
func (d *unreadability) turn(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.on = on
}

// failure is what becomes of a reading: some reach the platform, more do not.
func (d *unreadability) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case !d.on:
		return nil
	case d.random.IntN(4) == 0:
		return errBadPage
	case d.random.IntN(2) == 0:
		return errPaused
	}
	return errNoRoute
}

// unreadable is a platform as somebody sees it who cannot read it at times.
type unreadable struct {
	outbox.Platform
	*unreadability
}

func heard[T any](d *unreadability, read func() (T, error)) (T, error) {
	if err := d.failure(); err != nil {
		var none T
		return none, err
	}
	return read()
}

func heardAll[T any](d *unreadability, read func() iter.Seq2[T, error]) iter.Seq2[T, error] {
	if err := d.failure(); err != nil {
		return func(yield func(T, error) bool) {
			var none T
			yield(none, err)
		}
	}
	return read()
}

// Messages reads messages, or not.
func (d unreadable) Messages(ctx context.Context, p platform.MessagesParams) ([]platform.Message, error) {
	return heard(d.unreadability, func() ([]platform.Message, error) { return d.Platform.Messages(ctx, p) })
}

// AllMessages reads messages, or not.
func (d unreadable) AllMessages(ctx context.Context, p platform.MessagesParams) iter.Seq2[platform.Message, error] {
	return heardAll(d.unreadability, func() iter.Seq2[platform.Message, error] { return d.Platform.AllMessages(ctx, p) })
}

// Thread reads a post, or not.
func (d unreadable) Thread(ctx context.Context, id platform.PostID) (platform.Thread, error) {
	return heard(d.unreadability, func() (platform.Thread, error) { return d.Platform.Thread(ctx, id) })
}

// AllThreadReplies reads replies, or not.
func (d unreadable) AllThreadReplies(ctx context.Context, p platform.ThreadRepliesParams) iter.Seq2[platform.Post, error] {
	return heardAll(d.unreadability, func() iter.Seq2[platform.Post, error] { return d.Platform.AllThreadReplies(ctx, p) })
}

// ProfilePosts reads posts, or not.
func (d unreadable) ProfilePosts(ctx context.Context, p platform.ProfilePostsParams) ([]platform.Post, error) {
	return heard(d.unreadability, func() ([]platform.Post, error) { return d.Platform.ProfilePosts(ctx, p) })
}

// AllProfilePosts reads posts, or not.
func (d unreadable) AllProfilePosts(ctx context.Context, p platform.ProfilePostsParams) iter.Seq2[platform.Post, error] {
	return heardAll(d.unreadability, func() iter.Seq2[platform.Post, error] { return d.Platform.AllProfilePosts(ctx, p) })
}

var (
	errBadPage = &platform.Unreadable{Endpoint: "get_messages", HTTPStatus: 502, Err: errors.New("no JSON")}
	errPaused  = &platform.SessionError{Endpoint: "get_messages", Err: errors.New("paused")}
	errNoRoute = &platform.Unreachable{Endpoint: "get_messages", Err: errors.New("network is unreachable")}
)
