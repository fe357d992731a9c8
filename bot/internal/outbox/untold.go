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

// readUntold reads how a toggle stands whose post does not tell.
func (a *Account) readUntold(ctx context.Context, d *delivery) (wish, error) {
	if d.Verb == event.VerbLike || d.Verb == event.VerbRenew && d.ReconcileFrom == 0 { // a renewal does not begin there
		return isOff, errUntold
	}
	me, err := a.ownID(ctx)
	if err != nil {
		return isOff, err
	}
	params, seen := platform.ProfilePostsParams{ID: me, PageSize: reconcilePage}, 0
	for p, err := range a.cfg.Platform.AllProfilePosts(ctx, params) {
		if err != nil {
			return isOff, readFailure{fmt.Errorf("look for the repost on the account's own page: %w", err)}
		}
		if p.ID == d.Post && p.IsRepost {
			return isOn, nil
		}
		if seen++; seen == ownPageDepth {
			break
		}
	}
	return isOff, errUntold //mutate:toggle-untold
}

// decideUncertain decides what becomes of a toggle of which nothing tells how it stands, before its call; true when that call may leave.
// A call that is to take something back might make it instead.
func (d *delivery) decideUncertain() bool {
	switch {
	case d.Verb == event.VerbRenew:
		d.changeState(event.StateWithdrawn, event.Because(reason.Untold, "again", "1"))
	case !d.Want: //mutate:untold-undo
		d.changeState(event.StateWithdrawn, event.Because(reason.Untold))
	default:
		return true
	}
	return false
}

// leaveUntold leaves items in doubt to a person when nothing will ever tell what became of them; false when the error is another one.
func (a *Account) leaveUntold(err error, inDoubtItems []*delivery) bool {
	if !errors.Is(err, errUntold) {
		return false
	}
	a.holdItems(reason.Unknown, "nobody knows whether it happened: the platform does not tell", slices.Clip(inDoubtItems)...)
	return true
}
