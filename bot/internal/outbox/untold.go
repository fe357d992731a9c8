package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// A platform whose posts do not tell whether the account has liked or reposted them leaves the dispatcher with what calls answer,
// and for reposts with the account's own page. What neither shows is not known: it is not taken for "no", so that nothing is
// called a second time because of it. What was in doubt then is left to a person.

// errUntold says that the platform does not tell how a toggle stands.
var errUntold = errors.New("the platform does not tell how the post stands")

// ownPageDepth is how many posts of the account's own page are looked through for a repost.
const ownPageDepth = 100

// untold reads how a toggle stands whose post does not tell.
func (b *Account) untold(ctx context.Context, it *delivery) (wish, error) {
	if it.Verb == event.VerbLike || it.Verb == event.VerbRenew && it.ReconcileFrom == 0 { // a renewal does not begin there
		return isOff, errUntold
	}
	me, err := b.me(ctx)
	if err != nil {
		return isOff, err
	}
	params, seen := platform.ProfilePostsParams{ID: me, PageSize: reconcilePage}, 0
	for p, err := range b.cfg.Platform.AllProfilePosts(ctx, params) {
		if err != nil {
			return isOff, readFailure{fmt.Errorf("look for the repost on the account's own page: %w", err)}
		}
		if p.ID == it.Post && p.IsRepost {
			return isOn, nil
		}
		if seen++; seen == ownPageDepth {
			break
		}
	}
	return isOff, errUntold //mutate:toggle-untold
}

// uncertain decides what becomes of a toggle of which nothing tells how it stands, before its call; true when that call may leave.
// A call that is to take something back might make it instead.
func (it *delivery) uncertain() bool {
	switch {
	case it.Verb == event.VerbRenew:
		it.enter(event.StateWithdrawn, event.Because(reason.Untold, "again", "1"))
	case !it.Want: //mutate:untold-undo
		it.enter(event.StateWithdrawn, event.Because(reason.Untold))
	default:
		return true
	}
	return false
}

// leaveUntold leaves items in doubt to a person when nothing will ever tell what became of them; false when the error is another one.
func (b *Account) leaveUntold(err error, inDoubtItems []*delivery) bool {
	if !errors.Is(err, errUntold) {
		return false
	}
	b.hold(reason.Unknown, "nobody knows whether it happened: the platform does not tell", slices.Clip(inDoubtItems)...)
	return true
}
