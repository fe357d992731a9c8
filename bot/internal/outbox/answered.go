package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// What stands below a post was looked at in the turn that decided to answer it. A reply that has waited since is looked at once more, right
// before it leaves: a person of ours may have answered there meanwhile.

// lookHolds is for how long a look at what stands below a post holds.
const lookHolds = time.Minute

// errAnswered is why something is not tried any more.
var errAnswered = errors.New("a person of ours has answered it")

// outdated reports whether what an item answers was looked at too long ago, in its turn or since.
func (d *delivery) outdated() bool {
	return time.Since(d.looked) > lookHolds && time.Since(d.DecidedAt) > lookHolds //mutate:by-hand-waits
}

// checkAnsweredByHand lets a reply be withdrawn that waited while a person of ours answered by hand what it answers. The slot is in hand. What does
// not come right from its turn may be older than it looks: somebody has released it just now.
func (a *Account) checkAnsweredByHand(ctx context.Context, q *queue, d *delivery) error {
	if d.Verb != event.VerbPost || d.Post == 0 || d.Peer == 0 { // it answers nobody in public
		return nil
	}
	last := a.stood.Load()
	fresh := d.stood == last && !d.outdated()
	if fresh && !d.looked.IsZero() {
		return nil
	}
	text, err := a.cfg.People.AnsweredByHand(ctx, &d.Action, fresh)
	switch {
	case err != nil && platform.Classify(err) == platform.Other: // the store, or the end of the account outbox
		return notAsked{err}
	case err != nil:
		a.noteAnswer(q, err)
		return readFailure{fmt.Errorf("read whether a person of ours has answered the post %d: %w", d.Post, err)}
	case text != "": //mutate:by-hand-late
		a.noteAnswer(q, nil)
		d.enterText(event.StateWithdrawn, reason.TakenBack, text)
		return notAsked{errAnswered}
	}
	d.looked, d.stood = time.Now(), last
	return nil
}
