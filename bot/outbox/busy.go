package outbox

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Busy tells whether a message to the peer is on its way or unsure: what the platform shows as the
// account's own may then be it.
func (b *Box) Busy(peer platform.UserID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch := b.chains[chainKey{event.VerbMessage, int64(peer)}]
	return ch != nil && len(ch.queue) > 0
}
