package outbox

import (
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// publishes reports whether an item is a publication: an own post, a repost, a renewal. A reply is none.
func (d *delivery) publishes() bool {
	switch d.Verb {
	case event.VerbPost:
		return d.Post == 0
	case event.VerbRepost:
		return d.Want
	case event.VerbRenew:
		return true
	default:
		return false
	}
}

// warnRefused tells of a publication that was refused, unless what it was about could not be read, or is not there: that is no
// fault of the account's.
func (a *Account) warnRefused(d *delivery, err error) {
	if !d.publishes() || errors.As(err, new(readFailure)) || platform.Classify(err) == platform.Gone { //mutate:warned-target
		return
	}
	a.dispatcher.cfg.Warned(d.Action, event.WarnedRefusal, fmt.Sprintf("the platform refused a publication: %v", err))
}

// warnToggle tells of a repost that did not take.
func (a *Account) warnToggle(d *delivery) {
	if d.publishes() {
		a.dispatcher.cfg.Warned(d.Action, event.WarnedToggle, fmt.Sprintf("the platform did not take the repost of %d", d.Post))
	}
}
