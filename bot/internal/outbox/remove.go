package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// remove deletes a message or a post. Repeated, the call does no harm: it is refused, and so it is when
// somebody else was faster. Reading tells that from a refusal of something that is still there.
func (a *Account) remove(ctx context.Context, d *delivery) error {
	err := a.delete(ctx, d)
	if err == nil {
		d.changeState(event.StateDone, "")
		return nil
	}
	if !isRefusal(err) {
		return err
	}
	there, failure := a.isThere(ctx, d)
	switch {
	case failure == nil && !there:
		d.changeState(event.StateDone, event.Because(reason.Gone))
		return nil
	case failure == nil, isRefusal(failure), platform.NoEndpoint(failure): // it is there, or nobody will ever know
		return err
	default:
		return readFailure{failure}
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

// errUnproven is a deletion that an answer without a code claims, and which the platform does not show.
var errUnproven = errors.New("the answer has no code, and what was deleted is still shown")

// isThere reads whether what is to be deleted is there.
func (a *Account) isThere(ctx context.Context, d *delivery) (bool, error) {
	if d.Verb == event.VerbDeletePost {
		_, err := a.cfg.Platform.Thread(ctx, d.Post)
		switch {
		case err == nil:
			return true, nil
		case isGone(err):
			return false, nil
		default:
			return false, fmt.Errorf("read whether post %d is there: %w", d.Post, err)
		}
	}
	shown, err := a.cfg.Platform.Messages(ctx, platform.MessagesParams{Peer: d.Peer, Before: d.Message + 1})
	if err != nil {
		return false, fmt.Errorf("read whether message %d is there: %w", d.Message, err)
	}
	return slices.ContainsFunc(shown, func(m platform.Message) bool { return m.ID == d.Message }), nil
}

// isGone reports whether a refusal to show a post says that there is none: deployments answer so with one of
// these codes. Any other refusal, as of what one may not see, says nothing about that.
func isGone(err error) bool {
	return platform.Classify(err) == platform.Gone || isRefusal(err) && errors.Is(err, platform.ErrInvalid)
}

// lookRemoved reads whether what calls in doubt were to delete is gone. Where that cannot be read at all
// it counts as not gone: to delete it again does no harm.
func (a *Account) lookRemoved(ctx context.Context, inDoubtItems []*delivery) (int, error) {
	there, err := a.isThere(ctx, inDoubtItems[0])
	unseen := platform.NoEndpoint(err) || isRefusal(err)
	if err != nil && !unseen {
		return 0, err
	}
	if there || unseen {
		return 0, nil
	}
	for _, d := range inDoubtItems {
		d.changeState(event.StateDone, "")
	}
	return len(inDoubtItems), nil
}

// afterMakers waits until the messages of the conversation, or the posts, that are on their way have come
// to an end, and until that is stored: one of them may have made what is to be deleted, and is found by
// reading it back, which it is not afterwards, nor after a crash. It reports false when the dispatcher stops
// first.
func (a *Account) afterMakers(ctx context.Context, q *queue, d *delivery) bool {
	a.mu.Lock()
	makers := a.makersLocked(d)
	if len(makers) > 0 {
		a.stickLocked(q)
	}
	a.mu.Unlock()
	for pause := firstPause; len(makers) > 0; pause = min(2*pause, lookAgain) {
		if !a.workers.Sleep(ctx, pause) {
			return false
		}
		a.mu.Lock()
		makers = slices.DeleteFunc(makers, func(m maker) bool { return !slices.Contains(m.ch.items, m.last) })
		a.mu.Unlock()
	}
	// What was found is stored lazily. After a crash it would be looked for again, deleted as it is by then, and sent anew.
	return a.markNow(ctx) //mutate:found-stored
}

// maker is a queue some of whose items may make what is to be deleted, with the last one of them.
type maker struct {
	ch   *queue
	last *delivery
}

// makersLocked returns the queues that may make what it deletes.
func (a *Account) makersLocked(d *delivery) []maker {
	var makers []maker
	id := max(int64(d.Message), int64(d.Post))
	add := func(q *queue) {
		if q == nil {
			return
		}
		for _, x := range slices.Backward(q.items) {
			if x.from < id {
				makers = append(makers, maker{q, x})
				return
			}
		}
	}
	if d.Verb == event.VerbDeleteMessage {
		add(a.queues[orderingKey{event.VerbMessage, int64(d.Peer)}])
		return makers
	}
	for k, q := range a.queues {
		if k.verb == event.VerbPost {
			add(q)
		}
	}
	return makers
}
