package outbox

import (
	"slices"

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

// fewHeld is how many held messages are remembered, the last ones.
const fewHeld = 256

// keepHeld remembers a held message that nobody knows the fate of. b.mu is held.
func (b *Box) keepHeld(a *event.Action) {
	if a.Verb != event.VerbMessage || a.State != event.StateHeld || a.Result != 0 {
		return
	}
	if len(b.held) == fewHeld {
		b.held = b.held[1:]
	}
	b.held = append(b.held, heldMessage{a.Peer, a.SettleFrom, a.Text})
}

// heldMessage is a message that is held.
type heldMessage struct {
	peer platform.UserID
	from int64 // what it produced, if anything, has a higher id
	text string
}

// heldTo tells whether a message to the peer is held. b.mu is held.
func (b *Box) heldTo(peer platform.UserID) bool {
	return slices.ContainsFunc(b.held, func(h heldMessage) bool { return h.peer == peer })
}

// Held tells whether a message of the account to the peer may be what a held action produced.
func (b *Box) Held(peer platform.UserID, id platform.MessageID, text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.held, func(h heldMessage) bool {
		return h.peer == peer && h.from < int64(id) && sameText(h.text, text)
	})
}
