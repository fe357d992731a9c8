package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// What stands below a post was looked at in the turn that decided to answer it. A reply that has waited since is looked at once more, right
// before it leaves: a person of ours may have answered there meanwhile.

// lookHolds is for how long a look at what stands below a post holds.
const lookHolds = time.Minute

// errAnswered is why something is not tried any more.
var errAnswered = errors.New("a person of ours has answered it")

// answersPost reports whether an item answers somebody in public.
func (it *delivery) answersPost() bool {
	return it.Verb == event.VerbPost && it.Post != 0 && it.Peer != 0
}

// outdated reports whether what an item answers was looked at too long ago, in its turn or since.
func (it *delivery) outdated() bool {
	return time.Since(it.looked) > lookHolds && time.Since(it.DecidedAt) > lookHolds //mutate:by-hand-waits
}

// unanswered lets a reply be withdrawn that waited while a person of ours answered by hand what it answers. The slot is in hand. What does
// not come right from its turn may be older than it looks: somebody has released it just now.
func (b *Account) unanswered(ctx context.Context, q *queue, it *delivery) error {
	if b.cfg.Answered == nil || !it.answersPost() {
		return nil
	}
	last := b.stood.Load()
	fresh := it.stood == last && !it.outdated()
	if fresh && (!it.looked.IsZero() || !it.old) {
		return nil
	}
	reason, err := b.cfg.Answered(ctx, &it.Action, fresh)
	switch {
	case err != nil && platform.Classify(err) == platform.Other: // the store, or the end of the account outbox
		return notAsked{err}
	case err != nil:
		b.heard(q, err)
		return readFailure{fmt.Errorf("read whether a person of ours has answered the post %d: %w", it.Post, err)}
	case reason != "": //mutate:by-hand-late
		b.heard(q, nil)
		it.takenBack(reason)
		return notAsked{errAnswered}
	}
	it.looked, it.stood = time.Now(), last
	return nil
}
