package outbox

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// An answer without a code that names nothing may be that of a platform that says so little, or a refusal: what it is about is looked for, as
// with an answer that got lost. Where that was there each time, no answer is doubted any more.

// unnamedTimes is how many such answers in a row have to have been true.
const unnamedTimes = 3

// errUnproven is a deletion that an answer without a code claims, and which the platform does not show.
var errUnproven = errors.New("the answer has no code, and what was deleted is still shown")

// createdError returns the error of a call that makes something: none where only its answer names nothing, as answers here never do.
func (a *Account) createdError(d *delivery, err error) error {
	d.unnamed = errors.Is(err, platform.ErrUnnamed)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil && d.Result != 0:
		delete(a.unnamed, d.Verb)
	case d.unnamed && a.unnamed[d.Verb] >= unnamedTimes: //mutate:codeless-learned
		return nil
	}
	return err
}

// sawUnnamed notes whether what an answer named nothing of was there.
func (a *Account) sawUnnamed(d *delivery, there bool) {
	if !d.unnamed {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.unnamed == nil {
		a.unnamed = map[event.Verb]int{}
	}
	if a.unnamed[d.Verb]++; !there {
		delete(a.unnamed, d.Verb) //mutate:codeless-unlearned
	}
}

// delete makes the call of a deletion. One that an answer without a code claims is believed when what it deleted is not shown any more, or
// when that cannot be read at all.
func (a *Account) delete(ctx context.Context, d *delivery) error {
	var uncoded atomic.Bool
	asked, err := platform.WithUncoded(ctx, &uncoded), error(nil)
	if d.Verb == event.VerbDeletePost {
		err = a.cfg.Platform.DeletePost(asked, d.Post)
	} else {
		err = a.cfg.Platform.DeleteMessage(asked, d.Message)
	}
	if err != nil || !uncoded.Load() { //mutate:codeless-deletion
		return err
	}
	there, failure := a.isThere(ctx, d)
	switch {
	case there:
		return fmt.Errorf("%w: %w", errUnreconciled, errUnproven)
	case failure == nil, isRefusal(failure), platform.NoEndpoint(failure):
		return nil
	default:
		return fmt.Errorf("%w: %w", errUnreconciled, failure)
	}
}
