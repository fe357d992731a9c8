package outbox

import (
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// publishes reports whether an item is a publication: an own post, a repost, a renewal. A reply is none.
func (it *delivery) publishes() bool {
	switch it.Verb {
	case event.VerbPost:
		return it.Post == 0
	case event.VerbRepost:
		return it.Want
	case event.VerbRenew:
		return true
	default:
		return false
	}
}

// warnRefused tells of a publication that was refused, unless what it was about could not be read, or is not there: that is no
// fault of the account's.
func (b *Account) warnRefused(it *delivery, err error) {
	if !it.publishes() || errors.As(err, new(readFailure)) || platform.Classify(err) == platform.Gone { //mutate:warned-target
		return
	}
	b.dispatcher.cfg.Warned(it.Action, event.WarnedRefusal, fmt.Sprintf("the platform refused a publication: %v", err))
}

// warnToggle tells of a repost that did not take.
func (b *Account) warnToggle(it *delivery) {
	if it.publishes() {
		b.dispatcher.cfg.Warned(it.Action, event.WarnedToggle, fmt.Sprintf("the platform did not take the repost of %d", it.Post))
	}
}
