package outbox

import (
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// manyHeld is how many held messages and posts a new incarnation takes up, the last ones.
const manyHeld = 4096

// held is a message or post that was held, and may have made something that nobody knows the id of. It stays,
// whatever a person decides about it: what it made stays, too.
type held struct {
	text string
	from int64 // what it made has a higher id
	upto int64 // and no higher one than this; 0: that is not known yet
}

// keepHeldLocked remembers a held action that nobody knows the fate of. Its Result, if it has one, is a guess.
func (a *Account) keepHeldLocked(action *event.Action) {
	if !action.Verb.Makes() || action.State != event.StateHeld || action.ReconcileFrom == 0 { //mutate:keep-held
		return
	}
	if a.held == nil {
		a.held = map[orderingKey][]held{}
	}
	k := keyOf(action)
	a.held[k] = append(a.held[k], held{text: action.Text, from: action.ReconcileFrom})
}

// boundHeldLocked notes that what the held ones of a queue made has no higher id than upto.
func (a *Account) boundHeldLocked(k orderingKey, upto int64) {
	for i := range a.held[k] {
		if h := &a.held[k][i]; h.upto == 0 {
			h.upto = upto
		}
	}
}

// afterHeldLocked returns the highest id that the held ones of a queue may have made, and whether that is not known.
func (a *Account) afterHeldLocked(k orderingKey) (known int64, blind bool) {
	for i := range a.held[k] {
		h := &a.held[k][i]
		known, blind = max(known, h.upto), blind || h.upto == 0
	}
	return known, blind
}

// IsHeld reports whether a message of the account to the peer may be what a held action produced.
func (a *Account) IsHeld(peer platform.UserID, id platform.MessageID, text string) bool {
	return a.mayBeHeld(orderingKey{event.VerbMessage, int64(peer)}, int64(id), text)
}

// HeldBelow reports whether a reply of the account to a post may be what a held action produced.
func (a *Account) HeldBelow(post, id platform.PostID, text string) bool {
	return a.mayBeHeld(orderingKey{event.VerbPost, int64(post)}, int64(id), text)
}

func (a *Account) mayBeHeld(k orderingKey, id int64, text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.held[k], func(h held) bool {
		return h.from < id && (h.upto == 0 || id <= h.upto) && a.mayShow(h.text, text) //mutate:held-upto
	})
}
