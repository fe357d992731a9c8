package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// A copy of the database that was put back does not know what was done since. What it was about to do may have been done: it counts as in doubt,
// from the last ids that the copy knows, and is read back as after a crash.

// Copied is what a copy knows that was put back.
type Copied struct {
	At      time.Time // when an account began with it
	Message int64     // the highest id of a message, and of a post
	Post    int64
	Rows    bool // messages cannot be read: nothing tells of what was said
}

// doubtAtOnce is how many actions are put in doubt with a commit.
const doubtAtOnce = 500

// PutInDoubt puts in doubt what a copy was about to make by the time at which the account begins with it. It is called before Recover, and may be
// called again. What only sets something is read before it is called, as ever.
func (a *Account) PutInDoubt(ctx context.Context, c Copied) error {
	open, err := a.dispatcher.cfg.Ledger.Open(ctx, a.cfg.Account)
	if err != nil {
		return fmt.Errorf("read what a copy of %s was sending: %w", a.cfg.Account, err)
	}
	for i := range open {
		if a := &open[i]; a.Verb.Makes() && (a.ReconcileFrom == 0 || leap.IsLeap(0, a.ReconcileFrom)) { // it had not left, when the copy was made
			open[i] = c.putInDoubt(a)
		}
	}
	if _, err := a.markThose(ctx, open, ageless); err != nil {
		return fmt.Errorf("put in doubt what a copy was sending: %w", err)
	}
	for others := 0; ; {
		due, err := a.dispatcher.cfg.Ledger.DueActions(ctx, a.cfg.Account, c.At, nil, others+doubtAtOnce)
		if err != nil {
			return fmt.Errorf("read what is due in a copy of %s: %w", a.cfg.Account, err)
		}
		var makes []event.Action
		others = 0
		for i := range due {
			if due[i].Verb.Makes() {
				makes = append(makes, c.putInDoubt(&due[i]))
			} else {
				others++
			}
		}
		if len(makes) == 0 {
			return nil
		}
		if _, err := a.markThose(ctx, makes, MarkOf); err != nil {
			return fmt.Errorf("put in doubt what is due in a copy: %w", err)
		}
	}
}

// ageless is MarkOf of an action of a copy: its age says nothing of what has left since.
func ageless(a *event.Action) Mark {
	m := MarkOf(a)
	m.Ageless = true
	return m
}

// putInDoubt returns an action of a copy in doubt.
func (c *Copied) putInDoubt(a *event.Action) event.Action {
	x := *a
	if x.State == event.StateDue {
		ChangeState(&x, event.StateSending)
	}
	x.LeftAt = c.At
	if c.Rows && x.Verb == event.VerbMessage {
		ChangeState(&x, event.StateHeld)
		reason.Set(&x, event.Because(reason.CopyUnread))
		return x
	}
	if x.State == event.StateSending {
		ChangeState(&x, event.StateInDoubt)
	}
	switch {
	case x.Verb == event.VerbMessage:
		x.ReconcileFrom = c.Message
	case x.Post != 0:
		x.ReconcileFrom = int64(x.Post) // replies are younger than what they answer
	default:
		x.ReconcileFrom = c.Post
	}
	if x.ReconcileFrom <= 0 || leap.IsLeap(0, x.ReconcileFrom) {
		x.ReconcileFrom = unknown
	}
	return x
}

// CountCopied lets what the account has published since a copy count as published: nothing of it is in the ledger. It is called before Recover.
func (a *Account) CountCopied(c Copied) { a.copied.Store(&c) }

// PostedSince reads the posts of the account's page that a copy does not know of; none without a copy.
func (a *Account) PostedSince(ctx context.Context) (posts []platform.Post, err error) {
	c := a.copied.Load()
	if c == nil {
		return nil, nil
	}
	if err := a.cfg.Slots.Acquire(ctx); err != nil {
		return nil, err
	}
	defer a.cfg.Slots.Release()
	me, err := a.ownID(ctx)
	if err != nil {
		return nil, err
	}
	old := 0
	for p, err := range a.cfg.Platform.AllProfilePosts(ctx, platform.ProfilePostsParams{ID: me, PageSize: reconcilePage}) {
		switch {
		case err != nil:
			return nil, fmt.Errorf("read what was published since the copy: %w", err)
		case !isOwnPost(&p, me) || p.Thread != 0 || p.Time.After(c.At): // what the bot has published since it knows
		case int64(p.ID) > c.Post:
			posts = append(posts, p)
		default:
			old++
		}
		if old == 2 { // the first one may be pinned
			break
		}
	}
	return posts, nil
}

// publications lets what the account has published since a copy count, by the bot or by hand: its ledger has nothing of it.
func (c *Copied) publications(posts []platform.Post) (all []event.Publication) {
	for i := range posts {
		at := posts[i].Time
		if at.IsZero() {
			at = c.At
		}
		all = append(all, event.Publication{Key: fmt.Sprint("post:", posts[i].ID), At: at, Ended: at, Verb: event.VerbPost, Post: posts[i].ID, State: event.StateDone})
	}
	return all
}

// tooOld reports whether an item is one that a copy wanted and that must not be done any more, and withdraws it.
func (a *Account) tooOld(d *delivery) bool {
	if d.hasUndone() {
		return false
	}
	why := a.cfg.People.OutdatedReason(&d.Action)
	if why == "" {
		return false
	}
	d.changeState(event.StateWithdrawn, why)
	return true
}
