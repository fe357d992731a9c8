package outbox

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
)

// UnderWay returns the actions that may be leaving at this moment, by their keys: of each only what never changes.
func (b *Box) UnderWay() (all []event.Action) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, ch := range b.chains {
		if ch.running && !ch.stuck && len(ch.queue) > 0 {
			a := &ch.queue[0].Action
			all = append(all, event.Action{Account: a.Account, Key: a.Key, Verb: a.Verb, Peer: a.Peer, Post: a.Post})
		}
	}
	slices.SortFunc(all, func(x, y event.Action) int { return strings.Compare(x.Key, y.Key) })
	return all
}
