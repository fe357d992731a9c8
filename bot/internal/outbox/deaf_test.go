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

// deafness keeps what is on the platform from being read, at times.
type deafness struct {
	mu     sync.Mutex
	on     bool
	random *rand.Rand
}

// turn lets nothing be read, or everything again.
func (d *deafness) turn(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.on = on
}

// failure is what becomes of a reading: some reach the platform, more do not.
func (d *deafness) failure() error {
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

// deaf is a platform as somebody sees it who cannot read it at times.
type deaf struct {
	outbox.Platform
	*deafness
}

func heard[T any](d *deafness, read func() (T, error)) (T, error) {
	if err := d.failure(); err != nil {
		var none T
		return none, err
	}
	return read()
}

func heardAll[T any](d *deafness, read func() iter.Seq2[T, error]) iter.Seq2[T, error] {
	if err := d.failure(); err != nil {
		return func(yield func(T, error) bool) {
			var none T
			yield(none, err)
		}
	}
	return read()
}

// Messages reads messages, or not.
func (d deaf) Messages(ctx context.Context, p platform.MessagesParams) ([]platform.Message, error) {
	return heard(d.deafness, func() ([]platform.Message, error) { return d.Platform.Messages(ctx, p) })
}

// AllMessages reads messages, or not.
func (d deaf) AllMessages(ctx context.Context, p platform.MessagesParams) iter.Seq2[platform.Message, error] {
	return heardAll(d.deafness, func() iter.Seq2[platform.Message, error] { return d.Platform.AllMessages(ctx, p) })
}

// Thread reads a post, or not.
func (d deaf) Thread(ctx context.Context, id platform.PostID) (platform.Thread, error) {
	return heard(d.deafness, func() (platform.Thread, error) { return d.Platform.Thread(ctx, id) })
}

// AllThreadReplies reads replies, or not.
func (d deaf) AllThreadReplies(ctx context.Context, p platform.ThreadRepliesParams) iter.Seq2[platform.Post, error] {
	return heardAll(d.deafness, func() iter.Seq2[platform.Post, error] { return d.Platform.AllThreadReplies(ctx, p) })
}

// ProfilePosts reads posts, or not.
func (d deaf) ProfilePosts(ctx context.Context, p platform.ProfilePostsParams) ([]platform.Post, error) {
	return heard(d.deafness, func() ([]platform.Post, error) { return d.Platform.ProfilePosts(ctx, p) })
}

// AllProfilePosts reads posts, or not.
func (d deaf) AllProfilePosts(ctx context.Context, p platform.ProfilePostsParams) iter.Seq2[platform.Post, error] {
	return heardAll(d.deafness, func() iter.Seq2[platform.Post, error] { return d.Platform.AllProfilePosts(ctx, p) })
}

var (
	errBadPage = &platform.Unreadable{Endpoint: "get_messages", HTTPStatus: 502, Err: errors.New("no JSON")}
	errPaused  = &platform.SessionError{Endpoint: "get_messages", Err: errors.New("paused")}
	errNoRoute = &platform.Unreachable{Endpoint: "get_messages", Err: errors.New("network is unreachable")}
)
