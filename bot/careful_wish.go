package bot

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// outdatedReason says why what a copy wanted to do must not be done any more; "" where nothing is known against it. What is due after the
// careful start nobody has done before.
func (a *account) outdatedReason(x *event.Action) event.Reason {
	began := a.careful.startedAt()
	if began.IsZero() || !x.Due.Before(began) || !x.DecidedAt.Before(began) {
		return ""
	}
	return a.doneSince(x)
}

// doneSince says why a wish of a copy may have been fulfilled since the copy; "" where nothing is known of that.
func (a *account) doneSince(x *event.Action) event.Reason {
	last := a.careful.lastSpoken(x.Peer)
	switch {
	case x.Verb == event.VerbRenew:
		return event.Because(reason.CopyRenewed, "post", strconv.FormatInt(int64(x.Post), 10))
	case x.Verb == event.VerbMessage && last != 0: //mutate:careful-withdrawn
		return event.Because(reason.CopySpoken, "message", strconv.FormatInt(int64(last), 10))
	}
	return ""
}

// withholdOutdated lets what a turn decides be withdrawn, as far as a copy wanted the turn and the account has done it since, or may have: of timers
// that were due before the careful start, and of what was read first since, other than messages, whose place among the account's words is
// known.
func (t *Turn) withholdOutdated(ctx context.Context) error {
	a := t.reader.account
	began := a.careful.startedAt()
	if began.IsZero() || !t.wishedBefore(began) {
		return nil
	}
	for i := range t.actions {
		x := &t.actions[i].Action
		if x.State.Final() {
			continue
		}
		why := a.doneSince(x)
		if x.Verb == event.VerbPost && x.Post == 0 {
			posts, err := a.outbox.PostedSince(ctx)
			if err != nil {
				return fmt.Errorf("look whether it was published since the copy: %w", err)
			}
			if n := slices.IndexFunc(posts, func(p platform.Post) bool { return outbox.SameText(x.Text, p.Text) }); n >= 0 {
				why = event.Because(reason.CopyPosted, "post", strconv.FormatInt(int64(posts[n].ID), 10))
			}
		}
		if why != "" { //mutate:careful-timer
			x.State = event.StateWithdrawn
			reason.Set(x, why)
			t.Note("%s", x.Reason)
		}
	}
	return nil
}

// wishedBefore reports whether what started a turn is something that may have been dealt with before a careful start.
func (t *Turn) wishedBefore(began time.Time) bool {
	switch x := &t.Trigger; x.Kind {
	case event.ByTimer:
		due := x.Timer.Due
		if !x.Timer.First.IsZero() {
			due = x.Timer.First
		}
		return due.Before(began)
	case event.ByEvent:
		return x.Event.ID.Source != event.Messages && x.Event.ID.Source != event.Snapshots && x.Event.NotBefore.Before(began)
	case event.ByRequest, event.ByNudge:
	}
	return false
}
