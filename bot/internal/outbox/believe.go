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

// believedID returns the highest id up to an id of messages or posts that the platform may have given out by now; 0
// when none is known. An id of 0 or less is none, or a row of the chat list.
func (a *Account) believedID(v event.Verb, id int64) int64 {
	if id <= 0 { //mutate:baseline-believed
		return id
	}
	if v == event.VerbMessage && a.cfg.BelievedMessageID != nil {
		if top, ok := a.cfg.BelievedMessageID(platform.MessageID(id)); !ok {
			return int64(top)
		}
		return id
	}
	a.posts.Lock()
	defer a.posts.Unlock()
	if top := a.posts.ids.TopID(); v == event.VerbMessage && leap.IsLeap(0, id) || v != event.VerbMessage && leap.IsLeap(top, id) {
		return top
	}
	return id
}

// isOddID reports whether the platform may not have given out an id by now.
func (a *Account) isOddID(v event.Verb, id int64) bool { return id > 0 && a.believedID(v, id) != id }

// sawPosts notes the ids of posts that were read, or made.
func (a *Account) sawPosts(ids ...int64) {
	a.posts.Lock()
	defer a.posts.Unlock()
	now := time.Now()
	for _, id := range slices.Sorted(slices.Values(ids)) {
		a.posts.ids.NoteID(now, id)
	}
}
