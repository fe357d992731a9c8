package bot

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// mostFollowed is how many of those whom a person follows are looked at to find the account among them.
const mostFollowed = 500

// Follower reports whether the peer follows the account, as a fact. No call of the platform says so: it is
// looked for among the last 500 whom the peer followed. When that list cannot be read, nobody follows.
func (t *Turn) Follower(ctx context.Context) (bool, error) {
	if err := t.withPerson("look whether the peer follows"); err != nil {
		return false, err
	}
	id := t.Trigger.Key.Peer
	return Fact(ctx, t, "follower:"+strconv.FormatInt(int64(id), 10), func(ctx context.Context) (bool, error) {
		return read(ctx, t.reader, func(ctx context.Context, c *platform.Client) (bool, error) {
			seen := 0
			for p, err := range platform.All(ctx, c.Following, platform.PeopleParams{ID: id, PageSize: 50}) {
				switch {
				// Recorded as not so, and not tried again: a list that the person hides will be hidden at the next try, too.
				case platform.Final(err):
					t.Note("whom %d follows cannot be read: %v", id, err)
					return false, nil
				case err != nil:
					return false, fmt.Errorf("read whom %d follows: %w", id, err)
				case p.IsMe:
					return true, nil
				}
				// Who follows many thousands is read for so long only: a turn has to end.
				if seen++; seen >= mostFollowed {
					break
				}
			}
			return false, nil
		})
	})
}

// HasEntry reports whether a list of the account has an entry of a key, also one of an earlier turn of this
// conversation that is still on its way into the store, or of this turn.
func (t *Turn) HasEntry(ctx context.Context, list, key string) (bool, error) {
	if t.hasEntry(func(e event.Entry) bool { return e.List == list && e.Key == key }) {
		return true, nil
	}
	has, err := t.reader.store.HasEntry(ctx, t.Trigger.Key.Account, list, key)
	if err != nil {
		return false, storeError{err}
	}
	return has, nil
}

// ReplyTo answers a post with a public reply.
func (t *Turn) ReplyTo(post platform.PostID, text string, options ...Option) error {
	return t.postText(text, post, options)
}

// Conclude sets the outcome that the turn's decision record shows, in place of "handled".
func (t *Turn) Conclude(outcome string) { t.rec.Outcome = outcome }
