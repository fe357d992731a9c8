package outbox

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
)

// UnderWay returns the actions that may be leaving at this moment, by their keys: of each only what never changes.
func (a *Account) UnderWay() (all []event.Action) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.queues {
		if q.running && !q.stuck && len(q.items) > 0 {
			a := &q.items[0].Action
			all = append(all, event.Action{Account: a.Account, Key: a.Key, Verb: a.Verb, Peer: a.Peer, Post: a.Post})
		}
	}
	slices.SortFunc(all, func(x, y event.Action) int { return strings.Compare(x.Key, y.Key) })
	return all
}
