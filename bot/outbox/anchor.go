package outbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// unknown is what an action settles from that has no better id: everything that is there.
const unknown = 1

// anchor makes sure that the last id known on the platform is stored before a message or post leaves:
// what it produces has a higher one. As long as an action's SettleFrom is 0, it has not left. When
// that has been tried for too long, it does with what is known.
func (b *Box) anchor(ctx context.Context, ch *chain, it *item) error {
	if !it.Verb.Makes() {
		return nil
	}
	b.mu.Lock()
	known, blind, queue := ch.known, ch.blind, ch.queue
	b.mu.Unlock()
	if it.SettleFrom != 0 && !it.adrift && !blind {
		it.SettleFrom = max(it.SettleFrom, known) // what is stored is right, too; this is less to read
		return nil
	}
	if known == 0 || blind {
		newest, err := b.newest(ctx, it, blind)
		switch {
		case err == nil:
			blind = false
		case !b.tired(it, err):
			return err
		}
		known = max(known, newest, unknown)
	}
	var marks []Mark // those that wait behind it need not ask again
	for _, x := range queue {
		if x == it || x.adrift || x.SettleFrom == 0 {
			m := MarkOf(&x.Action)
			m.SettleFrom = max(x.SettleFrom, known)
			marks = append(marks, m)
		}
	}
	if err := b.courier.cfg.Ledger.MarkNow(ctx, marks...); err != nil {
		return notAsked{fmt.Errorf("store the newest id before %s leaves: %w", it.Key, err)}
	}
	for _, x := range queue {
		if x == it || x.adrift || x.SettleFrom == 0 {
			x.SettleFrom, x.adrift = max(x.SettleFrom, known), false
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range queue {
		x.from = x.SettleFrom
	}
	ch.known, ch.blind = known, blind
	return nil
}

// unanchor makes those behind the head of a chain that have not left be anchored anew: the head may have
// made something whose id nobody knows, and that may look like theirs. It returns their marks, which belong
// into one commit with the head's end, or a crash in between would take it for theirs.
func (b *Box) unanchor(ch *chain) []Mark {
	b.mu.Lock()
	behind := ch.queue[1:]
	b.mu.Unlock()
	var marks []Mark
	for _, x := range behind {
		if x.State == event.StateSending && !x.suspect && x.Verb.Makes() {
			x.adrift = true
			m := MarkOf(&x.Action)
			m.SettleFrom = 0
			marks = append(marks, m)
		}
	}
	return marks
}

// settleFrom sets what is known of where an action settles from that comes into a chain, nil for a new one;
// 0 where something may have been made whose id is not known. b.mu is held.
func (b *Box) settleFrom(ch *chain, a *event.Action) {
	switch {
	case !a.Verb.Makes():
	case ch == nil && b.blind(a), ch != nil && (ch.blind || ch.stuck):
		a.SettleFrom = 0
	case ch != nil:
		a.SettleFrom = max(a.SettleFrom, ch.known)
	}
}

// blind tells whether a new chain begins blind: its actions have made something, perhaps, whose id is not
// known. b.mu is held.
func (b *Box) blind(a *event.Action) bool {
	return b.nameless.Load() || a.Verb == event.VerbMessage && b.heldTo(a.Peer)
}

// tired tells whether an item has waited long enough for a reading that failed: for long when there is
// no other id to settle from.
func (b *Box) tired(it *item, err error) bool {
	patience := believe
	if it.SettleFrom == 0 {
		patience = b.courier.cfg.HoldAfter
	}
	return asked(err) && b.waited(it) >= patience
}

// newest reads the newest id that may be mistaken for what it produces. Where that cannot be read at
// all, nothing can be settled either: then what is unsure is left to a person.
func (b *Box) newest(ctx context.Context, it *item, blind bool) (int64, error) {
	if it.Verb == event.VerbPost && it.Post != 0 && it.SettleFrom == 0 && !blind {
		return int64(it.Post), nil // replies are younger than what they answer
	}
	if err := b.slot(ctx); err != nil {
		return 0, err
	}
	defer b.cfg.Slots.Release()
	newest, err := b.readNewest(ctx, it)
	switch {
	case err == nil:
		b.passed()
		return newest, nil
	case said(err) || absent(err):
		return unknown, nil
	default:
		return 0, readFailure{fmt.Errorf("read the newest id before %s leaves: %w", it.Key, err)}
	}
}

func (b *Box) readNewest(ctx context.Context, it *item) (int64, error) {
	var newest int64
	switch {
	case it.Verb == event.VerbMessage:
		ms, err := b.cfg.Platform.Messages(ctx, platform.MessagesParams{Peer: it.Peer})
		for i := range ms {
			newest = max(newest, int64(ms[i].ID))
		}
		return newest, err
	case it.Post == 0: // any post's id will do, whoever wrote it
		me, err := b.me(ctx)
		if err != nil {
			return 0, err
		}
		posts, err := b.cfg.Platform.ProfilePosts(ctx, platform.ProfilePostsParams{ID: me})
		for i := range posts {
			newest = max(newest, int64(posts[i].ID))
		}
		return newest, err
	default:
		own, err := b.ownReplies(ctx, it.Post, it.SettleFrom)
		for _, p := range own {
			newest = max(newest, p.id)
		}
		return newest, err
	}
}

// absent tells whether an error says that the deployment does not have the call.
func absent(err error) bool {
	var unreadable *platform.Unreadable
	return errors.As(err, &unreadable) && unreadable.HTTPStatus == http.StatusNotFound
}
