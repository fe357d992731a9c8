package script

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/internal/words"
)

// Step is one thing that somebody does or expects. Actor makes most of them.
type Step struct {
	words string // for errors
	actor Actor  // "" for nobody
	do    func(context.Context, *stage, *role) error
}

// Actor is a person of a script, by user name. One that the platform does not know is added when
// the script begins.
type Actor string

// Says writes a private message.
func (a Actor) Says(text string) Step {
	return a.does("says "+words.QuoteExcerpt(text), func(s *stage, r *role) bool {
		return s.p.Say(r.id, s.script.Account, text) != 0
	})
}

// Mentions writes a post that names the account.
func (a Actor) Mentions(text string) Step {
	return a.does("mentions the account", func(s *stage, r *role) bool {
		return r.notePost(s.p.Mention(r.id, s.script.Account, text))
	})
}

// Replies answers a post.
func (a Actor) Replies(post platform.PostID, text string) Step {
	return a.does(fmt.Sprintf("replies to post %d", post), func(s *stage, r *role) bool {
		return r.notePost(s.p.Reply(r.id, post, text))
	})
}

// Likes likes a post.
func (a Actor) Likes(post platform.PostID) Step {
	return a.does(fmt.Sprintf("likes post %d", post), func(s *stage, r *role) bool {
		return s.p.Like(r.id, post)
	})
}

// Reposts reposts a post.
func (a Actor) Reposts(post platform.PostID) Step {
	return a.does(fmt.Sprintf("reposts post %d", post), func(s *stage, r *role) bool {
		return s.p.Repost(r.id, post)
	})
}

// Follows follows the account.
func (a Actor) Follows() Step {
	return a.does("follows the account", func(s *stage, r *role) bool {
		return s.p.Follow(r.id, s.script.Account)
	})
}

// Unfollows follows the account no longer.
func (a Actor) Unfollows() Step {
	return a.does("unfollows the account", func(s *stage, r *role) bool {
		return s.p.Unfollow(r.id, s.script.Account)
	})
}

// Expects waits for the next private message of the account to this person and wants it to contain
// text. Each message is expected once, in the order in which they arrive.
func (a Actor) Expects(text string) Step {
	return Step{"expects " + words.QuoteExcerpt(text), a, func(ctx context.Context, s *stage, r *role) error {
		e, err := s.awaitDeed(ctx, r.heard, func(e emulator.Entry) bool { return e.Kind == emulator.Arrived && e.To == r.id })
		if err != nil {
			return err
		}
		r.heard = e.Seq
		if !strings.Contains(e.Text, text) {
			return fmt.Errorf("the account wrote %s", words.QuoteExcerpt(e.Text))
		}
		return nil
	}}
}

// ExpectsLike waits until the account likes what this person posted last.
func (a Actor) ExpectsLike() Step {
	return a.awaits("expects a like", func(e emulator.Entry, r *role) bool { return e.Kind == emulator.Liked && e.Post == r.post })
}

// ExpectsRepost waits until the account reposts what this person posted last.
func (a Actor) ExpectsRepost() Step {
	return a.awaits("expects a repost", func(e emulator.Entry, r *role) bool { return e.Kind == emulator.Reposted && e.Post == r.post })
}

// ExpectsFollow waits until the account follows this person, or asks for it.
func (a Actor) ExpectsFollow() Step {
	return a.awaits("expects to be followed", func(e emulator.Entry, r *role) bool {
		return (e.Kind == emulator.Followed || e.Kind == emulator.FollowRequested) && e.To == r.id
	})
}

// does is a step that takes effect at once; act reports whether it did.
func (a Actor) does(words string, act func(*stage, *role) bool) Step {
	return Step{words, a, func(_ context.Context, s *stage, r *role) error {
		if !act(s, r) {
			return errors.New("the platform refused, or nothing changed")
		}
		return nil
	}}
}

// awaits is a step that waits for a deed of the account since the script began.
func (a Actor) awaits(words string, is func(emulator.Entry, *role) bool) Step {
	return Step{words, a, func(ctx context.Context, s *stage, r *role) error {
		_, err := s.awaitDeed(ctx, s.began, func(e emulator.Entry) bool { return is(e, r) })
		return err
	}}
}
