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

// wish is what the platform shows of a toggle.
type wish uint8

const (
	isOff wish = iota
	isOn
	isRequested // a follow that waits for the other person's consent
)

func (w wish) is(want bool) bool { return want == (w != isOff) }

// reachWish reaches a wished state: it reads first, calls at most once, and corrects at most once when
// the answer shows that somebody else had changed the state in between.
func (a *Account) reachWish(ctx context.Context, d *delivery) error {
	now, err := a.readToggle(ctx, d)
	if err == nil && now == isOff && !d.Want { // nothing is to be called then that would find out
		now, err = a.stateOfAccount(ctx, d)
	}
	switch {
	case errors.Is(err, errUntold):
		if !d.decideUncertain() {
			return nil
		}
	case err != nil:
		return err
	case now.is(d.Want): //mutate:toggle-look
		d.noteReached(now, event.Because(reason.WasSo))
		return nil
	}
	for range 2 {
		after, known, err := a.flipToggle(ctx, d)
		if err != nil {
			return err
		}
		//mutate:until-owed
		d.owed = true // if somebody was faster, and is undone by that
		// The answer does not tell, and a second call would undo the first: only reading may decide that it is needed.
		if !known {
			if after, err = a.readToggle(ctx, d); err != nil {
				d.owed = false
				return fmt.Errorf("%w: %w", errUnreconciled, err)
			}
		}
		if after.is(d.Want) {
			d.noteReached(after, "")
			return nil
		}
	}
	a.holdItems(reason.Refused, "the platform did not take the wished state in two calls", d)
	a.warnToggle(d)
	return nil
}

func (d *delivery) noteReached(w wish, why event.Reason) {
	if w == isRequested {
		why = event.Because(reason.Requested)
	}
	d.changeState(event.StateDone, why)
}

// stateOfAccount is readToggle for when nothing but the reading tells: a session that has ended may be answered as if none was sent, and nobody
// without an account has liked, reposted or followed anything. Where there is no feed to ask, the reading has to do.
func (a *Account) stateOfAccount(ctx context.Context, d *delivery) (wish, error) {
	if err := a.verifySession(ctx); err != nil && !HasNoFeed(err) { //mutate:toggle-vouched
		return isOff, readFailure{err}
	}
	return a.readToggle(ctx, d)
}

// readToggle reads how a toggle stands.
func (a *Account) readToggle(ctx context.Context, d *delivery) (wish, error) {
	if d.Verb == event.VerbFollow {
		p, err := a.cfg.Platform.Profile(ctx, platform.ProfileParams{ID: d.User})
		if err != nil {
			return isOff, readFailure{fmt.Errorf("read whether user %d is followed: %w", d.User, err)}
		}
		switch {
		// Before what follows: a request that nobody has accepted is no follow yet, and to ask for it again would take it back.
		case p.FollowRequested:
			return isRequested, nil
		case p.IsFollowing:
			return isOn, nil
		}
		return isOff, nil
	}
	t, err := a.cfg.Platform.Thread(ctx, d.Post)
	if err != nil {
		return isOff, readFailure{postFailure{d.Post, err}}
	}
	is, untold := t.Post.HasReposted, t.Post.RepostUntold
	if d.Verb == event.VerbLike {
		is, untold = t.Post.HasLiked, t.Post.LikeUntold
	}
	switch {
	// The post does not say. To take that for "off" would call a toggle that is on, and take it back.
	case untold:
		return a.readUntold(ctx, d)
	case is:
		return isOn, nil
	}
	return isOff, nil
}

// flipToggle makes the toggling call and returns the state that its answer tells. When its session is refused, it ends with errReadAnew.
func (a *Account) flipToggle(ctx context.Context, d *delivery) (after wish, known bool, err error) {
	var t platform.Toggled
	ctx = a.permitOnce(ctx, d)
	switch d.Verb {
	case event.VerbLike:
		t, err = a.cfg.Platform.LikePost(ctx, d.Post)
	case event.VerbRepost, event.VerbRenew:
		t, err = a.cfg.Platform.Repost(ctx, d.Post)
	default:
		var f platform.Followed
		f, err = a.cfg.Platform.Follow(ctx, d.User)
		if f == platform.FollowRequested {
			return isRequested, true, err
		}
		t = platform.Toggled{On: f == platform.FollowActive, Known: f != platform.FollowUnknown}
	}
	if t.On {
		after = isOn
	}
	return after, t.Known, err
}

// lookToggle reads calls in doubt on one target: found when the wish that came last is there. The
// wishes before it no longer matter.
func (a *Account) lookToggle(ctx context.Context, inDoubtItems []*delivery) (int, error) {
	last := inDoubtItems[len(inDoubtItems)-1]
	for _, d := range inDoubtItems[:len(inDoubtItems)-1] {
		d.changeState(event.StateDone, event.Because(reason.Overtaken))
	}
	now, err := a.readToggle(ctx, last)
	if err != nil {
		return len(inDoubtItems) - 1, err
	}
	if !now.is(last.Want) {
		return len(inDoubtItems) - 1, nil
	}
	last.noteReached(now, "")
	return len(inDoubtItems), nil
}

// isOvertaken reports whether a later wish for the same target waits behind a head of a queue. One that has a latest
// departure may come to nothing, and a renewal needs what is wished before it.
func (a *Account) isOvertaken(d *delivery) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.queues[keyOf(&d.Action)]
	//mutate:until-overtaken
	return len(q.items) > 1 && slices.ContainsFunc(q.items[1:], func(x *delivery) bool { return x.Until.IsZero() && x.Verb != event.VerbRenew })
}

// A platform whose posts do not tell whether the account has liked or reposted them leaves the dispatcher with what calls answer,
// and for reposts with the account's own page. What neither shows is not known: it is not taken for "no", so that nothing is
// called a second time because of it. What was in doubt then is left to a person.

// errUntold says that the platform does not tell how a toggle stands.
var errUntold = errors.New("the platform does not tell how the post stands")

// ownPageDepth is how many posts of the account's own page are looked through for a repost.
const ownPageDepth = 100

// readUntold reads how a toggle stands whose post does not tell.
func (a *Account) readUntold(ctx context.Context, d *delivery) (wish, error) {
	if d.Verb == event.VerbLike || d.Verb == event.VerbRenew && !OwesRepost(&d.Action) { // a renewal does not begin there
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
