package outbox

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/platform"
)

// What an action makes has a higher id than all that was there before: that is where it is looked for. A row that
// shows an absurd id must not become such a mark, or nothing would ever be found above it, and be sent again.

// believed returns the highest id up to an id of messages or posts that the platform may have given out by now; 0
// when none is known. An id of 0 or less is none, or a row of the chat list.
func (b *Account) believed(v event.Verb, id int64) int64 {
	if id <= 0 { //mutate:baseline-believed
		return id
	}
	if v == event.VerbMessage && b.cfg.Believed != nil {
		if top, ok := b.cfg.Believed(platform.MessageID(id)); !ok {
			return int64(top)
		}
		return id
	}
	b.posts.Lock()
	defer b.posts.Unlock()
	if top := b.posts.ids.Top(); v == event.VerbMessage && leap.Over(0, id) || v != event.VerbMessage && leap.Over(top, id) {
		return top
	}
	return id
}

// odd reports whether the platform may not have given out an id by now.
func (b *Account) odd(v event.Verb, id int64) bool { return id > 0 && b.believed(v, id) != id }

// sawPosts notes the ids of posts that were read, or made.
func (b *Account) sawPosts(ids ...int64) {
	b.posts.Lock()
	defer b.posts.Unlock()
	now := time.Now()
	for _, id := range slices.Sorted(slices.Values(ids)) {
		b.posts.ids.See(now, id)
	}
}
