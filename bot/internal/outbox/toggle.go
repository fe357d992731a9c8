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

// toggle reaches a wished state: it reads first, calls at most once, and corrects at most once when
// the answer shows that somebody else had changed the state in between.
func (b *Account) toggle(ctx context.Context, it *delivery) error {
	now, err := b.state(ctx, it)
	if err == nil && now == isOff && !it.Want { // nothing is to be called then that would find out
		now, err = b.stateOfAccount(ctx, it)
	}
	switch {
	case errors.Is(err, errUntold):
		if !it.uncertain() {
			return nil
		}
	case err != nil:
		return err
	case now.is(it.Want): //mutate:toggle-look
		it.reached(now, event.Because(reason.WasSo))
		return nil
	}
	for range 2 {
		after, known, err := b.flip(ctx, it)
		if err != nil {
			return err
		}
		//mutate:until-owed
		it.owed = true // if somebody was faster, and is undone by that
		// The answer does not tell, and a second call would undo the first: only reading may decide that it is needed.
		if !known {
			if after, err = b.state(ctx, it); err != nil {
				it.owed = false
				return fmt.Errorf("%w: %w", errUnreconciled, err)
			}
		}
		if after.is(it.Want) {
			it.reached(after, "")
			return nil
		}
	}
	b.hold(reason.Refused, "the platform did not take the wished state in two calls", it)
	b.warnToggle(it)
	return nil
}

func (it *delivery) reached(w wish, why event.Reason) {
	if w == isRequested {
		why = event.Because(reason.Requested)
	}
	it.enter(event.StateDone, why)
}

// stateOfAccount is state for when nothing but the reading tells: a session that has ended may be answered as if none was sent, and nobody
// without an account has liked, reposted or followed anything. Where there is no feed to ask, the reading has to do.
func (b *Account) stateOfAccount(ctx context.Context, it *delivery) (wish, error) {
	if err := b.vouch(ctx); err != nil && !HasNoFeed(err) { //mutate:toggle-vouched
		return isOff, readFailure{err}
	}
	return b.state(ctx, it)
}

// state reads how a toggle stands.
func (b *Account) state(ctx context.Context, it *delivery) (wish, error) {
	if it.Verb == event.VerbFollow {
		p, err := b.cfg.Platform.Profile(ctx, platform.ProfileParams{ID: it.User})
		if err != nil {
			return isOff, readFailure{fmt.Errorf("read whether user %d is followed: %w", it.User, err)}
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
	t, err := b.cfg.Platform.Thread(ctx, it.Post)
	if err != nil {
		return isOff, readFailure{fmt.Errorf("read the state of post %d: %w", it.Post, err)}
	}
	is, untold := t.Post.HasReposted, t.Post.RepostUntold
	if it.Verb == event.VerbLike {
		is, untold = t.Post.HasLiked, t.Post.LikeUntold
	}
	switch {
	// The post does not say. To take that for "off" would call a toggle that is on, and take it back.
	case untold:
		return b.untold(ctx, it)
	case is:
		return isOn, nil
	}
	return isOff, nil
}

// flip makes the toggling call and returns the state that its answer tells. When its session is refused, it ends with errReadAnew.
func (b *Account) flip(ctx context.Context, it *delivery) (after wish, known bool, err error) {
	var t platform.Toggled
	ctx = b.permitOnce(ctx, it)
	switch it.Verb {
	case event.VerbLike:
		t, err = b.cfg.Platform.LikePost(ctx, it.Post)
	case event.VerbRepost, event.VerbRenew:
		t, err = b.cfg.Platform.Repost(ctx, it.Post)
	default:
		var f platform.Followed
		f, err = b.cfg.Platform.Follow(ctx, it.User)
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
func (b *Account) lookToggle(ctx context.Context, inDoubtItems []*delivery) (int, error) {
	last := inDoubtItems[len(inDoubtItems)-1]
	for _, it := range inDoubtItems[:len(inDoubtItems)-1] {
		it.enter(event.StateDone, event.Because(reason.Overtaken))
		it.inDoubt = false
	}
	now, err := b.state(ctx, last)
	if err != nil {
		return len(inDoubtItems) - 1, err
	}
	if !now.is(last.Want) {
		return len(inDoubtItems) - 1, nil
	}
	last.inDoubt = false
	last.reached(now, "")
	return len(inDoubtItems), nil
}

// overtaken reports whether a later wish for the same target waits behind the head of a queue. One that has a latest
// departure may come to nothing, and a renewal needs what is wished before it.
func (b *Account) overtaken(q *queue) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	//mutate:until-overtaken
	return len(q.items) > 1 && slices.ContainsFunc(q.items[1:], func(x *delivery) bool { return x.Until.IsZero() && x.Verb != event.VerbRenew })
}
