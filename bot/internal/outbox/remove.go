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

// remove deletes a message or a post. Repeated, the call does no harm: it is refused, and so it is when
// somebody else was faster. Reading tells that from a refusal of something that is still there.
func (b *Account) remove(ctx context.Context, it *delivery) error {
	err := b.delete(ctx, it)
	if err == nil {
		it.enter(event.StateDone, "")
		return nil
	}
	if !isRefusal(err) {
		return err
	}
	there, failure := b.there(ctx, it)
	switch {
	case failure == nil && !there:
		it.enter(event.StateDone, event.Because(reason.Gone))
		return nil
	case failure == nil, isRefusal(failure), platform.NoEndpoint(failure): // it is there, or nobody will ever know
		return err
	default:
		return readFailure{failure}
	}
}

// there reads whether what is to be deleted is there.
func (b *Account) there(ctx context.Context, it *delivery) (bool, error) {
	if it.Verb == event.VerbDeletePost {
		_, err := b.cfg.Platform.Thread(ctx, it.Post)
		switch {
		case err == nil:
			return true, nil
		case gone(err):
			return false, nil
		default:
			return false, fmt.Errorf("read whether post %d is there: %w", it.Post, err)
		}
	}
	shown, err := b.cfg.Platform.Messages(ctx, platform.MessagesParams{Peer: it.Peer, Before: it.Message + 1})
	if err != nil {
		return false, fmt.Errorf("read whether message %d is there: %w", it.Message, err)
	}
	return slices.ContainsFunc(shown, func(m platform.Message) bool { return m.ID == it.Message }), nil
}

// gone reports whether a refusal to show a post says that there is none: deployments answer so with one of
// these codes. Any other refusal, as of what one may not see, says nothing about that.
func gone(err error) bool {
	return platform.Classify(err) == platform.Gone || isRefusal(err) && errors.Is(err, platform.ErrInvalid)
}

// lookRemoved reads whether what calls in doubt were to delete is gone. Where that cannot be read at all
// it counts as not gone: to delete it again does no harm.
func (b *Account) lookRemoved(ctx context.Context, inDoubtItems []*delivery) (int, error) {
	there, err := b.there(ctx, inDoubtItems[0])
	unseen := platform.NoEndpoint(err) || isRefusal(err)
	if err != nil && !unseen {
		return 0, err
	}
	if there || unseen {
		return 0, nil
	}
	for _, it := range inDoubtItems {
		it.enter(event.StateDone, "")
		it.inDoubt = false
	}
	return len(inDoubtItems), nil
}

// afterMakers waits until the messages of the conversation, or the posts, that are on their way have come
// to an end, and until that is stored: one of them may have made what is to be deleted, and is found by
// reading it back, which it is not afterwards, nor after a crash. It reports false when the dispatcher stops
// first.
func (b *Account) afterMakers(ctx context.Context, q *queue, it *delivery) bool {
	b.mu.Lock()
	makers := b.makersLocked(it)
	if len(makers) > 0 {
		b.stickLocked(q)
	}
	b.mu.Unlock()
	for pause := firstPause; len(makers) > 0; pause = min(2*pause, lookAgain) {
		if !b.workers.Sleep(ctx, pause) {
			return false
		}
		b.mu.Lock()
		makers = slices.DeleteFunc(makers, func(m maker) bool { return !slices.Contains(m.ch.items, m.last) })
		b.mu.Unlock()
	}
	// What was found is stored lazily. After a crash it would be looked for again, deleted as it is by then, and sent anew.
	return b.markNow(ctx) //mutate:found-stored
}

// maker is a queue some of whose items may make what is to be deleted, with the last one of them.
type maker struct {
	ch   *queue
	last *delivery
}

// makersLocked returns the queues that may make what it deletes.
func (b *Account) makersLocked(it *delivery) []maker {
	var makers []maker
	id := max(int64(it.Message), int64(it.Post))
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
	if it.Verb == event.VerbDeleteMessage {
		add(b.queues[orderingKey{event.VerbMessage, int64(it.Peer)}])
		return makers
	}
	for k, q := range b.queues {
		if k.verb == event.VerbPost {
			add(q)
		}
	}
	return makers
}
