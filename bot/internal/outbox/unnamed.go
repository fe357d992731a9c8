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

// proven returns the error of a call that makes something: none where only its answer names nothing, as answers here never do.
func (b *Account) proven(it *delivery, err error) error {
	it.unnamed = errors.Is(err, platform.ErrUnnamed)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil && it.Result != 0:
		delete(b.unnamed, it.Verb)
	case it.unnamed && b.unnamed[it.Verb] >= unnamedTimes: //mutate:codeless-learned
		return nil
	}
	return err
}

// sawUnnamed notes whether what an answer named nothing of was there.
func (b *Account) sawUnnamed(it *delivery, there bool) {
	if !it.unnamed {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.unnamed == nil {
		b.unnamed = map[event.Verb]int{}
	}
	if b.unnamed[it.Verb]++; !there {
		delete(b.unnamed, it.Verb) //mutate:codeless-unlearned
	}
}

// delete makes the call of a deletion. One that an answer without a code claims is believed when what it deleted is not shown any more, or
// when that cannot be read at all.
func (b *Account) delete(ctx context.Context, it *delivery) error {
	var uncoded atomic.Bool
	asked, err := platform.WithUncoded(ctx, &uncoded), error(nil)
	if it.Verb == event.VerbDeletePost {
		err = b.cfg.Platform.DeletePost(asked, it.Post)
	} else {
		err = b.cfg.Platform.DeleteMessage(asked, it.Message)
	}
	if err != nil || !uncoded.Load() { //mutate:codeless-deletion
		return err
	}
	there, failure := b.there(ctx, it)
	switch {
	case there:
		return fmt.Errorf("%w: %w", errUnreconciled, errUnproven)
	case failure == nil, isRefusal(failure), platform.NoEndpoint(failure):
		return nil
	default:
		return fmt.Errorf("%w: %w", errUnreconciled, failure)
	}
}
